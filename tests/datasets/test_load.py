import json
import os
import pickle
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import gskn
from gskn import datasets
from gskn.datasets._molecules import convert_molecules
from gskn.datasets._store import verify_files
from gskn.exceptions import (
    DatasetNotFoundError,
    FileFormatError,
    InputError,
    UnknownDatasetError,
)
from tests.graphs.test_tu import write
from tests.reference.graphs import check_same

GRAPH_SETS = [info.name for info in datasets.known_sets() if info.file.endswith(".zip")]
NODE_SETS = ["cora", "pubmed", "ppi", "lastfm", "facebook"]

# Graphs, mean nodes, mean edges, classes, labels and attributes of every set.
STATISTICS = {
    "MUTAG": (188, 17.93, 19.79, 2, 7, 0),
    "PTC": (344, 25.56, 25.96, 2, 19, 0),
    "PROTEINS": (1113, 39.06, 72.82, 2, 3, 1),
    "IMDB-BINARY": (1000, 19.77, 96.53, 2, 0, 0),
    "IMDB-MULTI": (1500, 13.00, 65.94, 3, 0, 0),
    "COLLAB": (5000, 74.49, 2457.78, 3, 0, 0),
    "BZR": (405, 35.75, 38.36, 2, 10, 3),
    "COX2": (467, 41.22, 43.45, 2, 8, 3),
    "PROTEINS_full": (1113, 39.06, 72.82, 2, 3, 29),
    "EXP": (1200, 48.70, 60.44, 2, 2, 0),
    "CSL": (150, 41.00, 82.00, 10, 0, 0),
    "cora": (1, 2708, 5278, 7, 0, 1433),
    "pubmed": (1, 19717, 44324, 3, 0, 500),
    "ppi": (1, 14755, 228431, 121, 0, 50),
    "lastfm": (1, 7624, 27806, 18, 0, 0),
    "facebook": (1, 22470, 171002, 4, 0, 0),
}

# Graphs, mean nodes, mean edges, classes, labels and skipped molecules.
MOLECULES = {
    "esol": (1128, 13.29, 13.68, 0, 9, 0),
    "freesolv": (642, 8.72, 8.39, 0, 9, 0),
    "bbbp": (2039, 24.06, 25.95, 2, 13, 11),
    "bace": (1513, 34.09, 36.86, 2, 8, 0),
    "bace-pic50": (1513, 34.09, 36.86, 0, 8, 0),
}


@pytest.mark.parametrize(
    "name",
    [
        *MOLECULES,
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("lipophilicity", "hiv", "zinc", "benzene", "alkane_carbonyl")
        ),
    ],
)
def test_sets_of_molecules_match_the_catalog(real_data, name):
    data = datasets.load(name, real_data)
    info = datasets.find_set(name)
    verify_files(info, real_data / info.file)
    graphs = data.graphs
    counts = (graphs.n_graphs, graphs.n_nodes, graphs.n_edges, data.n_classes)
    assert counts == (info.n_graphs, info.n_nodes, info.n_edges, info.n_classes)
    assert len(graphs.label_values) == info.n_labels
    assert len(data.y) == graphs.n_graphs
    assert data.y.dtype == (np.int64 if info.n_classes else np.float64)
    assert {"aromatic", "double", "single", "triple"} <= {*graphs.edge_label_values}
    for column in data.columns.values():
        assert len(column) == graphs.n_graphs
    if name in MOLECULES:
        n_graphs, nodes, edges, classes, labels, skipped = MOLECULES[name]
        assert (n_graphs, classes, labels) == (info.n_graphs, info.n_classes, info.n_labels)
        assert round(graphs.n_nodes / n_graphs, 2) == nodes
        assert round(graphs.n_edges / n_graphs, 2) == edges
        assert (f"{skipped} molecules cannot" in data.description) == (skipped > 0)
    if name == "zinc":
        assert len(data.folds["fixed"][0]) == 1000


