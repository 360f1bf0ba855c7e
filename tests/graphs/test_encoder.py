import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gskn import AttributeEncoder, as_batch
from gskn.exceptions import InputError
from tests.graphs.test_batch import batch_of
from tests.reference.graphs import Spec
from tests.strategies import spec_lists


@given(spec_lists(), spec_lists())
def test_features_are_finite_and_of_unit_norm_per_block(train, test):
    batch = batch_of(train)
    encoder = AttributeEncoder().fit(batch)
    other = batch_of(test)
    fits = (other.node_labels is not None or "labels" not in encoder.node_features_) and (
        "attributes" not in encoder.node_features_
        or other.n_attributes == batch.n_attributes
    )
    assume(fits)
    rows = encoder.transform(other)
    assert rows.shape == (other.n_nodes, encoder.n_features_out_)
    assert len(encoder.get_feature_names_out()) == rows.shape[1]
    assert np.isfinite(rows).all()
    squares = (rows**2).sum(axis=1)
    assert (squares <= len(encoder.node_features_) + 1e-9).all()
    if "attributes" not in encoder.node_features_:
        np.testing.assert_allclose(squares, 1)


@given(spec_lists(min_size=1))
def test_features_of_a_node_do_not_depend_on_other_nodes(specs):
    batch = batch_of(specs)
    encoder = AttributeEncoder().fit(batch)
    if batch.n_nodes:
        parts = [encoder.transform(graph) for graph in batch if graph.n_nodes]
        np.testing.assert_array_equal(np.concatenate(parts), encoder.transform(batch))


def test_labels_are_one_hot_with_one_column_for_unseen_labels():
    train = batch_of([Spec(2, [], labels=["N", "C"])])
    encoder = AttributeEncoder().fit(train)
    names = ["label='C'", "label='N'", "label unseen"]
    assert encoder.get_feature_names_out().tolist() == names
    new = batch_of([Spec(3, [], labels=["O", "N", "S"])])
    assert encoder.transform(new).tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]


def test_label_values_absent_from_the_training_graphs_are_unseen():
    whole = batch_of([Spec(1, [], labels=["C"]), Spec(1, [], labels=["N"])])
    encoder = AttributeEncoder().fit(whole[:1])
    assert encoder.label_values_ == ("C",)
    assert encoder.transform(whole).tolist() == [[1, 0], [0, 1]]


def test_attributes_are_standardized_by_the_training_nodes():
    train = batch_of([Spec(2, [], attributes=[[0.0, 5.0], [2.0, 5.0]])])
    encoder = AttributeEncoder().fit(train)
    new = batch_of([Spec(2, [], attributes=[[4.0, 5.0], [1.0, 5.0]])])
    # Mean 1 and deviation 1; the constant column becomes zero; rows have unit norm.
    np.testing.assert_allclose(encoder.transform(new), [[1, 0], [0, 0]])


def test_labels_and_attributes_are_concatenated():
    batch = batch_of([Spec(2, [], labels=["a", "b"], attributes=[[1.0], [3.0]])])
    rows = AttributeEncoder().fit_transform(batch)
    assert rows.tolist() == [[1, 0, 0, -1], [0, 1, 0, 1]]


def test_large_degrees_are_binned():
    train = [nx.star_graph(n) for n in (2, 40, 44, 1000)]
    encoder = AttributeEncoder(max_degree=32).fit(train)
    assert encoder.get_feature_names_out().tolist() == [
        *("degree=1", "degree=2", "degree=39-45", "degree=872-1036"),
    ]
    tested = as_batch([nx.star_graph(n) for n in (3, 20, 21, 38, 500, 10**5)])
    hubs = encoder.transform(tested)[tested.graph_ptr[:-1]].argmax(axis=1)
    # 3 and 20 are nearest to 2, 21 (19 away from 2, 18 from 39) and 38 to the bin of
    # 39, 500 to the last bin: 372 below 872, 455 above 45.
    assert hubs.tolist() == [1, 1, 2, 2, 3, 3]


def test_isolated_nodes_have_degree_zero():
    encoder = AttributeEncoder().fit([nx.empty_graph(2), nx.path_graph(2)])
    names = ["degree=0", "degree=1", "degree unseen"]
    assert encoder.get_feature_names_out().tolist() == names


def test_hub_of_a_million_leaves_needs_few_columns():
    source = np.zeros(10**6, dtype=int)
    hub = as_batch((np.array([source, np.arange(1, 10**6 + 1)]), None))
    assert AttributeEncoder().fit(hub).n_features_out_ == 3
    assert AttributeEncoder(max_degree=32).fit(hub).n_features_out_ == 2


def test_unseen_degrees_share_one_column():
    train = [nx.star_graph(n) for n in (2, 40, 1000)]
    encoder = AttributeEncoder().fit(train)
    names = ["degree=1", "degree=2", "degree=40", "degree=1000", "degree unseen"]
    assert encoder.get_feature_names_out().tolist() == names
    new = as_batch([nx.star_graph(n) for n in (0, 1, 2, 39, 40, 41, 999, 1000, 10**4)])
    hubs = encoder.transform(new)[new.graph_ptr[:-1]].argmax(axis=1)
    assert hubs.tolist() == [4, 0, 1, 4, 2, 4, 4, 3, 4]
    np.testing.assert_array_equal(encoder.transform(new).sum(axis=1), 1)


