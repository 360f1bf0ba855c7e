import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from gskn import GraphBatch, as_batch
from gskn.exceptions import InputError
from gskn.graphs import GraphParts, assemble
from tests.reference.graphs import Spec, check_batch, check_layout, check_same, labels_of
from tests.strategies import spec_lists


def part(spec: Spec) -> GraphParts:
    ends = np.array(spec.edges, dtype=np.int64).reshape(-1, 2)
    return GraphParts(
        [spec.n_nodes],
        ends[:, 0],
        ends[:, 1],
        spec.weights,
        spec.labels,
        spec.attributes,
        directed=spec.directed,
    )


def batch_of(specs: list[Spec]) -> GraphBatch:
    return assemble([part(spec) for spec in specs])


@pytest.mark.reference
@given(spec_lists())
def test_batch_matches_its_definition(specs):
    batch = batch_of(specs)
    check_batch(batch, specs)
    if any(spec.labels for spec in specs):
        assert labels_of(batch) == [label for spec in specs for label in spec.labels]
    if any(spec.attributes for spec in specs):
        rows = [row for spec in specs for row in spec.attributes]
        np.testing.assert_array_equal(batch.node_attributes, rows)


@given(spec_lists(), st.data())
def test_indexing_selects_graphs_like_a_list(specs, data):
    batch = batch_of(specs)
    numbers = st.integers(-len(specs), len(specs) - 1) if specs else st.nothing()
    chosen = data.draw(st.lists(numbers, max_size=6)) if specs else []
    expected = batch_of([specs[number] for number in chosen])
    for key in (chosen, np.array(chosen, dtype=int), (np.array(chosen, dtype=int), ...)):
        taken = batch[key]
        check_batch(taken, [specs[number] for number in chosen])
        if expected.n_nodes:
            check_same(taken, expected)


@given(spec_lists(), st.data())
def test_masks_and_slices_select_graphs_like_numpy(specs, data):
    batch = batch_of(specs)
    mask = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(specs), max_size=len(specs)))
    )
    mask = mask.astype(bool)
    cut = data.draw(st.slices(len(specs)))
    order = np.arange(len(specs))
    check_same(batch[mask], batch[order[mask]])
    check_same(batch[cut], batch[order[cut]])


@given(spec_lists())
def test_concat_of_single_graphs_equals_the_batch(specs):
    batch = batch_of(specs)
    joined = GraphBatch.concat(list(batch))
    check_layout(joined)
    if specs:
        check_same(joined, batch)
        check_same(as_batch(list(batch)), batch)


@given(spec_lists(min_size=1), st.data())
def test_concat_reverses_slicing(specs, data):
    batch = batch_of(specs)
    cut = data.draw(st.integers(0, len(specs)))
    check_same(GraphBatch.concat([batch[:cut], batch[cut:]]), batch)


@given(spec_lists(min_size=1))
def test_networkx_round_trip(specs):
    batch = batch_of(specs)
    graphs = [batch.to_networkx(number) for number in range(len(batch))]
    again = as_batch(graphs)
    if any(spec.n_nodes for spec in specs):
        check_same(again, batch)


@given(spec_lists(), st.integers(0, 2**32 - 1))
def test_label_values_do_not_depend_on_the_order_of_graphs(specs, seed):
    order = np.random.default_rng(seed).permutation(len(specs))
    assert batch_of(specs).label_values == batch_of([specs[i] for i in order]).label_values


def test_batch_is_read_only_also_after_pickling():
    batch = batch_of([Spec(2, [(0, 1)], labels=["a", "b"], attributes=[[1.0], [2.0]])])
    again = pickle.loads(pickle.dumps(batch))
    check_same(again, batch)
    check_layout(again)
    with pytest.raises(AttributeError):
        batch.graph_ptr = None
    with pytest.raises(ValueError, match="read-only"):
        again.adjacency.data[0] = 5


