"""Colors of nodes after every round, as hashes that can be compared between calls."""

from typing import Any

import numpy as np

from gskn.colors._hashes import Hashes
from gskn.colors._nodes import initial_hashes
from gskn.colors._pairs import node_hashes
from gskn.colors._steps import all_steps, refine
from gskn.graphs import GraphBatch


def hash_rounds(
    batch: GraphBatch, initial: Any, *, method: str, n_rounds: int, labels: bool
) -> Hashes:
    """Return two hashes of every node after 0, 1, ..., rounds of 1-WL or 2-FWL.

    The shape is (n_rounds + 1, 2, n_nodes).
    """
    rounds = [initial_hashes(batch, initial, labels=labels)]
    if method == "2-fwl":
        return node_hashes(batch, rounds[0], n_rounds=n_rounds, labels=labels)
    steps = all_steps(batch, labels=labels)
    for _ in range(n_rounds):
        rounds.append(refine(steps, rounds[-1]))
    return np.stack(rounds)
