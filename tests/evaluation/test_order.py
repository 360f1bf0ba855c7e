import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA

from gskn import GSKN, GSKNClassifier, as_batch, datasets, pattern_counts
from gskn.evaluation import check_order_independence
from gskn.exceptions import InputError


class FitsInTransform(TransformerMixin, BaseEstimator):
    """Fit a PCA to every sixteen consecutive graphs, as the published program does."""

    def fit(self, _X, _y=None):
        return self

    def transform(self, X):
        embeddings = pattern_counts(as_batch(X), 5).graph_rows().toarray()
        parts = [embeddings[n : n + 16] for n in range(0, len(embeddings), 16)]
        return np.vstack([PCA(1).fit_transform(part) for part in parts])


@pytest.fixture(scope="module")
def sorted_set():
    data = datasets.load("structure")
    chosen = np.arange(0, data.graphs.n_graphs, 8)
    order = chosen[np.argsort(data.y[chosen], kind="stable")]
    return data.graphs[order], data.y[order]


def test_graph_embeddings_do_not_depend_on_other_graphs(sorted_set):
    model = GSKN(("walk", "anonymous", "joint"), random_state=0)
    assert check_order_independence(model, sorted_set[0]) < 1e-10


def test_transform_that_learns_from_its_batch_raises(sorted_set):
    with pytest.raises(
        InputError, match=r"embedding of graph \d+ depends on the other graphs"
    ):
        check_order_independence(FitsInTransform(), sorted_set[0])


def test_order_of_graphs_does_not_change_embeddings_and_accuracy(sorted_set):
    graphs, y = sorted_set
    order = np.random.default_rng(0).permutation(len(y))
    test = np.arange(len(y)) % 3 == 0
    model = GSKNClassifier(C=0.01, random_state=0).fit(graphs[~test], y[~test])
    assert model.score(graphs[test], y[test]) == model.score(
        graphs[order][test[order]], y[order][test[order]]
    )
    np.testing.assert_allclose(
        model.embedding_.transform(graphs)[order],
        model.embedding_.transform(graphs[order]),
        rtol=1e-10,
        atol=1e-12,
    )


def test_single_graph_raises(sorted_set):
    with pytest.raises(InputError, match="at least two graphs"):
        check_order_independence(GSKN(), sorted_set[0][:1])
