import os
import sys
import zipfile

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gskn import datasets
from gskn.cli import main
from gskn.exceptions import FileFormatError, GsknError, InputError, MissingFileError
from tests.graphs.test_tu import DAMAGES, FILES, change_directory


def write_graphs(folder, n_graphs=4):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(n_graphs):
        kind = nx.cycle_graph if number % 2 else nx.path_graph
        nx.write_graph6(kind(number + 3), folder / f"g{number}.g6")
    return folder


def write_tu(folder, *, labels="1\n2\n"):
    folder.mkdir()
    (folder / "OWN_A.txt").write_text("1, 2\n2, 1\n3, 4\n4, 3\n")
    (folder / "OWN_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    if labels:
        (folder / "OWN_graph_labels.txt").write_text(labels)
    return folder


@pytest.mark.parametrize(
    "text",
    [
        "g0,a\ng1,b\ng2,a\ng3,b\n",
        "graph,class\ng3.g6,b\ng2.g6,a\ng1,b\ng0,a",
        "\ufeffID;Label\r\ng3;b\r\n\r\ng2 ; a\r\ng1;b\r\ng0;a\r\n",
        "g0\ta\ng1\tb\ng2\ta\ng3\tb\n",
        'g0,"a"\ng1,b\n"g2.g6",a\ng3,b\n',
    ],
)
@pytest.mark.parametrize("name", ["labels.csv", "Classes.csv", "graph_labels.csv"])
def test_classes_are_read_from_the_folder(tmp_path, name, text):
    folder = write_graphs(tmp_path / "own")
    (folder / name).write_text(text, newline="")
    data = datasets.read(folder)
    assert data.graphs.graph_sizes.tolist() == [3, 4, 5, 6]
    assert data.y.tolist() == ["a", "b", "a", "b"]
    assert (data.name, data.task, data.n_classes) == (folder.as_posix(), "graph", 2)


def test_classes_are_read_from_any_file(tmp_path):
    folder = write_graphs(tmp_path / "own", 20)
    for file in (tmp_path / "y.csv", folder / "y.csv"):
        file.write_text("".join(f"g{n},{(-1) ** n}\n" for n in range(20)))
        data = datasets.read(folder, file)
        assert data.graphs.n_graphs == 20
        assert data.y.tolist() == [1, -1] * 10
        assert data.y.dtype == np.int64
        assert len(data.folds["stratified_seed0"]) == 10


def test_graphs_of_one_file_are_identified_by_name_or_number(tmp_path):
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"graph": [7, 9], "source": [0, 0], "target": [1, 1]}), path)
    (tmp_path / "y.csv").write_text("9,old\n7,new\n")
    assert datasets.read(path, tmp_path / "y.csv").y.tolist() == ["new", "old"]
    (tmp_path / "two.g6").write_text("A_\nBw\n")
    (tmp_path / "y.csv").write_text("two:1,b\ntwo:0,a\n")
    assert datasets.read(tmp_path / "two.g6", tmp_path / "y.csv").y.tolist() == ["a", "b"]


