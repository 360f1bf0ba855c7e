"""pattern_counts: the patterns of all walks from every node."""

import logging
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from gskn._limits import MAX_WALKS
from gskn._random import RandomState
from gskn._types import AnyArray, IndexArray
from gskn._validation import check_choice, check_flag, check_int, check_number, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch, pool_matrix
from gskn.walks._exact import (
    MAX_DENSE_SIZE,
    MAX_EXACT_LENGTH,
    SomeRows,
    StepGraphs,
    check_enumerable,
    exact_rows,
    fours_work,
    memory_work,
    merge_rows,
    n_walks_by_graph,
    product_work,
)
from gskn.walks._induced import (
    MAX_INDUCED_LENGTH,
    induced_names,
    induced_rows,
    unpack,
)
from gskn.walks._patterns import MAX_PATTERN_LENGTH, pattern_names, patterns
from gskn.walks._sample import as_seed, sampled_rows

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class PatternTable:
    """How often every pattern occurs among the walks from every node.

    Attributes
    ----------
    length : int
        Nodes visited by a walk.
    patterns : ndarray of shape (n_patterns, length)
        All patterns of that length, those that never stay first (see `patterns`): the
        columns are the same for all graphs.
    rows : csr_array of shape (n_nodes, n_patterns)
        Counts or probabilities, one row per node.
    is_exact : ndarray of shape (n_graphs,)
        Whether the rows of a graph are exact, else they are sampled.
    graph_ptr : ndarray of shape (n_graphs + 1,)
        First node of every graph.
    arcs : list of lists of pairs, or None
        For induced patterns, the edges between the symbols of every pattern. Then the
        columns are the induced patterns that occur, in a fixed order.
    """

    length: int
    patterns: AnyArray
    rows: csr_array
    is_exact: AnyArray
    graph_ptr: IndexArray
    arcs: list[list[tuple[int, int]]] | None = None

    @property
    def names(self) -> list[str]:
        """Names of the patterns, such as "0-1-2-0" or, induced, "0-1-2-3 {0-2}"."""
        if self.arcs is None:
            return pattern_names(self.patterns)
        return induced_names(self.patterns, self.arcs)

    def graph_rows(self) -> csr_array:
        """Return the sum of the rows of every graph."""
        return (pool_matrix(self.graph_ptr) @ self.rows).tocsr()

    def __repr__(self) -> str:
        n_nodes, n_patterns = self.rows.shape
        sampled = len(self.is_exact) - int(self.is_exact.sum())
        how = "exact" if not sampled else f"{sampled} graphs sampled"
        shape = f"n_nodes={n_nodes}, n_patterns={n_patterns}"
        return f"PatternTable(length={self.length}, {shape}, {how})"


