"""Paths by enumeration, its last step in closed form, against signed sums over walks."""

import time

import numpy as np
from scipy.sparse import csr_array

from gskn import AttributeEncoder, datasets
from gskn.kernels import NodeRows, Settings
from gskn.kernels._joint import JointLayer, PathLayer, _Input


def signed_three(matrix, factors, codes):
    """Return all walks of three nodes without those that come back: two terms."""
    first, second, third = (factor[codes] for factor in factors)
    there = matrix @ (second * (matrix @ third))
    return first * (there - third * (matrix @ second))


def signed_four(matrix, factors, codes):
    """Return paths of four nodes: five terms, one of them a triangle per landmark.

    Of the walks a b c d, those with a = c, with b = d and with a = d are taken away; a = c
    and b = d together were taken away twice.
    """
    e1, e2, e3, e4 = (factor[codes] for factor in factors)
    all_walks = matrix @ (e2 * (matrix @ (e3 * (matrix @ e4))))
    a_c = e3 * (matrix @ e2) * (matrix @ e4)
    b_d = matrix @ (e2 * e4 * (matrix @ e3))
    both = e3 * (matrix @ (e2 * e4))
    triangles = np.empty_like(e1)
    for z in range(e1.shape[1]):
        inner = csr_array(
            (matrix.data * e3[matrix.indices, z], matrix.indices, matrix.indptr),
            matrix.shape,
        )
        paths = (inner @ matrix).multiply(matrix).tocsr()  # b to a by c, where a has b
        triangles[:, z] = paths.T @ e2[:, z]
    return e1 * (all_walks - a_c - b_d + both - e4 * triangles)


def seconds(work) -> float:
    work()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    print(f"{'':14s}{'length':>7s}{'enumerated':>12s}{'signed':>9s}{'ratio':>7s}")
    for name in ("MUTAG", "PROTEINS", "IMDB-BINARY"):
        graphs = datasets.load(name).graphs
        encoder = AttributeEncoder().fit(graphs)
        rows = NodeRows(*encoder.distinct_rows(graphs))
        matrix = graphs.adjacency.tocsr()
        for length, signed in ((3, signed_three), (4, signed_four)):
            layer = PathLayer(length, Settings(aggregate=False, weighting="count"))
            layer.fit(graphs, rows, np.random.default_rng(0))
            mapped = layer.maps[0]
            nothing = np.zeros(graphs.n_nodes, dtype=bool)
            one = (_Input.of(graphs, rows, layer.settings, None), nothing, length, mapped)
            factors = layer._factors(rows, length, mapped.landmarks)  # noqa: SLF001
            (found,) = layer.transform(graphs, rows, None)
            alive = graphs.degrees > 0  # signed sums know no dead ends
            expected = signed(matrix, factors, rows.codes) @ mapped.root
            np.testing.assert_allclose(found[alive], expected[alive], rtol=1e-6, atol=1e-6)
            mine = seconds(lambda a=layer, o=one: JointLayer._sums(a, *o))  # noqa: SLF001
            theirs = seconds(lambda s=signed, m=matrix, f=factors, c=rows.codes: s(m, f, c))
            print(f"{name:14s}{length:7d}{mine:11.3f}s{theirs:8.3f}s{theirs / mine:7.1f}")


if __name__ == "__main__":
    main()