def test_tu_format_contains_classes(tmp_path, monkeypatch):
    folder = write_tu(tmp_path / "some")
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    for path in (folder, tmp_path / "some.zip"):
        assert datasets.read(path).y.tolist() == [1, 2]
    monkeypatch.chdir(tmp_path)
    assert datasets.read("some").name == datasets.read("./some").name == "./some"
    with pytest.raises(InputError, match="contains classes in NAME_graph_labels"):
        datasets.read(folder, "y.csv")
    with pytest.raises(FileFormatError, match=r"OWN_graph_labels\.txt is missing"):
        datasets.read(write_tu(tmp_path / "none", labels=""))
    with pytest.raises(FileFormatError, match="2 numbers per graph"):
        datasets.read(write_tu(tmp_path / "two", labels="1,2\n2,1\n"))
    with pytest.raises(InputError, match="have only the class 1"):
        datasets.read(write_tu(tmp_path / "same", labels="1\n1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("g0,a\ng1,b\n", r"labels\.csv: 2 of 4 graphs have no class, the first is 'g2'"),
        ("g0,a\ng1,b\ng2,a\n", r"1 of 4 graphs have no class, the first is 'g3'; add"),
        ("g0,a\ng1,b\ng9,a\n", r"line 3: unknown graph 'g9'; .* the first graph is 'g0'"),
        (
            "class,graph\ng0,a\n",
            r"line 2: unknown graph 'a', but there is a graph 'g0'\. Are",
        ),
        ("a,g1.g6\n", r"line 1: .* the columns swapped\? The first is the graph, unless"),
        ("g0,a\ng1,b\ng0,a\n", r"line 3: the graph 'g0' already has a class in line 1"),
        (
            "graph,class\ng0,a\ng0.g6,a\n",
            r"line 3: the graph 'g0\.g6' already has a class in line 2",
        ),
        ("g0,a,b\n", r"line 1: expected a graph and its class, got 'g0,a,b'"),
        ("g0,a\ng1,\n", r"line 2: expected a graph and its class, got 'g1,'"),
        ("g0,a\ng1\n", r"line 2: expected a graph and its class"),
        ("g0,a\ng1,a\ng2,a\ng3,a\n", r"have only the class a"),
        ("", r"4 of 4 graphs have no class, the first is 'g0'"),
        (f"g0,a\ng1,{'b' * 200_000}\n", r"line 2: not csv: field larger than field limit"),
        (f"g0,a\ng1,{'b' * 2000}\n", r"line 2: the class 'b.*\.\.\. has more than 1000"),
    ],
)
def test_invalid_classes_raise_a_message_of_one_line(tmp_path, text, message):
    folder = write_graphs(tmp_path / "own")
    (folder / "labels.csv").write_text(text)
    with pytest.raises(GsknError, match=message) as caught:
        datasets.read(folder)
    assert "\n" not in str(caught.value)


def test_missing_and_duplicate_files_raise(tmp_path):
    folder = write_graphs(tmp_path / "own")
    with pytest.raises(MissingFileError, match=r"have no classes.*labels\.csv"):
        datasets.read(folder)
    with pytest.raises(MissingFileError, match="no file 'none'"):
        datasets.read(folder, "none")
    with pytest.raises(MissingFileError, match="nowhere"):
        datasets.read(tmp_path / "nowhere")
    for name in ("labels.csv", "classes.csv"):
        (folder / name).write_bytes(b"g0,\xff\n")
    with pytest.raises(
        InputError, match=r"contains classes\.csv and labels\.csv; keep one"
    ):
        datasets.read(folder)
    (folder / "classes.csv").unlink()
    with pytest.raises(FileFormatError, match="not UTF-8 text"):
        datasets.read(folder)
    write_graphs(folder / "more", 1)
    with pytest.raises(InputError, match="2 graphs have the name 'g0'"):
        datasets.read(folder)


