"""Targets in a column of a table of molecules."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gskn import datasets
from gskn.exceptions import FileFormatError, GsknWarning, InputError, MissingFileError
from gskn.graphs import ReadOptions

pytest.importorskip("rdkit")

TEXT = "smiles,id,energy,mass\nCCO,a,-5.0,46\nc1ccccc1,b,-0.5,78\nCC,c,1.5,30\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "molecules.csv"
    path.write_text(TEXT)
    return path


def write(path, text):
    path.write_text(text)
    return path


def test_a_column_is_selected_by_its_name(table):
    data = datasets.read(table, target_column="energy")
    assert data.y.tolist() == [-5.0, -0.5, 1.5]
    assert data.targets == "values"
    assert data.graphs.graph_sizes.tolist() == [3, 6, 2]
    assert data.graphs.graph_names.tolist() == ["a", "b", "c"]
    assert datasets.read(table, target_column="mass", task="classes").y.tolist() == [
        46,
        78,
        30,
    ]


def test_the_only_column_is_selected(tmp_path):
    path = write(tmp_path / "a.tsv", "name\tfraction\tSMILES\nx\t0.5\tCC\ny\t1\tCCC\n")
    assert datasets.read(path).y.tolist() == [0.5, 1.0]
    path = write(tmp_path / "b.csv", "smiles,color,Class\nCC,red,yes\nCCC,red,no\n")
    assert datasets.read(path).y.tolist() == ["yes", "no"]


def test_compressed_and_parquet_tables_have_the_same_targets(tmp_path, table):
    expected = datasets.read(table, target_column="energy")
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    parquet = tmp_path / "table.parquet"
    smiles, ids, energies = ["CCO", "c1ccccc1", "CC"], ["a", "b", "c"], [-5.0, -0.5, 1.5]
    pq.write_table(pa.table({"smiles": smiles, "id": ids, "energy": energies}), parquet)
    for data in (datasets.read(packed, target_column="energy"), datasets.read(parquet)):
        assert data.y.tolist() == expected.y.tolist()
        assert data.graphs.graph_names.tolist() == ["a", "b", "c"]


def test_molecules_that_cannot_be_read_are_removed_with_their_targets(tmp_path):
    text = "smiles,y\nCC,0.5\nC1CC,1.5\n,2.5\nCCC,3.5\n"
    path = write(tmp_path / "bad.csv", text)
    rejected = []
    options = ReadOptions(on_invalid="skip", report=rejected.append)
    data = datasets.read(path, options=options)
    assert data.y.tolist() == [0.5, 3.5]
    assert data.graphs.graph_names.tolist() == ["CC", "CCC"]
    assert [molecule.number for molecule in rejected] == [3, 4]
    with pytest.raises(FileFormatError, match="'C1CC'"):
        datasets.read(path)
    with pytest.warns(GsknWarning, match="Skipped 2 of 4 molecules"):
        data = datasets.read(path, options=ReadOptions(on_invalid="skip"))
    assert data.y.tolist() == [0.5, 3.5]


def test_a_file_of_classes_takes_precedence(tmp_path, table):
    classes = write(tmp_path / "classes.csv", "c,0\nb,1\na,0\n")
    assert datasets.read(table, classes).y.tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="has a file of classes"):
        datasets.read(table, classes, target_column="mass")


@pytest.mark.parametrize(
    ("text", "column", "error", "message"),
    [
        (TEXT, None, InputError, "several columns .* 'energy', 'mass'; .*--target-column"),
        (TEXT, "charge", FileFormatError, "no column 'charge'; .*'energy', 'mass'"),
        ("smiles,id\nCC,a\n", None, MissingFileError, "no column of classes or values"),
        ("smiles,y\nCC,1\nCCC,\n", None, InputError, "graph 1 is missing"),
        ("smiles,y\nCC,1\nCCC,1\n", None, InputError, "only the class 1"),
        ("smiles,y,y\nCC,1,2\nCCC,1,2\n", "y", FileFormatError, "a name twice"),
        ("smiles,y\nCC,1\nCCC\n", None, FileFormatError, "expected 2 fields"),
        ("source,target\na,b\n", "y", InputError, "not a table of molecules"),
        ("id,drug,y\na,CC,1\nb,C,2\n", None, MissingFileError, "column named 'smiles'"),
    ],
)
def test_invalid_tables_raise(tmp_path, text, column, error, message):
    path = write(tmp_path / "table.csv", text)
    with pytest.raises(error, match=message):
        datasets.read(path, target_column=column)
