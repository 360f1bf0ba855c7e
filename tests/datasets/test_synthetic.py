import networkx as nx
import numpy as np
import pytest

from gskn import datasets
from gskn.exceptions import InputError
from tests.reference.graphs import check_same


def graphs_of(data):
    return [data.graphs.to_networkx(number) for number in range(len(data.graphs))]


@pytest.mark.parametrize("make", [datasets.structure, datasets.regular, datasets.csl])
def test_equal_seeds_give_equal_sets_without_global_state(make):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - must not change
    check_same(make(random_state=3).graphs, make(random_state=3).graphs)
    other = make(random_state=4).graphs
    assert not np.array_equal(
        make(random_state=3).graphs.adjacency.indices, other.adjacency.indices
    )
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_structure_matches_the_paper():
    data = datasets.structure()
    assert data.graphs.n_graphs == 400
    assert np.bincount(data.y).tolist() == [100] * 4
    sizes = data.graphs.graph_sizes
    assert sizes.min() >= 20
    assert sizes.max() <= 80
    assert {20, 80} <= set(datasets.structure(3000, noise=0).graphs.graph_sizes.tolist())
    for number, graph in enumerate(graphs_of(data)[::17]):
        n_nodes, kind = len(graph), data.y[::17][number]
        shape = [
            nx.cycle_graph(n_nodes),
            nx.path_graph(n_nodes),
            nx.wheel_graph(n_nodes),
            nx.ladder_graph(n_nodes // 2),
        ][kind]
        n_plain = shape.number_of_edges()
        assert graph.number_of_edges() == n_plain + round(0.1 * n_plain)
        assert nx.number_of_selfloops(graph) == 0


def test_structure_without_noise_has_exact_shapes():
    data = datasets.structure(2, noise=0.0)
    shapes = [nx.cycle_graph, nx.path_graph, nx.wheel_graph]
    for graph, kind in zip(graphs_of(data), data.y, strict=True):
        n_nodes = len(graph)
        expected = shapes[kind](n_nodes) if kind < 3 else nx.ladder_graph(n_nodes // 2)
        assert nx.is_isomorphic(graph, expected)


def test_regular_matches_the_paper():
    data = datasets.regular()
    assert np.bincount(data.y).tolist() == [50, 50]
    assert (data.graphs.degrees == 5).all()
    assert not data.graphs.is_weighted
    for graph, kind in zip(graphs_of(data), data.y, strict=True):
        sizes = sorted(map(len, nx.connected_components(graph)))
        assert sizes == ([20] if kind == 0 else [10, 10])


def test_regular_graphs_have_equal_probability():
    """The 3-regular graphs of 6 nodes are K33 (10 labellings) and the prism (60).

    With 2,000 draws the share of K33 is 1/7 up to 0.04 but for one seed in 10^6.
    """
    from gskn.datasets._synthetic import _sample_regular  # noqa: PLC0415

    samples = _sample_regular(6, 3, 2000, np.random.default_rng(0))
    graphs = [nx.Graph(list(map(tuple, edges.T.tolist()))) for edges in samples]
    share = np.mean([nx.is_bipartite(graph) for graph in graphs])
    assert abs(share - 1 / 7) < 0.04


@pytest.mark.parametrize("k", [3, 4, 7])
def test_rings(k):
    one, two = graphs_of(datasets.rings(k))
    assert nx.is_isomorphic(one, nx.cycle_graph(2 * k))
    assert nx.is_isomorphic(two, nx.disjoint_union(nx.cycle_graph(k), nx.cycle_graph(k)))


def test_csl_has_ten_classes_of_relabeled_copies():
    data = datasets.csl(3)
    graphs = graphs_of(data)
    assert (data.graphs.degrees == 4).all()
    skips = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)
    for number, graph in enumerate(graphs):
        expected = nx.circulant_graph(41, [1, skips[number // 3]])
        if number % 3 == 0:
            assert {*map(frozenset, graph.edges)} == {*map(frozenset, expected.edges)}
        assert nx.is_isomorphic(graph, expected)
    firsts = graphs[::3]
    assert not any(nx.is_isomorphic(a, b) for a in firsts for b in firsts if a is not b)


def test_rook_and_shrikhande_are_strongly_regular():
    rook, shrikhande = graphs_of(datasets.rook_shrikhande())
    board = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    assert nx.is_isomorphic(rook, board)
    for graph in (rook, shrikhande):
        matrix = nx.to_numpy_array(graph, nodelist=range(16))
        np.testing.assert_array_equal(matrix @ matrix, 4 * np.eye(16) + 2)
    assert not nx.is_isomorphic(rook, shrikhande)


def wl_colors(graph):
    """Refine colors by the colors of neighbors until they are stable: 1-WL."""
    colors = dict.fromkeys(graph, ())
    for _ in graph:
        colors = {n: (colors[n], *sorted(colors[m] for m in graph[n])) for n in graph}
        ranks = {color: rank for rank, color in enumerate(sorted(set(colors.values())))}
        colors = {node: (ranks[color],) for node, color in colors.items()}
    return sorted(colors.values())


def test_decalin_and_bicyclopentyl():
    decalin, bicyclopentyl = graphs_of(datasets.decalin_bicyclopentyl())
    assert sorted(map(len, nx.minimum_cycle_basis(decalin))) == [6, 6]
    assert sorted(map(len, nx.minimum_cycle_basis(bicyclopentyl))) == [5, 5]
    assert wl_colors(decalin) == wl_colors(bicyclopentyl)


def test_quadrangles_are_strongly_regular_with_equal_parameters():
    for graph in graphs_of(datasets.quadrangles()):
        square = np.linalg.matrix_power(nx.to_numpy_array(graph), 2)
        adjacent = nx.to_numpy_array(graph) > 0
        assert set(np.diag(square)) == {12}
        assert set(square[adjacent]) == {2}
        assert set(square[~adjacent & ~np.eye(40, dtype=bool)]) == {4}


def test_hamming_and_doob_are_distance_regular_with_equal_parameters():
    arrays = [nx.intersection_array(g) for g in graphs_of(datasets.hamming_doob())]
    assert arrays == [([9, 6, 3], [1, 2, 3])] * 2


def test_cfi_graphs_have_equal_degrees_and_are_not_isomorphic():
    plain, twisted = graphs_of(datasets.cfi())
    assert len(plain) == len(twisted) == 28
    degrees = [sorted(dict(graph.degree).values()) for graph in (plain, twisted)]
    assert degrees[0] == degrees[1]
    assert wl_colors(plain) == wl_colors(twisted)
    assert not nx.is_isomorphic(plain, twisted)


def test_pairs_are_pairs():
    for make in datasets.PAIRS.values():
        assert make().y.tolist() == [0, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: datasets.structure(0),
        lambda: datasets.structure(noise=2),
        lambda: datasets.structure(noise="a"),
        lambda: datasets.rings(2),
        lambda: datasets.csl(n_copies=1.5),
        lambda: datasets.regular(random_state="seed"),
        lambda: datasets.regular(random_state=-1),
    ],
)
def test_invalid_options_raise(make):
    with pytest.raises(InputError, match="must"):
        make()
