"""The graphs of a library that are most similar to query graphs."""

from importlib.util import find_spec
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, check_int, check_n_jobs
from gskn.estimators._gram import Scaling
from gskn.estimators._gskn import GSKN
from gskn.exceptions import InputError
from gskn.graphs import as_batch

_SEARCHES = ("auto", "exact", "approximate")
_MAX_EXACT_GRAPHS = 100_000  # of search="auto"
_EXPANSION = 256  # candidates of the approximate search; more find more true neighbors


class NearestGraphs(BaseEstimator):  # type: ignore[misc]
    """Find the graphs of a library that are most similar to query graphs.

    Graphs are compared by the Euclidean distance of their embeddings. Every column is
    standardized by its mean and standard deviation in the library, and the distance is
    divided by the square root of the number of columns. The root mean square of the
    distances between all graphs of the library is then the square root of two.

    Parameters
    ----------
    embedding : transformer or None, default=None
        Embedding of graphs that is fitted to the library; None is
        ``GSKN(random_state=0)``. Use `sklearn.frozen.FrozenEstimator` for a fitted model
        that should not be fitted again.
    n_neighbors : int, default=10
        Default number of neighbors.
    search : {"auto", "exact", "approximate"}, default="auto"
        "exact" compares a query with all graphs. "approximate" uses the index of the
        package ``usearch`` (extra ``search``), which may miss some neighbors. "auto" is
        approximate if the library has more than 100,000 graphs and usearch is installed.
    n_jobs : int or None, default=None
        Number of threads of the search; None is one thread, -1 all cores.

    Attributes
    ----------
    embedding_ : transformer
        The fitted embedding.
    embeddings_ : ndarray of shape (n_graphs, n_features)
        Standardized embeddings of the library.
    search_ : str
        The search that is used: "exact" or "approximate".

    See Also
    --------
    sklearn.neighbors.NearestNeighbors : The exact search.

    Examples
    --------
    >>> from gskn import NearestGraphs, datasets
    >>> data = datasets.structure(n_per_class=10)
    >>> nearest = NearestGraphs(n_neighbors=2).fit(data.graphs)
    >>> distances, indices = nearest.kneighbors(data.graphs[:1])
    >>> int(indices[0, 0]), bool(distances[0, 0] < 1e-9)
    (0, True)
    """

    def __init__(
        self,
        embedding: Any = None,
        n_neighbors: int = 10,
        search: Literal["auto", "exact", "approximate"] = "auto",
        n_jobs: int | None = None,
    ):
        self.embedding = embedding
        self.n_neighbors = n_neighbors
        self.search = search
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Embed the graphs of a library and index their embeddings.

        Parameters
        ----------
        X : graphs
            Library: anything that `as_batch` accepts, at least one graph.
        y : object
            Ignored.

        Returns
        -------
        self : NearestGraphs
            The fitted search.
        """
        check_int(self.n_neighbors, "n_neighbors", minimum=1)
        check_choice(self.search, "search", choices=_SEARCHES)
        check_n_jobs(self.n_jobs)
        batch = as_batch(X)
        if not batch.n_graphs:
            raise InputError("The library has no graphs.")
        embedding = GSKN(random_state=0) if self.embedding is None else self.embedding
        self.embedding_ = clone(embedding).fit(batch, None)  # frozen ones need y
        embeddings = np.asarray(self.embedding_.transform(batch), dtype=np.float64)
        self._scaling = Scaling.from_embeddings(embeddings)
        self.embeddings_ = self._scaling.apply(embeddings)
        self.search_ = self._choose_search(batch.n_graphs)
        index_class = _Exact if self.search_ == "exact" else _Approximate
        self._index = index_class(self.embeddings_, self.n_jobs)
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int | None = None
    ) -> tuple[FloatArray, IndexArray]:
        """Return the most similar graphs of the library for every query.

        Parameters
        ----------
        X : graphs
            Queries: anything that `as_batch` accepts.
        n_neighbors : int or None, default=None
            Number of neighbors; the parameter ``n_neighbors`` if None. A smaller library
            is returned completely.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Distances in increasing order; equal ones in the order of the indices.
        indices : ndarray of shape (n_queries, n_neighbors)
            Indices of graphs of the library.
        """
        check_is_fitted(self, "embeddings_")
        n_neighbors = self.n_neighbors if n_neighbors is None else n_neighbors
        check_int(n_neighbors, "n_neighbors", minimum=1)
        n_neighbors = min(n_neighbors, len(self.embeddings_))
        batch = as_batch(X)
        if not batch.n_graphs:
            return np.empty((0, n_neighbors)), np.empty((0, n_neighbors), dtype=np.int64)
        embeddings = np.asarray(self.embedding_.transform(batch), dtype=np.float64)
        queries = self._scaling.apply(embeddings)
        return _sort(queries, self.embeddings_, self._index.find(queries, n_neighbors))

    def _choose_search(self, n_graphs: int) -> str:
        if self.search != "auto":
            return self.search
        is_large = n_graphs > _MAX_EXACT_GRAPHS
        return "approximate" if is_large and find_spec("usearch") else "exact"


class _Exact:
    """Comparison with all rows."""

    def __init__(self, rows: FloatArray, n_jobs: int | None):
        self._rows = NearestNeighbors(algorithm="brute", n_jobs=n_jobs).fit(rows)

    def find(self, queries: FloatArray, n_neighbors: int) -> IndexArray:
        """Return the nearest rows of every query, in any order."""
        indices = self._rows.kneighbors(queries, n_neighbors, return_distance=False)
        return np.asarray(indices, dtype=np.int64)


class _Approximate:
    """Search in a graph of rows: hierarchical navigable small worlds of usearch.

    References
    ----------
    Yu. A. Malkov and D. A. Yashunin, "Efficient and robust approximate nearest neighbor
    search using hierarchical navigable small world graphs", 2018.
    """

    def __init__(self, rows: FloatArray, n_jobs: int | None):
        usearch = require("usearch.index", extra="search")
        self._rows, self._n_jobs = rows, n_jobs
        self._index = usearch.Index(
            ndim=rows.shape[1],
            metric="l2sq",
            dtype="f32",
            expansion_add=_EXPANSION,
            expansion_search=_EXPANSION,
        )
        vectors = rows.astype(np.float32)
        self._index.add(np.arange(len(rows)), vectors, threads=effective_n_jobs(n_jobs))

    def find(self, queries: FloatArray, n_neighbors: int) -> IndexArray:
        """Return near rows of every query, in any order."""
        matches = self._index.search(
            queries.astype(np.float32), n_neighbors, threads=effective_n_jobs(self._n_jobs)
        )
        keys = np.atleast_2d(matches.keys).astype(np.int64)
        # Rows that are not connected with others are not found.
        n_found = np.atleast_1d(np.asarray(getattr(matches, "counts", keys.shape[1])))
        incomplete = np.flatnonzero(n_found < n_neighbors)
        if keys.shape[1] < n_neighbors or len(incomplete):
            exact = _Exact(self._rows, self._n_jobs)
            if keys.shape[1] < n_neighbors:
                return exact.find(queries, n_neighbors)
            keys[incomplete] = exact.find(queries[incomplete], n_neighbors)
        return keys


def _sort(
    queries: FloatArray, rows: FloatArray, indices: IndexArray
) -> tuple[FloatArray, IndexArray]:
    """Return distances and indices by increasing distance.

    Distances are computed from differences: the searches round small ones to 1e-8.
    """
    distances = np.stack(
        [
            np.linalg.norm(rows[near] - query, axis=1)
            for query, near in zip(queries, indices, strict=True)
        ]
    )
    order = np.lexsort((indices, distances))
    return (
        np.take_along_axis(distances, order, axis=1),
        np.take_along_axis(indices, order, axis=1),
    )
