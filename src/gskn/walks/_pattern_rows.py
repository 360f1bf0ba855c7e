"""Rows of patterns of several lengths: exact, or from walks for blocks of nodes."""

import logging
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gskn._lazy import cached_property
from gskn._limits import MAX_EXACT_LENGTH, MAX_WALKS, MAX_WORK
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_flag, check_int, check_number
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._exact import exact_rows
from gskn.walks._patterns import patterns
from gskn.walks._rows import RowBlock, merge_rows
from gskn.walks._sampled_rows import NodeWalks, sampled_rows
from gskn.walks._steps import count_walks, sum_by_graph, weighted_graphs
from gskn.walks._table import PatternTable
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import choose_cheap, exact_work

logger = logging.getLogger(__name__)

_WALKS_PER_SAMPLE = 100  # that are enumerated instead of one sampled walk


@dataclass(frozen=True)
class PatternOptions:
    """Validated options of `pattern_counts`."""

    weighting: str
    method: str
    n_walks: int
    seed: np.uint64
    max_work: float = MAX_WORK
    exact_counts: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.weighting, "weighting", choices=["probability", "count"])
        check_choice(self.method, "method", choices=["auto", "exact", "sampled"])
        check_int(self.n_walks, "n_walks", minimum=1, maximum=MAX_WALKS)
        check_number(self.max_work, "max_work", minimum=0)
        check_flag(self.exact_counts, "exact_counts")

    @property
    def probability(self) -> bool:
        return self.weighting == "probability"


class PatternRows:
    """Rows of the patterns of all nodes, for several lengths.

    Exact rows are computed at once. Rows from walks are computed when they are read, so
    that those of a large graph need not fit into memory.

    Parameters
    ----------
    batch : GraphBatch
        Graphs.
    lengths : tuple of int
        Lengths of patterns, ascending.
    options : PatternOptions
        Options of `pattern_counts`.
    """

    def __init__(
        self, batch: GraphBatch, lengths: tuple[int, ...], options: PatternOptions
    ) -> None:
        self.batch, self.lengths, self.options = batch, lengths, options
        weighted = weighted_graphs(batch, use_weights=options.probability)
        self._weighted = weighted[batch.node_graphs]
        self._longest = np.zeros(batch.n_nodes, dtype=np.int8)
        self._all_walks = np.zeros(batch.n_nodes, dtype=bool)
        self._exact: dict[int, csr_array] = {}
        if options.method == "sampled":
            check_countable(np.zeros(batch.n_graphs, dtype=bool), max(lengths), options)
            return
        walks = WalkBatch.from_batch(batch, use_weights=options.probability)
        longest = _longest_exact(walks, lengths, options)
        check_countable(longest == max(lengths), max(lengths), options)
        self._longest[:] = longest[batch.node_graphs]
        self._all_walks = _choose_enumerated(walks, longest, lengths, options)
        self._exact = _exact_tables(walks, longest, lengths, options)

    def tables(self) -> list[PatternTable]:
        """Return one table of all nodes for every length."""
        batch, tables = self.batch, []
        for length, rows in zip(self.lengths, self.rows(slice(None)), strict=True):
            exact_nodes = self._all_walks | (self._longest >= length)
            n_sampled = sum_by_graph(np.where(exact_nodes, 0.0, 1.0), batch.graph_ptr)
            tables.append(
                PatternTable(
                    length,
                    patterns(length, staying=True),
                    rows,
                    n_sampled == 0,
                    batch.graph_ptr,
                    exact_nodes=exact_nodes,
                    n_walks=self.options.n_walks,
                )
            )
        return tables

    def rows(self, nodes: slice | IndexArray) -> list[csr_array]:
        """Return the rows of some nodes, one matrix for every length."""
        longest, numbers = self._longest[nodes], np.arange(self.batch.n_nodes)[nodes]
        is_sampled = longest < max(self.lengths)
        if not len(longest):
            return [csr_array((0, _n_patterns(length))) for length in self.lengths]
        if not is_sampled.any():
            return [self._exact[length][nodes] for length in self.lengths]
        blocks: dict[int, list[RowBlock]] = {length: [] for length in self.lengths}
        for weighted in (False, True):
            # Separately: rows of a graph without weights must not depend on other graphs.
            chosen = is_sampled & (self._weighted[nodes] == weighted)
            for limit in np.unique(longest[chosen]):
                places = np.flatnonzero(chosen & (longest == limit))
                lengths = tuple(length for length in self.lengths if length > limit)
                matrices = self._sample(numbers[places], lengths, weighted=weighted)
                for length, rows in zip(lengths, matrices, strict=True):
                    blocks[length].append(RowBlock(places, np.arange(len(places)), rows))
        for length, parts in blocks.items():
            places = np.flatnonzero(longest >= length)
            if len(places):
                parts.append(RowBlock(places, places, self._exact[length][nodes]))
        return [
            merge_rows(parts, len(longest), _n_patterns(length), self.options.n_jobs)
            for length, parts in blocks.items()
        ]

    def _sample(
        self, nodes: IndexArray, lengths: tuple[int, ...], *, weighted: bool
    ) -> list[csr_array]:
        """Return the rows of some nodes from walks, one matrix for every length."""
        walks = self._weighted_walks if weighted else self._plain_walks
        options = self.options
        return sampled_rows(
            walks,
            nodes,
            lengths,
            options.n_walks,
            enumerated=self._all_walks[nodes],
            n_jobs=options.n_jobs,
        )

    @cached_property
    def _plain_walks(self) -> NodeWalks:
        return NodeWalks.from_batch(self.batch, self.options.seed, use_weights=False)

    @cached_property
    def _weighted_walks(self) -> NodeWalks:
        return NodeWalks.from_batch(self.batch, self.options.seed, use_weights=True)


