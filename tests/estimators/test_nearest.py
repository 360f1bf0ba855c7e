import pickle
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from gskn import GSKN, NearestGraphs, datasets
from gskn.exceptions import InputError, MissingExtraError

SMALL = GSKN(n_landmarks=8, random_state=0)


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("MUTAG").graphs


def reference_neighbors(embedding, library, queries, k):
    """Compare standardized columns of all pairs in plain Python."""
    rows = embedding.transform(library)
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    deviation[deviation < 1e-9] = 1
    rows = (rows - mean) / deviation
    result = []
    for query in (embedding.transform(queries) - mean) / deviation:
        distances = [float(np.sqrt(np.mean((query - row) ** 2))) for row in rows]
        result.append(sorted(distances)[:k])
    return np.array(result)


def test_distances_equal_their_definition(graphs):
    nearest = NearestGraphs(SMALL, n_neighbors=5).fit(graphs[:100])
    distances, indices = nearest.kneighbors(graphs[100:120])
    expected = reference_neighbors(nearest.embedding_, graphs[:100], graphs[100:120], 5)
    np.testing.assert_allclose(distances, expected, atol=1e-9)
    assert indices.shape == (20, 5)
    assert (np.diff(distances, axis=1) >= 0).all()
    assert nearest.search_ == "exact"


def test_a_graph_of_the_library_has_distance_zero(graphs):
    nearest = NearestGraphs(SMALL).fit(graphs)
    distances, _ = nearest.kneighbors(graphs, n_neighbors=1)
    assert distances.max() < 1e-9


def test_neighbors_do_not_depend_on_the_other_queries(graphs):
    nearest = NearestGraphs(SMALL, n_neighbors=3).fit(graphs)
    together = nearest.kneighbors(graphs[:10])[0]
    alone = np.concatenate([nearest.kneighbors(graphs[n : n + 1])[0] for n in range(10)])
    np.testing.assert_allclose(together, alone, atol=1e-9)


def test_frozen_embedding_is_not_fitted_again(graphs):
    model = clone(SMALL).fit(graphs[:50])
    nearest = NearestGraphs(FrozenEstimator(model)).fit(graphs[50:])
    assert nearest.embedding_.estimator is model
    assert nearest.kneighbors(graphs[:2])[0].shape == (2, 10)


def test_small_library_is_returned_completely(graphs):
    nearest = NearestGraphs(SMALL).fit(graphs[:3])
    distances, indices = nearest.kneighbors(graphs[:2])
    assert distances.shape == (2, 3)
    assert sorted(indices[0]) == [0, 1, 2]
    assert nearest.kneighbors(graphs[:0])[1].shape == (0, 3)


def test_invalid_input_raises(graphs):
    with pytest.raises(NotFittedError):
        NearestGraphs().kneighbors(graphs)
    with pytest.raises(InputError, match="no graphs"):
        NearestGraphs().fit(graphs[:0])
    with pytest.raises(InputError, match="n_neighbors"):
        NearestGraphs(n_neighbors=0).fit(graphs)
    with pytest.raises(InputError, match="search"):
        NearestGraphs(search="quick").fit(graphs)


def test_pickled_copy_finds_the_same_graphs(graphs):
    nearest = NearestGraphs(SMALL).fit(graphs)
    copied = pickle.loads(pickle.dumps(nearest))
    np.testing.assert_array_equal(
        copied.kneighbors(graphs[:5])[1], nearest.kneighbors(graphs[:5])[1]
    )


def test_approximate_search_finds_the_exact_neighbors(graphs, monkeypatch):
    pytest.importorskip("usearch", reason="needs usearch (the extra search)")
    exact = NearestGraphs(SMALL, search="exact").fit(graphs)
    approximate = NearestGraphs(SMALL, search="approximate").fit(graphs)
    assert approximate.search_ == "approximate"
    # Distances are compared because graphs with equal embeddings may change places.
    expected, _ = exact.kneighbors(graphs)
    distances, indices = approximate.kneighbors(graphs)
    recall = np.isclose(distances, expected, atol=1e-9).mean()
    assert recall > 0.99
    assert all(len(set(row)) == 10 for row in indices.tolist())
    single, _ = approximate.kneighbors(graphs[:1], n_neighbors=188)
    np.testing.assert_allclose(single, exact.kneighbors(graphs[:1], 188)[0], atol=1e-9)
    monkeypatch.setattr("gskn.estimators._nearest._MAX_EXACT_GRAPHS", 100)
    assert NearestGraphs(SMALL).fit(graphs).search_ == "approximate"


@pytest.mark.skipif(find_spec("usearch") is not None, reason="usearch is installed")
def test_approximate_search_names_its_extra(graphs):
    with pytest.raises(MissingExtraError, match="search"):
        NearestGraphs(SMALL, search="approximate").fit(graphs)
