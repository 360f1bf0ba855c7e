"""Compiled sum over all nodes between two others."""

from gskn._numba import jit
from gskn._types import AnyArray


@jit
def add_products(left: AnyArray, right: AnyArray, total: AnyArray) -> None:
    """Add the product of two matrices of 64-bit integers, modulo 2^64, to a third one."""
    n_nodes = len(left)
    for u in range(n_nodes):
        row = total[u]
        for w in range(n_nodes):
            factor, values = left[u, w], right[w]
            for v in range(n_nodes):
                row[v] += factor * values[v]
