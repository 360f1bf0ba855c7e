"""Measure sums over paths: enumeration against signed sums over walks.

The enumeration computes its last step in closed form. See ``docs/theory/paths.md``.
"""

import time

import numpy as np

from gskn import AttributeEncoder, datasets
from gskn.layers import LayerParams, NodeFeatures, _path
from gskn.layers._path import PathLayer

_LENGTHS = (3, 4, 5)


def seconds(work) -> float:
    work()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def measure(layer: PathLayer, graphs, features: NodeFeatures, longest_signed: int):
    """Return embeddings and seconds; paths beyond ``longest_signed`` are enumerated."""
    _path.MAX_SIGNED_LENGTH = longest_signed

    def transform():
        return layer.transform(graphs, features, None)[0]

    return transform(), seconds(transform)


def main() -> None:
    print(f"{'':14s}{'length':>7s}{'enumerated':>12s}{'signed':>9s}{'ratio':>7s}")
    for name in ("MUTAG", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI"):
        graphs = datasets.load(name).graphs
        features = NodeFeatures(*AttributeEncoder().fit(graphs).distinct_rows(graphs))
        for length in _LENGTHS:
            layer = PathLayer(length, LayerParams(aggregate=False, weighting="count"))
            layer.fit(graphs, features, np.random.default_rng(0))
            enumerated, slow = measure(layer, graphs, features, 1)
            signed, fast = measure(layer, graphs, features, max(_LENGTHS))
            np.testing.assert_allclose(signed, enumerated, rtol=1e-6, atol=1e-6)
            print(f"{name:14s}{length:7d}{slow:11.3f}s{fast:8.3f}s{slow / fast:7.1f}")


if __name__ == "__main__":
    main()
