"""Time and memory of exact patterns on large graphs, with fused and with stored products.

"per_two" and "per_three" are CPU nanoseconds per walk of two and of three steps, of which a
node has at most as many as there are arcs: the constants of ``gskn.walks._work``.

    python benchmarks/scale/patterns.py --scale 16 --lengths 4 5 6
"""

import argparse
from typing import Any

import numpy as np
from graphs import random_regular, rmat
from processes import Timer, measure

from gskn.walks import _exact, count_walks, pattern_counts
from gskn.walks._walk_batch import WalkBatch


def run(kind: str, scale: int, length: int, products: str, n_jobs: int) -> dict[str, Any]:
    """Compute the patterns of one graph; "stored" selects scipy's sparse products."""
    graph = rmat(scale, 8) if kind == "R-MAT" else random_regular(2**scale, 16)
    if products == "stored":
        _exact.MAX_EXACT_LENGTH = 0
    compiled = random_regular(1024, 4)
    pattern_counts(compiled, length, method="exact")  # compile before measuring
    steps = WalkBatch.from_batch(graph, use_weights=True).twins.steps
    n_two = count_walks(steps, 3).sum()
    n_three = np.minimum(count_walks(steps, 4), steps.nnz).sum()
    with Timer() as timer:
        pattern_counts(graph, length, method="exact", n_jobs=n_jobs)
    return {
        "arcs": graph.adjacency.nnz,
        "wall": timer.wall,
        "cpu": timer.cpu,
        "per_two": round(float(timer.cpu / n_two * 1e9), 2),
        "per_three": round(float(timer.cpu / n_three * 1e9), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--lengths", type=int, nargs="*", default=[4, 5, 6])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--stored", action="store_true", help="also run stored products")
    options = parser.parse_args()
    for kind in ("R-MAT", "regular"):
        for length in options.lengths:
            for products in ["fused", "stored"][: 1 + options.stored]:
                result = measure(run, kind, options.scale, length, products, options.jobs)
                name = f"{kind}, scale {options.scale}, length {length}, {products}"
                print(f"{name}: {result}", flush=True)


if __name__ == "__main__":
    main()
