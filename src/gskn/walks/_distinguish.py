"""distinguish: the first method that tells two graphs, or two nodes, apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

from gskn._limits import MAX_EXACT_LENGTH, MAX_INDUCED_LENGTH
from gskn._validation import check_choice, check_flag, check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._isomorphism import are_isomorphic
from gskn.walks._rungs import METHODS, Pair, nodes_text
from gskn.walks._witness import Witness

# The others are weaker and hardly faster than the same refinements started from patterns.
_DEFAULT_METHODS = tuple(name for name in METHODS if name not in {"SSWL", "2-FWL"})
_DATA = {
    "node_labels": "node labels",
    "edge_labels": "edge labels",
    "node_attributes": "node attributes",
    "edge_attributes": "edge attributes",
}
_CLAIMS = {
    "graphs": ("they are isomorphic", "they are not isomorphic"),
    "nodes": (
        "an isomorphism maps one node to the other",
        "no isomorphism maps one node to the other",
    ),
}


@dataclass(frozen=True)
class Comparison:
    """Result of one method.

    Attributes
    ----------
    method : str
        Name of the method.
    distinguishes : bool or None
        Whether the graphs or nodes differ; None if the method was not finished.
    length : int or None
        For walks and patterns, the smallest length at which they differ.
    n_rounds : int or None
        For colors, the number of rounds after which they differ.
    seconds : float
        Time of the method. Methods that start from patterns use those counted before.
    witness : Witness or None
        A pattern or a color that differs.
    reason : str
        Why the method was not finished, or "".
    """

    method: str
    distinguishes: bool | None
    length: int | None
    n_rounds: int | None
    seconds: float
    witness: Witness | None
    reason: str


@dataclass(frozen=True)
class Distinction:
    """Results of the methods that compared two graphs, or two nodes.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Results in the order of the methods.
    is_isomorphic : bool or None
        If no method distinguishes the graphs, whether they are isomorphic, and, for nodes,
        whether an isomorphism maps one to the other. None if this was not tested.
    compared, ignored : tuple of str
        Data of the graphs that were compared, and data that were ignored.
    nodes : tuple of int, or None
        The compared nodes of the first and the second graph; None for whole graphs.
    """

    comparisons: tuple[Comparison, ...]
    is_isomorphic: bool | None
    compared: tuple[str, ...]
    ignored: tuple[str, ...]
    nodes: tuple[int, int] | None

    @property
    def first(self) -> Comparison | None:
        """The first method that distinguishes the graphs or nodes, or None."""
        return next((item for item in self.comparisons if item.distinguishes), None)

    @property
    def method(self) -> str | None:
        """Name of the first method that distinguishes the graphs or nodes, or None."""
        return None if self.first is None else self.first.method

    @property
    def witness(self) -> Witness | None:
        """The pattern or color by which the first method distinguishes, or None."""
        return None if self.first is None else self.first.witness

    def __getitem__(self, method: str) -> Comparison:
        """Return the result of one method.

        Parameters
        ----------
        method : str
            Name of the method.

        Returns
        -------
        comparison : Comparison
            The result; ``KeyError`` if the method was not used.
        """
        for item in self.comparisons:
            if item.method == method:
                return item
        raise KeyError(method)

    @property
    def summary(self) -> str:
        """The result in one or two sentences."""
        if self.first is not None and self.witness is not None:
            one, two = (f"{count:,}" for count in self.witness.counts)
            counts = f"{one} in the first graph, {two} in the second"
            if self.nodes is not None:
                first, second = self.nodes
                counts = (
                    f"{one} at node {first} of the first graph, "
                    f"{two} at node {second} of the second"
                )
            method, text = _describe(self.first), self.witness.text
            what = counts if text == method else f"{text}, {counts}"
            return f"Told apart by {method}: {what}."
        finished = [item.method for item in self.comparisons if item.distinguishes is False]
        text = f"Not told apart by {', '.join(finished) or 'any method'}."
        equal, different = _CLAIMS["graphs" if self.nodes is None else "nodes"]
        if self.is_isomorphic is None:
            return f"{text} This does not prove that {equal}."
        claim = equal if self.is_isomorphic else different
        return f"{text} An exact test shows that {claim}."


def distinguish(  # noqa: PLR0913 - every one has a sensible default
    first: Any,
    second: Any,
    *,
    nodes: tuple[int, int] | None = None,
    level: Literal["node", "graph"] = "node",
    labels: bool = True,
    max_length: int = 8,
    max_induced_length: int = 6,
    methods: Sequence[str] | None = None,
    try_all: bool = False,
) -> Distinction:
    """Find the first method that distinguishes two graphs, or two of their nodes.

    Parameters
    ----------
    first, second : graph input
        Anything that `as_batch` reads as one graph. Attributes and weights are ignored.
    nodes : pair of int, default=None
        A node of the first and one of the second graph; None compares whole graphs.
    level : {"node", "graph"}, default="node"
        How patterns of whole graphs are compared: by the multiset of the counts of their
        nodes, or by the sum of the counts, as graph embeddings do.
    labels : bool, default=True
        Whether labels of nodes and edges are compared, if there are any.
    max_length : int, default=8
        Largest length of patterns to try, at most 8.
    max_induced_length : int, default=6
        Largest length of induced patterns to try, at most 8. Their walks are enumerated,
        up to 10^8.
    methods : sequence of str, default=None
        Names of methods to use, in this order. None: all methods in the notes except
        "SSWL" and "2-FWL".
    try_all : bool, default=False
        Whether to continue after the first method that distinguishes.

    Returns
    -------
    distinction : Distinction
        Results of all methods that were used, with their time and a witness.

    Notes
    -----
    The methods in the order of their cost, for n nodes and m edges:

    - "walks": numbers of walks of every length. They ignore labels.
    - "1-WL": colors of nodes, refined by the colors of neighbors (`gskn.colors`).
    - "patterns", "induced patterns": `pattern_counts`. They ignore the labels of edges,
      and of all nodes except the start.
    - "1-WL from patterns": the initial colors are the patterns of the nodes.
    - "SSWL", "SSWL from patterns": colors of pairs of nodes, time n m for every round.
    - "2-FWL", "2-FWL from patterns": colors of pairs of nodes, as expressive as 3-WL, time
      n^3 for every round.
    - "individualization": 2-FWL from patterns, repeated for every node of the smallest
      color class with a color of its own.

    Methods for pairs are limited to 1,000 nodes. If nothing differs, the graphs may still
    not be isomorphic. Graphs of up to 400 nodes are then tested with igraph (with
    directions or several edge labels, if n + 2 m is at most 20,000 for m directed edges),
    or graphs of up to 30 nodes with networkx, if one of them is installed.

    Examples
    --------
    >>> from gskn import datasets
    >>> result = distinguish(*datasets.rings(3).graphs)
    >>> result.method, result.witness.pattern, result.witness.counts
    ('patterns', '0-1-2-0', (0, 12))
    >>> result["1-WL"].distinguishes
    False
    """
    max_length = check_int(max_length, "max_length", minimum=1, maximum=MAX_EXACT_LENGTH)
    max_induced_length = check_int(
        max_induced_length, "max_induced_length", minimum=1, maximum=MAX_INDUCED_LENGTH
    )
    check_choice(level, "level", choices=["node", "graph"])
    names = _check_methods(methods)
    graphs = [_one_graph(first, "first"), _one_graph(second, "second")]
    data = [name for name in _DATA if any(getattr(g, name) is not None for g in graphs)]
    used = [name for name in data if check_flag(labels, "labels") and "labels" in name]
    batch = GraphBatch.concat([_select(graph, used) for graph in graphs])
    pair = Pair(
        batch,
        _check_nodes(nodes, batch),
        level == "node",
        labels,
        max_length,
        max_induced_length,
    )
    comparisons: list[Comparison] = []
    for name in names:
        comparisons.append(_compare(pair, name))
        if comparisons[-1].distinguishes and not check_flag(try_all, "try_all"):
            break
    is_open = not any(item.distinguishes for item in comparisons)
    weights = ["weights"] if any(graph.is_weighted for graph in graphs) else []
    return Distinction(
        tuple(comparisons),
        are_isomorphic(batch, pair.nodes, labels=labels) if is_open else None,
        ("structure", *(_DATA[name] for name in used)),
        (*(_DATA[name] for name in data if name not in used), *weights),
        pair.nodes,
    )


def _compare(pair: Pair, name: str) -> Comparison:
    """Run one method."""
    start = perf_counter()
    try:
        outcome = METHODS[name](pair)
    except InputError as error:  # too much work; other methods may still succeed
        seconds = perf_counter() - start
        return Comparison(name, None, None, None, seconds, None, str(error))
    return Comparison(
        name,
        outcome.witness is not None,
        outcome.length,
        outcome.n_rounds,
        perf_counter() - start,
        outcome.witness,
        "",
    )


def _describe(comparison: Comparison) -> str:
    if comparison.length is not None:
        return f"{comparison.method} of {nodes_text(comparison.length)}"
    return comparison.method


def _check_methods(methods: Sequence[str] | None) -> Sequence[str]:
    if methods is None:
        return _DEFAULT_METHODS
    if isinstance(methods, str) or not isinstance(methods, Sequence):
        raise InputError(f"methods must be a list of names, got {shorten(methods)}.")
    return [check_choice(name, "a method", choices=list(METHODS)) for name in methods]


def _one_graph(graph: Any, name: str) -> GraphBatch:
    """Return one graph."""
    batch = as_batch(graph)
    if batch.n_graphs != 1:
        raise InputError(f"The {name} input has {batch.n_graphs} graphs; expected one.")
    return batch


def _select(graph: GraphBatch, data: list[str]) -> GraphBatch:
    """Return the structure of a graph and the labels that are compared."""
    for name in data:
        size = graph.n_nodes if name == "node_labels" else graph.adjacency.nnz
        if getattr(graph, name) is None and size:
            raise InputError(
                f"Only one of the graphs has {_DATA[name]}; to compare the structure only, "
                "use labels=False, or --structure-only on the command line."
            )
    plain = GraphBatch(graph.adjacency, graph.graph_ptr)
    if "node_labels" in data:
        plain = replace(
            plain, node_labels=graph.node_labels, label_values=graph.label_values
        )
    if "edge_labels" in data:
        plain = replace(
            plain,
            edge_labels=graph.edge_labels,
            edge_label_values=graph.edge_label_values,
        )
    return plain


def _check_nodes(nodes: Any, pair: GraphBatch) -> tuple[int, int] | None:
    """Return a node of the first and one of the second graph."""
    if nodes is None:
        return None
    if not isinstance(nodes, Sequence) or len(nodes) != 2:
        raise InputError(f"nodes must be a pair of integers, got {shorten(nodes)}.")
    for node, size in zip(nodes, pair.graph_sizes, strict=True):
        if check_int(node, "node", minimum=0) >= size:
            raise InputError(
                f"There is no node {shorten(node)} in a graph of {size} nodes."
            )
    return int(nodes[0]), int(nodes[1])
