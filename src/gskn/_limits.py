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

# Largest values of parameters. With larger values, a model takes days or does not fit
# into memory on any data.
MAX_WALK_LENGTH = 1_000
# Patterns beyond 8 nodes have quotients of treewidth three, and codes of more than 64 bits.
MAX_EXACT_LENGTH = 8
MAX_INDUCED_LENGTH = 8
MAX_PATTERN_LENGTH = 10  # 115,975 patterns, a column for each
PATTERN_LENGTHS = f"exact up to {MAX_EXACT_LENGTH}, sampled up to {MAX_PATTERN_LENGTH}"
MAX_DENSE_SIZE = 512  # nodes; larger graphs are never stored as dense arrays
MAX_LANDMARKS = 10_000  # the kernel between them takes 0.8 GB, its root minutes
MAX_LAYERS = 100
MAX_WALKS = 100_000  # per node; errors of sampled probabilities are below 0.002
MAX_ITERATIONS = 10_000  # refinements, steps or epochs
MAX_DIMENSIONS = 100_000  # columns of the features of a baseline
MAX_PAIR_NODES = 1_000  # of a graph whose pairs of nodes are refined: 1 s a round
MAX_PAIR_CELLS = 2**24  # pairs of nodes of a batch: 2.1 GB
MAX_TARGET = 1e70  # of regression, absolute: fourth powers of errors are finite
MAX_CELLS = 2**30  # of one array of numbers: 8 GB

# Work of exact patterns of a graph beyond which walks are sampled, in nanoseconds.
MAX_WORK = 2e10
FIT_NODES = 2**17  # landmarks are chosen among the walks of at most this many nodes
MAX_INDUCED_ENTRIES = 2**26  # nonzero counts of one table: 4 GB at the peak
STATISTICS_NODES = 2**16  # nodes whose patterns are counted together
LOOP_MULTIPLICATIONS = 2.0**27  # of one compiled loop: some tenths of a second
EMBEDDING_CHUNK_CELLS = 2**24  # of the node embeddings computed together

# Nyström layers.
STEP_CHUNK_GROUPS = 2**14  # twin groups per call of the compiled step
ENUMERATION_CHUNK_NODES = 2048  # start nodes per compiled loop
PATH_SCRATCH_CELLS = 2**21  # per thread, for the groups two steps away

# Gram matrices of kernels.
MAX_KERNEL_CELLS = 2**27  # of one dense matrix: 1 GB, and a few exist at a time
MAX_ENUMERATED_WALKS = 2**24  # of one side
MAX_WALK_PAIRS = 2**34
# Blocks of 2 MB stay in the cache and are seven times as fast as blocks of 2**24 cells
# (measured on PROTEINS).
KERNEL_BLOCK_NODES = 2**9  # of graphs compared at a time
KERNEL_CHUNK_CELLS = 2**22  # pairs of walks or of feature vectors compared at a time
# The time of RDKit grows with the square or the cube of a molecule, and cannot be
# interrupted: it is about 10 seconds at these limits, and hours at ten times the size.
MAX_ATOMS = 10_000
MAX_RINGS = 1_000

# Edges and nodes of a chunk that is read and embedded at once. The node embeddings take
# 64 MB; larger chunks are not faster.
CHUNK_EDGES = 2**15

# A graph may have this many nodes without edges, and as many more per edge. A node takes
# 24 bytes while it is read, so a file of one edge cannot allocate more than 400 MB.
_FREE_NODES = 2**24
_NODES_PER_EDGE = 64


def max_unpacked_bytes(n_bytes: int) -> int:
    """Return how many bytes a file of ``n_bytes`` may occupy once it is unpacked."""
    return _FREE_BYTES + _MAX_RATIO * n_bytes


def max_text_bytes(n_bytes: int) -> int:
    """Return how many bytes of text an archive or a member of ``n_bytes`` may hold."""
    return _FREE_TEXT_BYTES + _MAX_RATIO * n_bytes


def max_implied_nodes(n_edges: int) -> int:
    """Return how many nodes a graph of ``n_edges`` edges may have."""
    return _FREE_NODES + _NODES_PER_EDGE * n_edges
