"""Colours of nodes as 64-bit hashes: equal in all graphs of all calls, without a table.

Two of n different colours share a hash with a probability of about n^2 / 2^65: once in
a million for the five million nodes of ten sets like COLLAB.
"""

import hashlib
from collections.abc import Hashable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gskn.exceptions import InputError
from gskn.graphs import GraphBatch

Colours: TypeAlias = NDArray[np.uint64]


def first_colours(batch: GraphBatch, system: str) -> Colours:
    """Return the colours of labels, or of degrees where graphs have none."""
    if batch.node_labels is not None:
        hashes = [hash_value(value) for value in batch.label_values] or [0]
        # Without the type, integers of 64 bits may become floats, of 53.
        return np.array(hashes, dtype=np.uint64)[batch.node_labels]
    if batch.n_attributes:
        raise InputError(
            f"{system} compares labels of nodes, but the graphs have attributes only; give "
            "labels, or leave the attributes out."
        )
    return mix(batch.degrees.astype(np.uint64))


def refine(batch: GraphBatch, colours: Colours, n_iterations: int) -> Iterator[Colours]:
    """Yield colours of all rounds, from the given ones on: a node and its neighbours."""
    adjacency = batch.adjacency
    ones = np.ones(adjacency.nnz, dtype=np.uint64)
    steps = csr_array((ones, adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    yield colours
    for _ in range(n_iterations):
        # A sum of mixed hashes, modulo 2^64, is a hash of the multiset. The node itself is
        # mixed twice: it must not pass for a neighbour of its neighbours.
        around = mix(colours)
        colours = mix(mix(around) + steps @ around)
        yield colours


def mix(values: Colours) -> Colours:
    """Spread all bits of a number over all others (the finaliser of splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def check_labels(batch: GraphBatch, system: str, *, labelled: bool) -> None:
    """Refuse graphs with labels where those of fit had none, and the other way round."""
    found = batch.node_labels is not None
    if not batch.n_nodes or found == labelled:
        return
    these, those = ("no labels", "labels") if labelled else ("labels", "no labels")
    raise InputError(
        f"{system} was fitted to graphs with {those} of nodes, but these have {these}; "
        "give the same kind."
    )


def hash_value(value: Hashable) -> int:
    """Return 64 bits of anything with a representation, the same in every process.

    What is equal has equal bits: 1, 1.0 and True.
    """
    digest = hashlib.blake2b(_canonical(value).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _canonical(value: Hashable) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | float) and value == value // 1:
        value = int(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_canonical, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_canonical, value)))}}}"
    return repr(value)
