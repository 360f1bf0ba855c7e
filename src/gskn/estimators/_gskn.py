"""GSKN: embeddings of graphs and of nodes."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gskn._files import check_output, whole_file
from gskn._limits import EMBEDDING_CHUNK_CELLS, FIT_NODES
from gskn._offsets import runs_of_graphs
from gskn._optional import comes_from
from gskn._random import RandomState, as_generator
from gskn._types import FloatArray
from gskn._validation import check_choice
from gskn.estimators._gskn_precomputation import GSKNPrecomputation
from gskn.estimators._parameters import (
    PAPER_PARAMETERS,
    add_degrees,
    make_stack,
    select_branches,
)
from gskn.estimators._persist import load_model, save_model
from gskn.estimators._precomputation import Precomputation
from gskn.estimators._progress import progress
from gskn.estimators._sample import check_nodes, plan_fit, sample_graphs
from gskn.exceptions import InputError
from gskn.graphs import AttributeEncoder, EdgeEncoder, GraphBatch, as_batch
from gskn.layers import Advance, EdgeFeatures, FeatureViews, NodeFeatures
from gskn.pooling import Pooling, check_pooling, pool, pooled_names, rescale

_N_COLUMNS = 160  # of node embeddings of a model that is not fitted yet, about


class GSKN(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed graphs and their nodes by random walks and anonymous walks.

    Every branch compares the walks of a node with landmarks, which are walks or patterns
    chosen in `fit`. The columns of the branches are concatenated, and the embedding of a
    graph pools the embeddings of its nodes. The fit is unsupervised, and the embedding of
    a graph does not depend on the other graphs of a call.

    Parameters
    ----------
    branches : sequence of str, default=("walk", "degree-walk", "anonymous")
        "walk": node features along all walks. "anonymous": patterns of all walks. "path":
        node features along walks that repeat no node. "joint": node features and pattern
        of the same walk. "induced": patterns with the edges between visited nodes.
        "degree-walk": node features and degrees along all walks; it is left out if
        "walk" is among the branches and its node features contain the degrees already,
        as for graphs without labels and attributes. "label-path": like "path", but left
        out for graphs without labels and attributes if there is another branch.
    walk_length : int, default=3
        Number of nodes visited by walks, paths and joint walks (the paper's *l*); at most
        1,000, and 10 for paths and joint walks.
    anonymous_length : int, default=6
        Number of nodes per anonymous or induced walk: exact up to 8, sampled up to 10.
        Counts and induced walks need at most 8.
    n_landmarks : int, default=32
        Largest number of landmarks of a branch for each length.
    alpha, beta : float, default=1.5
        Bandwidths of the Gaussian kernels of node features and of patterns,
        ``exp(-alpha / 2 |x - x'|^2)``.
    n_layers : int, default=1
        Number of layers of every branch. Layers after the first are walk layers whose
        node features are the embeddings of the previous layer.
    aggregate : bool, default=True
        Whether to concatenate walks of all lengths up to the given one.
    weighting : {"probability", "count"}, default="probability"
        Weight of a walk: its probability (steps are proportional to edge weights), or one.
    method : {"auto", "exact", "sampled"}, default="auto"
        "auto" samples walks only if the exact embedding of a graph would take too much
        work. The "walk" branch is always exact.
    n_walks : int, default=30
        Number of walks per node if walks are sampled.
    pooling : {"sum", "mean", "log"} or tuple of these, default=("mean", "log")
        How node embeddings are pooled; "log" is the logarithm of the sum,
        ``sign(x) log(1 + |x|)``. The columns of several poolings are concatenated.
    eps : float, default=1e-7
        Added to the diagonal of the kernel between landmarks.
    node_features : "auto" or list of {"labels", "attributes", "degrees"}, default="auto"
        Node data that is used; see `AttributeEncoder`.
    edge_features : "auto", "none" or list of {"labels", "attributes"}, default="auto"
        Edge data that walks, paths and joint walks compare at every step, with the same
        kernel as node features: labels are one-hot encoded, attributes are standardized and
        scaled to unit norm. "auto" uses all edge data of the training graphs. Anonymous and
        induced walks do not depend on node and edge data.
    max_degree : int or None, default=None
        Largest degree with a separate column in the one-hot encoding of degrees; None
        encodes all degrees exactly. See `AttributeEncoder`.
    rare_walks : bool, default=True
        Whether walks that exist in the graphs, but not in the sample of about 5,000 walks
        among which landmarks are chosen, are added if the sample has fewer distinct walks
        than ``n_landmarks``. Then the number of columns of the branches "walk" and
        "degree-walk" does not depend on the seed.
    random_state : int, Generator or None, default=None
        Seed of landmarks and of sampled walks.
    n_jobs : int or None, default=None
        Number of threads, as in joblib: None is 1 unless a ``joblib.parallel_config``
        context is active, -1 is all cores, -2 all but one. It does not affect results.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    encoder_ : AttributeEncoder
        Encoder of the node features.
    degree_encoder_ : AttributeEncoder or None
        Encoder of the node features and degrees; None if no branch uses it.
    edge_features_ : tuple of str
        Edge data that is used, some of "labels" and "attributes".
    branches_ : tuple of str
        Branches that are used.
    stack_ : Stack
        Landmarks and Nyström maps of all branches.
    n_features_out_ : int
        Number of columns of graph embeddings.
    n_node_features_out_ : int
        Number of columns of node embeddings.

    See Also
    --------
    GSKNClassifier : Classifier of graphs on these embeddings.
    GSKN.from_paper : Model with the settings of the paper.

    Notes
    -----
    Let ``s`` be the kernel of the walks of a node with the landmarks Z, summed over all
    its walks. The node embedding is ``(K_ZZ + eps I)^(-1/2) s`` (Eqs. 10-18 of [1]_).
    Walks are not enumerated: the "walk" branch takes ``length - 1`` sparse products, and
    patterns are computed by the algebra of `gskn.walks`.

    Rounding depends on the shapes of matrix products, so the embedding of a graph may
    differ between calls by 1e-15 of the largest entry with one layer, and by 1e-11 with
    several layers.

    References
    ----------
    .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
       Anonymous Walk Graph Kernels", WWW 2021.

    Examples
    --------
    >>> from gskn import GSKN, datasets
    >>> ring_of_six, two_triangles = datasets.rings(3).graphs
    >>> model = GSKN(branches=("walk",), random_state=0).fit([ring_of_six, two_triangles])
    >>> embeddings = model.transform([ring_of_six, two_triangles])
    >>> bool(abs(embeddings[0] - embeddings[1]).max() < 1e-9)  # equal for walks alone
    True
    >>> embeddings = GSKN(random_state=0).fit_transform([ring_of_six, two_triangles])
    >>> bool(abs(embeddings[0] - embeddings[1]).max() > 0.1)
    True
    """

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        branches: Sequence[str] = ("walk", "degree-walk", "anonymous"),
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
        pooling: Pooling = ("mean", "log"),
        eps: float = 1e-7,
        node_features: str | Sequence[str] = "auto",
        edge_features: str | Sequence[str] = "auto",
        max_degree: int | None = None,
        rare_walks: bool = True,
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
        self.node_features = node_features
        self.edge_features = edge_features
        self.max_degree = max_degree
        self.rare_walks = rare_walks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: object = None) -> Self:
        """Choose landmarks among the walks of graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : GSKN
            The fitted model.
        """
        self._fit(as_batch(X), embed=False)
        return self

    def fit_chunks(self, chunks: Iterable[Any]) -> Self:
        """Fit to graphs that arrive in chunks, in bounded memory and one pass.

        The model is fitted to random graphs with about 130,000 nodes together. The sample
        does not depend on the chunks. If there are fewer nodes, all graphs are used, and
        the model is the same as after `fit`.

        Parameters
        ----------
        chunks : iterable
            Chunks of graphs, for example from `iter_graphs`.

        Returns
        -------
        self : GSKN
            The fitted model.
        """
        make_stack(self.get_params(deep=False))  # raises before anything is read
        (generator,) = as_generator(self.random_state).spawn(1)
        return self.fit(sample_graphs(chunks, FIT_NODES, generator))

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit to graphs and return their embeddings; shared computations are done once.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_features_out)
            One row per graph.
        """
        batch = as_batch(X)
        blocks = self._fit(batch, embed=True)
        pooled = self._pool(batch, blocks) if blocks else self._graph_embeddings(batch)
        return self._without_index(X, pooled)

    def transform(self, X: Any) -> Any:
        """Return the embeddings of graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        graph_embeddings : ndarray of shape (n_graphs, n_features_out)
            One row per graph.
        """
        check_is_fitted(self, "stack_")
        return self._without_index(X, self._graph_embeddings(as_batch(X)))

    def transform_nodes(
        self,
        X: Any,
        *,
        out: str | Path | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> FloatArray:
        """Return the embeddings of all nodes.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        out : str, Path or None, default=None
            File that ends in ``.npy``, for results that do not fit into memory. It is
            written completely or not at all.
        dtype : {"float64", "float32"}, default="float64"
            Type of the result.

        Returns
        -------
        node_embeddings : ndarray of shape (n_nodes, n_node_features_out)
            One row per node, in node order. With ``out``, the file as an array that is
            mapped into memory and cannot be modified.

        Notes
        -----
        The result is computed in runs of graphs, and a graph with more than about 100,000
        nodes in ranges of nodes. With ``out``, the result is not in memory; sums over the
        walks of all nodes still are, one number per node and landmark for every length of
        walks above two.

        Examples
        --------
        >>> import tempfile
        >>> from gskn import GSKN, datasets
        >>> rings = datasets.rings(3).graphs
        >>> model = GSKN(n_landmarks=2, random_state=0).fit(rings)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/nodes.npy"
        ...     model.transform_nodes(rings, out=path, dtype="float32").dtype
        dtype('float32')
        """
        check_is_fitted(self, "stack_")
        check_choice(dtype, "dtype", choices=["float64", "float32"])
        batch = as_batch(X)
        shape = (batch.n_nodes, self.n_node_features_out_)
        if out is None:
            result, first = np.empty(shape, dtype), 0
            for blocks in self._node_blocks(batch):
                end = first + len(blocks[0])
                np.concatenate(blocks, axis=1, out=result[first:end], casting="same_kind")
                first = end
            return result
        path = _check_array_file(Path(out))
        with whole_file(path) as temporary, temporary.open("wb") as file:
            # Not mapped into memory: written pages would count as memory of this process.
            header = np.lib.format.header_data_from_array_1_0(np.empty((0,), dtype))
            np.lib.format.write_array_header_1_0(file, {**header, "shape": shape})
            for blocks in self._node_blocks(batch):
                np.concatenate(blocks, axis=1, dtype=dtype, casting="same_kind").tofile(
                    file
                )
        stored: FloatArray = np.load(path, mmap_mode="r")
        return stored

    def iter_nodes(self, X: Any) -> Iterator[FloatArray]:
        """Yield the embeddings of all nodes in ranges, in bounded memory.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Yields
        ------
        node_embeddings : ndarray of shape (n_range_nodes, n_node_features_out)
            One row per node. The ranges together are the rows of `transform_nodes`.
        """
        check_is_fitted(self, "stack_")
        for blocks in self._node_blocks(as_batch(X)):
            yield np.concatenate(blocks, axis=1)

    def _node_blocks(self, batch: GraphBatch) -> Iterator[list[FloatArray]]:
        """Yield the embeddings of consecutive nodes in blocks of columns."""
        for _, runs in self._embed(batch):
            for blocks in runs:
                yield [_check_finite(block) for block in blocks]

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns of graph embeddings.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of str objects
            Branch, length and landmark of every column, for instance "walk_3_0", or
            "mean_walk_3_0" if there are several poolings.
        """
        check_is_fitted(self, "stack_")
        return np.array(
            pooled_names(self.stack_.feature_names(), self.pooling), dtype=object
        )

    def get_node_feature_names_out(self) -> Any:
        """Return the names of the columns of node embeddings.

        Returns
        -------
        names : ndarray of str objects
            Branch, length and landmark of every column, for instance "walk_3_0".
        """
        check_is_fitted(self, "stack_")
        return np.array(self.stack_.feature_names(), dtype=object)

    @property
    def edge_features_(self) -> tuple[str, ...]:
        """Edge data that is used."""
        return () if self.edge_encoder_ is None else self.edge_encoder_.edge_features

    @property
    def n_features_out_(self) -> int:
        """Number of columns of graph embeddings."""
        return self.n_node_features_out_ * len(check_pooling(self.pooling))

    @classmethod
    def from_paper(cls, **changes: Any) -> Self:
        """Return an unfitted model with the settings of the paper [1]_.

        These are random and anonymous walks of one length each, with 32 landmarks, the sum
        over nodes, and degrees above 32 in bins. The defaults of `GSKN` are more accurate
        on most data sets.

        Parameters
        ----------
        **changes
            Parameters of `GSKN` with other values, for instance ``random_state``.

        Returns
        -------
        model : GSKN
            The unfitted model.

        Examples
        --------
        >>> model = GSKN.from_paper(random_state=0)
        >>> model.branches, model.aggregate, model.pooling
        (('walk', 'anonymous'), False, 'sum')

        References
        ----------
        .. [1] Long, Jin, Wu and Song, "Theoretically Improving Graph Neural Networks via
           Anonymous Walk Graph Kernels", WWW 2021.
        """
        return cls(**{**PAPER_PARAMETERS, **changes})

    @classmethod
    def precompute(cls, batch: GraphBatch, n_jobs: int | None = None) -> Precomputation:
        """Return an object that embeds parts of a batch for many fits.

        Parameters
        ----------
        batch : GraphBatch
            All graphs.
        n_jobs : int or None, default=None
            Number of threads of the shared computations.

        Returns
        -------
        precomputation : Precomputation
            ``precomputation.split(train, test).embed(model)`` returns the same embeddings,
            up to rounding, as a fit of ``model`` to the training graphs.
        """
        return GSKNPrecomputation(batch, n_jobs)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one file, without pickle.

        Parameters
        ----------
        path : str or Path
            File to write; it is written completely or not at all.
        """
        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote; no code in the file is run.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        model : GSKN
            The fitted model.
        """
        model: Self = load_model(cls, path)
        return model

    def _fit(self, batch: GraphBatch, *, embed: bool) -> list[FloatArray]:
        """Fit; return the node embeddings if requested and computed by the fit."""
        plan = plan_fit(self, batch.graph_sizes)
        check_nodes(batch)
        encoder = self._fit_encoder(batch, self.node_features)
        branches = select_branches(plan.stack.names, encoder.node_features_)
        stack, degree_encoder = plan.stack.select(branches), None
        if stack.adds_degrees:
            degree_encoder = self._fit_encoder(batch, add_degrees(encoder.node_features_))
        edge_encoder = None
        if stack.compares_edges:
            edge_encoder = EdgeEncoder.from_batch(batch, self.edge_features)
        sample = batch if len(plan.graphs) == batch.n_graphs else batch[plan.graphs]
        views = encode(sample, encoder, degree_encoder, edge_encoder)
        largest = int(sample.graph_sizes.max(initial=0))
        embed = embed and sample is batch and largest <= _max_nodes(_N_COLUMNS)
        n_blocks = stack.n_fit_blocks(embed=embed)
        with progress("landmarks", n_blocks, shown=self.verbose > 0) as advance:
            blocks = stack.fit(
                sample, views, plan.generator, self.n_jobs, embed=embed, advance=advance
            )
        self.encoder_, self.degree_encoder_ = encoder, degree_encoder
        self.edge_encoder_ = edge_encoder
        self.branches_, self.stack_ = branches, stack
        self.n_node_features_out_ = len(stack.feature_names())
        return blocks

    def _fit_encoder(
        self, batch: GraphBatch, node_features: str | Sequence[str]
    ) -> AttributeEncoder:
        """Fit an encoder of some node features."""
        encoder = AttributeEncoder(node_features=node_features, max_degree=self.max_degree)
        return encoder.fit(batch)

    def _graph_embeddings(self, batch: GraphBatch) -> FloatArray:
        pooled = [np.empty((0, self.n_features_out_))]
        for part, runs in self._embed(batch):
            sums, first = np.zeros((part.n_graphs, self.n_node_features_out_)), 0
            for blocks in runs:
                end = first + len(blocks[0])
                graph_ptr = np.clip(part.graph_ptr, first, end) - first
                sums += np.hstack([pool(block, graph_ptr) for block in blocks])
                first = end
            pooled.append(_check_finite(rescale(sums, part.graph_sizes, self.pooling)))
        return np.concatenate(pooled)

    def _without_index(self, X: Any, embeddings: FloatArray) -> Any:
        """Prevent scikit-learn from copying the index of an edge table to embeddings."""
        output = getattr(self, "_sklearn_output_config", {}).get("transform")
        output = output or get_config()["transform_output"]
        if output == "pandas" and comes_from(X, "pandas") and hasattr(X, "columns"):
            return type(X)(embeddings)  # a new frame, to which scikit-learn adds names
        return embeddings

    def _pool(self, batch: GraphBatch, blocks: list[FloatArray]) -> FloatArray:
        sums = np.hstack([pool(block, batch.graph_ptr) for block in blocks])
        return _check_finite(rescale(sums, batch.graph_sizes, self.pooling))

    def _sum_nodes(self, batch: GraphBatch) -> FloatArray:
        """Return the sum of node embeddings per graph, without node embeddings.

        It differs from sums of node embeddings by rounding, which depends on the batch.
        """
        sums = [np.empty((0, self.n_node_features_out_))]
        for part in _chunks(batch, self.n_node_features_out_):
            chunk = batch[part]
            views = self._encode(chunk)
            sums.append(np.hstack(self.stack_.transform_graphs(chunk, views, self.n_jobs)))
        return _check_finite(np.concatenate(sums))

    def _encode(self, batch: GraphBatch) -> FeatureViews:
        return encode(batch, self.encoder_, self.degree_encoder_, self.edge_encoder_)

    def _embed(
        self, batch: GraphBatch
    ) -> Iterator[tuple[GraphBatch, Iterator[list[FloatArray]]]]:
        """Yield runs of graphs with the embeddings of their nodes, in bounded memory.

        The embeddings of consecutive nodes come in blocks of columns: all of them at once,
        or some of a graph that is larger than a run.
        """
        parts = _chunks(batch, self.n_node_features_out_)
        limit = _max_nodes(self.n_node_features_out_)
        _ = batch.directed  # computed once for all parts
        sizes = [int(batch.graph_sizes[part].sum()) for part in parts]
        n_blocks = [self._count_blocks(size, limit) for size in sizes]
        with progress("graphs", sum(n_blocks), shown=self.verbose > 0) as advance:
            for part, size in zip(parts, sizes, strict=True):
                chunk = batch if len(parts) == 1 else batch[part]
                views = self._encode(chunk)
                if size <= limit:
                    yield (
                        chunk,
                        iter([self.stack_.transform(chunk, views, self.n_jobs, advance)]),
                    )
                else:
                    yield chunk, self._embed_in_ranges(chunk, views, limit, advance)

    def _embed_in_ranges(
        self, batch: GraphBatch, views: FeatureViews, n_nodes: int, advance: Advance
    ) -> Iterator[list[FloatArray]]:
        """Yield the embeddings of ``n_nodes`` nodes at a time."""
        embed = self.stack_.prepare(batch, views, self.n_jobs)
        for begin in range(0, batch.n_nodes, n_nodes):
            yield embed(begin, min(begin + n_nodes, batch.n_nodes))
            advance()

    def _count_blocks(self, size: int, limit: int) -> int:
        """Return how often progress advances for a run of graphs with ``size`` nodes."""
        return self.stack_.n_blocks() if size <= limit else -(-size // limit)


def encode(
    batch: GraphBatch,
    encoder: AttributeEncoder,
    degree_encoder: AttributeEncoder | None,
    edge_encoder: EdgeEncoder | None,
) -> FeatureViews:
    """Return the features of a batch, and with degrees if there is an encoder."""
    table, codes = encoder.distinct_rows(batch)
    edges = None
    if edge_encoder is not None:
        edges = EdgeFeatures(*edge_encoder.distinct_rows(batch))
    plain = NodeFeatures(table, codes, edges)
    if degree_encoder is None:
        return FeatureViews(plain)
    return FeatureViews(plain, NodeFeatures(*degree_encoder.distinct_rows(batch), edges))


def _chunks(batch: GraphBatch, n_features: int) -> list[slice]:
    """Split a batch into runs of graphs whose node embeddings have a bounded size."""
    return runs_of_graphs(batch.graph_ptr, _max_nodes(n_features))


def _max_nodes(n_features: int) -> int:
    """Return the number of nodes that are embedded at once."""
    return max(1, EMBEDDING_CHUNK_CELLS // n_features)


def _check_array_file(path: Path) -> Path:
    """Raise if a file is not named as an array or cannot be written."""
    if path.suffix.lower() != ".npy":
        raise InputError(f"out must end in .npy, got {str(path)!r}.")
    check_output(path)
    return path


def _check_finite(embeddings: FloatArray) -> FloatArray:
    if not np.isfinite(embeddings).all():
        raise InputError(
            "There are too many walks to count in floating point; use "
            "weighting='probability', or shorter walks."
        )
    return embeddings
