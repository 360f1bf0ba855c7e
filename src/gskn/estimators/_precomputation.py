"""Embeddings of one batch of graphs for many splits into training and test graphs.

Model selection and evaluation fit an estimator to many parts of the same graphs, with many
parameter values. A precomputation holds the results that those fits share. An estimator
class offers its own with a classmethod ``precompute(batch, n_jobs)``.
"""

from functools import cached_property
from typing import Any, Protocol, TypeAlias

from gskn._types import FloatArray, IndexArray
from gskn.graphs import GraphBatch

# Embeddings of training and of test graphs; for kernels, the kernels of both with the
# training graphs.
SplitPair: TypeAlias = tuple[FloatArray, FloatArray]


class Split(Protocol):
    """Training and test graphs of a precomputation."""

    def embed(self, estimator: Any) -> SplitPair:
        """Fit the estimator to the training graphs and return both embeddings."""


class Precomputation:
    """Shared results of fits to parts of one batch.

    This default shares nothing: it fits the estimator to every split.

    Parameters
    ----------
    batch : GraphBatch
        All graphs.
    n_jobs : int or None, default=None
        Number of threads of the shared computations.
    """

    def __init__(self, batch: GraphBatch, n_jobs: int | None = None) -> None:
        self.batch = batch
        self.n_jobs = n_jobs

    def depends_on_training(self, estimator: Any) -> bool:
        """Return whether the embedding depends on the training graphs (default: True)."""
        return True

    def embed_all(self, estimator: Any) -> FloatArray:
        """Fit the estimator to all graphs and return their embeddings or kernel."""
        embeddings: FloatArray = estimator.fit_transform(self.batch)
        return embeddings

    def split(self, train: IndexArray, test: IndexArray) -> Split:
        """Return the split into the graphs with these indices."""
        return RefitSplit(self.batch, train, test)


class RefitSplit:
    """A split for which every estimator is fitted from the graphs themselves."""

    def __init__(self, batch: GraphBatch, train: IndexArray, test: IndexArray) -> None:
        self.batch = batch
        self.train = train
        self.test = test

    @cached_property
    def graphs(self) -> tuple[GraphBatch, GraphBatch]:
        """Training and test graphs."""
        return self.batch[self.train], self.batch[self.test]

    def embed(self, estimator: Any) -> SplitPair:
        """Fit the estimator to the training graphs and return both embeddings."""
        train, test = self.graphs
        embeddings = estimator.fit_transform(train)
        # Some transformers raise if there are no graphs to transform.
        return embeddings, estimator.transform(test) if test.n_graphs else embeddings[:0]
