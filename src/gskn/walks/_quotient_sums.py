"""Sums over quotients as features of nodes, without the inversion that gives patterns."""

import numpy as np

from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.walks._exact import quotient_rows
from gskn.walks._mobius import basis
from gskn.walks._patterns import pattern_names, patterns
from gskn.walks._quotients import Quotient, make_quotient, plain_traits
from gskn.walks._twins import Twins
from gskn.walks._walk_batch import WalkBatch
from gskn.walks._work import exact_work


def quotient_sums(
    batch: GraphBatch, length: int, *, probability: bool, max_work: float
) -> FloatArray:
    """Return the sums over all quotients of a length, one row for every node.

    The graphs have neither directions nor weights nor self-loops. Walks end at isolated
    nodes, whose rows are zeros for lengths above 1. Column ``s`` is the probability or the
    number of walks whose positions coincide at least as in ``quotient_names``.
    """
    steps, n_graphs = batch.adjacency.tocsr(), batch.n_graphs
    twins = Twins.from_steps(steps, batch.graph_ptr, np.ones(n_graphs, dtype=bool))
    no = np.zeros(n_graphs, dtype=bool)
    walks = WalkBatch(batch, steps, no, no, twins)
    work = exact_work(walks, length, max_work)
    if (work > max_work).any():
        number = int(np.argmax(work > max_work))
        raise InputError(
            f"Graph {number} needs a work of {work[number]:.1e} for exact sums of length "
            f"{length}, more than max_work={max_work:.1e}; use a smaller length, or raise "
            "max_work (nanoseconds of one core)."
        )
    return quotient_rows(walks, length, probability=probability)


def quotient_names(length: int, *, probability: bool) -> list[str]:
    """Return the name of the first pattern of every quotient, in the order of the sums."""
    traits = plain_traits(probability=probability)
    first: dict[Quotient, str] = {}
    listed = patterns(length)
    for pattern, name in zip(listed.tolist(), pattern_names(listed), strict=True):
        first.setdefault(make_quotient(pattern, traits), name)
    return [first[quotient] for quotient in basis(length, traits).quotients]
