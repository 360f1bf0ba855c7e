"""Time and memory of fitting a model to one large graph and embedding all of its nodes.

Every graph is measured in a process of its own. "fit" and "nodes" are wall seconds, and the
peak memory includes the graph, which is drawn first, but not the embeddings: they are
written to a file.

    python benchmarks/scale/nodes.py --scales 16 19 --factors 8 16
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from graphs import random_regular, rmat
from processes import Timer, measure

from gskn import GSKN


def run(kind: str, scale: int, factor: int, length: int, n_jobs: int) -> dict[str, Any]:
    """Fit a model to one graph and write the embeddings of its nodes."""
    model = GSKN(anonymous_length=length, random_state=0, n_jobs=n_jobs)
    small = random_regular(1024, 4)
    model.fit(small).transform_nodes(small)  # compile before measuring
    if kind == "R-MAT":
        graph = rmat(scale, factor)
    else:
        graph = random_regular(2**scale, 2 * factor)
    with Timer() as fit:
        model.fit(graph)
    with tempfile.TemporaryDirectory() as folder, Timer() as nodes:
        path = Path(folder) / "nodes.npy"
        shape = model.transform_nodes(graph, out=path, dtype="float32").shape
    return {
        "arcs": int(graph.adjacency.nnz),
        "columns": shape[1],
        "fit": fit.wall,
        "fit_cpu": fit.cpu,
        "nodes": nodes.wall,
        "nodes_cpu": nodes.cpu,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", type=int, nargs="*", default=[16, 19])
    parser.add_argument("--factors", type=int, nargs="*", default=[8])
    parser.add_argument("--kinds", nargs="*", default=["R-MAT", "regular"])
    parser.add_argument("--length", type=int, default=6, help="of anonymous walks")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for kind in options.kinds:
        for factor in options.factors:
            results = []
            for scale in options.scales:
                result = measure(run, kind, scale, factor, options.length, options.jobs)
                print(f"{kind}, scale {scale}, factor {factor}: {result}", flush=True)
                results.append(result)
            _print_growth(kind, factor, results)


def _print_growth(kind: str, factor: int, results: list[dict[str, Any]]) -> None:
    """Print the exponent of the time as a power of the number of arcs."""
    for first, last in zip(results, results[1:], strict=False):
        ratio = np.log(last["arcs"] / first["arcs"])
        exponents = {
            part: round(float(np.log(last[f"{part}_cpu"] / first[f"{part}_cpu"]) / ratio), 2)
            for part in ("fit", "nodes")
        }
        print(f"{kind}, factor {factor}, {last['arcs']:,} arcs: growth {exponents}")


if __name__ == "__main__":
    main()
