import json
import logging
import multiprocessing
import os
import zipfile

import numpy as np
import pytest

from gskn import datasets
from gskn.datasets import _cache
from gskn.datasets._cache import cache_path, read_tu_cached
from gskn.graphs import read_tu
from tests.graphs.test_tu import FILES, write
from tests.reference.graphs import check_layout, check_same


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "data" / "X.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for suffix, text in FILES.items():
            archive.writestr(f"X/X_{suffix}.txt", text)
    return path


@pytest.fixture
def parses(monkeypatch):
    """Count the calls of the parser."""
    calls = []

    def counted(path):
        calls.append(path)
        return read_tu(path)

    monkeypatch.setattr(_cache, "read_tu", counted)
    return calls


def test_second_load_reads_the_cache(source, parses):
    first, second = read_tu_cached(source), read_tu_cached(source)
    assert len(parses) == 1
    assert cache_path(source).parent == source.parent / ".gskn-cache"
    check_same(first.graphs, second.graphs)
    check_layout(second.graphs)
    assert second.targets.tolist() == [-1, 1]
    assert first.graphs.label_values == second.graphs.label_values
    assert [path.name for path in cache_path(source).parent.iterdir()] == ["X.zip.npz"]


def test_tuples_round_trip_through_the_cache(tmp_path, parses):
    folder = write(tmp_path / "X", node_labels="1, 2\n1, 3\n1, 2\n0, 0\n")
    check_same(read_tu_cached(folder).graphs, read_tu_cached(folder).graphs)
    assert len(parses) == 1


def test_edge_data_round_trips_through_the_cache(tmp_path, parses):
    folder = write(
        tmp_path / "X",
        edge_labels="3\n3\n-1\n-1\n",
        edge_attributes="0.5, 1\n0.5, 1\n2, 3\n2, 3\n",
    )
    first, second = read_tu_cached(folder).graphs, read_tu_cached(folder).graphs
    assert len(parses) == 1
    assert second.edge_label_values == (-1, 3)
    check_same(first, second)
    check_layout(second)


def test_cache_without_edge_data_of_an_older_version_is_replaced(tmp_path, parses):
    folder = write(tmp_path / "X", edge_labels="3\n3\n-1\n-1\n")
    read_tu_cached(folder)
    change_header(cache_path(folder), format=1)
    assert read_tu_cached(folder).graphs.edge_labels is not None
    assert len(parses) == 2


def test_modified_source_of_equal_size_is_parsed_again(tmp_path, parses):
    folder = write(tmp_path / "X")
    read_tu_cached(folder)
    write(tmp_path / "X", graph_labels="-1\n2\n")
    assert read_tu_cached(folder).targets.tolist() == [-1, 2]
    assert len(parses) == 2


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def flip(path):
    content = bytearray(path.read_bytes())
    content[content.index(b"\x93NUMPY") + 60] ^= 0xFF
    path.write_bytes(bytes(content))


def rewrite(path, **changes):
    with np.load(path) as content:
        arrays = {name: content[name] for name in content.files}
    with path.open("wb") as file:
        np.savez(file, **{**arrays, **changes})


def text(content):
    return np.frombuffer(content, dtype=np.uint8)


def change_header(path, **changes):
    with np.load(path) as content:
        header = json.loads(content["header"].tobytes())
    rewrite(path, header=text(json.dumps({**header, **changes}).encode()))


def other_version(path):
    with np.load(path) as content:
        header = content["header"].tobytes().replace(b'"format": 2', b'"format": 9')
    rewrite(path, header=np.frombuffer(header, dtype=np.uint8))


