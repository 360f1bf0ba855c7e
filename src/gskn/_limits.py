"""Bounds on the memory and time that a file or an argument may ask for.

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

# Largest values of parameters. Beyond them a model takes days or does not fit into memory
# on any data, so larger values are mistakes.
MAX_WALK_LENGTH = 1_000
# Patterns beyond 8 nodes have quotients of treewidth three, and codes of more than 64 bits.
MAX_EXACT_LENGTH = 8
MAX_INDUCED_LENGTH = 8
MAX_PATTERN_LENGTH = 10  # 115,975 patterns, a column for each
PATTERN_LENGTHS = f"exact up to {MAX_EXACT_LENGTH}, sampled up to {MAX_PATTERN_LENGTH}"
MAX_LANDMARKS = 10_000  # the kernel between them takes 0.8 GB, its root minutes
MAX_LAYERS = 100
MAX_WALKS = 100_000  # per node: errors of sampled probabilities are below 0.002
MAX_ITERATIONS = 10_000  # of refinements, steps and epochs
MAX_DIMENSIONS = 100_000  # columns of the features of a baseline
MAX_CELLS = 2**30  # of one array of numbers: 8 GB


def max_unpacked_bytes(n_bytes: int) -> int:
    """Return how many bytes a file of ``n_bytes`` may occupy once it is unpacked."""
    return _FREE_BYTES + _MAX_RATIO * n_bytes


def max_text_bytes(n_bytes: int) -> int:
    """Return how many bytes of text an archive or a member of ``n_bytes`` may hold."""
    return _FREE_TEXT_BYTES + _MAX_RATIO * n_bytes
