"""Measure steps per second of sampled walks, in and out of cache, against memory reads."""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numba
import numpy as np
from scipy.sparse import coo_array

from gskn import GraphBatch, as_batch
from gskn.walks import patterns
from gskn.walks._jit_sampled_rows import fill_sampled_rows
from gskn.walks._jit_walks import fill_walks
from gskn.walks._sampled_rows import pattern_columns
from gskn.walks._steps import walk_graph

LENGTH, N_WALKS = 6, 30
NO_WEIGHTS = np.empty(0)


def regular(n_nodes: int, degree: int) -> GraphBatch:
    """Return a random regular graph, whose neighbors are scattered in memory."""
    ends = np.random.default_rng(0).permutation(n_nodes * degree) // degree
    pairs = np.hstack([ends.reshape(2, -1), ends.reshape(2, -1)[::-1]])
    matrix = coo_array((np.ones(pairs.shape[1]), tuple(pairs)), (n_nodes, n_nodes)).tocsr()
    matrix.data[:] = 1
    return as_batch(matrix)


@numba.njit(cache=True)
def read_at_random(values, n_reads):
    total, bits = 0, np.uint64(1)
    for _ in range(n_reads):
        bits = bits * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        place = ((bits >> np.uint64(33)) * np.uint64(len(values))) >> np.uint64(31)
        total += values[place]
    return total


def numpy_walks(matrix, starts, length, n_walks):
    """Advance all walks by one step per numpy expression."""
    generator = np.random.default_rng(0)
    nodes = np.repeat(starts, n_walks)
    walks = np.empty((len(nodes), length), dtype=np.int32)
    walks[:, 0] = nodes
    for visit in range(1, length):
        first = matrix.indptr[nodes]
        degrees = matrix.indptr[nodes + 1] - first
        nodes = matrix.indices[first + (generator.random(len(nodes)) * degrees).astype(int)]
        walks[:, visit] = nodes
    return walks


PECANPY = """
import sys, time
import numpy as np
from pecanpy.pecanpy import FirstOrderUnweighted
arrays = np.load(sys.argv[1])
peer = FirstOrderUnweighted(p=1, q=1, workers=1, random_state=0)
peer.set_node_ids(None, num_nodes=len(arrays["indptr"]) - 1)
peer.indptr, peer.indices = (arrays[k].astype(np.uint32) for k in ("indptr", "indices"))
peer.data = np.ones(len(peer.indices), dtype=np.float32)
times = []
for _ in range(3):
    begin = time.perf_counter()
    peer.simulate_walks(1, int(sys.argv[2]))
    times.append(time.perf_counter() - begin)
print(min(times))
"""


def pecanpy_seconds(graph: GraphBatch, python: str) -> float:
    """Time one walk per node with pecanpy, which needs an older numpy than gskn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        matrix = graph.adjacency
        np.savez(path, indptr=matrix.indptr, indices=matrix.indices)
        command = [python, "-c", PECANPY, str(path), str(LENGTH - 1)]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(result.stdout.split()[-1])


def best(work, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(name: str, graph: GraphBatch, n_starts: int, python: str) -> None:
    matrix = graph.adjacency
    starts = np.arange(n_starts)  # in order, as in the library
    arrays = walk_graph(graph, NO_WEIGHTS, np.arange(graph.n_nodes), np.uint64(7))
    walks = np.zeros((n_starts, N_WALKS, LENGTH), dtype=np.int32)
    rows = np.zeros((n_starts, len(patterns(LENGTH, staying=True))))
    columns, _ = pattern_columns((LENGTH,))
    n_steps = n_starts * N_WALKS * (LENGTH - 1)
    n_reads = 4_000_000
    works = {
        "walks stored": lambda: fill_walks(arrays, starts, walks),
        "fused rows": lambda: fill_sampled_rows(
            arrays, NO_WEIGHTS, starts, N_WALKS, columns, rows
        ),
        "numpy": lambda: numpy_walks(matrix, starts, LENGTH, N_WALKS),
    }
    read_at_random(matrix.indices, 10)
    limit = n_reads / best(lambda: read_at_random(matrix.indices, n_reads)) / 1e6
    size = (matrix.indices.nbytes + matrix.indptr.nbytes) / 2**20
    print(f"{name}: {graph.n_nodes:,} nodes, CSR of {size:.1f} MiB; millions per second")
    print(f"  random 4-byte reads   {limit:7.1f}")
    for label, work in works.items():
        work()
        speed = n_steps / best(work) / 1e6
        print(f"  steps, {label:14s} {speed:7.1f}  {speed / limit:.2f} of the reads")
    if python:
        speed = graph.n_nodes * (LENGTH - 1) / pecanpy_seconds(graph, python) / 1e6
        print(f"  steps, pecanpy        {speed:9.3f}  (one walk per node, as lists)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=int, default=4_000_000, help="nodes of large graph")
    parser.add_argument("--pecanpy", help="Python interpreter with pecanpy installed")
    options = parser.parse_args()
    measure("in cache", regular(2_000, 8), 2_000, options.pecanpy)
    measure("out of cache", regular(options.large, 8), 20_000, options.pecanpy)


if __name__ == "__main__":
    main()
