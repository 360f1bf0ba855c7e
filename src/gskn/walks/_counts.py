"""pattern_counts: the patterns of all walks from every node."""

import logging
from typing import Any, Literal

import numpy as np

from gskn._limits import (
    MAX_EXACT_LENGTH,
    MAX_INDUCED_LENGTH,
    MAX_PATTERN_LENGTH,
    MAX_WORK,
)
from gskn._random import RandomState
from gskn._validation import check_flag, check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._induced import induced_rows, unpack
from gskn.walks._pattern_rows import (
    PatternOptions,
    PatternRows,
    check_countable,
    warn_of_samples,
)
from gskn.walks._sample import as_seed
from gskn.walks._table import PatternTable
from gskn.walks._work import (
    ENUMERATION_WORK,
    check_enumerable,
    enumeration_work,
)

logger = logging.getLogger(__name__)

_MANY_WALKS = 2e9  # minutes of enumeration


def pattern_counts(  # noqa: PLR0913 - every one has a sensible default
    graphs: Any,
    length: int,
    *,
    weighting: Literal["probability", "count"] = "probability",
    method: Literal["auto", "exact", "sampled"] = "auto",
    induced: bool = False,
    n_walks: int = 30,
    random_state: RandomState = None,
    max_work: float = MAX_WORK,
    exact_counts: bool = True,
    n_jobs: int | None = None,
) -> PatternTable:
    """Count the patterns of all walks that visit ``length`` nodes, from every node.

    Parameters
    ----------
    graphs : graph input
        Anything that `as_batch` accepts: directed or undirected graphs, with or without
        weights and self-loops. At a dead end a walk stays.
    length : int
        Number of nodes visited, including the start: exact up to 8, sampled up to 10.
        Counts and induced patterns need at most 8.
    weighting : {"probability", "count"}, default="probability"
        The probability of a pattern, with steps in proportion to edge weights; or the
        number of walks with this pattern, which ignores edge weights.
    method : {"auto", "exact", "sampled"}, default="auto"
        "auto" samples the graphs whose exact computation would exceed ``max_work``, and
        logs a warning. In these graphs, nodes with few walks still have exact rows:
        ``exact_nodes`` and `standard_errors <gskn.walks.PatternTable.standard_errors>` of
        the table.
    induced : bool, default=False
        Whether a pattern includes which visited nodes are adjacent. Walks are then
        enumerated, at a work of 100 each, and a table has at most 67 million nonzero
        counts, which take 4 GB.
    n_walks : int, default=30
        Sampled walks per node, at most 100,000.
    random_state : int, Generator or None, default=None
        Seed of sampled walks.
    max_work : float, default=2e10
        Largest work of a graph that "auto" computes exactly, in nanoseconds of one core:
        the default is about 20 seconds. Numbers of walks are converted to time by
        constants, so the choice is the same on every machine. Memory counts 5 nanoseconds
        per byte, so the default limits the memory of a graph to 4 GB.
    exact_counts : bool, default=True
        Whether counts of 2^53 or more, which floats cannot represent exactly, raise an
        error.
    n_jobs : int or None, default=None
        Number of threads; None means 1 (plus the threads of BLAS), -1 one per core.

    Returns
    -------
    table : PatternTable
        Rows of all nodes.

    Raises
    ------
    InputError
        If an option is not valid, or counts cannot be computed exactly.

    Notes
    -----
    No walks are enumerated, except for induced patterns. See ``gskn.walks._mobius`` for the
    identity, ``gskn.walks._plan`` for the products of matrices that compute its terms,
    ``gskn.walks._fused`` for products that are not stored, and ``gskn.walks._twins`` for
    nodes that share a row. The time grows with the number of walks of three steps (two for
    lengths below 6, four for length 8) on sparse graphs, and with the third power of the
    size on small dense graphs (the fourth power at length 8). Up to length 7, the memory is
    proportional to the edges, plus the nodes times the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> table = pattern_counts(triangle, 4, weighting="count")
    >>> dict(zip(table.names, table.rows.toarray()[0].astype(int).tolist()))["0-1-2-0"]
    2
    """
    options = PatternOptions(
        weighting, method, n_walks, as_seed(random_state), max_work, exact_counts, n_jobs
    )
    length = _check_length(length, options, induced=induced)
    batch = as_batch(graphs)
    if induced:
        return _induced_table(batch, length, options)
    return PatternRows(batch, (length,), options).tables()[0]


