"""Bounds on the memory that a file or an argument may claim.

Sizes are compared with these bounds before anything is allocated.
"""

# A small file may unpack to this many bytes, and a large one to a multiple of its size.
# The benchmark sets unpack to at most 320 times their size (cora.npz, 31 MB) and, beyond
# the free bytes, to at most 30 times (COLLAB.zip, 316 MB).
_FREE_BYTES = 2**28
_MAX_RATIO = 64


def max_unpacked_bytes(n_bytes: int) -> int:
    """Return how many bytes a file of ``n_bytes`` may occupy once it is unpacked."""
    return _FREE_BYTES + _MAX_RATIO * n_bytes