def check_countable(is_exact: AnyArray, length: int, options: PatternOptions) -> None:
    """Raise if counts would have to be sampled."""
    if not options.probability and options.method == "sampled":
        raise InputError("Counts cannot be sampled; use weighting='probability'.")
    if not is_exact.all() and not options.probability:
        raise InputError(
            f"Graph {int(np.argmin(is_exact))} is too large for exact counts of length "
            f"{length}; use weighting='probability', or raise max_work."
        )


def warn_of_samples(work: FloatArray, options: PatternOptions) -> None:
    """Warn if graphs are sampled because their work is above the bound."""
    is_sampled = work > options.max_work
    if is_sampled.any() and options.probability:  # counts raise an error instead
        number = int(np.argmax(is_sampled))
        logger.warning(
            "%d graphs are sampled: graph %d would need a work of %.1e for exact "
            "patterns, above max_work = %.1e",
            int(is_sampled.sum()),
            number,
            work[number],
            options.max_work,
        )


def _longest_exact(
    walks: WalkBatch, lengths: tuple[int, ...], options: PatternOptions
) -> IndexArray:
    """Return for every graph the longest exact length, 0 if all are sampled."""
    longest = np.zeros(walks.batch.n_graphs, dtype=np.int64)
    for length in sorted(lengths, reverse=True):
        if length > MAX_EXACT_LENGTH:
            logger.info(
                "All graphs are sampled: length %d is above %d", length, MAX_EXACT_LENGTH
            )
            continue
        is_exact = np.ones(len(longest), dtype=bool)
        if options.method == "auto" and length > 3:  # short patterns need no products
            work = exact_work(walks, length, options.max_work)
            is_exact = work <= options.max_work
            if length == max(lengths):
                warn_of_samples(work, options)
        longest[is_exact & (longest == 0)] = length
        if longest.all():
            break
    return longest


def _choose_enumerated(
    walks: WalkBatch, longest: IndexArray, lengths: tuple[int, ...], options: PatternOptions
) -> BoolArray:
    """Return the nodes of sampled graphs whose walks are enumerated instead."""
    batch, length = walks.batch, max(lengths)
    is_sampled = longest < length
    if options.method != "auto" or length < 3 or not is_sampled.any():
        return np.zeros(batch.n_nodes, dtype=bool)
    n_walks = count_walks(walks.steps, length - 1)  # last steps are not enumerated
    n_walks[~is_sampled[batch.node_graphs]] = np.inf
    limit = options.n_walks * _WALKS_PER_SAMPLE
    return choose_cheap(n_walks, batch.graph_ptr, limit, options.max_work)


def _exact_tables(
    walks: WalkBatch,
    longest: IndexArray,
    lengths: tuple[int, ...],
    options: PatternOptions,
) -> dict[int, csr_array]:
    """Return the exact rows of every length; those of other nodes are empty."""
    blocks: dict[int, list[RowBlock]] = {length: [] for length in lengths}
    for limit in np.unique(longest):
        exact = tuple(length for length in lengths if length <= limit)
        if not exact:
            continue
        groups = exact_rows(
            walks,
            np.flatnonzero(longest == limit),
            exact,
            probability=options.probability,
            exact_counts=options.exact_counts,
            n_jobs=options.n_jobs,
        )
        for by_length in groups:
            for length, block in zip(exact, by_length, strict=True):
                blocks[length].append(block)
    return {
        length: merge_rows(parts, walks.batch.n_nodes, _n_patterns(length), options.n_jobs)
        for length, parts in blocks.items()
        if parts or not walks.batch.n_nodes
    }


def _n_patterns(length: int) -> int:
    return len(patterns(length, staying=True))