def test_unseen_degrees_and_labels_have_separate_columns():
    train = batch_of([Spec(2, [(0, 1)], labels=["a", "b"])])
    encoder = AttributeEncoder(node_features=("labels", "degrees")).fit(train)
    names = ["label='a'", "label='b'", "label unseen", "degree=1", "degree unseen"]
    assert encoder.get_feature_names_out().tolist() == names
    new = batch_of([Spec(3, [(0, 1)], labels=["a", "c", "c"])])
    expected = [[1, 0, 0, 1, 0], [0, 0, 1, 1, 0], [0, 0, 1, 0, 1]]
    assert encoder.transform(new).tolist() == expected
    table, codes = encoder.distinct_rows(new)
    assert table[codes].tolist() == expected


@pytest.mark.parametrize("n_degrees", [1024, 1025, 1500])
def test_number_of_degree_columns_is_limited(n_degrees):
    # A threshold graph: node u is adjacent to v if u + v >= n_nodes.
    n_nodes = n_degrees + 1
    number = np.arange(n_nodes)
    adjacency = (number[:, None] + number) >= n_nodes
    np.fill_diagonal(adjacency, False)
    batch = as_batch(adjacency.astype(float))
    assert len(np.unique(batch.degrees)) == n_degrees
    encoder = AttributeEncoder().fit(batch)
    is_exact = encoder.degree_bins_[:, 0] == encoder.degree_bins_[:, 1]
    if n_degrees <= 1024:
        assert is_exact.all()
        assert encoder.n_features_out_ == n_degrees + 1
    else:
        assert is_exact[:934].all()
        assert not is_exact.all()
        assert encoder.n_features_out_ <= 1025
    unseen = encoder.n_features_out_ - 1
    assert not encoder.transform(batch)[:, unseen].any()
    assert encoder.transform(nx.star_graph(2000))[0, unseen] == 1


def test_relabeling_nodes_permutes_degree_columns():
    graph = nx.gnp_random_graph(30, 0.3, seed=0)
    order = np.random.default_rng(0).permutation(30)
    adjacency = nx.to_numpy_array(graph)
    encoder = AttributeEncoder().fit(adjacency)
    permuted = AttributeEncoder().fit(adjacency[np.ix_(order, order)])
    np.testing.assert_array_equal(
        permuted.transform(adjacency[np.ix_(order, order)]),
        encoder.transform(adjacency)[order],
    )


def test_max_degree_set_after_fit_has_no_effect():
    encoder = AttributeEncoder().fit(nx.path_graph(3))
    before = encoder.transform(nx.star_graph(3))
    encoder.set_params(max_degree=32)
    np.testing.assert_array_equal(encoder.transform(nx.star_graph(3)), before)
    assert len(encoder.get_feature_names_out()) == before.shape[1]


def test_node_features_are_selected_by_name():
    batch = batch_of([Spec(2, [(0, 1)], labels=["a", "b"], attributes=[[1.0], [3.0]])])
    assert AttributeEncoder(node_features="degrees").fit(batch).n_features_out_ == 2
    both = AttributeEncoder(node_features=["degrees", "labels"]).fit(batch)
    assert both.node_features_ == ("labels", "degrees")
    with pytest.raises(InputError, match="'colour'"):
        AttributeEncoder(node_features=["colour"]).fit(batch)
    with pytest.raises(InputError, match="no node labels"):
        AttributeEncoder(node_features="labels").fit(nx.path_graph(2))
    with pytest.raises(InputError, match="max_degree"):
        AttributeEncoder(max_degree=-1).fit(batch)


def test_graphs_unlike_the_training_graphs_raise():
    encoder = AttributeEncoder().fit(batch_of([Spec(1, [], attributes=[[1.0]])]))
    with pytest.raises(InputError, match="no node attributes"):
        encoder.transform(nx.path_graph(2))
    with pytest.raises(InputError, match="2 node attributes.*fitted with 1"):
        encoder.transform(batch_of([Spec(1, [], attributes=[[1.0, 2.0]])]))


def test_graphs_without_nodes_can_be_encoded():
    spec = Spec(1, [], labels=["a"], attributes=[[1.0]])
    encoder = AttributeEncoder().fit(batch_of([spec]))
    for nothing in ([], [nx.empty_graph(0)]):
        assert encoder.transform(nothing).shape == (0, 3)


def test_empty_and_huge_attributes():
    empty = as_batch((np.empty((2, 0), int), np.empty((2, 0))))
    encoder = AttributeEncoder(node_features="attributes")
    assert encoder.fit_transform(empty).shape == (2, 0)
    assert AttributeEncoder().fit(empty).node_features_ == ("degrees",)
    huge = as_batch((np.empty((2, 0), int), np.array([[1e308], [-1e308]])))
    with pytest.raises(InputError, match="1e\\+308"):
        AttributeEncoder().fit(huge)
    with pytest.raises(InputError, match="None"):
        AttributeEncoder(node_features=None).fit(empty)


def test_feature_names_are_unique():
    encoder = AttributeEncoder().fit(batch_of([Spec(3, [], labels=[1, "1", "unseen"])]))
    assert len(set(encoder.get_feature_names_out())) == 4


def test_encoder_is_an_estimator():
    encoder = AttributeEncoder(max_degree=3)
    assert clone(encoder).get_params() == {"max_degree": 3, "node_features": "auto"}
    with pytest.raises(NotFittedError):
        encoder.transform(nx.path_graph(2))
    first = encoder.fit(nx.path_graph(3)).get_feature_names_out().tolist()
    again = encoder.fit(nx.star_graph(3)).get_feature_names_out().tolist()
    assert (first, again) == (["degree=1", "degree=2"], ["degree=1", "degree=3"])
    state = dict(encoder.__dict__)
    encoder.transform(nx.path_graph(9))
    assert encoder.__dict__ == state
