"""Graph convolutional kernel networks (Chen, Jacob and Mairal, 2020), unsupervised."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_LANDMARKS, MAX_WALK_LENGTH
from gskn._offsets import runs_of_graphs
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn._validation import check_choice, check_common_parameters, check_int, check_number
from gskn.estimators._parameters import check_attributes
from gskn.estimators._sample import check_nodes, draw_graphs
from gskn.exceptions import InputError
from gskn.graphs import AttributeEncoder, GraphBatch, as_batch
from gskn.layers import LayerParams, NodeFeatures, PathLayer, WalkContext, WalkLayer
from gskn.pooling import POOLINGS, pool
from gskn.walks import MAX_PATTERN_LENGTH

_FIRST_LAYERS: dict[str, type[WalkLayer | PathLayer]] = {
    "path": PathLayer,
    "walk": WalkLayer,
    "subtree": PathLayer,
}
_CHUNK_CELLS = 2**24  # of the rows of nodes that are computed together


@dataclass
class _Block:
    """The layers of one length: paths or walks, then perhaps a map of every node."""

    first: WalkLayer | PathLayer
    second: WalkLayer | None

    @classmethod
    def from_parameters(
        cls, variant: str, length: int, sigma: float, common: dict[str, Any]
    ) -> Self:
        """Build the layers. The authors' kernel has the mean of cosines, not their sum."""
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
            (found,) = self.first.transform_context(context)
            self.second.fit(
                context.batch, NodeFeatures.from_rows(_unit(found)[0]), generator
            )

    def transform(self, context: WalkContext) -> FloatArray:
        """Return rows of nodes."""
        (found,) = self.first.transform_context(context)
        if self.second is None:
            return found
        directions, norms = _unit(found)
        rows = NodeFeatures.from_rows(directions)
        (mapped,) = self.second.transform(context.batch, rows, context.n_jobs)
        return mapped * norms


class GCKN(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed graphs by what lies along paths, walks, or in the neighbourhoods they draw.

    Parameters
    ----------
    variant : {"path", "walk", "subtree"}, default="path"
        "path": walks that repeat no node. "walk": all walks. "subtree": the rows that
        paths give a node are compared once more, node by node, as a whole.
    path_length : int, default=3
        Nodes of a path, its start included (``path-size`` in the authors' program; *k*
        in the paper counts edges, one less); at most 10, and 1,000 for "walk".
    n_landmarks : int, default=32
        Largest number of landmarks for each length and layer, at most 10,000.
    sigma : float, default=1.5
        Bandwidth: two paths that agree in a share c of their attributes compare as
        ``exp((c - 1) / sigma^2)``; the authors try values from 0.3 to 1.5.
    aggregate : bool, default=True
        Whether paths of all lengths up to the given one are used, side by side.
    weighting : {"count", "probability"}, default="count"
        Whether a path counts one, or its probability among all walks.
    pooling : {"sum", "mean", "log"}, default="sum"
        How the rows of nodes become the row of their graph.
    attributes : "auto" or sequence of {"labels", "attributes", "degrees"}, default="auto"
        What of a node is used; see `AttributeEncoder`. Rows are scaled to unit norm.
    random_state : int, Generator or None, default=None
        Seed of landmarks.
    n_jobs : int or None, default=None
        Threads; None is one, -1 as many as there are cores. Rows do not depend on it.

    Attributes
    ----------
    encoder_ : AttributeEncoder
        How nodes become rows.
    blocks_ : list
        Layers of every length.

    Notes
    -----
    Dexiong Chen, Laurent Jacob and Julien Mairal, Convolutional kernel networks for
    graph-structured data (2020). Layers are those of `GSKN`; here a length has its own
    bandwidth, ``alpha = 1 / (sigma^2 length)``, for the authors take the mean along a path.
    The subtree variant maps rows x, of one length, by the homogeneous kernel
    ``|x| |x'| exp((cos(x, x') - 1) / sigma^2)``.

    Deviations: landmarks are centres of k-means that are not scaled to unit norm; every
    length has its own, where the authors' program takes beginnings of the longest ones.
    Instead of the mean over the paths of a node there is the probability. At a dead end a
    walk stays. Models with more layers, and supervised ones, are not here.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.load("structure").graphs
    >>> GCKN("subtree", random_state=0).fit_transform(graphs).shape[0]
    400
    """

    def __init__(  # noqa: PLR0913 - as the authors have them
        self,
        variant: Literal["path", "walk", "subtree"] = "path",
        *,
        path_length: int = 3,
        n_landmarks: int = 32,
        sigma: float = 1.5,
        aggregate: bool = True,
        weighting: Literal["count", "probability"] = "count",
        pooling: Literal["sum", "mean", "log"] = "sum",
        attributes: str | Sequence[str] = "auto",
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
        self.attributes = attributes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Choose landmarks among the paths of the graphs ``X``."""
        blocks, batch = self._blocks(), as_batch(X)
        check_nodes(batch)
        generator = as_generator(self.random_state)
        encoder = AttributeEncoder(sources=self.attributes).fit(batch)
        sample = batch[draw_graphs(batch.graph_sizes, generator)]
        context = self._walk(blocks, encoder, sample)
        for block in blocks:
            block.fit(context, generator)
        self.encoder_, self.blocks_ = encoder, blocks
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return one row per graph, of shape (n_graphs, n_features)."""
        check_is_fitted(self, "blocks_")
        n_columns = sum(block.n_columns for block in self.blocks_)
        parts = [
            pool(rows, part.graph_ptr, pooling=self.pooling)
            for part, rows in self._embed(as_batch(X), n_columns)
        ]
        return np.concatenate([np.empty((0, n_columns)), *parts])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        """Return the variant, length and landmark of every column."""
        check_is_fitted(self, "blocks_")
        names = [
            f"{self.variant}_{block.first.length}_{landmark}"
            for block in self.blocks_
            for landmark in range(block.n_columns)
        ]
        return np.array(names, dtype=object)

    def _blocks(self) -> list[_Block]:
        """Check parameters, and make the layers they describe."""
        check_common_parameters(self)
        check_attributes(self.attributes)
        variant = check_choice(self.variant, "variant", choices=tuple(_FIRST_LAYERS))
        check_choice(self.weighting, "weighting", choices=("count", "probability"))
        check_choice(self.pooling, "pooling", choices=POOLINGS)
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

    def _embed(
        self, batch: GraphBatch, n_columns: int
    ) -> Iterator[tuple[GraphBatch, FloatArray]]:
        """Yield consecutive graphs and the rows of their nodes, in bounded memory."""
        for run in runs_of_graphs(batch.graph_ptr, max(1, _CHUNK_CELLS // n_columns)):
            part = batch[run]
            context = self._walk(self.blocks_, self.encoder_, part)
            yield part, np.hstack([block.transform(context) for block in self.blocks_])

    def _walk(
        self, blocks: list[_Block], encoder: AttributeEncoder, batch: GraphBatch
    ) -> WalkContext:
        """Prepare walks, which are the same for all lengths."""
        table, codes = encoder.distinct_rows(batch)
        rows = NodeFeatures(_unit(table)[0], codes)
        return blocks[0].first.make_context(batch, rows, self.n_jobs)


def _unit(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions and norms of rows; a row of zeros has no direction."""
    norms = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0), norms
