"""GSKN: rows of graphs and of nodes, with scikit-learn's manners."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._offsets import runs_of_graphs
from gskn._optional import comes_from
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn.estimators._parameters import make_stack
from gskn.estimators._persist import load_model, save_model
from gskn.estimators._progress import progress
from gskn.estimators._sample import FIT_NODES, check_nodes, draw_graphs, sample_graphs
from gskn.exceptions import InputError
from gskn.graphs import AttributeEncoder, GraphBatch, as_batch
from gskn.layers import NodeFeatures
from gskn.pooling import pool

_CHUNK_CELLS = 2**24  # of the rows of nodes that are computed together


class GSKN(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed graphs and their nodes by random walks and anonymous walks.

    Every branch compares the walks of a node with landmarks, walks or patterns that were
    chosen in `fit`; branches stand side by side, and a graph is the sum of its nodes.
    Nothing is learnt from classes, and a row depends on its graph alone.

    Parameters
    ----------
    branches : sequence of str, default=("walk", "anonymous")
        "walk": attributes along all walks. "anonymous": patterns of all walks. "path":
        attributes along walks that repeat no node. "joint": attributes and pattern of the
        same walk. "induced": patterns with the edges between visited nodes.
    walk_length : int, default=3
        Nodes visited by walks, paths and joint walks (the paper's *l*); at most 1,000, and
        10 for paths and joint walks.
    anonymous_length : int, default=6
        Nodes visited by anonymous and induced walks: exact up to 8, sampled up to 10.
        Counts and induced walks need at most 8.
    n_landmarks : int, default=32
        Landmarks, at most, of a branch for each length.
    alpha, beta : float, default=1.5
        Bandwidths of the Gaussian kernels of attributes and of patterns,
        ``exp(-alpha / 2 |x - x'|^2)``.
    n_layers : int, default=1
        Layers of every branch. Layers after the first are walk layers whose attributes
        are the rows of the layer before.
    aggregate : bool, default=True
        Whether walks of all lengths up to the given one are used, side by side.
    weighting : {"probability", "count"}, default="probability"
        Whether a walk counts its probability (steps by edge weight), or one.
    method : {"auto", "exact", "sampled"}, default="auto"
        "auto" samples only where the exact rows of a graph would take too much work.
        Walks of the "walk" branch are never sampled.
    n_walks : int, default=30
        Walks of a node where they are sampled.
    pooling : {"sum", "mean", "log"}, default="sum"
        How the rows of nodes become the row of their graph; "log" is the logarithm of the
        sum, ``sign(x) log(1 + |x|)``.
    eps : float, default=1e-7
        Added to the diagonal of the kernel between landmarks.
    attributes : "auto" or sequence of {"labels", "attributes", "degrees"}, default="auto"
        What of a node is used; see `AttributeEncoder`.
    random_state : int, Generator or None, default=None
        Seed of landmarks and of sampled walks.
    n_jobs : int or None, default=None
        Threads; None is one, -1 as many as there are cores. Rows do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    encoder_ : AttributeEncoder
        How nodes become the rows that enter the first layer.
    stack_ : Stack
        Landmarks and maps of all branches.
    n_features_out_ : int
        Number of columns.

    Notes
    -----
    With ``s`` the kernel of the walks of a node with the landmarks Z, summed over all its
    walks, a row is ``(K_ZZ + eps I)^(-1/2) s`` (paper Eqs. 10-18). Walks are not
    enumerated: those against landmarks take ``length - 1`` sparse products, patterns the
    algebra of `gskn.walks`.

    A graph embedding does not depend on the other graphs of a call, up to rounding:
    products of matrices of other shapes round differently. The differences are below 1e-15
    of the largest entry with one layer, and below 1e-11 with several layers.

    Examples
    --------
    >>> from gskn import GSKN, datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> model = GSKN(branches=("walk",), random_state=0).fit([ring_of_six, two_triangles])
    >>> rows = model.transform([ring_of_six, two_triangles])
    >>> bool(abs(rows[0] - rows[1]).max() < 1e-9)      # walks alone see no difference
    True
    >>> rows = GSKN(random_state=0).fit_transform([ring_of_six, two_triangles])
    >>> bool(abs(rows[0] - rows[1]).max() > 0.1)
    True
    """

    def __init__(  # noqa: PLR0913 - as the design has them
        self,
        branches: Sequence[str] = ("walk", "anonymous"),
        *,
        walk_length: int = 3,
        anonymous_length: int = 6,
        n_landmarks: int = 32,
        alpha: float = 1.5,
        beta: float = 1.5,
        n_layers: int = 1,
        aggregate: bool = True,
        weighting: Literal["probability", "count"] = "probability",
        method: Literal["auto", "exact", "sampled"] = "auto",
        n_walks: int = 30,
        pooling: Literal["sum", "mean", "log"] = "sum",
        eps: float = 1e-7,
        attributes: str | Sequence[str] = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.branches = branches
        self.walk_length = walk_length
        self.anonymous_length = anonymous_length
        self.n_landmarks = n_landmarks
        self.alpha = alpha
        self.beta = beta
        self.n_layers = n_layers
        self.aggregate = aggregate
        self.weighting = weighting
        self.method = method
        self.n_walks = n_walks
        self.pooling = pooling
        self.eps = eps
        self.attributes = attributes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: object = None) -> Self:
        """Choose landmarks among the walks of the graphs ``X``; ``y`` is not looked at."""
        self._fit(as_batch(X), embed=False)
        return self

    def fit_chunks(self, chunks: Iterable[Any]) -> Self:
        """Fit to graphs in chunks, as from `iter_graphs`, in bounded memory and one pass.

        Graphs with some 130,000 nodes together are drawn at random, whatever the chunks,
        and the model, attributes included, is fitted to them. Where there are fewer, all
        are used, and the model is that of `fit`.
        """
        make_stack(self.get_params(deep=False))  # complains before anything is read
        (generator,) = as_generator(self.random_state).spawn(1)
        return self.fit(sample_graphs(chunks, FIT_NODES, generator))

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit, and return one row per graph; what both need is computed once."""
        batch = as_batch(X)
        blocks = self._fit(batch, embed=True)
        rows = self._pool(batch, blocks) if blocks else self._rows(batch)
        return self._without_index(X, rows)

    def transform(self, X: Any) -> Any:
        """Return one row per graph, of shape (n_graphs, n_features)."""
        check_is_fitted(self, "stack_")
        return self._without_index(X, self._rows(as_batch(X)))

    def transform_nodes(self, X: Any) -> FloatArray:
        """Return one row per node, of shape (n_nodes, n_features), in node order."""
        check_is_fitted(self, "stack_")
        batch = as_batch(X)
        result = np.empty((batch.n_nodes, self.n_features_out_))
        first = 0
        for part, blocks in self._embed(batch):
            np.concatenate(blocks, axis=1, out=result[first : first + part.n_nodes])
            first += part.n_nodes
        return _check_finite(result)

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns: branch, length and landmark."""
        check_is_fitted(self, "stack_")
        return np.array(self.stack_.feature_names(), dtype=object)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one file, without pickle."""
        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote; no code in the file is run."""
        model: Self = load_model(cls, path)
        return model

    def _fit(self, batch: GraphBatch, *, embed: bool) -> list[FloatArray]:
        """Fit; return the rows of all nodes if they are wanted and were needed anyway."""
        stack = make_stack(self.get_params(deep=False))
        check_nodes(batch)
        generator = as_generator(self.random_state)
        encoder = AttributeEncoder(sources=self.attributes).fit(batch)
        drawn = draw_graphs(batch.graph_sizes, generator)
        sample = batch if len(drawn) == batch.n_graphs else batch[drawn]
        rows = NodeFeatures(*encoder.distinct_rows(sample))
        embed = embed and sample is batch
        n_blocks = stack.n_fit_blocks(embed=embed)
        with progress("landmarks", n_blocks, shown=self.verbose > 0) as advance:
            blocks = stack.fit(
                sample, rows, generator, self.n_jobs, embed=embed, advance=advance
            )
        self.encoder_ = encoder
        self.stack_ = stack
        self.n_features_out_ = len(stack.feature_names())
        return blocks if embed else []

    def _rows(self, batch: GraphBatch) -> FloatArray:
        pooled = [np.empty((0, self.n_features_out_))]
        pooled += [self._pool(part, blocks) for part, blocks in self._embed(batch)]
        return np.concatenate(pooled)

    def _without_index(self, X: Any, rows: FloatArray) -> Any:
        """Keep scikit-learn from giving rows of graphs the index of a table of edges."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        wanted = own or get_config()["transform_output"]
        if wanted == "pandas" and comes_from(X, "pandas") and hasattr(X, "columns"):
            return type(X)(rows)  # a frame of its own, which only gets its columns named
        return rows

    def _pool(self, batch: GraphBatch, blocks: list[FloatArray]) -> FloatArray:
        ptr = batch.graph_ptr
        pooled = [pool(block, ptr, pooling=self.pooling) for block in blocks]
        return _check_finite(np.hstack(pooled))

    def _embed(self, batch: GraphBatch) -> Iterator[tuple[GraphBatch, list[FloatArray]]]:
        """Yield consecutive graphs and the rows of their nodes, in bounded memory."""
        parts = _chunks(batch, self.n_features_out_)
        _ = batch.directed  # found out once, for all parts
        n_blocks = len(parts) * self.stack_.n_blocks()
        with progress("graphs", n_blocks, shown=self.verbose > 0) as advance:
            for part in parts:
                chunk = batch[part]
                features = NodeFeatures(*self.encoder_.distinct_rows(chunk))
                yield chunk, self.stack_.transform(chunk, features, self.n_jobs, advance)


def _chunks(batch: GraphBatch, n_features: int) -> list[slice]:
    """Cut a batch into runs of graphs whose rows are of bounded size, or one graph."""
    return runs_of_graphs(batch.graph_ptr, max(1, _CHUNK_CELLS // n_features))


def _check_finite(rows: FloatArray) -> FloatArray:
    if not np.isfinite(rows).all():
        raise InputError(
            "There are too many walks to count in floating point; use "
            "weighting='probability', or shorter walks."
        )
    return rows
