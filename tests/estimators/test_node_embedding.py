import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, NodeEmbedding, as_batch


@pytest.fixture
def graphs():
    return as_batch([nx.lollipop_graph(4, 3), nx.star_graph(5), nx.empty_graph(2)])


def test_rows_are_the_node_embeddings(graphs):
    expected = GSKN(n_landmarks=4, random_state=1).fit(graphs).transform_nodes(graphs)
    model = NodeEmbedding(GSKN(n_landmarks=4, random_state=1))
    np.testing.assert_array_equal(model.fit_transform(graphs), expected)
    assert len(model.get_feature_names_out()) == expected.shape[1]


def test_a_pipeline_classifies_nodes(graphs):
    degrees = graphs.degrees
    model = make_pipeline(NodeEmbedding(), StandardScaler(), LogisticRegression())
    assert model.fit(graphs, degrees > 1).score(graphs, degrees > 1) == 1.0


def test_a_frozen_embedding_is_not_fitted_again(graphs):
    fitted = GSKN(n_landmarks=4, random_state=1).fit(graphs)
    model = NodeEmbedding(FrozenEstimator(fitted)).fit(graphs[:1])
    np.testing.assert_array_equal(model.transform(graphs), fitted.transform_nodes(graphs))
    assert list(model.get_feature_names_out()) == list(fitted.get_node_feature_names_out())


def test_columns_of_pandas_have_names(graphs):
    pytest.importorskip("pandas")
    model = NodeEmbedding().set_output(transform="pandas").fit(graphs)
    frame = model.transform(graphs)
    assert list(frame.columns) == list(model.get_feature_names_out())


def test_transform_before_fit_raises(graphs):
    with pytest.raises(NotFittedError):
        NodeEmbedding().transform(graphs)
