import json
import os
import sys
import zipfile

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from rdkit import Chem

from gskn import as_batch, read_graphs
from gskn.exceptions import (
    FileFormatError,
    GsknError,
    GsknWarning,
    InputError,
    MissingFileError,
    UnsafeArchiveError,
    UnsupportedInputError,
)
from gskn.graphs import iter_graphs
from tests.reference.graphs import Spec, check_batch, check_same, labels_of
from tests.strategies import specs


def labeled_graph():
    graph = nx.Graph(name="")
    for node, label in (("a", "C"), ("b", "N"), ("c", "C")):
        graph.add_node(node, label=label, mass=1.5)
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", "b", weight=0.5)
    return graph


# --- round trips through files of other libraries ---------------------------------------

WRITERS = {
    "graphml": nx.write_graphml,
    "gml": nx.write_gml,
    "json": lambda graph, path: path.write_text(
        json.dumps(nx.node_link_data(graph, edges="edges"))
    ),
    "edgelist": nx.write_edgelist,
}


@pytest.mark.parametrize("suffix", ["graphml", "gml", "json", "edgelist"])
@given(spec=specs(labelled=False))
def test_files_of_networkx_round_trip(tmp_path_factory, suffix, spec):
    path = tmp_path_factory.mktemp("files") / f"graph.{suffix}"
    graph = as_batch(to_simple(spec)).to_networkx(0)
    if suffix == "edgelist":  # has neither isolated nodes nor directions
        graph = nx.Graph(graph.edges(data=True))
    WRITERS[suffix](graph, path)
    batch = read_graphs(path)
    expected = as_batch(graph)
    if suffix in {"graphml", "gml", "edgelist"}:  # node names become text or numbers
        assert nx.is_isomorphic(batch.to_networkx(0), expected.to_networkx(0))
    else:
        check_same(batch, expected)


def to_simple(spec: Spec):
    graph = (nx.DiGraph if spec.directed else nx.Graph)()
    graph.add_nodes_from(range(spec.n_nodes))
    graph.add_edges_from(spec.edges)
    return graph


@pytest.mark.parametrize("suffix", ["graphml", "json"])
def test_labels_weights_and_names_round_trip(tmp_path, suffix):
    path = tmp_path / f"molecule.{suffix}"
    WRITERS[suffix](labeled_graph(), path)
    batch = read_graphs(path)
    assert labels_of(batch) == ["C", "N", "C"]
    assert batch.node_names.tolist() == ["a", "b", "c"]
    assert batch.adjacency.toarray().tolist() == [[0, 2, 0], [2, 0.5, 0], [0, 0, 0]]
    assert batch.graph_names.tolist() == ["molecule"]
    batch = as_batch(path, node_attributes="mass", node_label=None, edge_weight=None)
    assert batch.node_attributes.tolist() == [[1.5]] * 3
    assert not batch.is_weighted


def test_repeated_gml_labels_are_node_labels(tmp_path):
    path = tmp_path / "g.gml"
    path.write_text(
        'graph [ node [ id 5 label "C" ] node [ id 9 label "C" ]\n'
        "edge [ source 5 target 9 ] ]"
    )
    batch = read_graphs(path)
    assert labels_of(batch) == ["C", "C"]
    assert batch.node_names.tolist() == [5, 9]


def test_graphml_of_igraph(tmp_path):
    path = tmp_path / "g.graphml"
    graph = igraph.Graph(n=3, edges=[(0, 1)])
    graph.es["weight"] = [2.0]
    graph.write_graphml(str(path))
    assert read_graphs(path).adjacency.toarray()[0].tolist() == [0, 2, 0]


def test_json_may_contain_many_graphs_and_either_key(tmp_path):
    path = tmp_path / "many.json"
    links = nx.node_link_data(nx.path_graph(3), edges="links")
    edges = nx.node_link_data(nx.DiGraph([(0, 1)]), edges="edges")
    path.write_text(json.dumps([links, edges]))
    batch = read_graphs(path)
    assert batch.directed.tolist() == [False, True]
    assert batch.graph_names.tolist() == ["many:0", "many:1"]


