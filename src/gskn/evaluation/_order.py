"""Check that an embedding depends on its graph alone."""

from typing import Any

import numpy as np
from sklearn.base import clone

from gskn.exceptions import InputError
from gskn.graphs import as_batch


def check_order_independence(
    estimator: Any, graphs: Any, *, tolerance: float = 1e-8, seed: int = 0
) -> float:
    """Check that embeddings do not depend on the other graphs or on their order.

    Benchmark files are sorted by class. A transform that uses the other graphs of a call
    then has access to the class, and its accuracy is that of a leak.

    Parameters
    ----------
    estimator : transformer on graphs
        Cloned and fitted to the graphs.
    graphs : anything `as_batch` reads
        At least two graphs.
    tolerance : float, default=1e-8
        Largest accepted difference, relative to the largest entry.
    seed : int, default=0
        Seed of a random order. The reverse order and single graphs are tried, too.

    Returns
    -------
    difference : float
        The largest difference, relative to the largest entry.

    Raises
    ------
    InputError
        If embeddings differ by more than the tolerance; the message names a graph.

    Examples
    --------
    >>> from gskn import GSKN, datasets
    >>> graphs = datasets.load("regular").graphs[:10]
    >>> check_order_independence(GSKN(random_state=0), graphs) < 1e-10
    True
    """
    batch = as_batch(graphs)
    if batch.n_graphs < 2:
        raise InputError(f"Order needs at least two graphs, got {batch.n_graphs}.")
    model = clone(estimator).fit(batch)
    expected = np.asarray(model.transform(batch))
    scale = max(float(np.abs(expected).max(initial=0)), np.finfo(float).tiny)
    shuffled = np.random.default_rng(seed).permutation(batch.n_graphs)
    largest = 0.0
    for order in (np.arange(batch.n_graphs)[::-1], shuffled, shuffled[:1], shuffled[-1:]):
        gaps = np.abs(np.asarray(model.transform(batch[order])) - expected[order])
        gaps = gaps.max(axis=1, initial=0) / scale
        largest = max(largest, float(gaps.max()))
        if largest > tolerance:
            number = int(order[np.argmax(gaps)])
            raise InputError(
                f"The embedding of graph {number} depends on the other graphs of the call: "
                f"it differs by {largest:.2g} of the largest entry. Move what transform "
                "learns from the graphs to fit."
            )
    return largest
