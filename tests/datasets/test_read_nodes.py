import pickle

import networkx as nx
import numpy as np
import pytest

from gskn import datasets
from gskn.evaluation import evaluate_nodes
from gskn.exceptions import FileFormatError, InputError


@pytest.fixture
def edges(tmp_path):
    """A chain of ten triangles; the nodes are named n0, n1 and so on."""
    graph = nx.Graph()
    for number in range(10):
        a, b, c, d = (f"n{4 * number + k}" for k in range(4))
        graph.add_edges_from([(a, b), (b, c), (c, a), (c, d), (d, f"n{4 * number + 4}")])
    path = tmp_path / "edges.csv"
    lines = [f"{u},{v}" for u, v in graph.edges]
    path.write_text("source,target\n" + "\n".join(lines) + "\n")
    return path


def write_classes(folder, names, values, header="node,class"):
    path = folder / "nodes.csv"
    lines = [header] * bool(header)
    lines += [f"{n},{v}" for n, v in zip(names, values, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("header", ["node,class", "", "id,target"])
def test_classes_belong_to_the_named_nodes(edges, tmp_path, header):
    names = [f"n{number}" for number in range(41)][::-1]
    classes = write_classes(tmp_path, names, [int(n[1:]) % 4 for n in names], header)
    data = datasets.read_nodes(edges, classes)
    assert data.task == "node"
    assert data.labelled is None
    assert data.y.tolist() == [int(n[1:]) % 4 for n in data.graphs.node_names]


def test_nodes_without_a_class_are_not_split(edges, tmp_path):
    names = [f"n{number}" for number in range(36)]
    classes = write_classes(tmp_path, names, ["ab"[int(n[1:]) % 4 == 3] for n in names])
    data = datasets.read_nodes(edges, classes)
    assert data.n_classes == 2
    assert sorted(data.graphs.node_names[data.labelled]) == sorted(names)
    records = evaluate_nodes(data, ["majority"], repeats=2)
    n_tested = [11, 26]  # of 36 labelled nodes, 70 and 30 percent
    for record in records:
        n = n_tested[record.protocol == "nodes-30"]
        assert record.scores["accuracy"] * n == pytest.approx(
            round(record.scores["accuracy"] * n)
        )
    copy = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(copy.labelled, data.labelled)


def test_the_nodes_with_a_class_are_part_of_the_key_of_records(edges, tmp_path):
    names = [f"n{number}" for number in range(36)]
    values = ["ab"[int(n[1:]) % 2] for n in names]
    first = datasets.read_nodes(edges, write_classes(tmp_path, names, values))
    fewer = write_classes(tmp_path, names[:-1], values[:-1])
    second = datasets.read_nodes(edges, fewer)
    keys = {
        evaluate_nodes(data, ["majority"], repeats=1)[0].configuration["data"]
        for data in (first, second)
    }
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("n1,a\nxyz,b\n", r"line 2: unknown node 'xyz'; the name of the first node"),
        ("class,node\nn1,a\n", r"line 2: unknown node 'a', but there is a node 'n1'\. Are"),
        ("n1,a\nn2,b\nn1,b\n", r"line 3: the node 'n1' already has a class in line 1"),
        ("n1,a\nn2\n", r"line 2: expected a node and its class"),
        ("node,class\n", r"there are no lines node,class"),
    ],
)
def test_malformed_classes_name_the_line(edges, tmp_path, lines, reason):
    classes = tmp_path / "nodes.csv"
    classes.write_text(lines)
    with pytest.raises(FileFormatError, match=reason):
        datasets.read_nodes(edges, classes)


def test_one_class_or_several_graphs_are_refused(edges, tmp_path):
    classes = write_classes(tmp_path, ["n0", "n1"], ["a", "a"])
    with pytest.raises(InputError, match="two are required"):
        datasets.read_nodes(edges, classes)
    folder = tmp_path / "graphs"
    folder.mkdir()
    for number in range(2):
        nx.write_graph6(nx.path_graph(3), folder / f"{number}.g6")
    with pytest.raises(InputError, match="contains 2 graphs"):
        datasets.read_nodes(folder, classes)