@given(spec=specs(weighted=False, directed=False))
def test_graph6_of_networkx_round_trips(tmp_path_factory, spec):
    path = tmp_path_factory.mktemp("g6") / "graphs.g6"
    edges = [(u, v) for u, v in spec.edges if u != v]
    graph = to_simple(Spec(spec.n_nodes, edges))
    path.write_bytes(nx.to_graph6_bytes(graph) + nx.to_graph6_bytes(graph, header=False))
    check_batch(read_graphs(path), [Spec(spec.n_nodes, edges)] * 2)


@pytest.mark.parametrize("n_nodes", [62, 63, 64, 200])
def test_graph6_of_larger_graphs(tmp_path, n_nodes):
    graph = nx.gnp_random_graph(n_nodes, 0.3, seed=n_nodes)
    nx.write_graph6(graph, tmp_path / "g.graph6")
    expected = nx.to_numpy_array(graph)
    np.testing.assert_array_equal(
        read_graphs(tmp_path / "g.graph6").adjacency.toarray(), expected
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "source,target,weight\n0,1,2\n1,2,1\n"),
        ("b.csv", "0,1,2\n1,2,1\n"),
        ("c.tsv", "0\t1\t2\n1\t2\t1\n"),
        ("d.edgelist", "# a comment\n0 1 2\n\n1   2 1\n"),
        ("e.txt", "% another\r\n0 1 2.0\r\n1 2 1.0\r\n"),
        ("f.csv", "\ufeffsource; target; weight\n0; 1; 2\n1; 2; 1\n"),
        ("g.edgelist", "0 1 {'weight': 2}\n1 2 {'weight': 1}\n"),
        ("h.csv", 'weight,"target",source\n2,1,0\n1,2,1\n'),
    ],
)
def test_edge_lists_in_common_variants(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    batch = read_graphs(tmp_path / name)
    assert batch.adjacency.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


def test_edge_list_may_contain_many_graphs(tmp_path):
    frame = pd.DataFrame(
        {"graph": [7, 7, 9], "source": ["a", "b", "a"], "target": list("bcb")}
    )
    frame.to_csv(tmp_path / "e.csv", index=False)
    frame.to_parquet(tmp_path / "e.parquet")
    for name in ("e.csv", "e.parquet"):
        batch = read_graphs(tmp_path / name)
        assert batch.graph_sizes.tolist() == [3, 2]
        assert batch.graph_names.tolist() == [7, 9]
        assert batch.node_names.tolist() == ["a", "b", "c", "a", "b"]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("padded.csv", "source,target\n007,7\n", ["007", "7"]),
        (
            "huge.csv",
            f"source,target\n{2**64 - 1},{2**64 - 2}\n",
            [str(2**64 - 2), str(2**64 - 1)],
        ),
        ("mixed.csv", "1,a\n2,b\n", ["1", "2", "a", "b"]),
        ("braces.csv", "a,{b}\nc,d\n", ["a", "c", "d", "{b}"]),
        ("from.csv", "from,to\n0,1\n", [0, 1]),
        ("case.csv", "Source,Target,Weight\n0,1,3\n", [0, 1]),
        ("comma.tsv", "a,b\tc\n", ["a,b", "c"]),
        ("quoted.csv", '"a, b",c\n', ["a, b", "c"]),
    ],
)
def test_ids_are_integers_only_if_all_are(tmp_path, name, text, names):
    (tmp_path / name).write_text(text)
    assert read_graphs(tmp_path / name).node_names.tolist() == names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.edgelist", "0 1 {'weight': 1}\n0 1 {'weight': 2}\n"),
        ("b.edgelist", "0 1 1\n0 1 2\n"),
        (
            "c.json",
            (
                '{"nodes": [{"id": 0}, {"id": 1}], "links": ['
                '{"source": 0, "target": 1, "weight": 1},'
                '{"source": 0, "target": 1, "weight": 2}]}'
            ),
        ),
    ],
)
def test_weights_of_repeated_edges_add_up_in_every_format(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_graphs(tmp_path / name).adjacency.toarray().tolist() == [[0, 3], [3, 0]]


def test_unique_gml_labels_are_node_names(tmp_path):
    nx.write_gml(nx.path_graph(["x", "y", "z"]), tmp_path / "g.gml")
    batch = read_graphs(tmp_path / "g.gml")
    assert batch.node_names.tolist() == ["x", "y", "z"]
    assert batch.node_labels is None


def test_graphml_may_contain_several_graphs(tmp_path):
    graphs = "".join(
        f'<graph edgedefault="undirected">{nodes}</graph>'
        for nodes in ('<node id="a"/>', '<node id="b"/><node id="c"/>')
    )
    text = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graphs}</graphml>'
    (tmp_path / "g.graphml").write_text(text)
    assert read_graphs(tmp_path / "g.graphml").graph_sizes.tolist() == [1, 2]


