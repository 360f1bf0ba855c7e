import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from gskn import _row_files
from gskn._row_files import open_row_file
from gskn.exceptions import InputError

FEATURES = ["one", "two, too"]
ROWS = np.random.default_rng(0).normal(size=(7, 2)) * 10.0 ** np.arange(-3, 4)[:, None]
NAMES = {
    "text": np.array(["a", 'b "c", d', "line\nbreak", "é", "", "long name", "7"], object),
    "numbers": np.arange(7) * 2**40,
}


def write(path, names, cuts, **metadata):
    with open_row_file(path, FEATURES, metadata) as append:
        for part in np.split(np.arange(7), cuts):
            append({"graph": names[part], "node": part}, ROWS[part])


def read(path):
    """Return graphs, nodes, embeddings and names of columns."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        names = ["graph", "node", *arrays["names"].tolist()]
        ids = arrays["graph"].tolist(), arrays["node"].tolist()
        return *ids, arrays["rows"], names
    if path.suffix == ".parquet":
        table = pq.read_table(path).to_pydict()
        names, columns = list(table), list(table.values())
    else:
        with path.open(newline="", encoding="utf-8") as file:
            names, *lines = csv.reader(file)
        columns = list(zip(*lines, strict=True))
    rows = np.array(columns[2:], dtype=float).T
    return list(columns[0]), [*map(int, columns[1])], rows, names


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("cuts", [[], [1, 4], [2, 2, 6]])
def test_embeddings_round_trip_bit_for_bit(tmp_path, suffix, kind, cuts, monkeypatch):
    monkeypatch.setattr(_row_files, "_GROUP_CELLS", 6)
    path = tmp_path / "new" / f"rows{suffix}"
    write(path, NAMES[kind], cuts)
    graphs, nodes, rows, names = read(path)
    expected = NAMES[kind].tolist()
    assert graphs == ([*map(str, expected)] if suffix == ".csv" else expected)
    assert nodes == list(range(7))
    np.testing.assert_array_equal(rows, ROWS)
    assert names == ["graph", "node", *FEATURES]
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_parquet_contains_metadata(tmp_path, monkeypatch):
    monkeypatch.setattr(_row_files, "_GROUP_CELLS", 6)
    path = tmp_path / "rows.parquet"
    write(path, NAMES["text"], [1, 2, 3, 4, 5, 6], parameters=json.dumps({"alpha": 1}))
    file = pq.ParquetFile(path)
    assert json.loads(file.schema_arrow.metadata[b"parameters"]) == {"alpha": 1}
    assert file.num_row_groups == 3


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
def test_failure_keeps_the_old_file(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    path.write_text("old")

    def fail(error):
        with open_row_file(path, FEATURES, {}) as append:
            append({"graph": np.arange(7)}, ROWS)
            raise error

    for failure in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(failure):
            fail(failure)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_paths_that_cannot_be_written_raise(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    for path, message in (
        ("rows.xlsx", r"must end in one of \.parquet, \.csv, \.npz"),
        ("folder.csv", "is a folder"),
        ("file/rows.csv", "is not a folder"),
        ("file/below/rows.csv", "is not a folder"),
    ):
        with pytest.raises(InputError, match=message):
            _row_files.check_row_file(tmp_path / path)
    _row_files.check_row_file(Path("rows.CSV"))


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npz"])
def test_names_that_are_not_utf8_are_escaped(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    names = np.array(["caf\udce9", "plain", "\ud800"], dtype=object)
    with open_row_file(path, ["a\udcff", "b"], {"from": "x\udcff"}) as append:
        append({"graph": names, "node": np.arange(3)}, ROWS[:3])
        append({"graph": names[1:2], "node": np.arange(1)}, ROWS[3:4])
    graphs, _, rows, columns = read(path)
    assert graphs == [r"caf\udce9", "plain", r"\ud800", "plain"]
    assert columns == ["graph", "node", r"a\udcff", "b"]
    np.testing.assert_array_equal(rows, ROWS[:4])
    if suffix == ".parquet":
        assert pq.read_schema(path).metadata[b"from"] == rb"x\udcff"