DAMAGES = {
    "cut short": cut,
    "a flipped bit": flip,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("nonsense"),
    "another version": other_version,
    "columns out of range": lambda p: rewrite(p, indices=np.array([9, 9, 9, 9], np.int32)),
    "falling offsets": lambda p: rewrite(p, indptr=np.array([0, 5, 2, 3, 4])),
    "other types": lambda p: rewrite(p, indices=np.zeros(4)),
    "too few labels": lambda p: rewrite(p, node_labels=np.zeros(1, int)),
    "labels out of range": lambda p: rewrite(p, node_labels=np.full(4, 99)),
    "unsorted graphs": lambda p: rewrite(p, graph_ptr=np.array([0, 4, 2, 4])),
    "a scalar": lambda p: rewrite(p, graph_ptr=np.int64(3)),
    "too few targets": lambda p: rewrite(p, targets=np.zeros(1, int)),
    "float labels": lambda p: rewrite(p, node_labels=np.zeros(4)),
    "columns of another graph": lambda p: rewrite(
        p, indices=np.array([2, 0, 3, 2], np.int32)
    ),
    "a column twice": lambda p: rewrite(
        p, indices=np.array([1, 1, 3, 2], np.int32), indptr=np.array([0, 2, 2, 3, 4])
    ),
    "unsorted columns": lambda p: rewrite(
        p, indices=np.array([1, 0, 3, 2], np.int32), indptr=np.array([0, 2, 2, 3, 4])
    ),
    "attributes that are not finite": lambda p: rewrite(
        p, node_attributes=np.full((4, 2), np.nan)
    ),
    "attributes without columns": lambda p: rewrite(p, node_attributes=np.zeros(4)),
    "attributes of another type": lambda p: rewrite(
        p, node_attributes=np.zeros((4, 2), np.float32)
    ),
    "targets that are not finite": lambda p: rewrite(p, targets=np.full(2, np.nan)),
    "targets of text": lambda p: rewrite(p, targets=np.array(["a", "b"])),
    "targets in three dimensions": lambda p: rewrite(p, targets=np.zeros((2, 1, 1), int)),
    "no graphs at all": lambda p: rewrite(p, graph_ptr=np.empty(0, int)),
    "a header of another kind": lambda p: rewrite(p, header=text(b"[1]")),
    "a deeply nested header": lambda p: rewrite(p, header=text(b"[" * 10**5)),
    "a header that is not text": lambda p: rewrite(p, header=text(b"\xff")),
    "a missing array": lambda p: np.savez(p, header=text(b"{}")),
    "other label values": lambda p: change_header(p, label_values=["a", "b", "c"]),
    "equal label values": lambda p: change_header(p, label_values=[0, 0, 0]),
    "unsorted label values": lambda p: change_header(p, label_values=[5, 3, 0]),
    "label values of two kinds": lambda p: change_header(p, label_values=[0, [3, 1], 5]),
    "label values of two lengths": lambda p: change_header(
        p, label_values=[[0], [3, 1], [5]]
    ),
    "huge label values": lambda p: change_header(p, label_values=[0, 1, 10**400]),
    "true label values": lambda p: change_header(p, label_values=[False, True, 2]),
    "label values that are no list": lambda p: change_header(p, label_values=3),
    "edge labels without values": lambda p: rewrite(p, edge_labels=np.zeros(4, int)),
    "too few edge labels": lambda p: (
        change_header(p, edge_label_values=[0]),
        rewrite(p, edge_labels=np.zeros(3, int)),
    ),
    "edge label values without labels": lambda p: change_header(p, edge_label_values=[0]),
    "too few edge attributes": lambda p: rewrite(p, edge_attributes=np.zeros((3, 1))),
    "edge attributes that are not finite": lambda p: rewrite(
        p, edge_attributes=np.full((4, 1), np.inf)
    ),
    "a name that is not text": lambda p: change_header(p, name=3),
    "objects": lambda p: rewrite(p, indices=np.array([{}, 1, 2, 3], dtype=object)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_invalid_cache_is_replaced(source, parses, damage):
    first = read_tu_cached(source)
    DAMAGES[damage](cache_path(source))
    check_same(read_tu_cached(source).graphs, first.graphs)
    assert len(parses) == 2
    check_same(read_tu_cached(source).graphs, first.graphs)
    assert len(parses) == 2


def test_cache_with_one_damaged_byte_is_detected(source):
    first = read_tu_cached(source)
    path = cache_path(source)
    whole = path.read_bytes()
    for position in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(bytes(damaged))
        check_same(read_tu_cached(source).graphs, first.graphs)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_instead_of_a_cache_or_a_text_file_are_not_read(tmp_path, parses):
    folder = write(tmp_path / "X")
    os.mkfifo(folder / "notes.txt")
    cache = cache_path(folder)
    cache.parent.mkdir()
    os.mkfifo(cache)
    assert read_tu_cached(folder).graphs.n_graphs == 2
    assert read_tu_cached(folder).graphs.n_graphs == 2
    assert len(parses) == 1


def test_temporary_files_are_removed_after_a_day(source):
    folder = cache_path(source).parent
    folder.mkdir()
    old, new = (folder / f".X.zip.npz.{name}.gskn-tmp" for name in ("old", "new"))
    for orphan in (old, new):
        orphan.write_text("")
    os.utime(old, (0, 0))
    read_tu_cached(source)
    assert {path.name for path in folder.iterdir()} == {new.name, "X.zip.npz"}


def test_set_loads_if_the_cache_cannot_be_written(source, caplog):
    (source.parent / ".gskn-cache").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        assert read_tu_cached(source).graphs.n_graphs == 2
    assert "could not be written" in caplog.text


def _load_regularly(folder):
    return datasets.load("PTC", folder).graphs.n_edges


def test_several_processes_may_load_a_set_at_once(tmp_path):
    write(tmp_path / "PTC", name="PTC")
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.map(_load_regularly, [tmp_path] * 6) == [2] * 6
    assert [path.name for path in (tmp_path / ".gskn-cache").iterdir()] == ["PTC.npz"]
