import json

import networkx as nx
import numpy as np
import pytest

from gskn import datasets
from gskn.exceptions import FileFormatError, MissingFileError
from gskn.networks import GAT, GCN, GIN, GraphSAGE, NodeNetwork, UnsupervisedNodeNetwork

pytest.importorskip("torch", reason="needs the torch extra")
safetensors = pytest.importorskip("safetensors.numpy", reason="needs the torch extra")

pytestmark = pytest.mark.torch
SMALL = {"n_layers": 2, "n_hidden": 8, "max_epochs": 2, "random_state": 0}


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("MUTAG").graphs[:20]


@pytest.fixture(scope="module")
def model(graphs):
    y = np.array(["no", "yes"])[np.arange(20) % 2]
    return GIN(**SMALL, n_seeds=2).fit(graphs, y)


@pytest.mark.parametrize("network", [GIN, GCN, GraphSAGE, GAT])
def test_loaded_network_has_the_same_predictions(network, graphs, tmp_path):
    graphs = graphs if network is GIN else graphs.without_edge_data()
    fitted = network(**SMALL).fit(graphs, np.arange(20) % 3)
    fitted.save(tmp_path / "model.safetensors")
    loaded = network.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(
        loaded.predict_proba(graphs), fitted.predict_proba(graphs)
    )
    np.testing.assert_array_equal(loaded.classes_, fitted.classes_)
    assert loaded.get_params() == fitted.get_params()
    assert loaded.history_ == fitted.history_


def test_loaded_node_networks_have_the_same_output(tmp_path):
    graph, path = nx.karate_club_graph(), tmp_path / "nodes"
    for y in (np.arange(34) % 2, np.eye(34, 3)):
        fitted = NodeNetwork("gat", **SMALL).fit(graph, y)
        fitted.save(path)
        loaded = NodeNetwork.load(path)
        np.testing.assert_array_equal(loaded.predict(graph), fitted.predict(graph))
    embedding = UnsupervisedNodeNetwork(**SMALL).fit(graph)
    embedding.save(path)
    rows = UnsupervisedNodeNetwork.load(path).transform_nodes(graph)
    np.testing.assert_array_equal(rows, embedding.transform_nodes(graph))


def test_loaded_network_has_classes_of_the_same_type(model, graphs, tmp_path):
    model.save(tmp_path / "model")
    assert GIN.load(tmp_path / "model").predict(graphs[:1])[0] in {"no", "yes"}


def test_file_of_another_class_raises(model, tmp_path):
    model.save(tmp_path / "model")
    with pytest.raises(FileFormatError, match="'GIN' instead of 'GCN'"):
        GCN.load(tmp_path / "model")


def test_missing_file_raises(tmp_path):
    with pytest.raises(MissingFileError):
        GIN.load(tmp_path / "model")


@pytest.mark.parametrize("n_bytes", [0, 7, 100, 1000, -1])
def test_truncated_file_raises(model, tmp_path, n_bytes):
    path = tmp_path / "model"
    model.save(path)
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(FileFormatError, match="not a readable safetensors file"):
        GIN.load(path)


def rewrite(path, change):
    """Apply a change to header and arrays of a file."""
    content = path.read_bytes()
    arrays = safetensors.load(content)
    size = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["header"])
    change(header, arrays)
    path.write_bytes(safetensors.save(arrays, metadata={"header": json.dumps(header)}))


def set_value(*keys, value):
    def change(header, arrays):
        del arrays
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


def remove_array(name):
    return lambda _header, arrays: arrays.pop(name)


def replace_array(name, array):
    return lambda _header, arrays: arrays.update({name: array})


WEIGHT = "member_0/classifier.5.bias"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_value("format", value="other"), "not a model of gskn"),
        (set_value("version", value=99), "update gskn"),
        (set_value("parameters", "n_hidden", value=10**9), "n_hidden must be at most"),
        (set_value("parameters", "n_hidden", value=16), "not of shape"),
        (set_value("parameters", "n_layers", value=3), "are missing"),
        (set_value("parameters", "color", value=1), "'color' is unknown"),
        (set_value("n_members", value=3), "history of 3 members"),
        (set_value("n_members", value=-1), "n_members must be at least 1"),
        (set_value("n_out", value=7), "do not fit 2 classes"),
        (set_value("history", value=[]), "history of 2 members"),
        (set_value("state", value={}), "no entry 'classes'"),
        (set_value("state", "edge_labels", value={"tuple": [1, 1]}), "without repetition"),
        (set_value("state", "edge_labels", value={"tuple": [1]}), "not of shape"),
        (set_value("encoder", "n_features_out_", value=3), "columns instead of 3"),
        (set_value("more", value=1), "unknown entry 'more'"),
        (remove_array(WEIGHT), "are missing"),
        (replace_array("member_0/new", np.zeros(1)), "are unknown"),
        (replace_array("member_9/new", np.zeros(1)), "unknown array"),
        (replace_array("other", np.zeros(1)), "unknown array"),
        (replace_array(WEIGHT, np.zeros(2)), "float64"),
        (replace_array(WEIGHT, np.full(2, np.nan, np.float32)), "not finite"),
    ],
)
def test_inconsistent_file_raises(model, tmp_path, change, message):
    path = tmp_path / "model"
    model.save(path)
    rewrite(path, change)
    with pytest.raises(FileFormatError, match=message):
        GIN.load(path)


def test_file_without_header_raises(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(safetensors.save({"a": np.zeros(1)}))
    with pytest.raises(FileFormatError, match="there is no header"):
        GIN.load(path)