def test_byte_order_mark_is_ignored(tmp_path):
    graph = json.dumps({"nodes": [{"id": 0}], "links": []})
    for name, text in (
        ("a.json", graph),
        ("b.gml", "graph [ node [ id 1 ] ]"),
        ("c.smi", "C"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        assert read_graphs(tmp_path / name).n_nodes == 1


def test_folders_with_cycles_and_notes_are_read_once(tmp_path):
    nx.write_graph6(nx.path_graph(2), tmp_path / "a.g6")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    (tmp_path / "inner").mkdir()
    nx.write_graph6(nx.path_graph(3), tmp_path / "inner" / "b.g6")
    assert read_graphs(tmp_path).graph_sizes.tolist() == [2, 3]
    (tmp_path / "README.txt").write_text("two words")
    with pytest.warns(GsknWarning, match="README"):
        assert as_batch([tmp_path, nx.path_graph(4)]).graph_sizes.tolist() == [2, 3, 4]


def test_empty_edge_list_is_a_graph_without_nodes(tmp_path):
    for name, text in (
        ("a.csv", ""),
        ("b.csv", "source,target\n"),
        ("c.edgelist", "# x\n"),
    ):
        (tmp_path / name).write_text(text)
        assert read_graphs(tmp_path / name).graph_sizes.tolist() in ([0], [])


def test_molecules_are_read_by_rdkit(tmp_path):
    (tmp_path / "m.smi").write_text("c1ccccc1O phenol\n# none\nCCO\n\n")
    batch = read_graphs(tmp_path / "m.smi")
    assert batch.graph_sizes.tolist() == [7, 3]
    assert batch.graph_edges.tolist() == [7, 2]
    assert labels_of(batch) == ["C"] * 6 + ["O", "C", "C", "O"]
    assert batch.graph_names.tolist() == ["phenol", "CCO"]
    with Chem.SDWriter(str(tmp_path / "m.sdf")) as writer:
        for smiles in ("c1ccccc1O", "CCO"):
            writer.write(Chem.MolFromSmiles(smiles))
    check_same(read_graphs(tmp_path / "m.sdf"), batch)


def test_folder_is_read_in_natural_order(tmp_path):
    for n in (2, 10, 1):
        nx.write_graph6(nx.path_graph(n), tmp_path / f"g{n}.g6")
    (tmp_path / "notes.md").write_text("hello")
    (tmp_path / ".hidden").write_text("")
    with pytest.warns(GsknWarning, match=r"notes\.md"):
        batch = read_graphs(tmp_path)
    assert batch.graph_sizes.tolist() == [1, 2, 10]
    assert batch.graph_names.tolist() == ["g1", "g2", "g10"]


# --- malformed files -------------------------------------------------------------------

BAD = {
    "broken.graphml": ("<graphml><graph>\n<node", "line 2"),
    "other.graphml": ("<html></html>", "GraphML"),
    "broken.gml": ("graph [ node [ id", "GML"),
    "broken.json": ('{"nodes": [\n,]}', "line 2"),
    "other.json": ('{"a": 1}', "node-link"),
    "scalar.json": ("5", "node-link"),
    "fields.csv": ("source,target\n0,1\n0,1,2,3\n", "line 3"),
    "header.csv": ("a,b,c,d\n0,1,2,3\n", "names of the columns"),
    "short.edgelist": ("0 1\n2\n", "line 2"),
    "dicts.edgelist": ("0 1 {}\n0 1 {'a'}}\n", "line 2"),
    "weight.csv": (
        "source,target,weight\n0,1,x\n",
        "line 2: the weight 'x' is not a finite number",
    ),
    "negative.csv": ("# c\nsource,target,weight\n\n0,1,-3\n", "line 4: the weight '-3'"),
    "nan.csv": ("source,target,weight\n0,1,1\n0,1,nan\n", "line 3"),
    "empty.csv": ("source,target\n0,1\n,2\n", "line 3"),
    "quote.csv": ('source,target\n0,1\n"a,b\nc,d\n', "line 3"),
    "twice.csv": ("source,target,source\n0,1,2\n", "twice"),
    "undeclared.json": (
        '{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 9}]}',
        "9",
    ),
    "doubled.json": ('{"nodes": [{"id": 0}, {"id": 0}], "links": []}', "same id"),
    "null.json": ('{"nodes": null, "links": []}', "node-link"),
    "digits.json": ('{"nodes": [{"id": 1' + "0" * 5000 + '}], "links": []}', "JSON"),
    "undeclared.graphml": (
        (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
            '<graph edgedefault="directed">'
            '<node id="a"/><edge source="a" target="b"/></graph></graphml>'
        ),
        "'b'",
    ),
    "none.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>',
        "no graph",
    ),
    "number.gml": ("graph 5", "GML"),
    "node.gml": ("graph [ node 5 ]", "GML"),
    "objects.json": (
        '{"nodes": [{"id": 0}], "links": [{"source": {}, "target": 0}]}',
        "an id is a JSON object",
    ),
    "object.json": ('{"nodes": [{"id": {}}], "links": []}', "an id is a JSON object"),
    "infinite.json": (
        '{"nodes": [{"id": 0}], "links": '
        '[{"source": 0, "target": 0, "weight": 1' + "0" * 400 + "}]}",
        "range of float64",
    ),
    "attribute.json": (
        '{"nodes": [{"id": 0, "attributes": [1' + "0" * 400 + ']}], "links": []}',
        "range of float64",
    ),
    "deep.json": ("[" * 100_000, "recursion"),
    "labels.gml": (
        'graph [ node [ id 1 label "a" label "b" ] ]',
        "Node 1 has several labels",
    ),
    "infinite.gml": (
        "graph [ node [ id 1 ] edge [ source 1 target 1 weight 1" + "0" * 400 + " ] ]",
        "range of float64",
    ),
    "digits.gml": ("graph [ node [ id 1" + "0" * 5000 + " ] ]", "GML"),
    "name.gml": ("graph [ name [ a 1 ] node [ id 1 ] ]", "not hashable"),
    "deep.gml": ("graph [ " + "a [ " * 5000 + "] " * 5000 + "]", "GML"),
    "nul.gml": ("graph [\n\0 ]", "line 2: not a text file"),
    "latin.gml": ('graph [\n node [ id 1 label "caf\xe9" ] ]', "line 2: not UTF-8"),
    "latin.json": ('{"nodes": [],\n "a": "caf\xe9"}', "line 2: not UTF-8"),
    "latin.smi": ("CC\nCC caf\xe9\n", "line 2: not UTF-8"),
    "empty.gml": ("", "GML"),
    "empty.graphml": ("", "broken XML"),
    "empty.json": ("", "broken JSON"),
    "empty.parquet": ("", "parquet"),
    "huge.g6": ("~~~~~~~~\n", "nodes require"),
    "cut.g6": ("Bw\nD?\n", "line 2"),
    "bytes.g6": ("B\x01\n", "line 1"),
    "sparse.g6": (":Fa@x^\n", "sparse6"),
    "size.g6": ("~A\n", "number of nodes"),
    "wrong.smi": ("CCO\nC(C\n", "line 2"),
    "wrong.sdf": ("nonsense\n\n\n$$$$\n", "molecule 0"),
    "wrong.parquet": ("nonsense", "parquet"),
    "wrong.zip": ("nonsense", "zip"),
    "unknown.xyz": ("", "Supported: .csv"),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_files_raise_with_file_and_line(tmp_path, name):
    text, word = BAD[name]
    path = tmp_path / name
    path.write_text(text, encoding="latin-1")
    with pytest.raises(FileFormatError) as caught:
        read_graphs(path)
    message = str(caught.value)
    assert name in message
    assert word in message
    assert isinstance(caught.value, ValueError | GsknError)


def test_files_with_different_node_data_raise(tmp_path):
    nx.write_graph6(nx.path_graph(2), tmp_path / "a.g6")
    (tmp_path / "b.smi").write_text("CC\n")
    with pytest.raises(GsknError, match="cannot be joined"):
        read_graphs(tmp_path)


def test_missing_paths_raise(tmp_path):
    with pytest.raises(MissingFileError, match="no file or folder"):
        read_graphs(tmp_path / "nothing.g6")
    with pytest.raises(FileNotFoundError, match="has no graph files"):
        read_graphs(tmp_path)


# --- special paths ----------------------------------------------------------------------


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
needs_bytes = pytest.mark.skipif(
    sys.platform != "linux", reason="file names must be Unicode here"
)


@pytest.mark.parametrize("read", [read_graphs, as_batch, iter_graphs])
@pytest.mark.parametrize("path", ["x" * 5000, "x/" * 2500 + "g.csv", "a\0b.csv"])
def test_invalid_paths_raise_a_message_of_one_line(read, path):
    with pytest.raises(InputError, match="cannot be opened") as caught:
        read(path)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("read", [read_graphs, iter_graphs])
def test_paths_of_other_types_raise(read):
    with pytest.raises(UnsupportedInputError, match="must be a str or Path, got 5"):
        read(5)


@pytest.mark.parametrize(
    "suffix", ["csv", "json", "graphml", "g6", "sdf", "parquet", "zip"]
)
def test_pipes_and_devices_raise(tmp_path, suffix):
    pipe, device = tmp_path / f"pipe.{suffix}", tmp_path / f"zero.{suffix}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(FileFormatError, match="not a regular file"):
            read_graphs(path)
        with pytest.raises(FileFormatError, match="not a regular file"):
            list(iter_graphs(path))


@needs_pipes
def test_pipes_and_devices_of_a_folder_are_skipped_with_a_warning(tmp_path):
    nx.write_graph6(nx.path_graph(2), tmp_path / "a.g6")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    with pytest.warns(GsknWarning, match=r"2 files of a special type .*: pipe\.csv, zero"):
        assert read_graphs(tmp_path).n_graphs == 1
    with pytest.warns(GsknWarning, match="Skipped 2 files of a special type"):
        assert len(list(iter_graphs(tmp_path))) == 1


@needs_bytes
def test_names_of_skipped_files_are_printed_with_escapes(tmp_path):
    nx.write_graph6(nx.path_graph(2), tmp_path / "a.g6")
    (tmp_path / os.fsdecode(b"no\xffte\x1b.md")).touch()
    with pytest.warns(GsknWarning, match=r"no\\udcffte\\x1b\.md"):
        read_graphs(tmp_path)


@needs_bytes
def test_files_with_names_that_are_not_utf8_are_read(tmp_path):
    name = os.fsdecode(b"caf\xe9")
    nx.write_graph6(nx.path_graph(2), tmp_path / f"{name}.g6")
    (tmp_path / f"{name}.csv").write_text("0,1\n")
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("CC"))
    (tmp_path / "sdf").mkdir()
    (tmp_path / "sdf" / f"{name}.sdf").write_text(f"{block}$$$$\n")
    assert read_graphs(tmp_path / f"{name}.g6").graph_names.tolist() == [name]
    assert read_graphs(tmp_path / f"{name}.csv").graph_names.tolist() == [name]
    assert read_graphs(tmp_path / "sdf").graph_names.tolist() == [f"{name}:0"]


def test_folders_may_have_names_of_files(tmp_path):
    folder = tmp_path / "x.csv"
    folder.mkdir()
    nx.write_graph6(nx.path_graph(2), folder / "a.g6")
    assert read_graphs(folder).n_graphs == 1
    assert read_graphs(tmp_path).n_graphs == 1


@pytest.mark.skipif(os.access("/root", os.R_OK), reason="root may read all folders")
def test_unreadable_folders_raise(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(FileFormatError, match="closed: cannot be read"):
        read_graphs(tmp_path)


def test_json_and_gml_may_have_any_line_ends(tmp_path):
    text = json.dumps(nx.node_link_data(nx.path_graph(3), edges="links"), indent=1)
    (tmp_path / "g.json").write_bytes(text.replace("\n", "\r").encode())
    assert read_graphs(tmp_path / "g.json").n_nodes == 3
    text = "\r".join(["# comment", *nx.generate_gml(nx.path_graph(3))])
    (tmp_path / "g.gml").write_bytes(text.encode())
    assert read_graphs(tmp_path / "g.gml").n_nodes == 3


def test_many_small_graphs_of_a_graph6_file_need_little_memory(tmp_path):
    (tmp_path / "g.g6").write_text("@\nA_\n" * 20_000)
    batch = read_graphs(tmp_path / "g.g6")
    assert (batch.n_graphs, batch.n_nodes, batch.n_edges) == (40_000, 60_000, 20_000)


# --- archives ---------------------------------------------------------------------------


def write_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)


TU = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "graph_labels": "1\n"}


