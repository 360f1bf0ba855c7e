"""pattern_counts: the patterns of all walks from every node."""

import logging
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gskn._limits import (
    MAX_EXACT_LENGTH,
    MAX_INDUCED_LENGTH,
    MAX_PATTERN_LENGTH,
    MAX_WALKS,
    MAX_WORK,
)
from gskn._random import RandomState
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_flag, check_int, check_number, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks._exact import exact_rows
from gskn.walks._induced import induced_rows, unpack
from gskn.walks._patterns import patterns
from gskn.walks._rows import RowBlock, merge_rows
from gskn.walks._sample import as_seed
from gskn.walks._sampled_rows import sampled_rows
from gskn.walks._steps import count_walks, sum_by_graph
from gskn.walks._table import PatternTable
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import (
    ENUMERATION_WORK,
    check_enumerable,
    choose_cheap,
    enumeration_work,
    exact_work,
)

logger = logging.getLogger(__name__)

_MANY_WALKS = 2e9  # minutes of enumeration
_WALKS_PER_SAMPLE = 100  # that are enumerated instead of one sampled walk


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
        `PatternTable.exact_nodes`, `PatternTable.standard_errors`.
    induced : bool, default=False
        Whether a pattern includes which visited nodes are adjacent. Walks are then
        enumerated, at a work of 100 each.
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
    options = _Options(weighting, method, n_walks, seed, max_work, n_jobs=n_jobs)
    length = _check_length(length, options, induced=False)
    return _tables(as_batch(graphs), tuple(range(1, length + 1)), options)


@dataclass(frozen=True)
class _Options:
    """Validated options of `pattern_counts`."""

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


def _tables(
    batch: GraphBatch, lengths: tuple[int, ...], options: _Options
) -> list[PatternTable]:
    """Return one table for every length."""
    walks = WalkBatch.from_batch(batch, use_weights=options.probability)
    longest = _longest_exact(walks, lengths, options)
    _check_countable(longest == max(lengths), max(lengths), options)
    all_walks = _choose_enumerated(walks, longest, lengths, options)
    blocks: dict[int, list[RowBlock]] = {length: [] for length in lengths}
    for limit in np.unique(longest):
        exact = tuple(length for length in lengths if length <= limit)
        sampled = tuple(length for length in lengths if length > limit)
        computed = []
        if exact:
            numbers = np.flatnonzero(longest == limit)
            computed += [(exact, _exact_blocks(walks, numbers, exact, options))]
        if sampled:
            parts = _sampled_blocks(walks, longest == limit, sampled, all_walks, options)
            computed += [(sampled, parts)]
        for computed_lengths, by_group in computed:
            for by_length in by_group:
                for length, block in zip(computed_lengths, by_length, strict=True):
                    blocks[length].append(block)
    tables = []
    for length in lengths:
        listed = patterns(length, staying=True)
        rows = merge_rows(blocks[length], batch.n_nodes, len(listed), options.n_jobs)
        exact_nodes = all_walks | (longest >= length)[batch.node_graphs]
        n_sampled = sum_by_graph(np.where(exact_nodes, 0.0, 1.0), batch.graph_ptr)
        is_exact = n_sampled == 0
        tables.append(
            PatternTable(
                length,
                listed,
                rows,
                is_exact,
                batch.graph_ptr,
                exact_nodes=exact_nodes,
                n_walks=options.n_walks,
            )
        )
    return tables


def _exact_blocks(
    walks: WalkBatch, numbers: IndexArray, lengths: tuple[int, ...], options: _Options
) -> list[list[RowBlock]]:
    """Return the exact rows of some graphs, one block for every length."""
    return exact_rows(
        walks,
        numbers,
        lengths,
        probability=options.probability,
        exact_counts=options.exact_counts,
        n_jobs=options.n_jobs,
    )


