import pickle

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from gskn import GSKN, GSKNClassifier, GSKNRegressor, as_batch
from gskn.exceptions import InputError
from gskn.integrations.arrow import EmbedTable, PredictTable


def edge_table(n_graphs, seed=0):
    """Return the edges of random trees with 3 to 9 nodes and an additional edge."""
    rng = np.random.default_rng(seed)
    rows = []
    for graph in range(n_graphs):
        n_nodes = int(rng.integers(3, 10))
        rows += [(graph, int(rng.integers(node)), node) for node in range(1, n_nodes)]
        rows.append((graph, 0, n_nodes - 1))
    return pa.table(
        dict(zip(("graph", "source", "target"), zip(*rows, strict=True), strict=True))
    )


@pytest.fixture(scope="module")
def model():
    return GSKN(n_landmarks=8, random_state=0).fit(edge_table(40))


@pytest.mark.parametrize("level", ["graph", "node"])
def test_embeddings_of_a_table_are_those_of_its_graphs(model, level):
    table = edge_table(30, seed=1)
    embed = EmbedTable(model, level=level)
    result = embed(table)
    assert result.schema == embed.schema(table.schema)
    batch = as_batch(table)
    expected = model.transform(batch) if level == "graph" else model.transform_nodes(batch)
    np.testing.assert_allclose(
        np.column_stack([result[name] for name in embed.columns]), expected, atol=1e-12
    )
    owners = np.arange(30) if level == "graph" else batch.node_graphs
    np.testing.assert_array_equal(result["graph"], owners)


def test_graphs_that_are_embedded_alone_do_not_depend_on_the_table(model):
    table = edge_table(20, seed=2)
    embed = EmbedTable(model, one_by_one=True)
    graphs = table["graph"].to_numpy()
    pieces = [embed(table.filter(pa.array(graphs % 3 == rest))) for rest in range(3)]
    assert pa.concat_tables(pieces).sort_by("graph").equals(embed(table))


def test_record_batches_and_empty_tables_are_mapped(model):
    table = edge_table(10)
    embed = EmbedTable(model, dtype="float32")
    batches = [*table.to_batches(), *table.slice(0, 0).to_batches()]
    mapped = pa.Table.from_batches(embed.map_batches(iter(batches)))
    assert mapped.equals(embed(table))
    assert mapped.schema.field(1).type == pa.float32()
    assert embed(table.slice(0, 0)).schema == embed.schema(table.schema)


def test_names_that_are_not_integers_become_text(model):
    table = edge_table(5)
    table = table.set_column(
        0, "graph", pa.array([f"g{n}" for n in table["graph"].to_pylist()])
    )
    result = EmbedTable(model, level="node")(table)
    assert result.schema.types[:2] == [pa.string(), pa.int64()]
    assert result["graph"][0].as_py() == "g0"


def test_smiles_are_embedded_in_their_order():
    pytest.importorskip("rdkit")
    table = pa.table({"id": [7, 3], "smiles": ["CCO", "c1ccccc1"]})
    embed = EmbedTable(GSKN(n_landmarks=4, random_state=0).fit(table))
    assert embed(table)["graph"].to_pylist() == [7, 3]
    assert EmbedTable(embed.model, level="node")(table)["node"].to_pylist()[:3] == [0, 1, 2]


def test_predictions_of_a_table_are_those_of_its_graphs():
    table = edge_table(40)
    y = as_batch(table).graph_sizes
    for kind, targets in (
        (GSKNClassifier, np.where(y > 5, "large", "small")),
        (GSKNRegressor, y),
    ):
        estimator = kind(GSKN(n_landmarks=4), selection="none").fit(table, targets)
        predict = PredictTable(estimator)
        result = predict(table)
        assert result.schema == predict.schema(table.schema)
        column = result["class" if kind is GSKNClassifier else "value"].to_pylist()
        expected = estimator.predict(table)
        if kind is GSKNClassifier:
            assert column == expected.tolist()
            probabilities = np.column_stack(
                [result["probability_large"], result["probability_small"]]
            )
            np.testing.assert_allclose(
                probabilities, estimator.predict_proba(table), atol=1e-12
            )
        else:
            np.testing.assert_allclose(column, expected, rtol=1e-9)
        assert not len(predict(table.slice(0, 0)))


def test_a_pickled_function_is_small_and_gives_the_same_result(model):
    text = pickle.dumps(EmbedTable(model))
    assert len(text) < 5e6
    table = edge_table(5)
    assert pickle.loads(text)(table).equals(EmbedTable(model)(table))


def test_invalid_arguments_raise(model):
    with pytest.raises(InputError, match="level"):
        EmbedTable(model, level="edge")
    with pytest.raises(InputError, match="must be a GSKN"):
        EmbedTable(nx.path_graph(2))
    with pytest.raises(InputError, match="GSKNClassifier"):
        PredictTable(model)
    with pytest.raises(InputError, match="no column 'graph'"):
        EmbedTable(model)(edge_table(2).drop_columns("graph"))