@pytest.mark.parametrize(
    "name", ["../X_A.txt", "/X_A.txt", "a/../../X_A.txt", "C:/X_A.txt"]
)
def test_archive_with_paths_outside_its_folder_raises(tmp_path, name):
    write_zip(tmp_path / "x.zip", {name: "1, 2\n"})
    with pytest.raises(UnsafeArchiveError, match="outside"):
        read_graphs(tmp_path / "x.zip")


def test_archive_beyond_the_limit_raises(tmp_path):
    members = {f"X/X_{key}.txt": text for key, text in TU.items()}
    write_zip(tmp_path / "x.zip", members)
    assert read_graphs(tmp_path / "x.zip").n_edges == 1
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
        archive.writestr("X/X_node_labels.txt", "0\n" * 2**25)
    with pytest.raises(UnsafeArchiveError, match="more than the limit"):
        read_graphs(tmp_path / "x.zip")


def test_damaged_archive_raises(tmp_path):
    path = tmp_path / "x.zip"
    write_zip(path, {f"X/X_{key}.txt": text * 50 for key, text in TU.items()})
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="damaged|CRC"):
        read_graphs(path)


def test_archives_with_hidden_and_duplicate_files(tmp_path):
    members = {f"X/X_{key}.txt": text for key, text in TU.items()}
    write_zip(tmp_path / "mac.zip", {**members, "__MACOSX/X/._X_A.txt": "shadow"})
    assert read_graphs(tmp_path / "mac.zip").n_edges == 1
    write_zip(tmp_path / "two.zip", {**members, "Y/X_A.txt": "1, 1\n"})
    with pytest.raises(FileFormatError, match="two files have the same name"):
        read_graphs(tmp_path / "two.zip")


def test_damaged_compressed_member_raises(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, text in TU.items():
            archive.writestr(f"X/X_{key}.txt", text * 500)
    content = bytearray(path.read_bytes())
    content[45:60] = b"\xff" * 15
    path.write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="damaged"):
        read_graphs(path)


def test_archive_without_a_set_raises(tmp_path):
    write_zip(tmp_path / "x.zip", {"readme.txt": "hello"})
    with pytest.raises(FileFormatError, match="TU format"):
        read_graphs(tmp_path / "x.zip")
