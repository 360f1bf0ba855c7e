import networkx as nx
import numpy as np
import pytest

from gskn.exceptions import InputError
from gskn.walks import pattern_names, patterns, quotient
from gskn.walks._mobius import basis
from gskn.walks._plan import make_plan
from gskn.walks._quotients import GraphTraits
from gskn.walks._terms import K4, MatDiagMat
from tests.reference.walks import anonymize, walks

PLAIN = GraphTraits(weighted=False, directed=False, staying=False, probability=False)


def test_numbers_of_patterns_are_bell_numbers():
    assert [len(patterns(length)) for length in range(1, 9)] == [
        1,
        1,
        2,
        5,
        15,
        52,
        203,
        877,
    ]
    staying = [len(patterns(length, staying=True)) for length in range(1, 9)]
    assert staying == [1, 2, 5, 15, 52, 203, 877, 4140]


@pytest.mark.parametrize("length", range(1, 7))
def test_patterns_match_walks_on_a_complete_graph(length):
    complete = nx.complete_graph(length)
    occurring = {anonymize(walk) for walk in walks(complete, 0, length)}
    assert sorted(occurring) == list(map(tuple, patterns(length).tolist()))
    complete.add_edges_from((node, node) for node in complete)
    looped = {anonymize(walk) for walk in walks(complete, 0, length)}
    assert looped == set(map(tuple, patterns(length, staying=True).tolist()))


@pytest.mark.parametrize("length", range(1, 9))
def test_patterns_without_repeated_symbols_come_first_in_order(length):
    listed = patterns(length, staying=True)
    np.testing.assert_array_equal(listed[: len(patterns(length))], patterns(length))
    for part in (listed[: len(patterns(length))], listed[len(patterns(length)) :]):
        assert part.tolist() == sorted(part.tolist())
    assert not listed.flags.writeable


def test_names_and_quotients():
    assert pattern_names(patterns(3)) == ["0-1-0", "0-1-2"]
    assert quotient(np.array([0, 1, 2, 0])) == [(0, 1), (0, 2), (1, 2)]
    assert quotient(np.array([0, 0, 1])) == [(0, 0), (0, 1)]


@pytest.mark.parametrize("length", [0, 11, 2.5, "4"])
def test_lengths_out_of_range_raise(length):
    with pytest.raises(InputError, match="length"):
        patterns(length)


def test_numbers_of_quotients_and_products():
    assert [len(basis(n, PLAIN).quotients) for n in range(4, 9)] == [5, 11, 24, 57, 141]
    assert [make_plan((n,), PLAIN).count(MatDiagMat) for n in range(4, 9)] == [
        1,
        1,
        2,
        5,
        10,
    ]
    assert [make_plan((n,), PLAIN).count(K4) for n in range(4, 9)] == [0, 0, 0, 0, 1]


def test_signs_invert_the_sum_over_coarser_partitions():
    """A partition is the sum of the patterns that coincide at least as in it."""
    traits = GraphTraits(weighted=True, directed=True, staying=True, probability=True)
    for length in range(1, 6):
        table = basis(length, traits)
        listed = table.patterns.tolist()
        coarser = np.array(
            [
                [len(set(zip(p, s, strict=True))) == len(set(p)) for s in listed]
                for p in listed
            ]
        )
        # Only if no two partitions share a quotient, the columns are partitions.
        if len(table.quotients) == len(listed):
            signs = table.signs.toarray()
            np.testing.assert_array_equal(signs @ coarser, np.eye(len(listed)))
