import resource

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gskn import read_graphs
from gskn.exceptions import FileFormatError, GsknError, GsknWarning
from gskn.graphs import iter_graphs

EDGES = {"source": [0, 1], "target": [1, 2]}


def write_repeated(path, columns, n_rows):
    """Write one row many times: kilobytes on disk, gigabytes in memory."""
    one = pa.table({name: pa.array([value]) for name, value in columns.items()})
    block = one.take(pa.array(np.zeros(10**6, dtype=np.int64)))
    with pq.ParquetWriter(path, block.schema, compression="zstd") as writer:
        for _ in range(n_rows // 10**6):
            writer.write_table(block)


def test_small_file_of_many_rows_raises_before_it_is_read(tmp_path):
    path = tmp_path / "bomb.parquet"
    write_repeated(path, {"source": 0, "target": 1}, 20 * 10**6)
    assert path.stat().st_size < 10**6
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FileFormatError, match="20000000 rows are too many"):
        read_graphs(path)
    with pytest.raises(FileFormatError, match="20000000 rows are too many"):
        list(iter_graphs(path))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10**5  # kB


def test_graph_of_many_rows_raises_while_others_are_streamed(tmp_path):
    path = tmp_path / "bomb.parquet"
    write_repeated(path, {"graph": 0, "source": 0, "target": 1}, 20 * 10**6)
    with pytest.raises(FileFormatError, match="rows are too many"):
        list(iter_graphs(path))
    with pytest.raises(FileFormatError, match="rows are too many"):
        read_graphs(path)


def test_repeated_long_texts_raise_before_they_are_decoded(tmp_path):
    path = tmp_path / "bomb.parquet"
    ids = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(10**5, dtype=np.int32)), pa.array(["x" * 10**5])
    )
    for columns in (
        {"source": ids, "target": ids},
        {"graph": ids, **dict.fromkeys(EDGES, ids)},
    ):
        pq.write_table(pa.table(columns), path)
        assert path.stat().st_size < 10**6
        with pytest.raises(FileFormatError, match="the columns need 10000000000 bytes"):
            read_graphs(path)
        with pytest.raises(FileFormatError, match="the columns need"):
            list(iter_graphs(path))


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_text_in_other_encodings_is_read(tmp_path, encoding):
    path = tmp_path / "text.parquet"
    encodings = dict.fromkeys(("graph", "source", "target"), encoding)
    table = pa.table({"graph": ["g", "h"], "source": ["a", "b"], "target": ["b", "c"]})
    pq.write_table(table, path, use_dictionary=False, column_encoding=encodings)
    assert read_graphs(path).node_names.tolist() == ["a", "b", "b", "c"]
    (batch,) = iter_graphs(path)
    assert batch.graph_names.tolist() == ["g", "h"]


def test_long_texts_with_a_common_prefix_raise(tmp_path):
    path = tmp_path / "bomb.parquet"
    encodings = dict.fromkeys(("graph", "source", "target"), "DELTA_BYTE_ARRAY")
    table = pa.table(dict.fromkeys(encodings, ["x" * 10**5] * 300))
    with pq.ParquetWriter(
        path, table.schema, use_dictionary=False, column_encoding=encodings
    ) as writer:
        for _ in range(20):
            writer.write_table(table)
    assert path.stat().st_size < 10**6
    for read in (read_graphs, lambda path: list(iter_graphs(path))):
        with pytest.raises(FileFormatError, match="the columns need"):
            read(path)


def test_only_required_columns_are_read(tmp_path):
    path = tmp_path / "wide.parquet"
    note = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(2, dtype=np.int32)), pa.array(["x" * 2**20])
    )
    pq.write_table(pa.table({**EDGES, "note": note, "nested": [[1], [2]]}), path)
    assert read_graphs(path).n_edges == 2


@pytest.mark.parametrize("kind", ["list", "struct", "map"])
def test_nested_columns_raise_before_they_are_read(tmp_path, kind):
    column = {
        "list": pa.array([[1], [2]]),
        "struct": pa.array([{"a": 1}, {"a": 2}]),
        "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    }[kind]
    path = tmp_path / "nested.parquet"
    pq.write_table(pa.table({**EDGES, "source": column}), path)
    with pytest.raises(
        FileFormatError, match=r"nested\.parquet: Column 'source' has the nested type"
    ):
        read_graphs(path)


@pytest.mark.parametrize("ids", [[0, 1], ["a", "b"]])
def test_damaged_files_raise_a_message_of_one_line(tmp_path, ids):
    path = tmp_path / "damaged.parquet"
    pq.write_table(pa.table({"graph": ids, "source": ids, "target": ids}), path)
    content = path.read_bytes()
    generator = np.random.default_rng(0)
    messages = []
    for _ in range(1500):
        damaged = np.frombuffer(content, np.uint8).copy()
        places = generator.integers(0, len(damaged), 2)
        damaged[places] = generator.integers(0, 256, 2)
        path.write_bytes(damaged.tobytes())
        for read in (read_graphs, lambda path: list(iter_graphs(path))):
            try:
                read(path)
            except GsknError as error:
                messages.append(str(error))
    assert len(messages) > 1000
    assert not any("\n" in message for message in messages)


def test_text_that_is_not_utf8_raises(tmp_path):
    path = tmp_path / "text.parquet"
    pq.write_table(pa.table({"source": ["abcdefgh"], "target": ["b"]}), path)
    content = path.read_bytes()
    start = content.index(b"abcdefgh")
    path.write_bytes(content[:start] + b"\xff" + content[start + 1 :])
    with pytest.raises(FileFormatError, match="UTF8|UTF-8"):
        read_graphs(path)


def test_column_similar_to_weight_warns(tmp_path):
    pq.write_table(pa.table({**EDGES, "Weight": [1.0, 2.0]}), tmp_path / "e.parquet")
    with pytest.warns(GsknWarning, match="'Weight' is not read") as caught:
        assert not read_graphs(tmp_path / "e.parquet").is_weighted
    assert caught[0].filename == __file__


def test_names_of_folders_are_not_columns(tmp_path):
    folder = tmp_path / "graph=3"
    folder.mkdir()
    pq.write_table(pa.table(EDGES), folder / "e.parquet")
    assert read_graphs(folder / "e.parquet").graph_names.tolist() == ["e"]
