import pytest

from gskn import as_batch, read_graphs
from gskn.exceptions import FileFormatError

PATH_OF_THREE = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("header.csv", ["source,target", "0,1", "1,2"]),
        ("ids.csv", ["id_1,id_2", "0,1", "1,2"]),
        ("nodes.csv", ["node_1,node_2", "0,1", "1,2"]),
        ("comment.csv", ["# edges", "source,target", "0,1", "", "1,2"]),
        ("comment.edgelist", ["# edges", "0 1", "1 2"]),
        ("percent.txt", ["% edges", "0 1", "1 2"]),
        ("plain.tsv", ["0\t1", "1\t2"]),
        ("dicts.edgelist", ["# edges", "0 1 {}", "1 2 {}"]),
    ],
)
def test_lines_may_end_in_cr_lf_or_both(tmp_path, name, lines, end):
    (tmp_path / name).write_bytes(end.join([*lines, ""]).encode())
    assert read_graphs(tmp_path / name).adjacency.toarray().tolist() == PATH_OF_THREE


def test_line_numbers_count_cr_line_ends(tmp_path):
    (tmp_path / "e.csv").write_bytes(b"# edges\rsource,target\r0,1\r0,1,2\r")
    with pytest.raises(FileFormatError, match="line 4: expected 2 fields"):
        read_graphs(tmp_path / "e.csv")


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_unicode_line_breaks_are_part_of_an_id(tmp_path, separator):
    for name, sign in (("e.csv", ","), ("e.edgelist", " ")):
        text = f"a{separator}b{sign}c\nc{sign}d\n"
        (tmp_path / name).write_bytes(text.encode())
        names = read_graphs(tmp_path / name).node_names.tolist()
        assert names == [f"a{separator}b", "c", "d"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0,1\n1,\x002\n", "line 2: .*NUL byte"),
        ("0,1\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n\xff,c\n", "line 2: not UTF-8"),
        (b"a,b\nc,d\nd,\xed\xa0\x80\n", "line 3: not UTF-8"),
    ],
)
def test_binary_content_raises_with_its_line(tmp_path, content, message):
    (tmp_path / "e.csv").write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_graphs(tmp_path / "e.csv")


def test_unquoted_field_may_exceed_the_limit_of_the_csv_module(tmp_path):
    name = "x" * 200_000
    (tmp_path / "e.csv").write_text(f"{name},b\nb,c\n")
    assert read_graphs(tmp_path / "e.csv").node_names.tolist() == ["b", "c", name]


def test_quoted_field_beyond_the_limit_of_the_csv_module_raises(tmp_path):
    (tmp_path / "e.csv").write_text('"' + "x" * 200_000 + '",b\n')
    with pytest.raises(FileFormatError, match="line 1: field larger than field limit"):
        read_graphs(tmp_path / "e.csv")


def test_line_longer_than_a_block_raises(tmp_path):
    (tmp_path / "e.csv").write_text("a,b\n" + "x" * 2**21 + ",b\nb,c\n")
    with pytest.raises(FileFormatError, match="line 2: the line has 2097154 bytes"):
        read_graphs(tmp_path / "e.csv")


@pytest.mark.parametrize(
    "literal",
    [
        "{'weight': 1" + "0" * 400 + "}",
        "{'weight': 1" + "0" * 5000 + "}",
        "{'weight': " + "-" * 10_000 + "1}",
        "{'weight': " + "[" * 500 + "]" * 500 + "}",
        "{'weight': 1" + "+1" * 50_000 + "}",
    ],
)
def test_excessive_literals_raise(tmp_path, literal):
    (tmp_path / "e.edgelist").write_text(f"0 1 {{}}\n1 2 {literal}\n")
    with pytest.raises(FileFormatError, match="line 2: expected source, target and a dict"):
        read_graphs(tmp_path / "e.edgelist")


@pytest.mark.parametrize("weight", ["weight", "Weight", "WEIGHT"])
@pytest.mark.parametrize("ends", ["source,target", "Source,Target", "from,TO"])
def test_header_names_match_in_any_case(tmp_path, weight, ends):
    (tmp_path / "e.csv").write_text(f"{ends},{weight},Graph\n0,1,3,7\n0,1,1,8\n")
    batch = read_graphs(tmp_path / "e.csv")
    assert batch.graph_names.tolist() == [7, 8]
    assert batch.adjacency.data.tolist() == [3, 3, 1, 1]


def test_exact_column_name_has_priority(tmp_path):
    (tmp_path / "e.csv").write_text("source,target,Weight,weight\n0,1,3,4\n")
    assert read_graphs(tmp_path / "e.csv").adjacency.data.tolist() == [4, 4]
    batch = as_batch(tmp_path / "e.csv", edge_weight="Weight")
    assert batch.adjacency.data.tolist() == [3, 3]
    (tmp_path / "e.csv").write_text("source,target,Weight,WEIGHT\n0,1,3,4\n")
    with pytest.raises(FileFormatError, match="contains a name twice"):
        read_graphs(tmp_path / "e.csv")