def test_molecules_are_read_from_the_data_folder(tmp_path):
    (tmp_path / "molecules").mkdir()
    path = tmp_path / "molecules" / "bace.csv"
    path.write_text("smiles,inhibitor,pIC50\nCCO,1,5.5\nC(,0,2\nC=C,0,4\n")
    data = datasets.load("BACE", tmp_path)
    assert data.y.tolist() == [1, 0]
    assert data.columns["pIC50"].tolist() == ["5.5", "4"]
    assert "1 molecules cannot be read" in data.description
    assert datasets.load("bace-pIC50", tmp_path).y.tolist() == [5.5, 4.0]
    again = pickle.loads(pickle.dumps(data))
    assert again.columns["pIC50"].tolist() == ["5.5", "4"]
    for content, message in (
        ("smiles,inhibitor\nCCO\n", "line 2: expected 2 fields, got 1"),
        ("smiles,y\nCCO,1\n", "column 'inhibitor' is missing"),
        ("s,inhibitor\nCCO,1\n", "column 'smiles' is missing"),
        ("smiles,inhibitor\nCCO,x\n", "'inhibitor' is not a number"),
        ("smiles,inhibitor\nCCO,1\nCC,nan\n", "line 3: 'inhibitor' is not finite"),
    ):
        path.write_text(content)
        with pytest.raises(FileFormatError, match=message):
            datasets.load("bace", tmp_path)


def test_set_without_public_source_names_the_file(tmp_path):
    with pytest.raises(DatasetNotFoundError, match="Put molecules/zinc.csv there"):
        datasets.load("zinc", tmp_path)


def test_published_columns_of_molecules_are_renamed():
    published = b'id,measured,smiles\na,1.5,CCO\n"b,c",2,CC\n,,\n'
    text = convert_molecules(published, {"smiles": "smiles", "measured": "y"})
    assert text == "smiles,y\nCCO,1.5\nCC,2\n"
    with pytest.raises(FileFormatError, match="column 'x' is missing"):
        convert_molecules(published, {"x": "y"})


@pytest.mark.parametrize("name", STATISTICS)
def test_benchmark_sets_match_the_catalog(real_data, name):
    data = datasets.load(name, real_data)
    graphs = data.graphs
    n_graphs, nodes, edges, classes, labels, attributes = STATISTICS[name]
    assert (data.name, graphs.n_graphs, data.n_classes) == (name, n_graphs, classes)
    assert round(graphs.n_nodes / n_graphs, 2) == nodes
    assert round(graphs.n_edges / n_graphs, 2) == edges
    assert len(graphs.label_values) == labels
    assert graphs.n_attributes == attributes
    assert not graphs.is_directed
    assert not graphs.is_weighted
    assert len(data.y) == (n_graphs if data.task == "graph" else graphs.n_nodes)
    assert data.task == ("node" if name in NODE_SETS else "graph")
    info = datasets.find_set(name)
    counts = (info.n_graphs, info.n_nodes, info.n_edges, info.n_classes)
    assert counts == (n_graphs, graphs.n_nodes, graphs.n_edges, classes)
    assert (info.n_labels, info.n_attributes) == (labels, attributes)
    assert data.description


@pytest.mark.parametrize("name", [*GRAPH_SETS, *NODE_SETS])
def test_benchmark_sets_match_their_checksums(real_data, name):
    info = datasets.find_set(name)
    verify_files(info, datasets.find_files(info, real_data))


@pytest.mark.parametrize(
    ("name", "n_loops"), [("COLLAB", 2837), ("ppi", 6322), ("facebook", 179)]
)
def test_self_loops_are_read(real_data, name, n_loops):
    graphs = datasets.load(name, real_data).graphs
    assert (graphs.adjacency.diagonal() > 0).sum() == n_loops


def write_tables(
    home, edges="id_1,id_2\n0,1\n1,2\n2,2\n", target="id,target\n1,5\n0,4\n2,5\n"
):
    (home / "nodes").mkdir(exist_ok=True)
    (home / "nodes" / "lastfm_edges.csv").write_text(edges)
    (home / "nodes" / "lastfm_target.csv").write_text(target)


