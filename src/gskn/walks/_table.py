"""The result of `pattern_counts`."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from gskn._types import AnyArray, BoolArray, IndexArray
from gskn.graphs import pool_matrix
from gskn.walks._induced import induced_names
from gskn.walks._patterns import pattern_names


@dataclass(frozen=True, eq=False)
class PatternTable:
    """Counts or probabilities of the patterns of all walks from every node.

    Attributes
    ----------
    length : int
        Number of nodes visited by a walk.
    patterns : ndarray of shape (n_patterns, length)
        All patterns of this length, in the order of ``patterns(length, staying=True)``.
        The columns are the same for all graphs.
    rows : csr_array of shape (n_nodes, n_patterns)
        Counts or probabilities, one row per node.
    is_exact : ndarray of shape (n_graphs,)
        Whether all rows of a graph are exact; otherwise some of them are sampled.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    arcs : list of lists of (int, int), or None
        For induced patterns, the edges between the symbols of every pattern. The columns
        are then the induced patterns that occur, in an order that does not depend on the
        graphs; `align` gives two tables the same columns.
    exact_nodes : ndarray of shape (n_nodes,) or None
        Whether the row of a node is exact: also in a sampled graph, if the node has few
        walks. None in tables of rows that are not rows of nodes.
    n_walks : int
        Number of sampled walks of every other node.
    """

    length: int
    patterns: AnyArray
    rows: csr_array
    is_exact: AnyArray
    graph_ptr: IndexArray
    arcs: list[list[tuple[int, int]]] | None = None
    exact_nodes: BoolArray | None = None
    n_walks: int = 0

    @property
    def names(self) -> list[str]:
        """Names of the patterns, such as "0-1-2-0" or, induced, "0-1-2-3 {0-2}"."""
        if self.arcs is None:
            return pattern_names(self.patterns)
        return induced_names(self.patterns, self.arcs)

    def name(self, column: int) -> str:
        """Return the name of one pattern.

        Parameters
        ----------
        column : int
            Number of the pattern.

        Returns
        -------
        name : str
            Entry of ``names``.
        """
        pattern = self.patterns[[column]]
        if self.arcs is None:
            return pattern_names(pattern)[0]
        return induced_names(pattern, [self.arcs[column]])[0]

    def align(self, other: "PatternTable") -> "PatternTable":
        """Return the table with the columns of another table of the same length.

        Tables of induced patterns contain the patterns that occur, in an order that does
        not depend on the graphs. Aligned tables have equal columns.

        Parameters
        ----------
        other : PatternTable
            Table whose columns are used.

        Returns
        -------
        aligned : PatternTable
            Patterns that do not occur in this table have columns of zeros, and patterns
            that do not occur in the other table are dropped.
        """
        columns = {name: column for column, name in enumerate(other.names)}
        pairs = [(n, columns[name]) for n, name in enumerate(self.names) if name in columns]
        sources, targets = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        shape = (self.rows.shape[1], len(columns))
        chosen = csr_array((np.ones(len(pairs)), (sources, targets)), shape=shape)
        rows = (self.rows @ chosen).tocsr()
        return replace(self, patterns=other.patterns, rows=rows, arcs=other.arcs)

    def standard_errors(self) -> csr_array:
        """Return bounds on the standard errors of sampled probabilities.

        Returns
        -------
        errors : csr_array of shape (n_nodes, n_patterns)
            Entries of ``rows``: zero in exact rows, else ``sqrt(p (1 - p) / n_walks)`` for
            an estimated probability p. The last step of a walk is not sampled, except in
            tables of induced patterns, so errors are smaller. A pattern that no sampled
            walk has is not among the entries.
        """
        errors = self.rows.copy()
        p = np.clip(errors.data, 0.0, 1.0)
        errors.data = np.sqrt(p * (1.0 - p) / max(self.n_walks, 1))
        if self.exact_nodes is not None:
            is_exact = np.repeat(self.exact_nodes, np.diff(errors.indptr))
            errors.data[is_exact] = 0.0
        return errors

    def graph_rows(self) -> csr_array:
        """Return the sum of the rows of every graph.

        Returns
        -------
        rows : csr_array of shape (n_graphs, n_patterns)
        """
        return (pool_matrix(self.graph_ptr) @ self.rows).tocsr()

    def __repr__(self) -> str:
        n_nodes, n_patterns = self.rows.shape
        n_sampled = len(self.is_exact) - int(self.is_exact.sum())
        method = "exact" if not n_sampled else f"{n_sampled} graphs sampled"
        shape = f"n_nodes={n_nodes}, n_patterns={n_patterns}"
        return f"PatternTable(length={self.length}, {shape}, {method})"
