"""Hash graph kernels: kernels for labels, applied to randomly hashed attributes."""

from collections.abc import Iterator, Sequence

import numpy as np

from gskn._limits import MAX_ITERATIONS
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn._validation import check_cells, check_choice, check_int, check_positive
from gskn.baselines._shared._attributes import AttributeScaler
from gskn.baselines._shared._baseline import Variant, parameter_grid
from gskn.baselines._shared._colors import Colors, initial_colors, refine
from gskn.baselines._shared._counts import Counts, count_nodes, sum_products, sum_squares
from gskn.baselines._shared._kernel import NormalizedKernel
from gskn.baselines._shared._node_features import select_node_features
from gskn.baselines._shared._pairs import count_pairs
from gskn.colors import mix
from gskn.graphs import GraphBatch

_SYSTEM = "A hash graph kernel"
_MAX_BIN = 2.0**62
_SUPPORTED = (("attributes",), ("labels", "attributes"))


class HashGraphKernel(NormalizedKernel):
    """Mean of a kernel for labels over several random hashes of the node attributes.

    Parameters
    ----------
    base : {"wl", "sp"}, default="wl"
        Kernel for labels: `WLKernel` or `ShortestPathKernel`.
    n_hashes : int, default=20
        Number of hash functions, at most 10,000. The authors use 20.
    width : float, default=1.0
        Width of the bins of the projected attributes. The authors use 1.
    n_iterations : int, default=3
        Number of refinements if the base is "wl", at most 10,000. The authors choose among
        0 to 5.
    node_features : "auto" or list of {"labels", "attributes"}, default="auto"
        Node data that is used: ``("attributes",)`` or ``("labels", "attributes")``. "auto"
        uses attributes, and labels if the graphs have them.
    normalize : bool, default=True
        Divide the kernel by the norms of both graphs, as the authors do.
    random_state : int, Generator or None, default=None
        Seed of the random projections.

    Notes
    -----
    Attributes ``a`` are standardized by the training nodes (the authors use all nodes). A
    node is hashed to the bin ``floor((a . v + b) / width)`` with a normal vector ``v`` and
    ``b`` uniform in ``[0, width]``, so that nodes with similar attributes often have the
    same bin.

    With labels, "wl" refines labels and bins separately and counts pairs of both colors, as
    in the authors' program; "sp" counts pairs of nodes by both labels, both bins and the
    distance. Pairs are counted as in `ShortestPathKernel`; the authors' program also counts
    pairs of a node with itself and pairs that are not connected.

    The feature maps are explicit: the kernel is positive semidefinite, and time is linear
    in the number of hashes and nodes ("sp": pairs of nodes of a graph).

    References
    ----------
    Christopher Morris, Nils Kriege, Kristian Kersting and Petra Mutzel, "Faster kernels for
    graphs with continuous attributes via hashing", 2016.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.path_graph(3)
    >>> nx.set_node_attributes(graph, {0: [0.1], 1: [2.0], 2: [0.1]}, "attributes")
    >>> HashGraphKernel(random_state=0).fit_transform([graph, graph]).round(12)
    array([[1., 1.],
           [1., 1.]])
    """

    variants = (
        Variant(
            name="hgk-wl",
            label="hash graph kernel, WL",
            grid=parameter_grid(base=("wl",), n_iterations=range(4)),
            transductive=True,
            table_label="HGK-WL",
            table_data="attributes",
        ),
        Variant(
            name="hgk-sp",
            label="hash graph kernel, shortest paths",
            grid=parameter_grid(base=("sp",)),
            transductive=True,
            table_label="HGK-SP",
            table_data="attributes",
        ),
    )
    uses = "attributes, and labels if present"

    def __init__(
        self,
        base: str = "wl",
        *,
        n_hashes: int = 20,
        width: float = 1.0,
        n_iterations: int = 3,
        node_features: str | Sequence[str] = "auto",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.base = base
        self.n_hashes = n_hashes
        self.width = width
        self.n_iterations = n_iterations
        self.node_features = node_features
        self.normalize = normalize
        self.random_state = random_state

    def _uses_labels(self) -> bool:
        return self.is_labelled_

    def _learn(self, batch: GraphBatch) -> list[Counts]:
        check_choice(self.base, "base", choices=("wl", "sp"))
        check_int(self.n_hashes, "n_hashes", minimum=1, maximum=MAX_ITERATIONS)
        check_int(self.n_iterations, "n_iterations", minimum=0, maximum=MAX_ITERATIONS)
        check_positive(self.width, "width", maximum=1e6)
        selection = select_node_features(self.node_features, _SUPPORTED)
        generator = as_generator(self.random_state)
        self.scaler_ = AttributeScaler(batch, _SYSTEM)
        self.directions_ = generator.normal(size=(batch.n_attributes, self.n_hashes))
        self.offsets_ = generator.uniform(0, self.width, self.n_hashes)
        with_labels = selection is None or "labels" in selection
        self.is_labelled_ = with_labels and batch.node_labels is not None
        return self._count(batch, None)

    def _describe(self, batch: GraphBatch) -> list[Counts]:
        return self._count(batch, self.trained_)

    def _count(self, batch: GraphBatch, training: list[Counts] | None) -> list[Counts]:
        check_cells(
            float(batch.n_nodes) * self.n_hashes * (self.n_iterations + 1),
            f"{self.n_hashes} hashes with {self.n_iterations} refinements",
            "use a smaller n_hashes or n_iterations",
        )
        bins = self._bins(batch)
        labels = np.zeros(batch.n_nodes, dtype=np.uint64)
        if self.is_labelled_:
            labels = initial_colors(batch, _SYSTEM)
        if self.base == "sp":
            colorings = [_combine(labels, hash_bins) for hash_bins in bins]
            return count_pairs(batch, colorings, training)
        return count_nodes(self._refine_all(batch, labels, bins), batch, training)

    def _bins(self, batch: GraphBatch) -> list[Colors]:
        """Return the hashed bins of all nodes, one array for every hash function."""
        projected = self.scaler_.scale(batch) @ self.directions_ + self.offsets_
        # Attributes far outside the training range must stay within 64-bit integers.
        bins = np.floor(projected / self.width).clip(-_MAX_BIN, _MAX_BIN)
        return list(mix(bins.T.astype(np.int64).astype(np.uint64)))

    def _refine_all(
        self, batch: GraphBatch, labels: Colors, bins: list[Colors]
    ) -> Iterator[Colors]:
        """Yield the colors of all iterations of all hash functions."""
        if not self.is_labelled_:
            for hash_bins in bins:
                yield from refine(batch, hash_bins, self.n_iterations)
            return
        label_colors = list(refine(batch, labels, self.n_iterations))
        for hash_bins in bins:
            bin_colors = refine(batch, hash_bins, self.n_iterations)
            yield from map(_combine, label_colors, bin_colors)

    def _compare(self, left: list[Counts], right: list[Counts]) -> FloatArray:
        return sum_products(left, right) / self.n_hashes

    def _self_kernel(self, described: list[Counts]) -> FloatArray:
        return sum_squares(described) / self.n_hashes


def _combine(labels: Colors, bins: Colors) -> Colors:
    """Return hashes of pairs of colors."""
    return mix(mix(labels) + bins)
