"""Hash graph kernels: attributes become labels at random, many times over."""

from collections.abc import Iterator

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn._validation import check_cells, check_choice, check_int, check_positive
from gskn.baselines._attributes import AttributeScaler
from gskn.baselines._colours import Colours, first_colours, mix, refine
from gskn.baselines._counts import Counts, compare_all, count_nodes, squares_of_all
from gskn.baselines._kernel import NormalizedKernel
from gskn.baselines._shortest_path import count_pairs
from gskn.graphs import GraphBatch

_SYSTEM = "A hash graph kernel"
_LAST_BIN = 2.0**62


class HashGraphKernel(NormalizedKernel):
    """The mean of a kernel for labels over many ways to turn attributes into labels.

    Parameters
    ----------
    base : {"wl", "sp"}, default="wl"
        The kernel for labels: `WLKernel` or `ShortestPathKernel`.
    n_hashes : int, default=20
        Ways to turn attributes into labels, at most 10,000; the authors take 20.
    width : float, default=1.0
        Width of a bin of the projected attributes; the authors take 1.
    n_iterations : int, default=3
        Refinements of the base "wl", at most 10,000; the authors choose among 0 to 5.
    with_labels : bool, default=True
        Whether labels of nodes count beside attributes, where graphs have labels.
    normalize : bool, default=True
        The cosine instead of the kernel, as the authors do.
    random_state : int, Generator or None, default=None
        Seed of the projections, which are drawn in fit.

    Notes
    -----
    Morris, Kriege, Kersting and Mutzel, Faster kernels for graphs with continuous
    attributes via hashing (2016): HGK-WL and HGK-SP. Attributes ``a`` are standardised by
    all nodes of the training graphs (by the authors: of all graphs). A node is put into
    the bin ``floor((a . v + b) / width)``, with ``v`` normal and ``b`` uniform within a
    bin: near nodes often share it.

    With labels, "wl" refines labels and bins each by itself and counts pairs of the two
    colours of a node, as in the authors' program; "sp" counts pairs of nodes by both
    labels, both bins and the distance. Pairs of nodes are those of `ShortestPathKernel`;
    the program also counts nodes with themselves, and pairs without a path.

    Feature maps are explicit: the kernel is positive semi-definite, and time grows with the
    number of hashes and of nodes (of pairs of nodes of a graph for "sp").

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.path_graph(3)
    >>> nx.set_node_attributes(graph, {0: [0.1], 1: [2.0], 2: [0.1]}, "attributes")
    >>> HashGraphKernel(random_state=0).fit_transform([graph, graph]).round(12)
    array([[1., 1.],
           [1., 1.]])
    """

    def __init__(
        self,
        base: str = "wl",
        *,
        n_hashes: int = 20,
        width: float = 1.0,
        n_iterations: int = 3,
        with_labels: bool = True,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.base = base
        self.n_hashes = n_hashes
        self.width = width
        self.n_iterations = n_iterations
        self.with_labels = with_labels
        self.normalize = normalize
        self.random_state = random_state

    def _looks_at_labels(self) -> bool:
        return self.is_labelled_

    def learns_from(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Attributes are scaled by those of fit."""
        return True

    def _learn(self, batch: GraphBatch) -> list[Counts]:
        check_choice(self.base, "base", choices=("wl", "sp"))
        check_int(self.n_hashes, "n_hashes", minimum=1, maximum=MAX_ITERATIONS)
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        check_positive(self.width, "width", maximum=1e6)
        generator = as_generator(self.random_state)
        self.scaler_ = AttributeScaler(batch, _SYSTEM)
        self.directions_ = generator.normal(size=(batch.n_attributes, self.n_hashes))
        self.offsets_ = generator.uniform(0, self.width, self.n_hashes)
        self.is_labelled_ = self.with_labels and batch.node_labels is not None
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> list[Counts]:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, known: list[Counts] | None) -> list[Counts]:
        check_cells(
            float(batch.n_nodes) * self.n_hashes * (self.n_iterations + 1),
            f"{self.n_hashes} hashes with {self.n_iterations} refinements",
            "use a smaller n_hashes or n_iterations",
        )
        bins = self._bins(batch)
        labels = np.zeros(batch.n_nodes, dtype=np.uint64)
        if self.is_labelled_:
            labels = first_colours(batch, _SYSTEM)
        if self.base == "sp":
            return count_pairs(batch, [_both(labels, own) for own in bins], known)
        return count_nodes(self._rounds(batch, labels, bins), batch, known)

    def _bins(self, batch: GraphBatch) -> list[Colours]:
        """Return the bin of every node, for every projection."""
        projected = self.scaler_.scale(batch) @ self.directions_ + self.offsets_
        # Attributes far beyond those of fit fall into the last bin that is a number.
        bins = np.floor(projected / self.width).clip(-_LAST_BIN, _LAST_BIN)
        return list(mix(bins.T.astype(np.int64).astype(np.uint64)))

    def _rounds(
        self, batch: GraphBatch, labels: Colours, bins: list[Colours]
    ) -> Iterator[Colours]:
        """Yield colours of all rounds of all hashes."""
        if not self.is_labelled_:
            for own in bins:
                yield from refine(batch, own, self.n_iterations)
            return
        refined = list(refine(batch, labels, self.n_iterations))
        for own in bins:
            rounds = refine(batch, own, self.n_iterations)
            for label, colour in zip(refined, rounds, strict=True):
                yield _both(label, colour)

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        return compare_all(left, right) / self.n_hashes

    def _own(self, described: list[Counts]) -> FloatArray:
        return squares_of_all(described) / self.n_hashes


def _both(labels: Colours, bins: Colours) -> Colours:
    return mix(mix(labels) + bins)
