import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import LDP
from gskn.baselines._ldp import degree_profiles


@given(st.integers(0, 2**20))
def test_profiles_are_those_of_the_definition(seed):
    graph = nx.gnp_random_graph(12, 0.25, seed=seed)
    found = degree_profiles(as_batch([graph]))
    for node in graph:
        around = [graph.degree(n) for n in graph[node]] or [0]
        expected = [graph.degree(node), min(around), max(around)]
        np.testing.assert_allclose(
            found[node], [*expected, np.mean(around), np.std(around)], atol=1e-12
        )


def test_a_star_worked_out_by_hand():
    """Leaves: degree 1, around them 4. Centre: degree 4, around it 1."""
    rows = LDP(n_bins=2).fit_transform([nx.star_graph(4)])
    degree, least, largest, mean, spread = rows.reshape(5, 2).tolist()
    assert degree == [4, 1]
    assert least == largest == mean == [1, 4]
    assert spread == [5, 0]


def test_bins_are_those_of_training_and_nothing_falls_out():
    model = LDP(n_bins=3, normalize=True).fit([nx.path_graph(4)])
    rows = model.transform([nx.star_graph(9), nx.empty_graph(2), nx.empty_graph(0)])
    np.testing.assert_allclose(
        rows.reshape(3, 5, 3).sum(axis=2), [[1] * 5, [1] * 5, [0] * 5]
    )
    assert len(model.get_feature_names_out()) == 15


def test_logarithms_widen_the_bins_of_large_degrees():
    graphs = [nx.star_graph(63)]
    linear, log = (
        LDP(n_bins=8, scale=scale).fit([nx.star_graph(255)]).transform(graphs)[0, :8]
        for scale in ("linear", "log")
    )
    assert np.flatnonzero(linear).tolist() == [0, 1]
    assert np.flatnonzero(log).tolist() == [0, 5]
