"""Unsupervised graph convolutional kernel networks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_LANDMARKS, MAX_WALK_LENGTH
from gskn._offsets import runs_of_graphs
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn._validation import (
    check_choice,
    check_common_parameters,
    check_int,
    check_node_features,
    check_number,
)
from gskn.baselines._shared._baseline import Baseline, Variant
from gskn.estimators import check_nodes, draw_graphs
from gskn.exceptions import InputError
from gskn.graphs import AttributeEncoder, GraphBatch, as_batch, check_max_degree
from gskn.layers import LayerParams, NodeFeatures, PathLayer, WalkContext, WalkLayer
from gskn.pooling import Pooling, check_pooling, pool, pooled_names
from gskn.walks import MAX_PATTERN_LENGTH

_FIRST_LAYERS: dict[str, type[WalkLayer | PathLayer]] = {
    "path": PathLayer,
    "walk": WalkLayer,
    "subtree": PathLayer,
}
_CHUNK_CELLS = 2**24  # of the node embeddings that are computed together


def _make_variant(variant: str, table_label: str) -> Variant:
    """Return a variant whose grid changes one parameter at a time, as for GSKN."""
    center: dict[str, Any] = {"variant": variant, "path_length": 3, "sigma": 0.5}
    changes: tuple[dict[str, Any], ...] = (
        {},
        {"path_length": 5},
        {"sigma": 1.5},
        {"weighting": "probability"},
        {"pooling": "mean"},
        {"n_landmarks": 128},  # graphs without labels have many degrees: COLLAB
    )
    return Variant(
        name=f"gckn-{variant}",
        label=f"GCKN, {variant} variant; graph convolutional kernel network",
        grid=tuple({**center, **change} for change in changes),
        table_label=table_label,
    )


@dataclass
class _Block:
    """The layers of one length: paths or walks, and for "subtree" a layer on nodes."""

    first: WalkLayer | PathLayer
    second: WalkLayer | None

    @classmethod
    def from_parameters(
        cls, variant: str, length: int, sigma: float, common: dict[str, Any]
    ) -> Self:
        """Build the layers; the authors' kernel averages cosines instead of adding them."""
        params = LayerParams(alpha=1 / (sigma**2 * length), aggregate=False, **common)
        first = _FIRST_LAYERS[variant](length, params)
        if variant != "subtree":
            return cls(first, None)
        node_params = LayerParams(alpha=1 / sigma**2, aggregate=False, **common)
        return cls(first, WalkLayer(1, node_params))

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return (self.second or self.first).maps[0].n_landmarks

    def fit(self, context: WalkContext, generator: np.random.Generator) -> None:
        """Choose landmarks."""
        self.first.fit(context.batch, context.features, generator)
        if self.second is not None:
            (embeddings,) = self.first.transform_context(context)
            directions, _ = _normalize(embeddings)
            features = NodeFeatures.from_rows(directions)
            self.second.fit(context.batch, features, generator)

    def transform(self, context: WalkContext) -> FloatArray:
        """Return node embeddings."""
        (embeddings,) = self.first.transform_context(context)
        if self.second is None:
            return embeddings
        directions, norms = _normalize(embeddings)
        features = NodeFeatures.from_rows(directions)
        (mapped,) = self.second.transform(context.batch, features, context.n_jobs)
        return mapped * norms