def _sampled_blocks(
    walks: WalkBatch,
    chosen: BoolArray,
    lengths: tuple[int, ...],
    all_walks: BoolArray,
    options: _Options,
) -> list[list[RowBlock]]:
    """Return the rows of the chosen graphs from walks, one block for every length."""
    batch, blocks = walks.batch, []
    for weighted in (False, True):
        # Separately: rows of a graph without weights must not depend on other graphs.
        nodes = np.flatnonzero((chosen & (walks.weighted == weighted))[batch.node_graphs])
        if not len(nodes):
            continue
        matrices = sampled_rows(
            batch,
            nodes,
            lengths,
            options.n_walks,
            options.seed,
            use_weights=weighted,
            n_jobs=options.n_jobs,
            enumerated=all_walks[nodes],
        )
        sources = np.arange(len(nodes))
        blocks.append([RowBlock(nodes, sources, rows) for rows in matrices])
    return blocks


def _choose_enumerated(
    walks: WalkBatch, longest: IndexArray, lengths: tuple[int, ...], options: _Options
) -> BoolArray:
    """Return the nodes of sampled graphs whose walks are enumerated instead."""
    batch, length = walks.batch, max(lengths)
    is_sampled = longest < length
    if options.method != "auto" or length < 3 or not is_sampled.any():
        return np.zeros(batch.n_nodes, dtype=bool)
    n_walks = count_walks(walks.steps, length - 1)  # last steps are not enumerated
    n_walks[~is_sampled[batch.node_graphs]] = np.inf
    limit = options.n_walks * _WALKS_PER_SAMPLE
    return choose_cheap(n_walks, batch.graph_ptr, limit, options.max_work)


def _induced_table(batch: GraphBatch, length: int, options: _Options) -> PatternTable:
    is_exact = np.full(batch.n_graphs, options.method != "sampled")
    n_walks = enumeration_work(batch, length)
    if options.method == "auto":
        work = n_walks * ENUMERATION_WORK
        is_exact = work <= options.max_work
        _warn_of_samples(work, options)
    check_enumerable(n_walks[is_exact], length)
    _check_countable(is_exact, length, options)
    total = float(n_walks[is_exact].sum())
    if options.method == "exact" and total > _MANY_WALKS:
        logger.warning(
            "%.1e walks of length %d will be enumerated, at about 2e7 per second; "
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


def _check_countable(is_exact: AnyArray, length: int, options: _Options) -> None:
    """Raise if counts would have to be sampled."""
    if not options.probability and options.method == "sampled":
        raise InputError("Counts cannot be sampled; use weighting='probability'.")
    if not is_exact.all() and not options.probability:
        raise InputError(
            f"Graph {int(np.argmin(is_exact))} is too large for exact counts of length "
            f"{length}; use weighting='probability', or raise max_work."
        )


def _longest_exact(
    walks: WalkBatch, lengths: tuple[int, ...], options: _Options
) -> IndexArray:
    """Return for every graph the longest exact length, 0 if all are sampled."""
    longest = np.zeros(walks.batch.n_graphs, dtype=np.int64)
    if options.method == "sampled":
        return longest
    for length in sorted(lengths, reverse=True):
        if length > MAX_EXACT_LENGTH:
            logger.info(
                "All graphs are sampled: length %d is above %d", length, MAX_EXACT_LENGTH
            )
            continue
        is_exact = np.ones(len(longest), dtype=bool)
        if options.method == "auto" and length > 3:  # short patterns need no products
            work = exact_work(walks, length, options.max_work)
            is_exact = work <= options.max_work
            if length == max(lengths):
                _warn_of_samples(work, options)
        longest[is_exact & (longest == 0)] = length
        if longest.all():
            break
    return longest


def _warn_of_samples(work: FloatArray, options: _Options) -> None:
    """Warn if graphs are sampled because their work is above the bound."""
    is_sampled = work > options.max_work
    if is_sampled.any() and options.probability:  # counts raise an error instead
        number = int(np.argmax(is_sampled))
        logger.warning(
            "%d graphs are sampled: graph %d would need a work of %.1e for exact "
            "patterns, above max_work = %.1e",
            int(is_sampled.sum()),
            number,
            work[number],
            options.max_work,
        )
