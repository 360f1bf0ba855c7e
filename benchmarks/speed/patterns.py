"""Measure exact pattern counts against enumeration of the same walks and sampling."""

import argparse
import os
import subprocess
import sys
import time

import numba
import numpy as np
from scipy.sparse import coo_array

from gskn import GraphBatch, as_batch, datasets
from gskn.walks import (
    anonymize,
    pattern_counts,
    pattern_tree,
    patterns,
    sample_walks,
)


@numba.njit(cache=True)
def enumerate_walks(indptr, indices, nodes, length, children, rows):
    """Count the patterns of all walks by following each of them."""
    visited, path = np.empty(length, np.int64), np.empty(length, np.int64)
    counts, states = np.empty(length, np.int64), np.zeros(length, np.int64)
    nexts = np.zeros(length, np.int64)
    for row in range(len(nodes)):
        path[0], visited[0], counts[0], nexts[0] = nodes[row], nodes[row], 1, 0
        depth = 0
        while depth >= 0:
            node = path[depth]
            first, end = indptr[node], indptr[node + 1]
            if nexts[depth] == max(end - first, 1):
                depth -= 1
                continue
            following = node if first == end else indices[first + nexts[depth]]
            nexts[depth] += 1
            n_visited, symbol = counts[depth], 0
            while symbol < n_visited and visited[symbol] != following:
                symbol += 1
            state = children[states[depth], symbol]
            if depth == length - 2:
                rows[row, state] += 1
                continue
            depth += 1
            if symbol == n_visited:
                visited[n_visited] = following
                n_visited += 1
            path[depth], counts[depth], states[depth], nexts[depth] = (
                following,
                n_visited,
                state,
                0,
            )


def enumerated(graphs: GraphBatch, length: int) -> np.ndarray:
    matrix = graphs.adjacency
    rows = np.zeros((graphs.n_nodes, len(patterns(length, staying=True))))
    nodes = np.arange(graphs.n_nodes)
    children, first_states = pattern_tree(length)
    children = np.where(children >= first_states[-1], children - first_states[-1], children)
    enumerate_walks(matrix.indptr, matrix.indices, nodes, length, children, rows)
    return rows


def plain(graphs: GraphBatch, length: int, n_walks: int = 30):
    """Sample and store walks, anonymize them and count patterns, as in the paper."""
    symbols = anonymize(sample_walks(graphs, length, n_walks, random_state=0))
    codes = symbols.reshape(-1, length).astype(np.int64) @ (16 ** np.arange(length))
    _, columns = np.unique(codes, return_inverse=True)
    rows = np.repeat(np.arange(graphs.n_nodes), n_walks)
    shares = np.full(len(rows), 1 / n_walks)
    return coo_array((shares, (rows, columns))).tocsr()


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(work, repeats: int) -> float:
    return float(np.median([seconds(work) for _ in range(repeats)]))


def medians(*works) -> list[float]:
    """Measure in turns, so that load on the machine affects all equally."""
    rounds = [[seconds(work) for work in works] for _ in range(5)]
    return np.median(rounds, axis=0).tolist()


def part_of(graphs: GraphBatch, length: int, max_walks: float) -> GraphBatch:
    """Take every k-th graph to limit the number of enumerated walks."""
    steps = graphs.adjacency.tocsr()
    walks = np.ones(graphs.n_nodes)
    for _ in range(length - 1):
        walks = steps @ walks
    stride = max(1, int(np.ceil(walks.sum() / max_walks)))
    return graphs[np.arange(0, graphs.n_graphs, stride)]


