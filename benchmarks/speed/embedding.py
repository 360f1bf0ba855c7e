"""Measure the complete model against enumerating all walks and against GraKeL's kernels."""

import argparse
import re
import time
import warnings
from pathlib import Path

import numba
import numpy as np
from sklearn.cluster import KMeans

from gskn import GSKN, AttributeEncoder, GraphBatch, as_batch, datasets
from gskn.layers._steps import Steps
from gskn.walks import pattern_counts

Q, ALPHA = 32, 1.5


@numba.njit(cache=True)
def fill_all_walks(indptr, indices, starts, walks):
    """Write all walks of every node consecutively; a walk stays at a dead end."""
    n_nodes, length = len(indptr) - 1, walks.shape[1]
    nexts, path = np.zeros(length, np.int64), np.zeros(length, np.int64)
    for node in range(n_nodes):
        place, depth = starts[node], 0
        path[0], nexts[0] = node, 0
        while depth >= 0:
            if depth == length - 1:
                walks[place] = path
                place += 1
                depth -= 1
                continue
            first, end = indptr[path[depth]], indptr[path[depth] + 1]
            if nexts[depth] == max(end - first, 1):
                depth -= 1
                continue
            path[depth + 1] = path[depth] if first == end else indices[first + nexts[depth]]
            nexts[depth] += 1
            depth += 1
            nexts[depth] = 0


def n_walks(graphs: GraphBatch, length: int) -> np.ndarray:
    counts = np.ones(graphs.n_nodes)
    for _ in range(length - 1):
        counts = np.where(graphs.degrees == 0, counts, graphs.adjacency @ counts)
    return counts.astype(np.int64)


def enumerate_and_embed(graphs: GraphBatch, length: int) -> np.ndarray:
    """Embed graphs by enumerating walks, as graph convolutional kernel networks do.

    Uses walks of one length and no anonymous walks. Dot products of nodes with landmarks
    are computed once, summed along every walk and passed to the exponential function.
    Reference: Chen, Jacob and Mairal, "Convolutional kernel networks for graph-structured
    data", 2020.
    """
    rows = AttributeEncoder().fit_transform(graphs)
    landmarks = peer_landmarks(graphs, rows, length)
    gram = np.exp(ALPHA * (landmarks @ landmarks.T - length))
    values, vectors = np.linalg.eigh(gram)
    root = (vectors / np.sqrt(np.maximum(values, 0) + 1e-7)) @ vectors.T
    by_position = landmarks.reshape(Q, length, -1)
    dots = np.einsum("ic,qjc->ijq", rows, by_position, optimize=True)
    pooled = []
    for begin in range(0, graphs.n_graphs, 16):
        part = graphs[begin : begin + 16]
        local = dots[graphs.graph_ptr[begin] :][: part.n_nodes]
        walks, counts = all_walks(part, length), n_walks(part, length)
        total = local[walks[:, 0], 0]
        for j in range(1, length):
            total += local[walks[:, j], j]
        kernel = np.exp(ALPHA * (total - length))
        nodes = np.add.reduceat(kernel, np.cumsum(counts) - counts, axis=0)
        nodes = nodes / counts[:, None] @ root
        pooled.append(np.add.reduceat(nodes, part.graph_ptr[:-1], axis=0))
    return np.concatenate(pooled)


def peer_landmarks(graphs: GraphBatch, rows: np.ndarray, length: int) -> np.ndarray:
    """Cluster at most 20,000 walks of a random sample of graphs."""
    generator = np.random.default_rng(0)
    order = generator.permutation(graphs.n_graphs)
    totals = np.add.reduceat(n_walks(graphs, length), graphs.graph_ptr[:-1])[order]
    chosen = np.sort(order[: np.searchsorted(np.cumsum(totals), 3e5) + 1])
    walks = all_walks(graphs[chosen], length)
    nodes = np.concatenate([np.arange(*graphs.graph_ptr[n : n + 2]) for n in chosen])
    sample = nodes[walks[generator.permutation(len(walks))[:20_000]]]
    points = rows[sample].reshape(len(sample), -1)
    with warnings.catch_warnings(action="ignore"):
        model = KMeans(Q, n_init=1, max_iter=100, tol=1e-3, random_state=0).fit(points)
    return model.cluster_centers_


def all_walks(graphs: GraphBatch, length: int) -> np.ndarray:
    counts = n_walks(graphs, length)
    starts = np.cumsum(counts) - counts
    walks = np.empty((counts.sum(), length), dtype=np.int32)
    fill_all_walks(graphs.adjacency.indptr, graphs.adjacency.indices, starts, walks)
    return walks


