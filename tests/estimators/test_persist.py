import io
import json
import pickle
import zipfile

import networkx as nx
import numpy as np
import pytest

from gskn import GSKN, GSKNClassifier, as_batch, datasets
from gskn.exceptions import FileFormatError, InputError, MissingFileError
from gskn.graphs import GraphBatch
from gskn.layers import BRANCHES


def with_labels(labels):
    graph = nx.path_graph(len(labels))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


def with_attributes():
    generator = np.random.default_rng(0)
    plain = as_batch([nx.cycle_graph(5), nx.path_graph(7)])
    rows = generator.normal(size=(plain.n_nodes, 3))
    return GraphBatch(plain.adjacency, plain.graph_ptr, node_attributes=rows)


def with_edge_data(kind):
    graph = with_labels("CCNOC")
    for number, data in enumerate(graph.edges.values()):
        if "labels" in kind:
            data["label"] = ["single", 2, ("a", 1)][number % 3]
        if "attributes" in kind:
            data["attributes"] = [number, 1.0]
    return [graph, with_labels("C")]


CASES = {
    "degrees": datasets.rings(4).graphs,
    "edge labels": with_edge_data("labels"),
    "edge attributes": with_edge_data("attributes"),
    "edge labels and attributes": with_edge_data("labels and attributes"),
    "labels": [with_labels(["C", 1, 2.5, ("a", 1), True]), with_labels(["C", False])],
    "attributes": with_attributes(),
}


@pytest.mark.parametrize("case", CASES)
def test_loaded_model_gives_identical_embeddings(case, tmp_path):
    model = GSKN(
        tuple(BRANCHES),
        anonymous_length=5,
        n_layers=2,
        n_landmarks=np.int64(7),
        pooling=("mean", "log"),
        random_state=0,
    )
    model.fit(CASES[case]).save(tmp_path / "model.gskn")
    loaded = GSKN.load(tmp_path / "model.gskn")
    np.testing.assert_array_equal(
        loaded.transform(CASES[case]), model.transform(CASES[case])
    )
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert loaded.n_landmarks == 7
    assert loaded.branches == tuple(BRANCHES)
    assert loaded.branches_ == model.branches_
    assert ("degree-walk" in loaded.branches_) == (case != "degrees")
    assert loaded.pooling == ("mean", "log")
    assert loaded.edge_features_ == model.edge_features_
    assert ("labels" in loaded.edge_features_) == ("edge labels" in case)
    assert loaded.n_features_out_ == model.n_features_out_
    assert loaded.random_state == 0
    loaded.save(tmp_path / "again.gskn")
    again = GSKN.load(tmp_path / "again.gskn").transform(CASES[case])
    np.testing.assert_array_equal(again, model.transform(CASES[case]))


@pytest.mark.parametrize("max_degree", [None, 0, 32])
def test_model_with_unseen_degrees_is_equal_after_loading(max_degree, tmp_path):
    model = GSKN(("walk",), max_degree=max_degree, random_state=0)
    model.fit([nx.star_graph(40), nx.path_graph(4)]).save(tmp_path / "m.gskn")
    loaded = GSKN.load(tmp_path / "m.gskn")
    new = [nx.star_graph(n) for n in (3, 39, 40, 41)]
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    assert loaded.max_degree == max_degree
    names = model.encoder_.get_feature_names_out().tolist()
    assert loaded.encoder_.get_feature_names_out().tolist() == names


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.gskn"
    GSKN(random_state=0).fit(CASES["degrees"]).save(path)
    return path


