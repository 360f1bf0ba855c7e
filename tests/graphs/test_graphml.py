import pytest

from gskn import read_graphs
from gskn.exceptions import FileFormatError

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"


def write(path, body, before="", keys=""):
    path.write_text(
        f'<?xml version="1.0"?>\n{before}\n<graphml xmlns="{NAMESPACE}">{keys}\n'
        f'<graph edgedefault="undirected">\n{body}\n</graph></graphml>'
    )
    return path


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<node id="a"/>\n<node/>', "line 6: a node has no id"),
        ('<node id="a"/>\n<node id="a"/>', "line 6: the node 'a' is declared twice"),
        (
            '<node id="a"/>\n<edge source="a" target="b"/>',
            "line 6: the edge from 'a' to 'b' has an undeclared node",
        ),
        ('<node id="a"/>\n<edge source="a"/>', "from 'a' to None has an undeclared node"),
        ("<a>" * 1000 + "</a>" * 1000, "nested more than 200 deep"),
    ],
)
def test_invalid_nodes_and_edges_of_graphml_raise(tmp_path, body, message):
    with pytest.raises(FileFormatError, match=message):
        read_graphs(write(tmp_path / "g.graphml", body))


def test_ids_are_separate_for_every_graph_of_a_file(tmp_path):
    body = '<node id="a"/></graph><graph edgedefault="directed"><node id="a"/>'
    assert read_graphs(write(tmp_path / "g.graphml", body)).graph_sizes.tolist() == [1, 1]


def test_entities_raise_before_they_are_expanded(tmp_path):
    lines = ['<!ENTITY a0 "ha">']
    lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    path = write(
        tmp_path / "g.graphml",
        '<node id="&a11;"/>',
        before=f"<!DOCTYPE graphml [{''.join(lines)}]>",
    )
    with pytest.raises(FileFormatError, match="the entity 'a0' is not supported"):
        read_graphs(path)


def test_external_entities_raise(tmp_path):
    (tmp_path / "secret").write_text("secret")
    before = f'<!DOCTYPE graphml [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    path = write(tmp_path / "g.graphml", '<node id="&x;"/>', before=before)
    with pytest.raises(FileFormatError, match="the entity 'x' is not supported"):
        read_graphs(path)


@pytest.mark.parametrize("digits", [400, 5000])
def test_integers_beyond_float64_raise(tmp_path, digits):
    path = write(
        tmp_path / "g.graphml",
        '<node id="a"/><edge source="a" target="a"><data key="w">'
        f"1{'0' * digits}</data></edge>",
        keys='<key id="w" for="edge" attr.name="weight" attr.type="int"/>',
    )
    with pytest.raises(FileFormatError, match="range of float64|not GraphML"):
        read_graphs(path)
