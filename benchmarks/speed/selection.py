"""Measure the CPU time of selecting a model by inner folds.

The first part is a nested run of ten folds on 4,000 labelled graphs of about 30 nodes. They
are generated, because no such set is part of the package. The second part is one fold of
COLLAB. With ``--reference``, the model ``gskn`` of another version of the package is
measured on the same fold, alternating with this version::

    git worktree add build/before b2aad2c    # before the Laplacian kernel
    python benchmarks/speed/selection.py --reference build/before/src
"""

import argparse
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import networkx as nx
import numpy as np
from threadpoolctl import threadpool_limits

import gskn
from gskn import as_batch, datasets
from gskn.evaluation import evaluate

FREQUENCIES = (0.74, 0.11, 0.1, 0.02, 0.02, 0.01)  # of elements
VALENCES = (4, 3, 2, 2, 1, 1)
RING_SIZES = (6, 6, 6, 5)
BUDGET_MINUTES = 4
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
# Runs in a process of its own, because both versions have the same module names.
FOLD = """
import time
from contextlib import suppress
from gskn import datasets
from gskn.evaluation import evaluate

def stop():
    raise KeyboardInterrupt  # after the first fold

for name in ("MUTAG", "COLLAB"):  # the first one compiles
    data = datasets.load(name)
    begin = time.process_time()
    with suppress(KeyboardInterrupt):
        evaluate(data, ["gskn"], advance=stop)
print(time.process_time() - begin)
"""


def molecules(n_graphs: int, seed: int = 0) -> datasets.Dataset:
    """Return graphs like molecules, in two classes.

    The class depends on the number of rings and on the bonds between different elements.
    It is random for 15% of the graphs.
    """
    generator = np.random.default_rng(seed)
    graphs = [molecule(generator) for _ in range(n_graphs)]
    values = np.array([property_of(graph) for graph in graphs])
    y = (values > np.median(values)).astype(np.int64)
    noise = generator.random(n_graphs) < 0.15
    y[noise] = generator.integers(2, size=noise.sum())
    return datasets.Dataset("molecules", as_batch(graphs, node_label="label"), y)


def molecule(generator: np.random.Generator) -> nx.Graph:
    """Return a connected graph of rings and chains that respects the valences."""
    graph, size = nx.Graph(), int(np.clip(generator.normal(29, 8), 8, 60))
    while len(graph) < size:
        labels, first = graph.nodes(data="label"), len(graph)
        free = [atom for atom, label in labels if graph.degree(atom) < VALENCES[label]]
        if generator.random() < 0.12:
            ring = range(first, first + RING_SIZES[generator.integers(len(RING_SIZES))])
            graph.add_nodes_from(ring, label=0)
            nx.add_cycle(graph, ring)
        elif len(free) < 2:  # only carbon leaves a free valence
            graph.add_node(first, label=0)
        else:
            graph.add_node(first, label=int(generator.choice(6, p=FREQUENCIES)))
        if free:
            graph.add_edge(first, free[-min(len(free), generator.geometric(0.4))])
    return graph


def property_of(graph: nx.Graph) -> float:
    labels = graph.nodes(data="label")
    mixed = sum(labels[a] * labels[b] == 2 for a, b in graph.edges)  # elements 1 and 2
    ends = sum(labels[a] == 2 and graph.degree(a) == 1 for a in graph)
    return mixed + 0.5 * ends + 0.7 * len(nx.cycle_basis(graph))


def nested_minutes(data: datasets.Dataset, n_folds: int) -> float:
    """Return the CPU time of ten folds, from the first ``n_folds`` of them."""
    times = [time.process_time()]

    def advance() -> None:
        times.append(time.process_time())
        if len(times) > n_folds:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        evaluate(data, ["gskn"], advance=advance)
    return (times[-1] - times[0]) / n_folds * 10 / 60


def fold_seconds(source: Path) -> float:
    """Return the CPU time of the first fold of COLLAB with a version of the package."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", FOLD],
        env=environment | dict.fromkeys(THREADS, "1"),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-folds", type=int, default=10, help="measured of the ten")
    parser.add_argument("--reference", type=Path, help="source folder of another version")
    parser.add_argument("--repeats", type=int, default=2, help="of the fold of COLLAB")
    options = parser.parse_args()
    data = molecules(4000)
    with threadpool_limits(1):
        nested_minutes(datasets.load("MUTAG"), 1)  # compile before measuring
        minutes = nested_minutes(data, options.n_folds)
    print(
        f"{data.graphs.n_graphs} graphs of {data.graphs.graph_sizes.mean():.1f} nodes, ",
        end="",
    )
    print(
        f"ten folds: {minutes:.2f} CPU minutes (target: at most {BUDGET_MINUTES})",
        flush=True,
    )
    sources = [Path(gskn.__file__).parents[1]]
    if options.reference is not None:
        sources.append(options.reference.resolve())
    times = [[fold_seconds(source) for source in sources] for _ in range(options.repeats)]
    ours, *reference = np.min(times, axis=0)
    print(f"one fold of COLLAB: {ours:.1f} CPU seconds", end="")
    if reference:
        print(f", reference {reference[0]:.1f}", end="")
        print(f", ratio {ours / reference[0]:.2f} (target: at most 1)", end="")
    print()


if __name__ == "__main__":
    main()
