"""Embeddings of one data set, computed once for all models, folds and parameters."""

from typing import Any

from gskn._types import FloatArray, IndexArray, Params
from gskn.estimators import Precomputation, Split, SplitPair
from gskn.evaluation._model import Model, make_estimator
from gskn.graphs import GraphBatch


class EmbeddingCache:
    """Precomputations of all estimators, and embeddings that do not depend on folds.

    Parameters
    ----------
    batch : GraphBatch
        All graphs of the data set.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, batch: GraphBatch, n_jobs: int | None) -> None:
        self.batch = batch
        self.n_jobs = n_jobs
        self._without_edges = batch.without_edge_data()
        self._precomputations: dict[Any, Precomputation] = {}
        self._embeddings: dict[str, FloatArray] = {}

    def precomputation(self, model: Model) -> Precomputation:
        """Return the precomputation of the model's estimator."""
        key = self.key(model)
        if key not in self._precomputations:
            batch = self.batch if model.uses_edges else self._without_edges
            _ = batch.directed  # slow to compute, and parts of the batch inherit it
            self._precomputations[key] = model.precompute(batch, self.n_jobs)
        return self._precomputations[key]

    def key(self, model: Model) -> tuple[Any, bool]:
        """Return the key of everything that models share: estimator and edge data."""
        has_edges = self._without_edges is not self.batch
        return model.estimator, model.uses_edges and has_edges

    def embed_all(self, model: Model, estimator: Any) -> FloatArray:
        """Return the embeddings or the kernel of all graphs, fitted to all of them."""
        key = repr((self.key(model), sorted(estimator.get_params(deep=False).items())))
        if key not in self._embeddings:
            self._embeddings[key] = self.precomputation(model).embed_all(estimator)
        return self._embeddings[key]

    def split(self, train: IndexArray, test: IndexArray, seed: int) -> "SplitEmbeddings":
        """Return the embeddings of a split, which are computed on demand."""
        return SplitEmbeddings(self, train, test, seed)


class SplitEmbeddings:
    """Embeddings of training and test graphs, by models fitted to the training graphs."""

    def __init__(
        self, cache: EmbeddingCache, train: IndexArray, test: IndexArray, seed: int
    ) -> None:
        self.cache = cache
        self.train = train
        self.test = test
        self.seed = seed
        self._splits: dict[Any, Split] = {}
        self._pairs: dict[str, SplitPair] = {}

    def embed(self, model: Model, params: Params) -> SplitPair:
        """Return the embeddings of the training and of the test graphs.

        For kernels, return the kernels of both with the training graphs.
        """
        estimator = make_estimator(model.estimator, params, self.seed, self.cache.n_jobs)
        precomputation = self.cache.precomputation(model)
        if model.transductive or not precomputation.depends_on_training(estimator):
            embeddings = self.cache.embed_all(model, estimator)
            return (
                model.select(embeddings, self.train, self.train),
                model.select(embeddings, self.test, self.train),
            )
        key = repr((self.cache.key(model), sorted(params.items())))
        if key not in self._pairs:
            self._pairs[key] = self._split(model, precomputation).embed(estimator)
        return self._pairs[key]

    def _split(self, model: Model, precomputation: Precomputation) -> Split:
        key = self.cache.key(model)
        if key not in self._splits:
            self._splits[key] = precomputation.split(self.train, self.test)
        return self._splits[key]
