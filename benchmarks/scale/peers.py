"""Counts of small patterns against other libraries, on one R-MAT graph.

The other libraries run in an interpreter of their own, on one thread. The methods differ:
a row of gskn holds the 15 patterns of four nodes of every node, a motif count of igraph is
one number for the whole graph, networkit counts the triangles of every edge, and
orca-graphlets, which is written in Python, the 15 orbits of graphlets of every node. Ten
sampled walks of six nodes from every node are compared with pecanpy.

    python -m venv peer && peer/bin/pip install networkit igraph pecanpy orca-graphlets
    python benchmarks/scale/peers.py --python peer/bin/python --scale 14
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from graphs import rmat

from gskn import pattern_counts, sample_walks

_REPEATS = 3
_WALK_LENGTH, _N_WALKS = 6, 10

# Prints the CPU seconds of each library that is installed, as JSON.
PEERS = """
import json, sys, time
import numpy as np

folder, length, n_walks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
indptr, indices = (np.load(f"{folder}/{name}.npy") for name in ("indptr", "indices"))
n = len(indptr) - 1
rows = np.repeat(np.arange(n), np.diff(indptr))
once = rows < indices
edges = np.column_stack([rows, indices])[once]
seconds = {}

def measure(name, work):
    begin = time.process_time()
    work()
    seconds[name] = round(time.process_time() - begin, 3)

try:
    import igraph
    graph = igraph.Graph(n, edges.tolist())
    measure("igraph, motifs of 3 nodes", lambda: graph.motifs_randesu(3))
    measure("igraph, triangles", lambda: graph.list_triangles())
    if len(edges) < 10_000:  # stars of four nodes are enumerated
        measure("igraph, motifs of 4 nodes", lambda: graph.motifs_randesu(4))
except ImportError:
    pass
try:
    import networkit
    networkit.setNumberOfThreads(1)
    columns = tuple(np.ascontiguousarray(column).astype(np.uint64) for column in edges.T)
    graph = networkit.GraphFromCoo(columns, n=n)
    graph.indexEdges()
    score = networkit.sparsification.TriangleEdgeScore(graph)
    measure("networkit, triangles of every edge", score.run)
except ImportError:
    pass
try:
    from orca import orca_nodes
    if len(edges) < 10_000:
        work = lambda: orca_nodes(edges, n, graphlet_size=4)
        measure("orca-graphlets, orbits of 4 nodes of every node", work)
except ImportError:
    pass
try:
    from pecanpy.pecanpy import FirstOrderUnweighted
    graph = FirstOrderUnweighted(p=1, q=1, workers=1, random_state=0)
    graph.set_node_ids(None, num_nodes=n)
    graph.indptr, graph.indices = indptr.astype(np.uint32), indices.astype(np.uint32)
    graph.data = np.ones(len(indices), dtype=np.float32)
    graph.simulate_walks(1, length - 1)  # compile; pecanpy counts steps
    measure("pecanpy, sampled walks", lambda: graph.simulate_walks(n_walks, length - 1))
except ImportError:
    pass
print(json.dumps(seconds))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="interpreter with the libraries")
    parser.add_argument("--scale", type=int, default=14)
    options = parser.parse_args()
    graph = rmat(options.scale, 8)
    print(f"R-MAT, scale {options.scale}, {graph.adjacency.nnz:,} arcs, CPU seconds")
    ours = {}
    for length in (4, 5):
        pattern_counts(graph, length, method="exact")
        begin = time.process_time()
        for _ in range(_REPEATS):
            pattern_counts(graph, length, method="exact")
        seconds = (time.process_time() - begin) / _REPEATS
        ours[f"gskn, patterns of {length} nodes of every node"] = round(seconds, 4)
    sample_walks(graph, _WALK_LENGTH, 1)
    begin = time.process_time()
    sample_walks(graph, _WALK_LENGTH, _N_WALKS)
    ours["gskn, sampled walks"] = round(time.process_time() - begin, 4)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "indptr.npy", graph.adjacency.indptr)
        np.save(Path(folder) / "indices.npy", graph.adjacency.indices)
        output = subprocess.run(
            [options.python, "-c", PEERS, folder, str(_WALK_LENGTH), str(_N_WALKS)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    unit = next(iter(ours.values()))
    for name, seconds in {**ours, **json.loads(output.splitlines()[-1])}.items():
        print(f"{name}: {seconds} ({seconds / unit:.2f} x patterns of 4 nodes)")


if __name__ == "__main__":
    main()
