"""Whether a row depends on its graph alone."""

from typing import Any

import numpy as np
from sklearn.base import clone

from gskn.exceptions import InputError
from gskn.graphs import as_batch


def check_order_independence(
    estimator: Any, graphs: Any, *, tolerance: float = 1e-8, seed: int = 0
) -> float:
    """Check that a transformer's rows do not depend on other graphs or on their order.

    Files of benchmarks are sorted by class. A transform that looks at its neighbours in
    the call then sees the class, and accuracy with it is that of a leak.

    Parameters
    ----------
    estimator : transformer on graphs
        Cloned and fitted to the graphs.
    graphs : anything `as_batch` reads
        At least two graphs.
    tolerance : float, default=1e-8
        Largest difference allowed, relative to the largest entry.
    seed : int, default=0
        Seed of the order that is tried beside the reverse one and single graphs.

    Returns
    -------
    difference : float
        The largest difference found, relative to the largest entry.

    Raises
    ------
    InputError
        If rows differ by more than the tolerance; the message names a graph.
    """
    batch = as_batch(graphs)
    if batch.n_graphs < 2:
        raise InputError(f"Order needs at least two graphs, got {batch.n_graphs}.")
    model = clone(estimator).fit(batch)
    whole = np.asarray(model.transform(batch))
    scale = max(float(np.abs(whole).max(initial=0)), np.finfo(float).tiny)
    shuffled = np.random.default_rng(seed).permutation(batch.n_graphs)
    largest = 0.0
    for order in (np.arange(batch.n_graphs)[::-1], shuffled, shuffled[:1], shuffled[-1:]):
        found = np.abs(np.asarray(model.transform(batch[order])) - whole[order])
        gaps = found.max(axis=1, initial=0) / scale
        largest = max(largest, float(gaps.max()))
        if largest > tolerance:
            number = int(order[np.argmax(gaps)])
            raise InputError(
                f"The row of graph {number} depends on the other graphs of the call: it "
                f"differs by {largest:.2g} of the largest entry. Whatever transform learns "
                "there belongs into fit."
            )
    return largest
