"""Paths as signed sums over walks: the terms against the definition."""

from itertools import product

import networkx as nx
import pytest

from gskn.layers._path_terms import Place, Triangle, all_cycles, path_terms, shared_ends


def count_maps(graph, place, node):
    """Count the maps of a quotient that send a place to a node, by brute force."""
    total = 1
    for step in place.steps:
        total *= sum(count_maps(graph, step, other) for other in graph[node])
    for cycle in place.cycles:
        if isinstance(cycle, Triangle):
            total *= sum(b in graph[a] for a, b in product(graph[node], repeat=2))
        else:
            total *= sum(
                opposite in graph[a] and opposite in graph[b]
                for a, b in product(graph[node], repeat=2)
                for opposite in graph
            )
    return total


def count_paths(graph, node, length, visited=()):
    if length == 1:
        return 1
    seen = {*visited, node}
    return sum(
        count_paths(graph, other, length - 1, seen)
        for other in graph[node]
        if other not in seen
    )


@pytest.mark.parametrize("length", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_signed_counts_of_walks_are_counts_of_paths(length, seed):
    graph = nx.gnp_random_graph(8, 0.5, seed=seed)
    for node in graph:
        signed = sum(
            term.sign * count_maps(graph, term.place, node) for term in path_terms(length)
        )
        assert signed == count_paths(graph, node, length)


def test_every_partition_without_consecutive_positions_is_a_term():
    # Their number is the Bell number of one position less.
    assert [len(path_terms(length)) for length in (2, 3, 4, 5)] == [1, 2, 5, 15]


def test_two_nodes_need_one_step():
    (term,) = path_terms(2)
    assert term.sign == 1
    assert term.place == Place((), (Place((1,)),))


def test_every_triangle_has_a_shared_block():
    triangles, cycles = all_cycles(5)
    ends = shared_ends(triangles, cycles)
    assert [cycles[0].first, cycles[0].second] == ends[:2]
    assert all(t.first in ends or t.second in ends for t in triangles)