def test_node_set_is_read_from_tables(tmp_path):
    write_tables(tmp_path)
    data = datasets.load("LastFM", tmp_path)
    expected = [[0, 1, 0], [1, 0, 1], [0, 1, 1]]
    np.testing.assert_array_equal(data.graphs.adjacency.toarray(), expected)
    assert (data.task, data.y.tolist()) == ("node", [4, 5, 5])
    assert data.graphs.node_attributes is None


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"edges": "id_1,id_2\n0,3\n"}, "out of range for 3 nodes"),
        ({"edges": "a,b\n0,1\n"}, "header must be 'id_1,id_2', got 'a,b'"),
        ({"edges": "id_1,id_2\n"}, "'id_1,id_2' has no rows"),
        ({"edges": "id_1,id_2\n0,x\n"}, "could not convert string 'x'"),
        ({"edges": "id_1,id_2\n0,1,2\n"}, "has 3 columns"),
        ({"target": "id,target\n0,1\n0,1\n2,1\n"}, "not 0, 1, 2 and so on"),
        ({"target": ""}, "header must be 'id,target'"),
    ],
)
def test_malformed_tables_raise(tmp_path, tables, message):
    write_tables(tmp_path, **tables)
    with pytest.raises(FileFormatError, match=message):
        datasets.load("lastfm", tmp_path)


def test_exp_pairs_and_csl_copies(real_data):
    csl = datasets.load("CSL", real_data)
    made = datasets.csl(1)
    for number in range(0, 150, 25):
        graph = csl.graphs.to_networkx(number)
        twin = made.graphs.to_networkx(int(csl.y[number]))
        assert nx.is_isomorphic(graph, twin)
    exp = datasets.load("EXP", real_data)
    assert (exp.graphs.graph_sizes[::2] == exp.graphs.graph_sizes[1::2]).all()


@pytest.mark.parametrize(
    ("name", "tested"), [("MUTAG", 180), ("PTC", 340), ("PROTEINS", 1110), ("BZR", None)]
)
def test_folds_match_the_published_folds(real_data, name, tested):
    data = datasets.load(name, real_data)
    stored = data.folds["stratified_seed0"]
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    for (_, test), fold in zip(splitter.split(data.y, data.y), stored, strict=True):
        assert fold.tolist() == test.tolist()
    if tested is None:
        assert "published" not in data.folds
    else:
        assert len(np.unique(np.concatenate(data.folds["published"]))) == tested


def test_mutag_is_part_of_the_package():
    data = datasets.load("MUTAG")
    assert (data.graphs.n_graphs, data.graphs.n_nodes, data.graphs.n_edges) == (
        188,
        3371,
        3721,
    )
    assert sorted(set(data.y.tolist())) == [-1, 1]
    assert len(data.folds["stratified_seed0"]) == 10
    info = datasets.find_set("MUTAG")
    path = datasets.find_files(info, datasets.data_home())
    assert path.parent == Path(datasets.__file__).parent
    verify_files(info, path)
    assert not (path.parent / ".gskn-cache").exists()  # nothing is written to the package


def test_mutag_of_the_package_equals_the_benchmark_files(real_data):
    check_same(datasets.load("MUTAG").graphs, datasets.load("MUTAG", real_data).graphs)


@pytest.mark.parametrize("name", ["structure", "regular", "CSL"])
def test_generated_sets_load_by_name(name):
    data = datasets.load(name)
    info = datasets.find_set(name)
    assert data.name == name
    assert (data.graphs.n_nodes, data.graphs.n_edges) == (info.n_nodes, info.n_edges)
    assert data.n_classes == info.n_classes
    assert len(data.folds["stratified_seed0"]) == 10


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mutag", "MUTAG"),
        ("imdb_binary", "IMDB-BINARY"),
        ("Imdb-B", "IMDB-BINARY"),
        ("IMDBMULTI", "IMDB-MULTI"),
        ("proteins-full", "PROTEINS_full"),
        ("PubMed", "pubmed"),
    ],
)
def test_case_and_dashes_of_names_are_ignored(name, expected):
    assert datasets.find_set(name).name == expected


