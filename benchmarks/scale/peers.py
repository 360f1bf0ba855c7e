"""Counts of small patterns and sampled walks against other libraries, on one R-MAT graph.

The other libraries run in an interpreter of their own, on one thread. The methods differ:
a row of gskn holds the 15 patterns of four nodes of every node, a motif count of igraph is
one number for the whole graph, and networkit counts the triangles of every edge.

    python -m venv peer && peer/bin/pip install networkit igraph pecanpy
    python benchmarks/scale/peers.py --python peer/bin/python --scale 14
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from graphs import rmat
from processes import Timer

from gskn import pattern_counts, sample_walks

# Prints the CPU seconds of each library that is installed, as JSON.
PEERS = """
import json, sys, time
import numpy as np

folder, n_walks, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
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
    from pecanpy import pecanpy
    np.savetxt(f"{folder}/edges.tsv", edges, "%d", delimiter="\\t")
    for repeat in range(2):  # the first call compiles
        graph = pecanpy.SparseOTF(p=1, q=1, workers=1)
        graph.read_edg(f"{folder}/edges.tsv", weighted=False, directed=False)
        graph.preprocess_transition_probs()
        n_start = (np.diff(indptr) > 0).sum()
        measure(
            f"pecanpy, walks", lambda: graph.simulate_walks(n_walks, length - 1)
        )
except ImportError:
    pass
print(json.dumps(seconds))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="interpreter with the libraries")
    parser.add_argument("--scale", type=int, default=14)
    parser.add_argument("--walks", type=int, default=30)
    parser.add_argument("--length", type=int, default=6, help="of sampled walks")
    options = parser.parse_args()
    graph = rmat(options.scale, 8)
    print(f"R-MAT, scale {options.scale}, {graph.adjacency.nnz:,} arcs, CPU seconds")
    ours = {}
    for length in (4, 5):
        pattern_counts(graph, length, method="exact")
        with Timer() as timer:
            pattern_counts(graph, length, method="exact")
        ours[f"gskn, patterns of {length} nodes of every node"] = timer.cpu
    sample_walks(graph, options.length, options.walks, random_state=0)
    with Timer() as timer:
        sample_walks(graph, options.length, options.walks, random_state=0)
    ours["gskn, walks"] = timer.cpu
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "indptr.npy", graph.adjacency.indptr)
        np.save(Path(folder) / "indices.npy", graph.adjacency.indices)
        output = subprocess.run(
            [
                options.python,
                "-c",
                PEERS,
                folder,
                str(options.walks),
                str(options.length),
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    for name, seconds in {**ours, **json.loads(output.splitlines()[-1])}.items():
        is_walk = name.endswith("walks")
        unit = ours["gskn, walks" if is_walk else "gskn, patterns of 4 nodes of every node"]
        print(f"{name}: {seconds} ({seconds / unit:.2f} x gskn)")


if __name__ == "__main__":
    main()