def pattern_counts(  # noqa: PLR0913 - every one has a sensible default
    graphs: Any,
    length: int,
    *,
    weighting: Literal["probability", "count"] = "probability",
    method: Literal["auto", "exact", "sampled"] = "auto",
    induced: bool = False,
    n_walks: int = 30,
    random_state: RandomState = None,
    max_work: float = 2e8,
    exact_counts: bool = True,
    n_jobs: int | None = None,
) -> PatternTable:
    """Find the patterns of all walks that visit ``length`` nodes, from every node.

    Parameters
    ----------
    graphs : anything `as_batch` reads
        Directed or not, weighted or not, with self-loops or without. At a dead end a
        walk stays where it is.
    length : int
        Nodes visited, the start included: at most 10, and at most 8 for exact rows,
        counts and induced patterns.
    weighting : {"probability", "count"}, default="probability"
        The probability that a random walk has a pattern, steps taken by edge weight; or
        the number of walks that have it, whatever the weights.
    method : {"auto", "exact", "sampled"}, default="auto"
        "auto" samples only the graphs whose exact rows would take too much work, and
        says so in the log.
    induced : bool, default=False
        Whether a pattern also contains which of the visited nodes are adjacent. Walks
        are then enumerated, up to ``max_work`` of them in a graph; length at most 8.
    n_walks : int, default=30
        Walks per node where they are sampled, at most 100,000.
    random_state : int, Generator or None, default=None
        Seed of sampled walks.
    max_work : float, default=2e8
        Multiplications of one sparse product, or walks to enumerate, beyond which
        "auto" samples a graph. A multiplication takes up to 20 bytes, and what else takes
        memory or time (sums over quotients; complete graphs of four at length 8) is
        added in this unit, so that the default bounds memory by 4 GB a graph.
    exact_counts : bool, default=True
        Whether counts beyond 2^53, which floats cannot hold exactly, are refused.
    n_jobs : int or None, default=None
        Threads; None is one (and those of BLAS), -1 as many as there are cores.

    Returns
    -------
    table : PatternTable

    Notes
    -----
    No walk is enumerated, but for induced patterns: see ``gskn.walks._mobius`` for the
    identity, ``gskn.walks._plan`` for how its terms are computed by products of matrices,
    ``gskn.walks._twins`` for nodes that need no row of their own. Time grows with the
    number of walks of three steps (two for lengths below 6, four for length 8) in sparse
    graphs, and with the cube of the size in small dense ones (the fourth power at
    length 8).

    Examples
    --------
    >>> import numpy as np
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> table = pattern_counts(triangle, 4, weighting="count")
    >>> dict(zip(table.names, table.rows.toarray()[0].astype(int).tolist()))["0-1-2-0"]
    2
    """
    options = _Options(
        weighting, method, n_walks, as_seed(random_state), max_work, exact_counts, n_jobs
    )
    length = _check_length(length, options, induced=induced)
    batch = as_batch(graphs)
    if induced:
        return _induced_table(batch, length, options)
    return _tables(batch, (length,), options)[0]


def pattern_tables(  # noqa: PLR0913 - as pattern_counts
    graphs: Any,
    length: int,
    *,
    weighting: Literal["probability", "count"] = "probability",
    method: Literal["auto", "exact", "sampled"] = "auto",
    n_walks: int = 30,
    random_state: RandomState = None,
    max_work: float = 2e8,
    n_jobs: int | None = None,
) -> list[PatternTable]:
    """Return the tables of `pattern_counts` for all lengths from 1 to ``length``.

    The lengths share the common parts of their quotients, so all together cost little
    more than the last. Parameters are those of `pattern_counts`.
    """
    seed = as_seed(random_state)
    options = _Options(weighting, method, n_walks, seed, max_work, n_jobs=n_jobs)
    length = _check_length(length, options, induced=False)
    return _tables(as_batch(graphs), tuple(range(1, length + 1)), options)


@dataclass(frozen=True)
class _Options:
    """Checked options of `pattern_counts`."""

    weighting: str
    method: str
    n_walks: int
    seed: np.uint64
    max_work: float
    exact_counts: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.weighting, "weighting", choices=["probability", "count"])
        check_choice(self.method, "method", choices=["auto", "exact", "sampled"])
        check_int(self.n_walks, "n_walks", minimum=1, maximum=MAX_WALKS)
        check_number(self.max_work, "max_work", minimum=0)
        check_flag(self.exact_counts, "exact_counts")

    @property
    def probability(self) -> bool:
        return self.weighting == "probability"


def _check_length(length: object, options: _Options, *, induced: object) -> int:
    """Return the length of patterns if it is within the limit of the options."""
    limits = [(MAX_PATTERN_LENGTH, "sampled patterns", "use a smaller length")]
    if check_flag(induced, "induced"):
        limits.append((MAX_INDUCED_LENGTH, "induced patterns", "leave induced=False"))
    if not options.probability:
        remedy = "use weighting='probability', or a smaller length"
        limits.append((MAX_EXACT_LENGTH, "counts", remedy))
    if options.method == "exact":
        remedy = f"use method='sampled' up to length {MAX_PATTERN_LENGTH}"
        limits.append((MAX_EXACT_LENGTH, "method='exact'", remedy))
    checked = check_int(length, "length", minimum=1)
    for maximum, what, remedy in reversed(limits):
        if checked > maximum:
            raise InputError(
                f"length must be at most {maximum} for {what}, got {shorten(checked)}; "
                f"{remedy}."
            )
    return checked