def test_unknown_name_suggests_a_similar_one():
    with pytest.raises(UnknownDatasetError, match="did you mean 'MUTAG'"):
        datasets.load("MUTAGG")
    with pytest.raises(LookupError, match="available: MUTAG, PTC"):
        datasets.load("xyz")


def test_data_folder_is_argument_then_environment_then_cache(tmp_path, monkeypatch):
    assert "gskn" in str(datasets.data_home())
    monkeypatch.setenv("GSKN_DATA", str(tmp_path / "env"))
    assert datasets.data_home() == tmp_path / "env"
    assert datasets.data_home(tmp_path) == tmp_path


def test_folder_equals_archive(tmp_path):
    write(tmp_path / "PTC", name="PTC")
    data = datasets.load("PTC", tmp_path)
    assert data.graphs.n_graphs == 2
    assert data.folds == {}


def test_stored_folds_are_read_and_checked(tmp_path):
    write(tmp_path / "PTC", name="PTC")
    folds = tmp_path / "folds" / "PTC.json"
    folds.parent.mkdir()
    folds.write_text(json.dumps({"published": [[0], [1]]}))
    assert [
        fold.tolist() for fold in datasets.load("PTC", tmp_path).folds["published"]
    ] == [
        [0],
        [1],
    ]
    for wrong in (
        *({"published": [[0], [0]]}, {"published": [[2]]}, [1], {"published": 3}),
        *({"published": [[[0]]]}, {"published": [[10**30]]}, {"published": [[0.5]]}),
        *({"published": [[True]]}, {"published": [[-1]]}, {"published": [[0, 1]]}),
        *({"published": []}, {"published": [[], [0]]}, {"published": [[0], [10**400]]}),
        *({"published": None}, {"published": "01"}, {"published": [[0], [None]]}, None, 3),
        *({"published": {"0": [0]}}, {"published": [[float("nan")], [0]]}),
    ):
        folds.write_text(json.dumps(wrong))
        with pytest.raises(FileFormatError, match="PTC.json"):
            datasets.load("PTC", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        '{"published": ' + "[" * 100_000,
        '{"published": ' + '{"a": ' * 100_000,
        '{"published": [[' + "9" * 10_000 + "]]}",
        '{"published": [[0], [1]',
        '{"published": [[0], [1e400]]}',
        "\x00",
        "",
        b"\xff\xfe",
    ],
)
def test_malformed_folds_raise_a_message_of_one_line(tmp_path, text):
    write(tmp_path / "PTC", name="PTC")
    folds = tmp_path / "folds" / "PTC.json"
    folds.parent.mkdir()
    folds.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileFormatError, match=r"PTC\.json: not lists of test") as caught:
        datasets.load("PTC", tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_and_folders_instead_of_data_raise(tmp_path):
    write(tmp_path / "PTC", name="PTC")
    (tmp_path / "folds").mkdir()
    os.mkfifo(tmp_path / "folds" / "PTC.json")
    os.mkfifo(tmp_path / "cora.npz")
    os.mkfifo(tmp_path / "BZR.zip")
    (tmp_path / "pubmed.npz").symlink_to("/dev/zero")
    for name in ("PTC", "cora", "BZR", "pubmed"):
        with pytest.raises(FileFormatError, match=f"{name}.*: not a regular file"):
            datasets.load(name, tmp_path)


def test_several_classes_per_graph_raise(tmp_path):
    write(tmp_path / "PTC", name="PTC", graph_labels="1, 2\n2, 1\n")
    with pytest.raises(FileFormatError, match="2 numbers per graph"):
        datasets.load("PTC", tmp_path)


def test_set_without_classes_raises(tmp_path):
    write(tmp_path / "PTC", name="PTC", graph_labels=None)
    with pytest.raises(FileFormatError, match="PTC_graph_labels.txt is missing"):
        datasets.load("PTC", tmp_path)


def test_malformed_npz_raises(tmp_path):
    for content in (b"nonsense", b""):
        (tmp_path / "cora.npz").write_bytes(content)
        with pytest.raises(FileFormatError, match="cora.npz"):
            datasets.load("cora", tmp_path)
    np.savez(tmp_path / "cora.npz", labels=np.zeros(3))
    with pytest.raises(FileFormatError, match="adj_shape"):
        datasets.load("cora", tmp_path)
    np.savez(tmp_path / "cora.npz", labels=np.array([{}], dtype=object), adj_shape=[1])
    with pytest.raises(FileFormatError, match="'labels' has the unsupported type object"):
        datasets.load("cora", tmp_path)


# Three nodes on a path with two attributes each.
NODE_SET = {
    "adj_shape": np.array([3, 3]),
    "adj_indptr": np.array([0, 1, 3, 4], np.int8),
    "adj_indices": np.array([1, 0, 2, 1], np.uint16),
    "attr_shape": np.array([3, 2]),
    "attr_indptr": np.array([0, 1, 1, 2]),
    "attr_indices": np.array([0, 1], np.int8),
    "attr_data": np.array([0.5, 2], np.float32),
    "labels": np.array([0, 1, -1]),
}
PACKED = np.array([[128], [64], [192]], np.uint8)


def load_node_set(folder, **changes):
    arrays = {**NODE_SET, **changes}
    np.savez_compressed(folder / "cora.npz", **arrays)
    return datasets.load("cora", folder)


def test_small_node_set_is_read(tmp_path):
    data = load_node_set(tmp_path)
    assert data.graphs.node_attributes.tolist() == [[0.5, 0], [0, 0], [0, 2]]
    assert data.graphs.n_edges == 2
    assert data.y.tolist() == [0, 1, -1]
    assert load_node_set(tmp_path, labels=np.array([0.0, 1, -1])).y.tolist() == [0, 1, -1]
    data = load_node_set(tmp_path, labels=PACKED, label_shape=np.array([3, 2]))
    assert data.y.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert load_node_set(tmp_path, selfloops=np.array([2], np.int16)).graphs.n_edges == 3
    unused = np.zeros(2**26, dtype=np.int64)
    assert load_node_set(tmp_path, unused=unused).graphs.n_nodes == 3


WRONG_NODE_SETS = {
    "columns outside": {"attr_indices": [0, 10**9]},
    "negative columns": {"attr_indices": [0, -40]},
    "offsets outside": {"attr_indptr": [0, 1, 1, 10**9]},
    "falling offsets": {"attr_indptr": [0, 2, 1, 2]},
    "negative offsets": {"attr_indptr": [0, -5, 1, 2]},
    "too few offsets": {"attr_indptr": [0, 2]},
    "neighbors outside": {"adj_indices": [1, 0, 3, 1]},
    "negative neighbors": {"adj_indices": [1, 0, -1, 1]},
    "adjacency offsets outside": {"adj_indptr": [0, 1, 3, 5]},
    "adjacency offsets fall": {"adj_indptr": [0, 3, 1, 4]},
    "float columns": {"attr_indices": [0.0, 1.0]},
    "columns in two dimensions": {"attr_indices": [[0, 1]]},
    "too few values": {"attr_data": [1.0]},
    "values that are not finite": {"attr_data": [np.nan, 1.0]},
    "values of text": {"attr_data": ["a", "b"]},
    "values in two dimensions": {"attr_data": [[1.0, 2.0]]},
    "a rectangle": {"adj_shape": [3, 4]},
    "a scalar shape": {"adj_shape": 3},
    "a shape of floats": {"adj_shape": [3.0, 3.0]},
    "a negative shape": {"attr_shape": [3, -1]},
    "a huge number of nodes": {"adj_shape": [10**12, 10**12]},
    "a huge number of attributes": {"attr_shape": [3, 10**12]},
    "rows of other nodes": {"attr_shape": [10**12, 2]},
    "too few labels": {"labels": [0, 1]},
    "too many labels": {"labels": [0, 1, 0, 1]},
    "no labels": {"labels": []},
    "one label": {"labels": 3},
    "labels in three dimensions": {"labels": np.zeros((3, 1, 1))},
    "labels that are not numbers": {"labels": [0, 1, np.nan]},
    "infinite labels": {"labels": [0, 1, np.inf]},
    "labels between numbers": {"labels": [0, 1, 0.5]},
    "huge labels": {"labels": [0, 1, 1e300]},
    "labels beyond int64": {"labels": np.array([0, 1, 2**64 - 1], np.uint64)},
    "labels of text": {"labels": ["a", "b", "c"]},
    "packed labels without a shape": {"labels": PACKED},
    "packed labels of another shape": {"labels": PACKED, "label_shape": [3, 9]},
    "packed labels of other nodes": {"labels": PACKED, "label_shape": [4, 2]},
    "packed labels of another type": {
        "labels": PACKED.astype(np.int16),
        "label_shape": [3, 2],
    },
    "packed labels of a huge shape": {"labels": PACKED, "label_shape": [3, 10**12]},
    "loops outside": {"selfloops": [3]},
    "loops of floats": {"selfloops": [0.5]},
    "loops in two dimensions": {"selfloops": [[1]]},
}


@pytest.mark.parametrize("case", WRONG_NODE_SETS)
def test_invalid_node_set_raises_a_message_of_one_line(tmp_path, case):
    changes = {name: np.asarray(value) for name, value in WRONG_NODE_SETS[case].items()}
    with pytest.raises(FileFormatError, match=r"cora\.npz: not a node set") as caught:
        load_node_set(tmp_path, **changes)
    assert "\n" not in str(caught.value)


def test_memory_limit_counts_converted_arrays(tmp_path):
    n_nodes, n_entries = 2**13, 2**24
    with pytest.raises(FileFormatError, match="more than the limit"):
        load_node_set(
            tmp_path,
            adj_shape=np.array([n_nodes, n_nodes]),
            adj_indptr=np.linspace(0, n_entries, n_nodes + 1).astype(int),
            adj_indices=np.zeros(n_entries, np.int8),
        )


def test_damaged_node_set_raises_a_message_of_one_line(tmp_path):
    """Damage single bytes of the data, the headers and the directory."""
    load_node_set(tmp_path)
    path = tmp_path / "cora.npz"
    whole = path.read_bytes()
    messages = []
    positions = range(0, len(whole), 3)
    for position in positions:
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            datasets.load("cora", tmp_path)
        except FileFormatError as error:  # some bytes do not matter
            messages.append(str(error))
    assert len(messages) > len(positions) / 2
    assert not any("\n" in message for message in messages)


def test_dataset_is_read_only_also_after_pickling():
    data = datasets.load("regular")
    again = pickle.loads(pickle.dumps(data))
    check_same(again.graphs, data.graphs)
    assert again.folds.keys() == data.folds.keys()
    for frozen in (data, again):
        with pytest.raises(AttributeError):
            frozen.y = None
        with pytest.raises(ValueError, match="read-only"):
            frozen.y[0] = 5
        with pytest.raises(TypeError):
            frozen.folds["mine"] = ()
        with pytest.raises(ValueError, match="read-only"):
            frozen.folds["stratified_seed0"][0][0] = 5


def test_array_of_the_caller_stays_writable():
    y = np.zeros(2)
    data = datasets.Dataset("mine", datasets.rings().graphs, y)
    y[0] = 1
    assert y.flags.writeable
    assert not data.y.flags.writeable


def test_data_folder_that_is_a_file_raises(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        datasets.load("PTC", tmp_path / "file")


def test_names_contains_every_set():
    assert len(datasets.names()) == 28
    assert gskn.datasets is datasets


def test_sources_are_not_modified(real_data, tmp_path):
    """A folder without write permission is not modified, even by root."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(real_data / "PTC.zip", home)
    home.chmod(0o555)
    try:
        assert datasets.load("PTC", home).graphs.n_graphs == 344
        assert [path.name for path in home.iterdir()] == ["PTC.zip"]
    finally:
        home.chmod(0o755)
