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
        self._precomputations: dict[Any, Precomputation] = {}
        self._embeddings: dict[str, FloatArray] = {}

    def precomputation(self, model: Model) -> Precomputation:
        """Return the precomputation of the model's estimator."""
        if model.estimator not in self._precomputations:
            _ = self.batch.directed  # slow to compute, and parts of the batch inherit it
            new = model.precompute(self.batch, self.n_jobs)
            self._precomputations[model.estimator] = new
        return self._precomputations[model.estimator]

    def embed_all(self, model: Model, estimator: Any) -> FloatArray:
        """Return the embeddings or the kernel of all graphs, fitted to all of them."""
        key = repr((model.estimator, sorted(estimator.get_params(deep=False).items())))
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
        key = repr((model.estimator, sorted(params.items())))
        if key not in self._pairs:
            self._pairs[key] = self._split(model, precomputation).embed(estimator)
        return self._pairs[key]

    def _split(self, model: Model, precomputation: Precomputation) -> Split:
        if model.estimator not in self._splits:
            new = precomputation.split(self.train, self.test)
            self._splits[model.estimator] = new
        return self._splits[model.estimator]
