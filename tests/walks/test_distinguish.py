import networkx as nx
import pytest

from gskn import datasets
from gskn.exceptions import InputError
from gskn.walks import distinguish


@pytest.mark.parametrize(
    ("make", "by_patterns", "by_induced", "pattern"),
    [
        (lambda: datasets.rings(3), 4, 3, "0-1-2-0"),
        (lambda: datasets.rings(4), 5, 4, "0-1-2-3-0"),
        (datasets.decalin_bicyclopentyl, 6, 5, "0-1-2-3-4-0"),
        (datasets.rook_shrikhande, 8, 4, "0-1-2-0-3-1-2-3"),
    ],
)
def test_pairs_that_only_patterns_distinguish(make, by_patterns, by_induced, pattern):
    result = distinguish(*make().graphs)
    assert not result.by_wl
    assert result.by_walks is None
    assert (result.by_patterns, result.by_induced) == (by_patterns, by_induced)
    assert result.pattern == pattern
    assert result.counts[0] != result.counts[1]


def test_relabeled_graph_is_not_distinguished():
    graph = nx.gnp_random_graph(8, 0.4, seed=3)
    relabeled = nx.relabel_nodes(graph, {node: 7 - node for node in graph})
    result = distinguish(graph, relabeled, max_length=6)
    assert not result.by_wl
    assert (result.by_walks, result.by_patterns, result.by_induced) == (None, None, None)
    assert result.pattern == ""


def test_different_degrees_are_distinguished_by_all_methods():
    result = distinguish(nx.path_graph(4), nx.star_graph(3))
    assert result.by_wl
    assert (result.by_walks, result.by_patterns, result.by_induced) == (3, 3, 3)


def test_nodes_are_compared_by_walks_from_them():
    path = nx.path_graph(4)
    assert distinguish(path, path, nodes=(0, 3)).by_patterns is None
    result = distinguish(path, path, nodes=(0, 1))
    assert result.by_wl
    assert result.by_walks == result.by_patterns == 2


def test_edge_directions_are_distinguished():
    cycle, other = (
        nx.DiGraph([(0, 1), (1, 2), (2, 0)]),
        nx.DiGraph([(0, 1), (1, 2), (0, 2)]),
    )
    assert distinguish(cycle, other).by_wl


@pytest.mark.parametrize(
    ("first", "options", "words"),
    [
        ([nx.path_graph(2)] * 2, {}, "2 graphs"),
        (nx.path_graph(2), {"nodes": (0, 5)}, "no node 5"),
        (nx.path_graph(2), {"max_length": 0}, "max_length"),
        (nx.path_graph(2), {"max_length": 9}, "at most 8"),
        (nx.path_graph(2), {"max_induced_length": 9}, "at most 8"),
    ],
)
def test_invalid_input_raises(first, options, words):
    with pytest.raises(InputError, match=words):
        distinguish(first, nx.path_graph(2), **options)


def test_dense_graphs_are_compared_up_to_the_enumeration_limit():
    result = distinguish(nx.complete_graph(60), nx.complete_graph(60), max_length=6)
    assert not result.by_wl
    assert (result.by_patterns, result.by_induced) == (None, None)