def _tables(
    batch: GraphBatch, lengths: tuple[int, ...], options: _Options
) -> list[PatternTable]:
    longest = max(lengths)
    steps = StepGraphs.of(batch, use_weights=options.probability)
    chosen = _choose(steps, longest, options)
    _check_countable(chosen, longest, options)
    groups = exact_rows(
        steps,
        np.flatnonzero(chosen),
        lengths,
        probability=options.probability,
        floats=not options.exact_counts,
        n_jobs=options.n_jobs,
    )
    pieces: list[list[SomeRows]] = [[] for _ in lengths]
    for rows_by_length in groups:
        for collected, rows in zip(pieces, rows_by_length, strict=True):
            collected.append(rows)
    for weighted in (False, True):
        # Separately: rows of a graph without weights must not depend on other graphs.
        nodes = np.flatnonzero((~chosen & (steps.weighted == weighted))[batch.node_graphs])
        if not len(nodes):
            continue
        sampled = sampled_rows(
            batch,
            nodes,
            lengths,
            options.n_walks,
            options.seed,
            use_weights=weighted,
            n_jobs=options.n_jobs,
        )
        for collected, found in zip(pieces, sampled, strict=True):
            collected.append(SomeRows(nodes, np.arange(len(nodes)), found))
    tables = []
    for collected, length in zip(pieces, lengths, strict=True):
        listed = patterns(length, staying=True)
        merged = merge_rows(collected, batch.n_nodes, len(listed), options.n_jobs)
        tables.append(PatternTable(length, listed, merged, chosen, batch.graph_ptr))
    return tables


def _induced_table(batch: GraphBatch, length: int, options: _Options) -> PatternTable:
    chosen = np.full(batch.n_graphs, options.method != "sampled")
    n_walks = n_walks_by_graph(batch, length)
    if options.method == "auto":
        chosen = _within(n_walks, options.max_work, "walks to enumerate")
    check_enumerable(n_walks[chosen], length)
    _check_countable(chosen, length, options)
    codes, rows = induced_rows(
        batch,
        chosen,
        length,
        probability=options.probability,
        n_walks=options.n_walks,
        seed=options.seed,
        n_jobs=options.n_jobs,
    )
    found, arcs = unpack(codes, length)
    return PatternTable(length, found, rows, chosen, batch.graph_ptr, arcs)


def _check_countable(chosen: AnyArray, length: int, options: _Options) -> None:
    if not options.probability and options.method == "sampled":
        raise InputError("Counts cannot be sampled; use weighting='probability'.")
    if not chosen.all() and not options.probability:
        raise InputError(
            f"Graph {int(np.argmin(chosen))} is too large for exact counts of length "
            f"{length}; use weighting='probability', or raise max_work."
        )


def _within(work: AnyArray, max_work: float, what: str) -> AnyArray:
    """Return which graphs are within the bound, and log why others are sampled."""
    chosen = np.asarray(work <= max_work)
    if not chosen.all():
        number = int(np.argmin(chosen))
        logger.warning(
            "%d graphs are sampled: graph %d would need %.1e %s, beyond max_work = %.1e",
            *(int((~chosen).sum()), number, work[number], what, max_work),
        )
    return chosen


def _choose(steps: StepGraphs, length: int, options: _Options) -> AnyArray:
    """Return for every graph whether its rows are to be exact."""
    batch: GraphBatch = steps.batch
    if options.method == "sampled":
        return np.zeros(batch.n_graphs, dtype=bool)
    if length > MAX_EXACT_LENGTH:
        logger.info("length %d is beyond the exact method; all graphs are sampled", length)
        return np.zeros(batch.n_graphs, dtype=bool)
    if options.method == "exact" or length <= 3:  # short patterns need no products
        return np.ones(batch.n_graphs, dtype=bool)
    work = product_work(steps, length)
    work[steps.sizes <= MAX_DENSE_SIZE] = 0  # dense algebra bounds these
    work += memory_work(steps, length)
    if length == MAX_EXACT_LENGTH:
        near = np.flatnonzero(work <= options.max_work)
        work[near] += fours_work(steps, near)
    return _within(work, options.max_work, "multiplications")