class GCKN(Baseline):
    """Embeddings of graphs by the node features along paths, walks or in subtrees.

    Parameters
    ----------
    variant : {"path", "walk", "subtree"}, default="path"
        "path": walks without repeated nodes. "walk": all walks. "subtree": a second layer
        compares the node embeddings of the variant "path".
    path_length : int, default=3
        Number of nodes of a path, including its start (``path-size`` in the authors'
        program; *k* in the paper counts edges, one less); at most 10, and 1,000 for "walk".
    n_landmarks : int, default=32
        Largest number of landmarks for each length and layer, at most 10,000.
    sigma : float, default=1.5
        Bandwidth: the kernel of two paths with mean cosine c of their node features is
        ``exp((c - 1) / sigma^2)``. The authors try values from 0.3 to 1.5.
    aggregate : bool, default=True
        Whether the embeddings of all lengths up to ``path_length`` are concatenated.
    weighting : {"count", "probability"}, default="count"
        Whether the weight of a path is one or its probability among all walks.
    pooling : {"sum", "mean", "log"} or tuple of these, default="sum"
        How node embeddings are combined to graph embeddings. The columns of several
        poolings are concatenated.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data that is used; see `AttributeEncoder`. Features are scaled to unit norm.
    max_degree : int or None, default=None
        Largest degree with a separate column in the one-hot encoding of degrees; None
        encodes all degrees exactly. See `AttributeEncoder`.
    random_state : int, Generator or None, default=None
        Seed of the landmarks.
    n_jobs : int or None, default=None
        Number of threads; None is one thread, -1 all cores. Results do not depend on it.

    Attributes
    ----------
    encoder_ : AttributeEncoder
        Encoder of the node features.
    blocks_ : list
        Layers of every length.

    Notes
    -----
    The layers are the same as in `GSKN`, but every length has its own bandwidth,
    ``alpha = 1 / (sigma^2 length)``, because the authors average along a path. The subtree
    variant maps the node embeddings x of one length by the homogeneous kernel
    ``|x| |x'| exp((cos(x, x') - 1) / sigma^2)``.

    Differences from the authors' program: landmarks are k-means centers that are not scaled
    to unit norm; every length has its own landmarks instead of prefixes of the longest
    ones. Paths are weighted by their probability instead of averaged. A walk stays at a
    node without neighbors. Models with more layers and supervised models are not
    implemented.

    References
    ----------
    Dexiong Chen, Laurent Jacob and Julien Mairal, "Convolutional kernel networks for
    graph-structured data", 2020.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.load("structure").graphs
    >>> GCKN("subtree", random_state=0).fit_transform(graphs).shape[0]
    400
    """

    variants = (
        _make_variant("walk", "GCKN, walks"),
        _make_variant("path", "GCKN"),
        _make_variant("subtree", "GCKN, subtrees"),
    )
    output = "embedding"
    uses = "labels, attributes, degrees"

    def __init__(  # noqa: PLR0913 - the parameters of the authors' program
        self,
        variant: Literal["path", "walk", "subtree"] = "path",
        *,
        path_length: int = 3,
        n_landmarks: int = 32,
        sigma: float = 1.5,
        aggregate: bool = True,
        weighting: Literal["count", "probability"] = "count",
        pooling: Pooling = "sum",
        node_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.variant = variant
        self.path_length = path_length
        self.n_landmarks = n_landmarks
        self.sigma = sigma
        self.aggregate = aggregate
        self.weighting = weighting
        self.pooling = pooling
        self.node_features = node_features
        self.max_degree = max_degree
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Choose landmarks among the paths of the training graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : GCKN
            The fitted estimator.
        """
        blocks, batch = self._blocks(), self._read_training(X)
        check_nodes(batch)
        generator = as_generator(self.random_state)
        encoder = AttributeEncoder(
            node_features=self.node_features, max_degree=self.max_degree
        ).fit(batch)
        sample = batch[draw_graphs(batch.graph_sizes, generator)]
        context = self._make_context(blocks, encoder, sample)
        for block in blocks:
            block.fit(context, generator)
        self.encoder_, self.blocks_ = encoder, blocks
        return self

    def transform(self, X: Any) -> FloatArray:
        """Embed graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_columns)
            One embedding per graph.
        """
        check_is_fitted(self, "blocks_")
        n_columns = sum(block.n_columns for block in self.blocks_)
        parts = [
            pool(node_embeddings, part.graph_ptr, pooling=self.pooling)
            for part, node_embeddings in self._embed_nodes(as_batch(X), n_columns)
        ]
        n_pooled = n_columns * len(check_pooling(self.pooling))
        return np.concatenate([np.empty((0, n_pooled)), *parts])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of shape (n_columns,)
            Variant, length and landmark of every column, for instance "path_3_0", after the
            pooling if there are several.
        """
        check_is_fitted(self, "blocks_")
        names = [
            f"{self.variant}_{block.first.length}_{landmark}"
            for block in self.blocks_
            for landmark in range(block.n_columns)
        ]
        return np.array(pooled_names(names, self.pooling), dtype=object)

    def _blocks(self) -> list[_Block]:
        """Validate the parameters and build the layers."""
        check_common_parameters(self)
        check_node_features(self.node_features)
        check_max_degree(self.max_degree)
        variant = check_choice(self.variant, "variant", choices=tuple(_FIRST_LAYERS))
        check_choice(self.weighting, "weighting", choices=("count", "probability"))
        check_pooling(self.pooling)
        length = check_int(
            self.path_length, "path_length", minimum=1, maximum=MAX_WALK_LENGTH
        )
        if variant != "walk" and length > MAX_PATTERN_LENGTH:
            raise InputError(
                f"path_length must be at most {MAX_PATTERN_LENGTH} for the variant "
                f"{variant!r}, got {length}."
            )
        sigma = check_number(self.sigma, "sigma", minimum=1e-3, maximum=1e6)
        common = {
            "n_landmarks": check_int(
                self.n_landmarks, "n_landmarks", minimum=1, maximum=MAX_LANDMARKS
            ),
            "weighting": self.weighting,
        }
        lengths = range(1, length + 1) if self.aggregate else [length]
        return [_Block.from_parameters(variant, n, sigma, common) for n in lengths]

    def _embed_nodes(
        self, batch: GraphBatch, n_columns: int
    ) -> Iterator[tuple[GraphBatch, FloatArray]]:
        """Yield consecutive graphs and their node embeddings, in bounded memory."""
        for run in runs_of_graphs(batch.graph_ptr, max(1, _CHUNK_CELLS // n_columns)):
            part = batch[run]
            context = self._make_context(self.blocks_, self.encoder_, part)
            yield part, np.hstack([block.transform(context) for block in self.blocks_])

    def _make_context(
        self, blocks: list[_Block], encoder: AttributeEncoder, batch: GraphBatch
    ) -> WalkContext:
        """Prepare the walks, which are the same for all lengths."""
        table, codes = encoder.distinct_rows(batch)
        directions, _ = _normalize(table)
        features = NodeFeatures(directions, codes)
        return blocks[0].first.make_context(batch, features, self.n_jobs)


def _normalize(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions and norms of vectors; the direction of zero is zero."""
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    directions = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return directions, norms
