"""Methods that distinguish two graphs or two nodes, in the order of their cost."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array, diags_array

from gskn._limits import MAX_PAIR_CELLS, MAX_PAIR_NODES
from gskn._types import IndexArray
from gskn.colors import (
    Hashes,
    color_rounds,
    initial_hashes,
    marked_hash,
    pair_rounds,
    ranks,
    smallest_class,
)
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._counts import pattern_counts
from gskn.walks._table import PatternTable
from gskn.walks._witness import Witness, color_witness, count_witness, value_witness
from gskn.walks._work import enumeration_work

_MAX_ENUMERATED = 1e8  # walks of one graph
_MAX_INDIVIDUAL = 2.0**34  # steps of 2-FWL in one round, over all chosen nodes
_LARGEST_COUNT = 2.0**53


@dataclass(frozen=True)
class Outcome:
    """Result of one method: the length or the round that differs, and a witness."""

    witness: Witness | None = None
    length: int | None = None
    n_rounds: int | None = None


@dataclass
class Pair:
    """Two graphs to compare, as one batch, and the options of the comparison.

    Attributes
    ----------
    batch : GraphBatch
        The first and the second graph.
    nodes : tuple of int, or None
        A node of each graph; None compares whole graphs.
    by_node : bool
        Whether graphs are compared by the multiset of the rows of their nodes, instead of
        the sum of the rows.
    labels : bool
        Whether labels are compared.
    max_length, max_induced_length : int
        Largest lengths of patterns.
    """

    batch: GraphBatch
    nodes: tuple[int, int] | None
    by_node: bool
    labels: bool
    max_length: int
    max_induced_length: int
    tables: dict[int, PatternTable] = field(default_factory=dict, repr=False)

    @property
    def cut(self) -> int:
        """Number of nodes of the first graph."""
        return int(self.batch.graph_ptr[1])

    @property
    def places(self) -> list[int]:
        """Rows of the compared nodes, or of all nodes."""
        if self.nodes is None:
            return list(range(self.batch.n_nodes))
        return [self.nodes[0], self.cut + self.nodes[1]]

    def hashes(self, initial: csr_array | None) -> Hashes:
        """Return the initial colors of all nodes, with their labels."""
        return initial_hashes(self.batch, initial, labels=self.labels)

    def compare_nodes(self, colors: IndexArray, text: str) -> Witness | None:
        """Compare the colors of the nodes of both graphs, or of the two nodes.

        ``text`` describes a color by one of its nodes.
        """
        parts = [colors[: self.cut], colors[self.cut :]]
        if self.nodes is None:
            return color_witness(parts, partial(_describe, f"nodes with {text}"))
        if parts[0][self.nodes[0]] == parts[1][self.nodes[1]]:
            return None
        example = _describe(text, 0, self.nodes[0])
        return Witness(example, (1, 0), nodes=((self.nodes[0],), ()))

    def name_nodes(self, witness: Witness) -> Witness:
        """Replace the nodes of a witness of two rows by the compared nodes."""
        if self.nodes is None:
            return witness
        first, second = (
            (node,) if rows else ()
            for node, rows in zip(self.nodes, witness.nodes, strict=True)
        )
        return replace(witness, nodes=(first, second))

    def pattern_table(self, length: int) -> PatternTable:
        """Return the exact counts of the patterns of one length."""
        if length not in self.tables:
            self.tables[length] = pattern_counts(self.batch, length, weighting="count")
        return self.tables[length]

    def induced_table(self, length: int) -> PatternTable:
        """Return the exact counts of the induced patterns of one length."""
        if enumeration_work(self.batch, length).max(initial=0) > _MAX_ENUMERATED:
            raise InputError(f"too many walks of length {length} to enumerate")
        return pattern_counts(
            self.batch, length, weighting="count", induced=True, method="exact"
        )

    @cached_property
    def pattern_rows(self) -> csr_array:
        """Counts of the longest patterns that can be counted exactly."""
        for length in range(self.max_length, 2, -1):
            with suppress(InputError):
                return self.pattern_table(length).rows
        return self.pattern_table(2).rows

    @cached_property
    def stable_pairs(self) -> list[IndexArray]:
        """Stable colors of 2-FWL, started from patterns."""
        rounds = _pair_rounds(self, "2-fwl", self.pattern_rows)
        return deque(rounds, maxlen=1).pop()


def compare_walks(pair: Pair) -> Outcome:
    """Compare the numbers of walks of every length, which ignore labels."""
    steps = pair.batch.adjacency
    ones = csr_array((np.ones(steps.nnz), steps.indices, steps.indptr), steps.shape)
    counts = np.ones(pair.batch.n_nodes)
    is_end = pair.batch.degrees == 0  # where a walk stays
    for length in range(1, pair.max_length + 1):
        counts = ones @ counts + np.where(is_end, counts, 0.0) if length > 1 else counts
        if counts.sum() >= _LARGEST_COUNT:
            raise InputError(f"there are more than 2^53 walks of length {length}")
        parts = counts[: pair.cut], counts[pair.cut :]
        if pair.nodes is not None:
            parts = counts[pair.places[:1]], counts[pair.places[1:]]
        first, second = (int(part.sum()) for part in parts)
        if first != second:
            text = f"walks of {nodes_text(length)}"
            return Outcome(Witness(text, (first, second)), length)
    return Outcome()


def compare_colors(pair: Pair, *, from_patterns: bool) -> Outcome:
    """Compare the colors of nodes after every round of 1-WL."""
    hashes = pair.hashes(pair.pattern_rows if from_patterns else None)
    rounds = color_rounds(pair.batch, hashes, labels=pair.labels)
    for n_rounds, colors in enumerate(rounds):
        text = f"the color of node {{}} after {_rounds(n_rounds)}"
        if witness := pair.compare_nodes(colors, text):
            return Outcome(witness, n_rounds=n_rounds)
    return Outcome()


def compare_patterns(pair: Pair) -> Outcome:
    """Compare the patterns of every length; of labels, only that of the start matters."""
    return _compare_tables(pair, pair.pattern_table, pair.max_length)


def compare_induced(pair: Pair) -> Outcome:
    """Compare the induced patterns of every length; labels as in `compare_patterns`."""
    return _compare_tables(pair, pair.induced_table, pair.max_induced_length)


def compare_pairs(pair: Pair, method: str, *, from_patterns: bool) -> Outcome:
    """Compare the colors of pairs of nodes after every round of 2-FWL or SSWL."""
    initial = pair.pattern_rows if from_patterns else None
    sizes = pair.batch.graph_sizes.tolist()
    for n_rounds, colors in enumerate(_pair_rounds(pair, method, initial)):
        numbers = _numbers_of_pairs(pair, colors)
        text = f"pairs of nodes with the color of {{}} after {_rounds(n_rounds)}"

        def describe(graph: int, place: int, text: str = text) -> str:
            start, end = divmod(place, sizes[graph])
            start = start if pair.nodes is None else pair.nodes[graph]
            return _describe(text, graph, (start, end))

        witness = color_witness(numbers, describe)
        if witness is None:
            continue
        starts = [
            tuple(sorted({place // size for place in places}))
            for places, size in zip(witness.nodes, sizes, strict=True)
        ]
        witness = replace(witness, nodes=(starts[0], starts[1]))
        return Outcome(pair.name_nodes(witness), n_rounds=n_rounds)
    return Outcome()


def compare_individual(pair: Pair) -> Outcome:
    """Compare the colors of graphs in which one node has a color of its own.

    The nodes are those of the smallest color class, or the two compared ones.
    """
    outcome = compare_pairs(pair, "2-fwl", from_patterns=True)
    if outcome.witness:
        return outcome
    colors = [np.diagonal(matrix) for matrix in pair.stable_pairs]
    chosen = [smallest_class(part).tolist() for part in colors]
    if pair.nodes is not None:
        chosen = [[node] for node in pair.nodes]
    sizes = pair.batch.graph_sizes.astype(np.float64)
    work = sum(len(nodes) * size**3 for nodes, size in zip(chosen, sizes, strict=True))
    if work > _MAX_INDIVIDUAL:
        n_chosen = sum(map(len, chosen))
        raise InputError(f"2-FWL would be repeated for {n_chosen} nodes of large graphs")
    hashes = [
        marked_hash(pair.batch[number], colors[number], node, labels=pair.labels)
        for number, nodes in enumerate(chosen)
        for node in nodes
    ]
    numbers = ranks(np.array(hashes, dtype=np.uint64).reshape(-1, 2).T)
    parts = np.split(numbers, [len(chosen[0])])
    text = "nodes that, marked, give a graph of the same color as node {}"
    witness = color_witness(
        parts, lambda graph, place: _describe(text, graph, chosen[graph][place])
    )
    if witness is None:
        return Outcome()
    first, second = (
        tuple(listed[place] for place in places)
        for listed, places in zip(chosen, witness.nodes, strict=True)
    )
    return Outcome(replace(witness, nodes=(first, second)))


METHODS: dict[str, Callable[[Pair], Outcome]] = {
    "walks": compare_walks,
    "1-WL": partial(compare_colors, from_patterns=False),
    "patterns": compare_patterns,
    "induced patterns": compare_induced,
    "1-WL from patterns": partial(compare_colors, from_patterns=True),
    "SSWL": partial(compare_pairs, method="sswl", from_patterns=False),
    "SSWL from patterns": partial(compare_pairs, method="sswl", from_patterns=True),
    "2-FWL": partial(compare_pairs, method="2-fwl", from_patterns=False),
    "2-FWL from patterns": partial(compare_pairs, method="2-fwl", from_patterns=True),
    "individualization": compare_individual,
}


def _compare_tables(
    pair: Pair, make_table: Callable[[int], PatternTable], max_length: int
) -> Outcome:
    """Compare the tables of all lengths."""
    for length in range(1, max_length + 1):
        try:
            witness = _compare_rows(pair, make_table(length))
        except InputError as error:
            raise InputError(
                f"equal up to length {length - 1}; too much work for length {length}"
            ) from error
        if witness:
            return Outcome(witness, length)
    return Outcome()


def _compare_rows(pair: Pair, table: PatternTable) -> Witness | None:
    """Compare the rows of two graphs, or of two nodes."""
    rows = table.rows
    if pair.nodes is None and rows.sum() >= _LARGEST_COUNT:
        raise InputError(f"there are more than 2^53 walks of length {table.length}")
    if pair.by_node or pair.nodes is not None:
        text = "the patterns of node {}"
        witness = pair.compare_nodes(ranks(pair.hashes(rows)), text)
        if witness is None:
            return None
        if pair.nodes is not None:
            specific = count_witness(rows[pair.places], 1, table)
            return witness if specific is None else pair.name_nodes(specific)
        specifics = (find(rows, pair.cut, table) for find in (count_witness, value_witness))
        return next(filter(None, specifics), witness)
    labels = ranks(pair.hashes(None))
    totals = (
        count_witness(diags_array((labels == label) * 1.0) @ rows, pair.cut, table)
        for label in range(labels.max(initial=-1) + 1)
    )
    return next(filter(None, totals), None)


def _pair_rounds(
    pair: Pair, method: str, initial: csr_array | None
) -> Iterator[list[IndexArray]]:
    sizes = pair.batch.graph_sizes
    if sizes.max(initial=0) > MAX_PAIR_NODES or (sizes**2).sum() > MAX_PAIR_CELLS:
        raise InputError(f"more than {MAX_PAIR_NODES:,} nodes")
    hashes = pair.hashes(initial)
    return pair_rounds(pair.batch, hashes, method=method, labels=pair.labels)


def _numbers_of_pairs(pair: Pair, colors: list[IndexArray]) -> list[IndexArray]:
    """Return the colors of all pairs, or of the pairs that begin with a compared node."""
    if pair.nodes is None:
        return [matrix.ravel() for matrix in colors]
    return [matrix[node] for matrix, node in zip(colors, pair.nodes, strict=True)]


def _describe(text: str, graph: int, place: object) -> str:
    return text.format(f"{place} of the {('first', 'second')[graph]} graph")


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number} rounds"


def nodes_text(number: int) -> str:
    """Return a number of nodes in words."""
    return "1 node" if number == 1 else f"{number} nodes"
