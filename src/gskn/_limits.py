"""Bounds on the memory that a file or an argument may claim.

Sizes are compared with these bounds before anything is allocated.
"""

# A small file may unpack to this many bytes, and a large one to a multiple of its size.
# The benchmark sets unpack to at most 320 times their size (cora.npz, 31 MB) and, beyond
# the free bytes, to at most 30 times (COLLAB.zip, 316 MB).
_FREE_BYTES = 2**28
_MAX_RATIO = 64
# Graphs parsed from text take up to 20 times its bytes for a while, so text is bounded
# more tightly.
_FREE_TEXT_BYTES = 2**25


def max_unpacked_bytes(n_bytes: int) -> int:
    """Return how many bytes a file of ``n_bytes`` may occupy once it is unpacked."""
    return _FREE_BYTES + _MAX_RATIO * n_bytes


def max_text_bytes(n_bytes: int) -> int:
    """Return how many bytes of text an archive or a member of ``n_bytes`` may hold."""
    return _FREE_TEXT_BYTES + _MAX_RATIO * n_bytes