def rewrite(path, change):
    """Write the file again after a change of its header or arrays."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(bytes(arrays["header"]))
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)


DAMAGES = {
    "another format": (lambda h, _: h.update(format="cake"), "not a model"),
    "a version that is a boolean": (lambda h, _: h.update(version=True), "update gskn"),
    "version zero": (lambda h, _: h.update(version=0), "update gskn"),
    "a newer version": (lambda h, _: h.update(version=3), "update gskn"),
    "a version that is text": (lambda h, _: h.update(version="x"), "update gskn"),
    "no version": (lambda h, _: h.pop("version"), "update gskn"),
    "no branches": (lambda h, _: h.pop("branches"), "no entry 'branches'"),
    "a bad parameter": (lambda h, _: h["parameters"].update(alpha=-1), "alpha must be"),
    "many layers": (lambda h, _: h["parameters"].update(n_layers=10**9), "n_layers must"),
    "long walks": (lambda h, _: h["parameters"].update(walk_length=10**9), "walk_length"),
    "an invalid seed": (
        lambda h, _: h["parameters"].update(random_state="junk"),
        "random_state",
    ),
    "an invalid number of threads": (
        lambda h, _: h["parameters"].update(n_jobs="junk"),
        "n_jobs",
    ),
    "unknown node features": (
        lambda h, _: h["encoder"].update(node_features_=["foo"]),
        "node_features",
    ),
    "an invalid degree": (lambda h, _: h["encoder"].update(max_degree="x"), "max_degree"),
    "negative degrees": (lambda h, _: h["encoder"].update(max_degree=-1), "max_degree"),
    "one column less": (lambda h, _: h["encoder"].update(max_degree=32), "columns"),
    "odd parameter max_degree": (
        lambda h, _: h["parameters"].update(max_degree=1.5),
        "max_degree",
    ),
    "an unknown pooling": (lambda h, _: h["parameters"].update(pooling="x"), "pooling"),
    "unsorted bins": (lambda _, a: a["degree_bins"].__imul__(-1), "not in order"),
    "an unknown parameter": (lambda h, _: h["parameters"].update(evil=1), "evil"),
    "too few branches": (lambda h, _: h["branches"].pop(), "the branches are"),
    "a missing array": (lambda _, a: a.pop("walk_0_2_landmarks"), "walk_0_2_landmarks"),
    "one array too many": (lambda _, a: a.update(more=np.ones(3)), "unknown array 'more'"),
    "a wrong shape": (lambda _, a: a.update(walk_0_1_landmarks=np.ones((1, 9))), "shape"),
    "a wrong type": (lambda _, a: a.update(walk_0_1_root=np.ones((1, 1), int)), "int64"),
    "a value that is not a number": (
        lambda _, a: a["walk_0_1_root"].fill(np.nan),
        "not finite",
    ),
    "no branch but many layers": (
        lambda h, _: (h["parameters"].update(n_layers=10**7), h.update(branches=[])),
        "n_layers must",
    ),
    "empty branches": (lambda h, _: h.update(branches=[]), "the branches are"),
    "a list for a dict": (lambda h, _: h.update(encoder=[]), "encoder"),
    "a list for a header": (lambda h, _: h.update(parameters=[1]), "parameters"),
    "an infinite seed": (
        lambda h, _: h["branches"][1]["layers"][0].update(seed=float("inf")),
        "seed",
    ),
    "a scale beyond floats": (
        lambda h, _: h["branches"][0]["scales"].append(10**400),
        "scale",
    ),
    "a control character": (
        lambda h, _: h["parameters"].update({"\x1b[31m": 1}),
        r"\\x1b\[31m",
    ),
    "bins of no shape": (lambda _, a: a.update(degree_bins=np.ones(3)), "degree_bins"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_model_raises(damage, saved):
    change, message = DAMAGES[damage]
    rewrite(saved, change)
    with pytest.raises(FileFormatError, match=message) as error:
        GSKN.load(saved)
    assert str(error.value).isprintable()
    assert str(saved) in str(error.value)


DEGREE_DAMAGES = {
    "no encoder": (lambda h, _: h.pop("degree_encoder"), "do not match"),
    "no branch": (
        lambda h, _: (
            h["parameters"].update(branches={"tuple": ["walk"]}),
            h["branches"].pop(),
        ),
        "do not match",
    ),
    "other features": (
        lambda h, _: h["degree_encoder"].update(
            node_features_=["degrees"], n_features_out_=3
        ),
        "degree_encoder has the node features",
    ),
    "unsorted bins": (
        lambda _, a: a["degree_encoder_degree_bins"].__imul__(-1),
        "not in order",
    ),
    "no bins": (lambda _, a: a.pop("degree_encoder_degree_bins"), "degree_bins is"),
    "wrong type": (lambda h, _: h.update(degree_encoder=3), "degree_encoder must be"),
}


EDGE_DAMAGES = {
    "no encoder": (lambda h, _: h.pop("edge_encoder"), "shape"),
    "no branch": (
        lambda h, _: (
            h["parameters"].update(branches={"tuple": ["anonymous"]}),
            h.update(branches=[h["branches"][1]]),
        ),
        "do not match",
    ),
    "unknown features": (
        lambda h, _: h["edge_encoder"].update(edge_features=["foo"]),
        "edge_features",
    ),
    "no features": (
        lambda h, _: h["edge_encoder"].update(edge_features=[]),
        "edge_features",
    ),
    "labels that are not used": (
        lambda h, _: h["edge_encoder"].update(edge_features=["attributes"]),
        "do not match",
    ),
    "a label twice": (
        lambda h, _: h["edge_encoder"].update(label_values_=[2, 2, 3]),
        "twice",
    ),
    "a label that is a list": (
        lambda h, _: h["edge_encoder"].update(label_values_=[{"list": [1]}]),
        "contains a list",
    ),
    "no number of attributes": (
        lambda h, _: h["edge_encoder"].pop("n_attributes_"),
        "n_attributes_",
    ),
    "one attribute less": (
        lambda h, _: h["edge_encoder"].update(n_attributes_=1),
        "edge_attribute_mean",
    ),
    "a scale of zero": (lambda _, a: a["edge_attribute_scale"].fill(0), "not positive"),
    "wrong type": (lambda h, _: h.update(edge_encoder=3), "edge_encoder must be"),
}


@pytest.mark.parametrize("damage", EDGE_DAMAGES)
def test_damaged_edge_encoder_raises(damage, tmp_path):
    change, message = EDGE_DAMAGES[damage]
    path = tmp_path / "model.gskn"
    graphs = CASES["edge labels and attributes"]
    GSKN(("walk", "anonymous"), random_state=0).fit(graphs).save(path)
    rewrite(path, change)
    with pytest.raises(FileFormatError, match=message):
        GSKN.load(path)


@pytest.mark.parametrize("kind", [GSKN, GSKNClassifier])
def test_file_of_version_1_does_not_compare_edges(kind, tmp_path):
    """Files of version 1 have no parameter ``edge_features``."""
    path = tmp_path / "model.gskn"
    data = datasets.rings(4)
    model = GSKN(edge_features="none", random_state=0)
    if kind is GSKNClassifier:
        model = GSKNClassifier(model, selection="none", random_state=0)
    model.fit(data.graphs, data.y).save(path)

    def make_old(header, _):
        header["version"] = 1
        del header["parameters"]["edge_features"]
        if "machine" in header:
            del header["machine"]["embedding"]["edge_features"]

    rewrite(path, make_old)
    loaded = kind.load(path)
    embedding = loaded if kind is GSKN else loaded.embedding
    assert embedding.edge_features == "none"
    output = "transform" if kind is GSKN else "decision_function"
    np.testing.assert_array_equal(
        getattr(loaded, output)(data.graphs), getattr(model, output)(data.graphs)
    )


@pytest.mark.parametrize("damage", DEGREE_DAMAGES)
def test_damaged_degree_encoder_raises(damage, tmp_path):
    change, message = DEGREE_DAMAGES[damage]
    path = tmp_path / "model.gskn"
    GSKN(("walk", "degree-walk"), random_state=0).fit(CASES["labels"]).save(path)
    rewrite(path, change)
    with pytest.raises(FileFormatError, match=message):
        GSKN.load(path)


def test_what_was_set_after_fit_does_not_change_saved_rows(tmp_path):
    graphs = CASES["degrees"]
    model = GSKN(random_state=0).fit(graphs)
    rows = model.transform(graphs)
    model.set_params(alpha=0.1, n_layers=2, branches=("walk",)).save(tmp_path / "m.gskn")
    np.testing.assert_array_equal(GSKN.load(tmp_path / "m.gskn").transform(graphs), rows)
    with pytest.raises(InputError, match="pooling"):
        model.set_params(pooling="max").save(tmp_path / "other.gskn")
    assert [path.name for path in tmp_path.iterdir()] == ["m.gskn"]


def test_loaded_parameters_keep_their_types(tmp_path):
    model = GSKN(["walk"], node_features=("degrees",), random_state=0).fit(CASES["degrees"])
    model.save(tmp_path / "m.gskn")
    loaded = GSKN.load(tmp_path / "m.gskn")
    assert loaded.node_features == ("degrees",)
    assert loaded.branches == ("walk",)


@pytest.mark.parametrize(
    "shape",
    ["(1000000000000,)", "(" + "9" * 30 + ",)", "(3,)", "(-1,)", "(True,)", "nonsense"],
)
def test_arrays_with_wrong_sizes_raise(shape, saved):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117)
    head = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + text.encode() + b"\n"
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("more.npy", head + bytes(8))
    with pytest.raises(FileFormatError):
        GSKN.load(saved)


def test_deeply_nested_header_raises(saved):
    with np.load(saved) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["header"] = np.frombuffer(b"[" * 200_000, dtype=np.uint8)
    with saved.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(FileFormatError, match="nests too deeply"):
        GSKN.load(saved)


def test_truncated_or_changed_file_raises(saved):
    whole = saved.read_bytes()
    for end in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:end])
        with pytest.raises(FileFormatError):
            GSKN.load(saved)
    expected = GSKN(random_state=0).fit(CASES["degrees"]).transform(CASES["degrees"])
    n_errors = 0
    for place in range(50, len(whole) - 50, len(whole) // 40):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        saved.write_bytes(bytes(changed))
        try:
            loaded = GSKN.load(saved)
        except FileFormatError:
            n_errors += 1
            continue
        # A byte of padding or of a date: the model must be the same.
        np.testing.assert_array_equal(loaded.transform(CASES["degrees"]), expected)
    assert n_errors > 20


class Hostile:
    """Object that sets a flag when it is unpickled."""

    called = False

    @staticmethod
    def mark():
        Hostile.called = True

    def __reduce__(self):
        return Hostile.mark, ()


def test_loading_runs_no_code(saved):
    with np.load(saved) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["walk_0_1_root"] = np.array([Hostile()], dtype=object)
    with saved.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(FileFormatError):
        GSKN.load(saved)
    saved.write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(FileFormatError, match="not a model"):
        GSKN.load(saved)
    assert not Hostile.called


def test_compressed_archive_raises(saved):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", b"0" * 10**6)
    saved.write_bytes(buffer.getvalue())
    with pytest.raises(FileFormatError, match="compressed"):
        GSKN.load(saved)


def test_missing_file_raises(tmp_path):
    with pytest.raises(MissingFileError, match="none.gskn"):
        GSKN.load(tmp_path / "none.gskn")


def test_unsupported_labels_raise_and_write_no_file(tmp_path):
    model = GSKN(random_state=0).fit([with_labels([frozenset("ab"), "C"])])
    with pytest.raises(InputError, match="frozenset"):
        model.save(tmp_path / "model.gskn")
    assert list(tmp_path.iterdir()) == []


def test_generator_is_not_saved(tmp_path):
    model = GSKN(random_state=np.random.default_rng(0)).fit(CASES["degrees"])
    model.save(tmp_path / "model.gskn")
    assert GSKN.load(tmp_path / "model.gskn").random_state is None
