"""Time and memory of fitting a model to one large graph and embedding all of its nodes.

Every graph is measured in a process of its own, which maps its arrays into memory from
files and writes the embeddings to a file in single precision. "fit" and "nodes" are wall
seconds, "fit_cpu" and "nodes_cpu" the CPU seconds of all threads. The peak memory includes
the mapped arrays. Degrees above 32 share columns, so that the number of features does not
grow with the largest degree.

    python benchmarks/scale/nodes.py --scales 16 19 --factors 8 16
"""

import argparse
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from graphs import random_regular, rmat
from processes import Timer, measure

from gskn import GSKN
from gskn.graphs import read_graphs


def draw(kind: str, scale: int, factor: int, folder: str) -> dict[str, Any]:
    """Write the arrays of a graph to a folder."""
    if kind == "R-MAT":
        graph = rmat(scale, factor)
    else:
        graph = random_regular(2**scale, 2 * factor)
    np.save(f"{folder}/indptr.npy", graph.adjacency.indptr)
    np.save(f"{folder}/indices.npy", graph.adjacency.indices)
    return {"nodes": graph.n_nodes, "arcs": graph.adjacency.nnz}


def run(folder: str, options: dict[str, Any]) -> dict[str, Any]:
    """Fit a model to the graph in a folder and write the embeddings of its nodes."""
    model = GSKN(max_degree=32, random_state=0, **options)
    small = random_regular(1024, 4)
    model.fit(small).transform_nodes(small)  # compile before measuring
    with Timer() as fit:
        graph = read_graphs(folder)
        model.fit(graph)
    with Timer() as nodes:
        path = Path(folder) / "nodes.npy"
        shape = model.transform_nodes(graph, out=path, dtype="float32").shape
    times = {"fit": fit.wall, "fit_cpu": fit.cpu}
    times |= {"nodes": nodes.wall, "nodes_cpu": nodes.cpu}
    return {"columns": shape[1], **times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", type=int, nargs="*", default=[16, 19])
    parser.add_argument("--factors", type=int, nargs="*", default=[8])
    parser.add_argument("--kinds", nargs="*", default=["R-MAT", "regular"])
    parser.add_argument("--length", type=int, default=6, help="of anonymous walks")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--method", default="auto", help="auto, exact or sampled")
    options = parser.parse_args()
    params = {
        "anonymous_length": options.length,
        "method": options.method,
        "n_jobs": options.jobs,
    }
    for kind in options.kinds:
        for factor in options.factors:
            results = []
            for scale in options.scales:
                with tempfile.TemporaryDirectory() as folder:
                    graph = measure(draw, kind, scale, factor, folder)
                    result = measure(run, folder, params)
                result["arcs"] = graph["arcs"]
                print(f"{kind}, scale {scale}, factor {factor}: {result}", flush=True)
                results.append(result)
            _print_growth(kind, factor, results)


def _print_growth(kind: str, factor: int, results: list[dict[str, Any]]) -> None:
    """Print the exponent of the time as a power of the number of arcs."""
    for first, last in pairwise(results):
        ratio = np.log(last["arcs"] / first["arcs"])
        exponents = {
            part: round(float(np.log(last[part] / first[part]) / ratio), 2)
            for part in ("fit_cpu", "nodes_cpu")
        }
        print(f"{kind}, factor {factor}, {last['arcs']:,} arcs: growth {exponents}")


if __name__ == "__main__":
    main()