def test_folder_instead_of_the_classes_raises(tmp_path):
    folder = write_graphs(tmp_path / "own")
    with pytest.raises(FileFormatError, match="own: not a regular file"):
        datasets.read(folder, folder)
    (folder / "labels.csv").mkdir()
    with pytest.raises(FileFormatError, match=r"labels\.csv: not a regular file"):
        datasets.read(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_instead_of_the_classes_raises(tmp_path):
    folder = write_graphs(tmp_path / "own")
    os.mkfifo(folder / "labels.csv")
    for classes in (None, folder / "labels.csv"):
        with pytest.raises(FileFormatError, match=r"labels\.csv: not a regular file"):
            datasets.read(folder, classes)


def test_path_that_is_too_long_raises(tmp_path):
    with pytest.raises(GsknError, match="too long"):
        datasets.read(tmp_path / ("x" * 5000))
    with pytest.raises(GsknError, match="too long"):
        datasets.read(write_graphs(tmp_path / "own"), "x" * 5000)
    with pytest.raises(GsknError, match="too long"):
        datasets.load("PTC", tmp_path / ("x" * 5000))


@pytest.mark.parametrize("damage", DAMAGES)
def test_command_prints_one_line_for_a_damaged_archive(
    tmp_path, damage, capsys, monkeypatch
):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for suffix, text in FILES.items():
            archive.writestr(f"é/X_{suffix}.txt", text)
    if damage == "a name that is not UTF-8":
        path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))
    else:
        change_directory(path, *DAMAGES[damage])
    with pytest.raises(FileFormatError, match=r"x\.zip"):
        datasets.read(path)
    monkeypatch.setattr(sys, "argv", ["gskn", "evaluate", str(path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    error = capsys.readouterr().err
    assert "x.zip" in error
    assert error.count("\n") == 1


def test_values_are_read_and_may_be_forced(tmp_path):
    folder = write_graphs(tmp_path / "own")
    (folder / "labels.csv").write_text("graph,value\ng0,1.5\ng1,2\ng2,-1e3\ng3,2\n")
    data = datasets.read(folder)
    assert (data.targets, data.n_classes, data.folds) == ("values", 0, {})
    assert data.y.tolist() == [1.5, 2.0, -1000.0, 2.0]
    assert "targets='values'" in repr(data)
    assert f"Dataset {data.name}: values of graphs." in data._repr_html_()
    data = datasets.read(folder, task="classes")
    assert (data.targets, data.n_classes) == ("classes", 3)
    (folder / "labels.csv").write_text("g0,1\ng1,2\ng2,1\ng3,2\n")
    assert datasets.read(folder).targets == "classes"
    assert datasets.read(folder, task="values").y.tolist() == [1.0, 2.0, 1.0, 2.0]
    (folder / "labels.csv").write_text("g0,1.5\ng1,1.5\ng2,1.5\ng3,1.5\n")
    with pytest.raises(InputError, match="only the value 1.5"):
        datasets.read(folder)


def test_values_of_a_tu_set_are_its_graph_attributes(tmp_path):
    folder = write_tu(tmp_path / "OWN", labels="")
    attributes = folder / "OWN_graph_attributes.txt"
    attributes.write_text("1\n2\n")
    data = datasets.read(folder)
    assert (data.targets, data.y.tolist()) == ("values", [1.0, 2.0])
    with pytest.raises(FileFormatError, match="graph_labels.txt is missing"):
        datasets.read(folder, task="classes")
    (folder / "OWN_graph_labels.txt").write_text("7\n8\n")
    assert datasets.read(folder).y.tolist() == [7, 8]
    assert datasets.read(folder, task="values").y.tolist() == [1.0, 2.0]
    for text, message in (
        ("1, 2\n3, 4\n", "2 numbers per graph"),
        ("1.5\n", "1 lines for 2 graphs"),
        ("1.5\nmany\n", "expected 1 numbers"),
    ):
        attributes.write_text(text)
        with pytest.raises(FileFormatError, match=message):
            datasets.read(folder, task="values")
    attributes.write_text("1.5\nnan\n")
    with pytest.raises(InputError, match="graph 1 is missing"):
        datasets.read(folder, task="values")
    attributes.unlink()
    assert datasets.read(folder, task="values").y.tolist() == [7.0, 8.0]


def test_header_of_classes_may_be_swapped(tmp_path):
    (tmp_path / "graphs.smi").write_text("CCO a\nCCN b\nCC c\n")
    lines = ["class,graph", "1,a", "0,b", "1,c"]
    (tmp_path / "classes.txt").write_text("\n".join(lines))
    data = datasets.read(tmp_path / "graphs.smi", tmp_path / "classes.txt")
    assert data.y.tolist() == [1, 0, 1]