def pattern_tables(  # noqa: PLR0913 - as pattern_counts
    graphs: Any,
    length: int,
    *,
    weighting: Literal["probability", "count"] = "probability",
    method: Literal["auto", "exact", "sampled"] = "auto",
    n_walks: int = 30,
    random_state: RandomState = None,
    max_work: float = MAX_WORK,
    n_jobs: int | None = None,
) -> list[PatternTable]:
    """Return the tables of `pattern_counts` for all lengths from 1 to ``length``.

    The lengths share common terms, so all of them cost little more than the last. With
    "auto", a graph has exact tables up to the largest length that is within ``max_work``,
    and the longer ones are sampled.

    Parameters
    ----------
    graphs, length, weighting, method, n_walks, random_state, max_work, n_jobs
        See `pattern_counts`.

    Returns
    -------
    tables : list of PatternTable
        One table for every length.

    Examples
    --------
    >>> import numpy as np
    >>> [table.rows.shape for table in pattern_tables(np.ones((3, 3)) - np.eye(3), 4)]
    [(3, 1), (3, 2), (3, 5), (3, 15)]
    """
    seed = as_seed(random_state)
    options = PatternOptions(weighting, method, n_walks, seed, max_work, n_jobs=n_jobs)
    length = _check_length(length, options, induced=False)
    return PatternRows(as_batch(graphs), tuple(range(1, length + 1)), options).tables()


def _check_length(length: object, options: PatternOptions, *, induced: object) -> int:
    """Return the length of patterns if it is within the limit of the options."""
    limits = [(MAX_PATTERN_LENGTH, "sampled patterns", "use a smaller length")]
    if check_flag(induced, "induced"):
        limits.append((MAX_INDUCED_LENGTH, "induced patterns", "use induced=False"))
    if not options.probability:
        remedy = "use weighting='probability', or a smaller length"
        limits.append((MAX_EXACT_LENGTH, "counts", remedy))
    if options.method == "exact":
        remedy = f"use method='sampled' up to length {MAX_PATTERN_LENGTH}"
        limits.append((MAX_EXACT_LENGTH, "method='exact'", remedy))
    checked = check_int(length, "length", minimum=1)
    for maximum, purpose, remedy in reversed(limits):
        if checked > maximum:
            raise InputError(
                f"length must be at most {maximum} for {purpose}, got {shorten(checked)}; "
                f"{remedy}."
            )
    return checked


def _induced_table(batch: GraphBatch, length: int, options: PatternOptions) -> PatternTable:
    is_exact = np.full(batch.n_graphs, options.method != "sampled")
    n_walks = enumeration_work(batch, length)
    if options.method == "auto":
        work = n_walks * ENUMERATION_WORK
        is_exact = work <= options.max_work
        warn_of_samples(work, options)
    check_enumerable(n_walks[is_exact], length)
    check_countable(is_exact, length, options)
    total = float(n_walks[is_exact].sum())
    if options.method == "exact" and total > _MANY_WALKS:
        logger.warning(
            "%.1e walks of length %d will be enumerated, at 2e7 per second or more; "
            "method='auto' samples large graphs",
            total,
            length,
        )
    codes, rows = induced_rows(
        batch,
        is_exact,
        length,
        probability=options.probability,
        n_walks=options.n_walks,
        seed=options.seed,
        n_jobs=options.n_jobs,
    )
    symbols, arcs = unpack(codes, length)
    return PatternTable(
        length,
        symbols,
        rows,
        is_exact,
        batch.graph_ptr,
        arcs,
        exact_nodes=is_exact[batch.node_graphs],
        n_walks=options.n_walks,
    )