def compare(name: str, length: int) -> None:
    graphs = datasets.load(name).graphs
    part = part_of(graphs, length, 3e9)
    counts = pattern_counts(part[:5], length, weighting="count").rows.toarray()
    assert (counts == enumerated(part[:5], length)).all()  # noqa: S101 - benchmark
    exact_part = median(lambda: pattern_counts(part, length, weighting="count"), 3)
    by_hand = seconds(lambda: enumerated(part, length))
    exact, sampled, fused, threads = medians(
        lambda: pattern_counts(graphs, length),
        lambda: plain(graphs, length),
        lambda: pattern_counts(graphs, length, method="sampled", random_state=0),
        lambda: pattern_counts(graphs, length, n_jobs=2),
    )
    print(f"{name}, length {length}, {graphs.n_nodes:,} nodes")
    print(f"  exact              {exact:8.3f} s  (on two threads {threads:.3f} s)")
    print(f"  plain, 30 walks    {sampled:8.3f} s  {sampled / exact:.2f} x exact")
    print(f"  fused, 30 walks    {fused:8.3f} s  {fused / exact:.2f} x exact")
    ratio = by_hand / exact_part
    print(f"  enumeration of {part.n_graphs:,} of {graphs.n_graphs:,} graphs", end="")
    print(f" {by_hand:.3f} s  {ratio:.1f} x exact ({exact_part:.3f} s)")


def grid(side: int) -> GraphBatch:
    nodes = np.arange(side * side).reshape(side, side)
    across = [nodes[:, :-1].ravel(), nodes[:, 1:].ravel()]
    edges = np.hstack([across, [nodes[:-1].ravel(), nodes[1:].ravel()]])
    return as_batch((np.hstack([edges, edges[::-1]]), None))


def growth(length: int) -> None:
    sizes = [100, 180, 316, 562, 1000]
    grids = [grid(side) for side in sizes]
    times = medians(*(lambda g=graph: pattern_counts(g, length) for graph in grids))
    slope = np.polyfit(np.log(np.square(sizes)), np.log(times), 1)[0]
    print(f"growth on grids of 10^4 to 10^6 nodes: time ~ nodes^{slope:.2f}  (target 1.1)")


def induced_seconds(name: str, length: int, stride: int) -> float:
    """Return the processor seconds of induced patterns on every k-th graph of a set."""
    graphs = datasets.load(name).graphs[::stride]
    pattern_counts(graphs[:1], length, induced=True, method="exact")
    times = []
    for _ in range(3):
        start = time.process_time()
        pattern_counts(graphs, length, induced=True, method="exact")
        times.append(time.process_time() - start)
    return min(times)


def compare_induced(name: str, length: int, stride: int, before: str) -> None:
    """Compare with the source of an older version, in turns, each in its own process."""
    times: dict[str, list[float]] = {"now": [], "before": []}
    arguments = [__file__, "--induced-only", name, str(length), str(stride)]
    for _ in range(3):
        for version, seconds_of_version in times.items():
            path = {"PYTHONPATH": before} if version == "before" else {}
            done = subprocess.run(
                [sys.executable, *arguments],
                env={**os.environ, **path},
                capture_output=True,
                text=True,
                check=True,
            )
            seconds_of_version.append(float(done.stdout))
    now, old = (min(times[version]) for version in ("now", "before"))
    print(f"{name}, induced patterns of length {length}, every {stride}th graph", end="")
    print(f" {now:.3f} s, before {old:.3f} s: {old / now:.1f} x  (target 3)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["PROTEINS", "IMDB-BINARY", "COLLAB"])
    parser.add_argument("--length", type=int, default=6)
    parser.add_argument("--before", help="src folder of an older version to compare with")
    parser.add_argument("--induced-only", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.induced_only:
        name, *numbers = options.induced_only
        print(induced_seconds(name, *map(int, numbers)))
        return
    if options.before:
        for name, length, stride in (("PROTEINS", 6, 10), ("IMDB-BINARY", 5, 20)):
            compare_induced(name, length, stride, options.before)
    tiny = as_batch(np.ones((2, 2)))  # compile before measuring
    enumerated(tiny, 4), plain(tiny, 4), pattern_counts(tiny, 4, method="sampled")
    for name in options.sets:
        compare(name, options.length)
    growth(options.length)


if __name__ == "__main__":
    main()
