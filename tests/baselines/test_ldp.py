import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import LDP
from gskn.baselines._ldp import degree_profiles


@given(st.integers(0, 2**20))
def test_profiles_equal_definition(seed):
    graph = nx.gnp_random_graph(12, 0.25, seed=seed)
    profiles = degree_profiles(as_batch([graph]))
    for node in graph:
        degrees = [graph.degree(n) for n in graph[node]] or [0]
        expected = [graph.degree(node), min(degrees), max(degrees)]
        np.testing.assert_allclose(
            profiles[node], [*expected, np.mean(degrees), np.std(degrees)], atol=1e-12
        )


def test_embedding_of_a_star_has_closed_form():
    """A leaf has degree 1 and a neighbor of degree 4; the center the reverse."""
    embeddings = LDP(n_bins=2).fit_transform([nx.star_graph(4)])
    degree, smallest, largest, mean, deviation = embeddings.reshape(5, 2).tolist()
    assert degree == [4, 1]
    assert smallest == largest == mean == [1, 4]
    assert deviation == [5, 0]


def test_bins_cover_training_range_and_clip_outliers():
    model = LDP(n_bins=3, normalize=True).fit([nx.path_graph(4)])
    embeddings = model.transform([nx.star_graph(9), nx.empty_graph(2), nx.empty_graph(0)])
    np.testing.assert_allclose(
        embeddings.reshape(3, 5, 3).sum(axis=2), [[1] * 5, [1] * 5, [0] * 5]
    )
    assert len(model.get_feature_names_out()) == 15


def test_log_scale_has_wider_bins_for_large_degrees():
    graphs = [nx.star_graph(63)]
    linear, log = (
        LDP(n_bins=8, scale=scale).fit([nx.star_graph(255)]).transform(graphs)[0, :8]
        for scale in ("linear", "log")
    )
    assert np.flatnonzero(linear).tolist() == [0, 1]
    assert np.flatnonzero(log).tolist() == [0, 5]
