"""DDGK: graphs as divergences from source graphs, by attention between their nodes."""

import hashlib
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState, as_generator
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_int, check_positive
from gskn.estimators import (
    Precomputation,
    RefitSplit,
    SplitPair,
    check_types,
    progress,
)
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import Network, load_modules

_MAX_SOURCES = 2**14
_MAX_NODES = 2**12  # of a graph: arrays have the squared number of cells
_MAX_STEPS = 1_000_000
_N_SEED_BITS = 62
_MAX_SEED = 2**_N_SEED_BITS


class DDGK(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    Network,
):
    """Embed graphs by their divergences from some of the training graphs.

    A network learns the edges of a source graph from its nodes. The divergence of a target
    is the loss of the same network on the edges of the target, after an attention that maps
    target nodes to source nodes, and another one that maps them back, were trained.

    Parameters
    ----------
    n_sources : int, default=16
        Number of source graphs, which are random training graphs with nodes: the number of
        columns of the embedding. With fewer different training graphs, all are used.
    n_steps : int, default=600
        Number of gradient steps, of every network and of every attention.
    learning_rate : float, default=0.01
        Learning rate of Adam.
    random_state : int, Generator or None, default=None
        Seed of the source graphs and of all weights. Sources are the graphs with the
        smallest hashes of seed and edges, so that other training graphs and their order
        change little or nothing.
    verbose : int, default=0
        1 shows the progress of ``transform``.

    Attributes
    ----------
    sources_ : ndarray of shape (n_sources,)
        Indices of the source graphs.
    source_sizes_ : ndarray of shape (n_sources,)
        Number of nodes of every source graph.
    source_seeds_ : list of int
        Hash of the seed and the edges of every source: the seed of its weights.
    members_ : list of torch.nn.Module
        One module with the networks of all sources.
    history_ : list of dict
        ``loss``: mean loss of the sources at every step.

    Notes
    -----
    The network of a source with n nodes has layers of 4 columns (without bias), 16, 16, 16,
    16 and n columns with tanh; the loss is the mean cross-entropy of all n^2 pairs of
    nodes. The attentions are a softmax of a matrix of weights, and a linear map [1]_.

    Only edges are used, without labels or weights, as the published program does for
    MUTAG. It computes the divergences once for all graphs, and selects the classifier of
    their distances on the test folds. Here the sources are training graphs, so that the
    embedding of a graph does not depend on others. Divergences depend slightly on the order
    of nodes, because the weights of the attentions start at random values.

    The time is proportional to the number of sources and to the sum of squared numbers of
    nodes: about a minute for 188 graphs of 18 nodes.

    References
    ----------
    .. [1] Rami Al-Rfou, Dustin Zelle and Bryan Perozzi, "DDGK: Learning graph
       representations for deep divergence graph kernels", 2019.

    Examples
    --------
    >>> from gskn import datasets
    >>> graphs = datasets.load("structure").graphs[::40]
    >>> DDGK(n_sources=2, n_steps=10, random_state=0).fit_transform(graphs).shape
    (10, 2)
    """

    _module_name = "SourceEncoders"
    _uses_node_data = False
    sources_: IndexArray
    source_sizes_: IndexArray
    source_seeds_: list[int]

    def __init__(
        self,
        n_sources: int = 16,
        *,
        n_steps: int = 600,
        learning_rate: float = 0.01,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_sources = n_sources
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Select source graphs and train their networks.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : DDGK
            The fitted model.
        """
        self._check_parameters()
        modules = load_modules()
        batch = as_batch(X)
        self._warn_unused_edges(batch)
        sources, seeds = _select_sources(batch, self.n_sources, self.random_state)
        _check_sizes(batch[sources])
        module, losses = modules.train_sources(
            _matrices(batch[sources]), self.n_steps, float(self.learning_rate), seeds
        )
        mean = [float(step.mean()) for step in losses]
        self.members_ = [module]
        self.history_ = [
            {
                "loss": mean,
                "validation_loss": [],
                "learning_rate": [float(self.learning_rate)] * len(mean),
                "best_epoch": len(mean) - 1,
                "validation_accuracy": float("nan"),
            }
        ]
        self.sources_, self.source_sizes_ = sources, batch.graph_sizes[sources]
        self.source_seeds_ = seeds
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the divergences of graphs from all sources.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        embeddings : ndarray of shape (n_graphs, n_sources)
            Loss of every graph with every source after the last step; 0 for a graph without
            nodes.
        """
        check_is_fitted(self, "members_")
        batch = as_batch(X)
        _check_sizes(batch)
        modules = load_modules()
        matrices = _matrices(batch)
        sizes = self.source_sizes_.tolist()
        total = modules.n_trainings(matrices, sizes)
        with progress("divergences", total, shown=self.verbose > 0) as advance:
            embeddings: FloatArray = modules.divergences(
                self.members_[0],
                sizes,
                matrices,
                self.n_steps,
                float(self.learning_rate),
                self.source_seeds_,
                advance,
            )
        return embeddings

    @classmethod
    def precompute(cls, batch: GraphBatch, n_jobs: int | None = None) -> Precomputation:
        """Return an object that embeds parts of a batch for many fits.

        Parameters
        ----------
        batch : GraphBatch
            All graphs.
        n_jobs : int or None, default=None
            Ignored.

        Returns
        -------
        precomputation : Precomputation
            ``precomputation.split(train, test).embed(model)`` returns the same embeddings,
            up to rounding, as a fit of ``model`` to the training graphs. Each source is
            trained once for all parts that have it.
        """
        return _DivergenceColumns(batch, n_jobs)

    @property
    def _n_features_out(self) -> int:
        """Number of columns, for ``get_feature_names_out``."""
        return len(self.sources_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.n_sources, "n_sources", minimum=1, maximum=_MAX_SOURCES)
        check_int(self.n_steps, "n_steps", minimum=1, maximum=_MAX_STEPS)
        check_positive(self.learning_rate, "learning_rate", maximum=1.0)

    def _architecture(self, n_out: int) -> dict[str, Any]:
        return {"n_sources": n_out, "n_nodes": int(self.source_sizes_.max())}

    def _n_out(self) -> int:
        return len(self.sources_)

    def _save_state(self) -> dict[str, Any]:
        return {
            "sources": self.sources_.tolist(),
            "sizes": self.source_sizes_.tolist(),
            "seeds": self.source_seeds_,
        }

    def _load_state(self, state: dict[str, Any], n_out: int) -> None:
        check_types(state, {"sources": [int], "sizes": [int], "seeds": [int]}, "state")
        if any(len(values) != n_out for values in state.values()):
            raise InputError(f"the sources of the state do not fit {n_out} outputs")
        for name, minimum in (("sources", 0), ("sizes", 1), ("seeds", 0)):
            for value in state[name]:
                check_int(value, name, minimum=minimum, maximum=_MAX_SEED)
        _check_nodes(max(state["sizes"]))
        self.sources_ = np.array(state["sources"])
        self.source_sizes_ = np.array(state["sizes"])
        self.source_seeds_ = state["seeds"]


class _DivergenceColumns(Precomputation):
    """Divergences of all graphs from the sources of all splits."""

    def __init__(self, batch: GraphBatch, n_jobs: int | None = None) -> None:
        super().__init__(batch, n_jobs)
        self._columns: dict[tuple[str, int], FloatArray] = {}

    def split(self, train: IndexArray, test: IndexArray) -> RefitSplit:
        """Return the split into the graphs with these indices."""
        return _DivergenceSplit(self, train, test)

    def columns(self, estimator: DDGK, train: IndexArray) -> FloatArray:
        """Return the divergences of all graphs from the sources among training graphs."""
        sources, seeds = _select_sources(
            self.batch[train], estimator.n_sources, estimator.random_state
        )
        keys = [(repr(estimator), seed) for seed in seeds]
        missing = [n for n, key in enumerate(keys) if key not in self._columns]
        if missing:
            graphs = self.batch[train[sources[missing]]]
            model = clone(estimator).set_params(n_sources=len(missing)).fit(graphs)
            columns = model.transform(self.batch).T
            fitted = [(repr(estimator), seed) for seed in model.source_seeds_]
            self._columns.update(zip(fitted, columns, strict=True))
        return np.stack([self._columns[key] for key in keys], axis=1)


class _DivergenceSplit(RefitSplit):
    """A split that shares sources with others, if the seed is a number."""

    def __init__(
        self, columns: _DivergenceColumns, train: IndexArray, test: IndexArray
    ) -> None:
        super().__init__(columns.batch, train, test)
        self.columns = columns

    def embed(self, estimator: DDGK) -> SplitPair:
        """Return the embeddings of the training and of the test graphs."""
        if not isinstance(estimator.random_state, int | np.integer):
            return super().embed(estimator)
        embeddings = self.columns.columns(estimator, self.train)
        return embeddings[self.train], embeddings[self.test]


def _select_sources(
    batch: GraphBatch, n_sources: int, random_state: RandomState
) -> tuple[IndexArray, list[int]]:
    """Return the graphs with the smallest hashes, and the hashes; of equal graphs one."""
    seed = int(as_generator(random_state).integers(2**31))
    candidates = np.flatnonzero(batch.graph_sizes)
    if not len(candidates):
        raise InputError("The graphs have no nodes; pass a graph with nodes.")
    hashes = [_hash_edges(matrix, seed) for matrix in _matrices(batch[candidates])]
    smallest, first = np.unique(np.array(hashes), return_index=True)
    return candidates[first[:n_sources]], smallest[:n_sources].tolist()


def _hash_edges(matrix: csr_array, seed: int) -> int:
    """Return a random number that is determined by the seed and the edges."""
    parts = np.concatenate([[seed, matrix.shape[0]], matrix.indptr, matrix.indices])
    digest = hashlib.blake2b(parts.astype("<i8").tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> (64 - _N_SEED_BITS)


def _check_sizes(batch: GraphBatch) -> None:
    _check_nodes(int(batch.graph_sizes.max(initial=0)))


def _check_nodes(n_nodes: int) -> None:
    """Raise if a graph is too large for a matrix of all pairs of its nodes."""
    if n_nodes > _MAX_NODES:
        raise InputError(
            f"DDGK needs all pairs of nodes, and a graph has {n_nodes} nodes; "
            f"pass graphs of at most {_MAX_NODES} nodes."
        )


def _matrices(batch: GraphBatch) -> list[csr_array]:
    """Return the adjacency matrix of every graph."""
    ptr = batch.graph_ptr
    return [
        batch.adjacency[begin:end, begin:end]
        for begin, end in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)
    ]