def seconds(work, repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def ours(graphs: GraphBatch, **options) -> np.ndarray:
    return GSKN(random_state=0, **options).fit_transform(graphs)


def race(names: list[str]) -> None:
    print("complete model (walks of 1..3, exact patterns of 1..6) against all walks of 3")
    print(f"{'':14s}{'ours':>9s}{'all walks':>11s}{'ratio':>8s}")
    for name in names:
        graphs = datasets.load(name).graphs
        mine = seconds(lambda g=graphs: ours(g))
        theirs = seconds(lambda g=graphs: enumerate_and_embed(g, 3), 1)
        print(f"{name:14s}{mine:8.2f}s{theirs:10.2f}s{theirs / mine:8.1f}")


def grow(name: str) -> None:
    graphs = datasets.load(name).graphs
    print(f"walk branch of {name} by length, without aggregation")
    for length in (2, 3, 4, 5, 6, 8, 10):
        options = {"walk_length": length, "aggregate": False}
        mine = seconds(lambda o=options: ours(graphs, branches=("walk",), **o))
        total = float(n_walks(graphs, length).astype(float).sum()) if length < 6 else np.inf
        theirs = ""
        if total < 3e7:
            theirs = f"{seconds(lambda n=length: enumerate_and_embed(graphs, n), 1):9.2f}s"
        theirs = theirs or "too many"
        print(f"  length {length:2d}  ours {mine:7.3f}s   all walks {theirs:>10s}")


def grakel_graphs(graphs: GraphBatch) -> list:
    from grakel import Graph  # noqa: PLC0415 - an extra

    listed = []
    for graph in graphs:
        labels = graph.degrees if graph.node_labels is None else graph.node_labels
        matrix = graph.adjacency.toarray().astype(int)
        listed.append(Graph(matrix, node_labels=dict(enumerate(labels.tolist()))))
    return listed


def against_grakel(names: list[str], max_graphs: int) -> None:
    from grakel.kernels import (  # noqa: PLC0415 - an extra
        ShortestPath,
        VertexHistogram,
        WeisfeilerLehman,
    )

    print("embeddings of the complete model against Gram matrices of GraKeL")
    heads = ("graphs", "ours", "WL, 5", "ratio", "SP", "ratio")
    print(" " * 14 + "".join(f"{head:>9s}" for head in heads))
    for name in names:
        graphs = datasets.load(name).graphs
        stride = -(-graphs.n_graphs // max_graphs)
        graphs = graphs[::stride]
        listed = grakel_graphs(graphs)
        mine = seconds(lambda g=graphs: ours(g))
        with warnings.catch_warnings(action="ignore"):
            wl = WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram)
            wl_time = seconds(lambda k=wl, g=listed: k.fit_transform(g), 1)
            part = listed[:: max(1, len(listed) // 200)]
            sp_time = seconds(lambda g=part: ShortestPath().fit_transform(g), 1)
        scale = len(listed) / len(part)  # a lower bound: the time grows at least linearly
        sp_time *= scale
        times = f"{mine:8.2f}s{wl_time:8.2f}s{wl_time / mine:9.1f}{sp_time:8.2f}s"
        print(f"{name:14s}{graphs.n_graphs:9d}{times}{sp_time / mine:9.1f}", end="")
        print(f"  (SP measured on {len(part)} graphs)")


def bandwidth(names: list[str]) -> None:
    print(
        f"sparse products of {Q} columns against the bound bytes moved / memory bandwidth"
    )
    for name in names:
        graphs = datasets.load(name).graphs
        codes = AttributeEncoder().fit(graphs).distinct_rows(graphs)[1]
        steps = Steps.of(graphs, codes, probability=True, n_jobs=None)
        rows = np.random.default_rng(0).random((len(steps.first), Q))
        target = np.empty_like(rows)
        copied = seconds(lambda a=target, b=rows: np.copyto(a, b), 9)
        speed = 2 * rows.nbytes / copied
        moved = (
            steps.indices.nbytes
            + steps.weights.nbytes
            + steps.indptr.nbytes
            + 2 * rows.nbytes
        )
        taken = seconds(lambda s=steps, r=rows: s.sum_over(r), 9)
        entries = f"{len(steps.indices):9,d} entries (of {graphs.adjacency.nnz:,d})"
        print(f"  {name:12s} {entries:36s} {taken * 1e3:7.2f} ms,", end="")
        print(f" {taken * speed / moved:.1f} x the bound ({speed / 1e9:.0f} GB/s)")


def profile(name: str) -> None:
    graphs = datasets.load(name).graphs
    parts = {
        "node features": lambda: AttributeEncoder().fit(graphs).distinct_rows(graphs),
        "exact patterns": lambda: pattern_counts(graphs, 6),
        "walk branch": lambda: ours(graphs, branches=("walk",)),
        "anonymous branch": lambda: ours(graphs, branches=("anonymous",)),
        "both": lambda: ours(graphs),
    }
    print(f"time per stage on {name}")
    for label, work in parts.items():
        print(f"  {label:18s}{seconds(work):8.2f}s")
    text = Path("/proc/self/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) / 2**20
    print(f"  peak memory so far {peak:.2f} GiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-graphs", type=int, default=500, help="for GraKeL on COLLAB")
    options = parser.parse_args()
    tiny = as_batch([np.ones((3, 3)) - np.eye(3)] * 40)  # compile before measuring
    ours(tiny), enumerate_and_embed(tiny, 3)
    profile("COLLAB")  # first, so that the peak memory belongs to it
    race(["MUTAG", "PTC", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI"])
    grow("IMDB-BINARY")
    against_grakel(["PROTEINS", "IMDB-BINARY"], 10**6)
    against_grakel(["COLLAB"], options.max_graphs)
    bandwidth(["PROTEINS", "IMDB-BINARY", "COLLAB"])


if __name__ == "__main__":
    main()