def test_derived_arrays_are_read_only():
    batch = batch_of([Spec(2, [(0, 1)])])
    for array in (batch.directed, batch.graph_edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_batch_may_be_empty():
    batch = as_batch([])
    assert (batch.n_graphs, batch.n_nodes, batch.n_edges) == (0, 0, 0)
    assert not batch.is_directed
    assert len(batch[:0]) == 0
    assert list(batch) == []
    assert repr(batch) == "GraphBatch(n_graphs=0, n_nodes=0, n_edges=0, undirected)"
    check_same(GraphBatch.concat([]), batch)


@pytest.mark.parametrize(
    "key", [3, -4, [0, 3], [0.5], "a", [[0]], (0, 1), [True, False], None]
)
def test_invalid_keys_raise(key):
    batch = batch_of([Spec(1, [])] * 3)
    with pytest.raises(IndexError):
        batch[key]


def test_repr_describes_the_batch():
    batch = batch_of([Spec(2, [(0, 1)], [2.0], ["a", "b"], [[1.0], [2.0]], directed=True)])
    expected = (
        "n_graphs=1, n_nodes=2, n_edges=1, n_labels=2, n_attributes=1, directed, weighted"
    )
    assert repr(batch) == f"GraphBatch({expected})"


def test_directed_graph_with_all_reverse_edges_is_undirected():
    assert not as_batch(nx.DiGraph([(0, 1), (1, 0)])).is_directed
    mixed = as_batch([nx.path_graph(3), nx.DiGraph([(0, 1)])])
    assert mixed.directed.tolist() == [False, True]
    assert mixed.graph_edges.tolist() == [2, 1]


def test_concat_matches_labels_by_value():
    first = batch_of([Spec(2, [], labels=["N", "C"])])
    second = batch_of([Spec(2, [], labels=["O", "N"])])
    joined = GraphBatch.concat([first, second])
    assert joined.label_values == ("C", "N", "O")
    assert labels_of(joined) == ["N", "C", "O", "N"]


def test_concat_keeps_names_and_numbers_unnamed_graphs():
    named = as_batch(nx.Graph([("x", ("y", 1))], name="first"))
    plain = as_batch(nx.path_graph(2))
    joined = GraphBatch.concat([named, plain])
    assert joined.node_names.tolist() == ["x", ("y", 1), 0, 1]
    assert joined.graph_names.tolist() == ["first", 1]
    assert joined[1].node_names.tolist() == [0, 1]
    assert joined.to_networkx(0).name == "first"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Spec(1, [], labels=["a"]), "no node labels"),
        (Spec(1, [], attributes=[[1.0]]), "no node attributes"),
    ],
)
def test_concat_raises_if_only_some_batches_have_node_data(other, message):
    with pytest.raises(InputError, match=message):
        GraphBatch.concat([batch_of([Spec(1, [])]), batch_of([other])])


def test_concat_raises_if_numbers_of_attributes_differ():
    batches = [batch_of([Spec(1, [], attributes=[[1.0] * width])]) for width in (1, 2)]
    with pytest.raises(
        InputError, match="Batch 1 has 2 node attributes, but batch 0 has 1"
    ):
        GraphBatch.concat(batches)


class MeanDegree(TransformerMixin, BaseEstimator):
    """An estimator that requires batches."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y=None):  # noqa: ARG002
        assert isinstance(X, GraphBatch)
        return self

    def transform(self, X):
        assert isinstance(X, GraphBatch)
        sums = np.add.reduceat(X.degrees.astype(float), X.graph_ptr[:-1])
        return (sums / X.graph_sizes)[:, None] ** self.power


@pytest.fixture(scope="module")
def cycles_and_cliques():
    graphs = [kind(n) for kind in (nx.cycle_graph, nx.complete_graph) for n in range(5, 25)]
    return as_batch(graphs), np.repeat([0, 1], 20)


def test_scikit_learn_can_slice_a_batch(cycles_and_cliques):
    graphs, y = cycles_and_cliques
    model = make_pipeline(MeanDegree(), LogisticRegression(C=100))
    assert cross_val_score(model, graphs, y, cv=5, n_jobs=2).mean() > 0.9
    search = GridSearchCV(model, {"meandegree__power": [1, 2]}, cv=3).fit(graphs, y)
    assert search.best_score_ > 0.9
    train, test, y_train, y_test = train_test_split(
        graphs, y, test_size=0.25, random_state=0
    )
    assert isinstance(train, GraphBatch)
    assert (len(train), len(test)) == (30, 10)
    assert (test.degrees[test.graph_ptr[:-1]] > 2).tolist() == (y_test == 1).tolist()
    assert model.fit(train, y_train).score(test, y_test) > 0.8


def test_names_that_are_not_hashable_raise():
    batch = as_batch([nx.path_graph(2), nx.path_graph(3)])
    assert batch.with_graph_names(["a", ("b", 1)]).graph_names.tolist() == ["a", ("b", 1)]
    for names in ([[1], [2]], [np.arange(2), "a"], np.ones((2, 2))):
        with pytest.raises(InputError, match="A name of a graph or node is of type"):
            batch.with_graph_names(names)


@pytest.mark.parametrize("sizes", [[-1, 3], [2**40], [1.5], [None], [10**30], [[1]]])
def test_invalid_numbers_of_nodes_raise(sizes):
    with pytest.raises(InputError, match="nodes"):
        assemble([GraphParts(sizes, [], [])])


def test_table_for_notebooks_contains_edge_labels():
    graph = nx.cycle_graph(6)
    nx.set_edge_attributes(
        graph, {edge: "ab"[edge[0] % 2] for edge in graph.edges}, "label"
    )
    html = as_batch(graph)._repr_html_()
    assert "<th>edge labels</th>" in html
    assert html.count(">2</td>") == 1
