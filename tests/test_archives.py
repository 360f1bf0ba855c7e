"""Archives of arrays from untrusted files."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from gskn._archives import open_member, read_array, read_arrays
from gskn._limits import max_unpacked_bytes
from gskn.exceptions import FileFormatError, MissingFileError


def npy(header: bytes, content: bytes = b"") -> bytes:
    """Return an npy file with any header."""
    padded = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + content


def write_archive(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_arrays_round_trip(tmp_path):
    path = tmp_path / "a.npz"
    expected = {"x": np.arange(6.0).reshape(2, 3), "text": np.array(["a", "bc"])}
    np.savez_compressed(path, **expected)
    arrays = read_arrays(path)
    assert arrays.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(arrays[name], array)


def test_only_wanted_arrays_are_unpacked(tmp_path):
    path = tmp_path / "a.npz"
    bomb = io.BytesIO()
    np.save(bomb, np.zeros(2**26, dtype=np.int64))
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    members = {"x.npy": buffer.getvalue(), "unused.npy": bomb.getvalue()}
    write_archive(path, members, zipfile.ZIP_DEFLATED)
    assert read_arrays(path, wanted=["x"])["x"].tolist() == [0, 1, 2]
    with pytest.raises(FileFormatError, match="more than the limit"):
        read_arrays(path)


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (True,), }",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        b"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10**30), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999999999999), }",
        b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        b"{'descr': '<f8'}",
        b"(((((((((((",
        b"",
    ],
)
def test_invalid_headers_raise_before_memory_is_allocated(tmp_path, header):
    path = tmp_path / "a.npz"
    write_archive(path, {"x.npy": npy(header, b"12345678")})
    with pytest.raises(FileFormatError):
        read_arrays(path)


def test_checksum_detects_damaged_bytes(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.arange(100.0))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="CRC"):
        read_arrays(path)


def test_duplicate_arrays_raise(tmp_path):
    path = tmp_path / "a.npz"
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    write_archive(path, {"x": buffer.getvalue(), "x.npy": buffer.getvalue()})
    with pytest.raises(FileFormatError, match="twice"):
        read_arrays(path)


@pytest.mark.parametrize("content", [b"", b"PK", json.dumps({}).encode(), bytes(100)])
def test_other_files_raise(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="npz"):
        read_arrays(path)


def test_missing_files_and_folders_raise(tmp_path):
    with pytest.raises(MissingFileError):
        read_arrays(tmp_path / "none.npz")
    with pytest.raises(FileFormatError, match="regular"):
        read_arrays(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_raises(tmp_path):
    path = tmp_path / "a.npz"
    os.mkfifo(path)
    with pytest.raises(FileFormatError, match="regular"):
        read_arrays(path)


def test_memory_limit_grows_with_the_file():
    assert max_unpacked_bytes(0) < 2**30
    assert max_unpacked_bytes(2**30) > 2**35


def peak_of(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read_member(path):
    with (
        zipfile.ZipFile(path) as archive,
        open_member(archive, archive.infolist()[0], "x") as file,
        pytest.raises(FileFormatError, match="x: damaged"),
    ):
        file.read()


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_member_needs_no_more_memory_than_its_declared_size(tmp_path, compression):
    path = tmp_path / "a.zip"
    write_archive(path, {"x": bytes(2**26)}, compression)
    content = bytearray(path.read_bytes())
    size = content.index(b"PK\x01\x02") + 24
    content[size : size + 4] = (1000).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    assert peak_of(lambda: read_member(path)) < 2**24


def test_lzma_dictionary_is_not_larger_than_the_member(tmp_path):
    path = tmp_path / "a.zip"
    write_archive(path, {"x": b"1, 2\n" * 100}, zipfile.ZIP_LZMA)
    content = bytearray(path.read_bytes())
    start = 30 + len("x") + 5  # after the header, the name, and the LZMA version
    content[start : start + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(content))
    with zipfile.ZipFile(path) as archive:

        def read():
            with open_member(archive, archive.infolist()[0], "x") as file:
                assert file.read() == b"1, 2\n" * 100

        assert peak_of(read) < 2**24


def test_one_array_is_read_from_bytes():
    buffer = io.BytesIO()
    np.save(buffer, np.arange(6).reshape(2, 3))
    assert read_array(buffer.getvalue()).tolist() == [[0, 1, 2], [3, 4, 5]]
    huge = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }"
    for content in (b"", b"nonsense", npy(huge), npy(b"((("), buffer.getvalue() + b"x"):
        with pytest.raises(ValueError):  # noqa: PT011 - wrapped by the caller
            read_array(content)
