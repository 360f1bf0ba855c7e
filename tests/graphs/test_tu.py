import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, read_graphs
from gskn.exceptions import FileFormatError, UnsafeArchiveError
from gskn.graphs import _tu_files, read_tu
from tests.reference.graphs import Spec, check_batch, labels_of
from tests.strategies import spec_lists

FILES = {
    "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "graph_indicator": "1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "5\n0\n5\n3\n",
    "node_attributes": "1.5, 2\n0, 0\n-1e-3, 4\n1, 1\n",
}


def write(folder, name="X", **changes):
    folder.mkdir(exist_ok=True)
    for suffix, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / f"{name}_{suffix}.txt").write_text(text)
    return folder


def test_set_is_read_as_documented_by_its_readme(tmp_path):
    data = read_tu(write(tmp_path / "X"))
    assert data.name == "X"
    assert data.targets.tolist() == [-1, 1]
    check_batch(data.graphs, [Spec(2, [(0, 1)])] * 2)
    assert labels_of(data.graphs) == [5, 0, 5, 3]
    np.testing.assert_array_equal(data.graphs.node_attributes[2], [-1e-3, 4])


@given(specs=spec_lists(labelled=False, n_attributes=0, weighted=False))
def test_graphs_round_trip(tmp_path_factory, specs):
    """Ids that do not occur are graphs without nodes."""
    folder = tmp_path_factory.mktemp("tu")
    first = np.cumsum([1, *(spec.n_nodes for spec in specs)])
    edges = []
    for spec, start in zip(specs, first, strict=False):
        arcs = [*spec.edges, *((v, u) for u, v in spec.edges if not spec.directed)]
        edges += [f"{u + start}, {v + start}\n" for u, v in arcs]
    indicator = [f"{g + 1}\n" for g, spec in enumerate(specs) for _ in range(spec.n_nodes)]
    write(
        folder,
        A="".join(edges),
        graph_indicator="".join(indicator),
        graph_labels="0\n" * len(specs),
        node_labels=None,
        node_attributes=None,
    )
    check_batch(read_graphs(folder), specs)


def test_labels_of_several_columns_are_tuples(tmp_path):
    data = read_tu(write(tmp_path / "X", node_labels="1, 2\n1, 3\n1, 2\n0, 0\n"))
    assert labels_of(data.graphs) == [(1, 2), (1, 3), (1, 2), (0, 0)]


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_and_blanks_are_ignored(tmp_path, end):
    text = FILES["A"].replace("\n", end) + end
    assert read_tu(write(tmp_path / "X", A=text)).graphs.n_edges == 2


def test_set_without_graph_labels_has_no_targets(tmp_path):
    data = read_tu(write(tmp_path / "X", graph_labels=None))
    assert data.targets is None
    assert data.graphs.n_graphs == 2


def test_options_apply_to_tu_sets(tmp_path):
    folder = write(tmp_path / "X", A="1, 2\n3, 4\n")
    assert read_graphs(folder).is_directed
    batch = as_batch(folder, node_label=None, node_attributes=None, directed=False)
    assert batch.node_labels is None
    assert batch.node_attributes is None
    check_batch(batch, [Spec(2, [(0, 1)])] * 2)


BAD = {
    "cut in the middle": ({"A": "1, 2\n2, 1\n3,"}, "X_A.txt, line 3"),
    "a word": ({"A": "1, 2\n2, x\n"}, "X_A.txt, line 2"),
    "a third column": ({"A": "1, 2\n1, 2, 3\n"}, "X_A.txt, line 2"),
    "a float": ({"graph_indicator": "1\n1\n2\n2.5\n"}, "X_graph_indicator.txt, line 4"),
    "a huge number": ({"A": f"1, 2\n1, {2**40}\n"}, "X_A.txt, line 2"),
    "node 0": ({"A": "1, 2\n0, 1\n"}, "X_A.txt, line 2"),
    "no such node": ({"A": "1, 2\n2, 5\n"}, "X_A.txt, line 2"),
    "two graphs joined": ({"A": "1, 2\n2, 3\n"}, "X_A.txt, line 2"),
    "no such graph": ({"graph_indicator": "1\n1\n2\n3\n"}, "X_graph_indicator.txt, line 4"),
    "graph 0": ({"graph_indicator": "0\n1\n2\n2\n"}, "X_graph_indicator.txt, line 1"),
    "out of order": ({"graph_indicator": "1\n2\n1\n2\n"}, "X_graph_indicator.txt, line 3"),
    "labels cut": ({"node_labels": "1\n2\n"}, "X_node_labels.txt: 2 lines for 4 nodes"),
    "attributes cut": ({"node_attributes": "1\n2\n"}, "X_node_attributes.txt: 2 lines"),
    "ragged attributes": (
        {"node_attributes": "1\n2, 3\n4\n5\n"},
        "node_attributes.txt, line 2",
    ),
    "nan": ({"node_attributes": "1\n2\nnan\n5\n"}, "node_attributes.txt, line 3"),
    "a plus sign": ({"A": "1, 2\n+2, 1\n"}, "X_A.txt, line 2"),
    "a blank": ({"A": "1, 2\n \n"}, "X_A.txt, line 2"),
    "blank lines before": ({"A": "1, 2\n\n\n2, 9\n"}, "X_A.txt, line 4"),
    "huge graph id": (
        {"graph_indicator": "1\n1\n2\n2000000000\n", "graph_labels": None},
        "X_graph_indicator.txt, line 4",
    ),
    "five million digits": ({"A": "1, 2\n1, " + "9" * 5_000_000}, "X_A.txt, line 2"),
    "quotes": ({"A": '1, 2\n"2", 1\n'}, "X_A.txt, line 2"),
    "no indicator": ({"graph_indicator": None}, "X_graph_indicator.txt is missing"),
    "no edges": ({"A": None}, "NAME_A.txt"),
}


@pytest.mark.parametrize("case", BAD)
def test_malformed_files_raise_with_file_and_line(tmp_path, case):
    changes, words = BAD[case]
    with pytest.raises(FileFormatError) as caught:
        read_tu(write(tmp_path / "X", **changes))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_leading_blank_line_is_ignored(tmp_path):
    data = read_tu(write(tmp_path / "X", node_labels="\n1, 2\n1, 3\n1, 2\n0, 0\n"))
    assert labels_of(data.graphs)[0] == (1, 2)


def test_large_malformed_archive_raises_without_crash(tmp_path):
    """Run in a separate process: threads of the parser must end with the error."""
    write(tmp_path / "X", A="1, 2\n" * 10 + "bad\n" + "2, 1\n" * 6_000_000)
    with zipfile.ZipFile(
        tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1
    ) as zipped:
        for path in (tmp_path / "X").iterdir():
            zipped.write(path, f"X/{path.name}")
    for source in ("X", "x.zip"):
        command = [sys.executable, "-m", "gskn", "describe", str(tmp_path / source)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 1
        assert "X_A.txt, line 11" in result.stderr
        assert result.stderr.count("\n") == 1


@given(st.lists(st.integers(1, 30), max_size=60), st.integers(1, 40), st.integers(1, 9))
def test_blocks_are_whole_lines(lengths, block, piece):
    text = b"".join(b"x" * length + b"\n" for length in lengths) + b"end"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tu_files, "_BLOCK_BYTES", block)
        patch.setattr(_tu_files, "_PIECE_BYTES", piece)
        blocks = list(_tu_files._line_blocks(io.BytesIO(text)))
    assert b"".join(blocks) == text
    assert all(part.endswith(b"\n") for part in blocks[:-1])


def test_two_sets_in_one_folder_raise(tmp_path):
    write(tmp_path / "X")
    write(tmp_path / "X", name="Y")
    with pytest.raises(FileFormatError, match="several sets"):
        read_graphs(tmp_path / "X")


# --- malicious files --------------------------------------------------------------------


def pack(path, compression=zipfile.ZIP_DEFLATED, **changes):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for suffix, text in {**FILES, **changes}.items():
            archive.writestr(f"X/X_{suffix}.txt", text)
    return path


BOMBS = {
    "one endless line": (
        {"node_labels": "1," * 2**21},
        "X_node_labels.txt, line 1: the line",
    ),
    "an endless number": ({"A": "1, 2\n\n1, " + "0" * 2**21}, "X_A.txt, line 3: the line"),
    "too many columns": (
        {"node_attributes": "\n\n" + "1," * 9000 + "1\n"},
        "X_node_attributes.txt, line 3: 9001 columns",
    ),
    "too many columns of labels": (
        {"node_labels": "1," * 9000 + "1\n"},
        "X_node_labels.txt, line 1: 9001 columns",
    ),
    "more edges than pairs of nodes": (
        {"A": "1,2\n" * (2**20 + 1000)},
        "X_A.txt, line 1048641: more than 1048640 lines",
    ),
    "more labels than nodes": (
        {"node_labels": "\n1\n" * 9},
        "X_node_labels.txt, line 10: more than 4 lines",
    ),
    "more attributes than nodes": (
        {"node_attributes": "1, 2\n" * 5},
        "X_node_attributes.txt, line 5: more than 4 lines",
    ),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", BOMBS)
def test_excessive_lines_and_columns_raise(tmp_path, case, packed):
    changes, words = BOMBS[case]
    path = pack(tmp_path / "x.zip", **changes) if packed else tmp_path / "X"
    if not packed:
        write(path, **changes)
    with pytest.raises(FileFormatError) as caught:
        read_tu(path)
    assert words in str(caught.value)


def test_member_beyond_the_limit_raises(tmp_path):
    """The size of another member does not increase the limit."""
    path = pack(tmp_path / "x.zip", node_labels="0\n" * 5 * 2**22)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("padding", np.random.default_rng(0).bytes(2**20))
    with pytest.raises(UnsafeArchiveError, match=r"X_node_labels\.txt' unpacks to"):
        read_tu(path)


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_carriage_returns_are_line_ends(tmp_path, end):
    texts = {suffix: text.replace("\n", end) for suffix, text in FILES.items()}
    data = read_tu(write(tmp_path / "X", **texts))
    assert data.graphs.node_attributes.shape == (4, 2)
    texts["node_attributes"] = end.join(["1, 2"] * 3) + f"{end}1, x{end}"
    with pytest.raises(FileFormatError, match="line 4: expected 2 numbers"):
        read_tu(write(tmp_path / "X", **texts))


def change_directory(path, offset, content):
    """Overwrite bytes of the first entry in the directory of an archive."""
    archive = bytearray(path.read_bytes())
    start = archive.index(b"PK\x01\x02") + offset
    archive[start : start + len(content)] = content
    path.write_bytes(bytes(archive))


DAMAGES = {
    "a version of the future": (6, b"\xff"),
    "an unknown compression": (10, b"\x63"),
    "an encrypted member": (8, b"\x01"),
    "a name that is not UTF-8": (8, b"\x00\x08"),
    "an empty name": (46, b"\x00"),
    "a name of no length": (28, b"\x00\x00"),
    "a name beyond the file": (28, b"\xff\xff"),
    "an offset beyond the file": (42, b"\xff\xff\xff\x7f"),
    "a larger size": (24, b"\xff\xff\x00\x00"),
    "a smaller size": (24, b"\x01\x00\x00\x00"),
    "another checksum": (16, b"\x00\x00\x00\x00"),
}


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_archive_raises_a_message_of_one_line(tmp_path, damage, compression):
    path = tmp_path / "x.zip"
    name = "é" if damage == "a name that is not UTF-8" else "X"
    with zipfile.ZipFile(path, "w", compression) as archive:
        for suffix, text in FILES.items():
            archive.writestr(f"X/{name}_{suffix}.txt", text)
    if name == "é":
        path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))
    else:
        change_directory(path, *DAMAGES[damage])
    with pytest.raises(FileFormatError, match=r"x\.zip") as caught:
        read_graphs(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "compression",
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA],
)
def test_every_compression_of_zipfile_is_read(tmp_path, compression):
    text = FILES["A"] * 20_000
    graphs = read_tu(pack(tmp_path / "x.zip", compression, A=text)).graphs
    check_batch(graphs, [Spec(2, [(0, 1)])] * 2)


def test_message_escapes_line_ends_of_names(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for suffix, text in {**FILES, "A": "1, x\n"}.items():
            archive.writestr(f"a\nb/X_{suffix}.txt", text)
    with pytest.raises(FileFormatError) as caught:
        read_tu(tmp_path / "x.zip")
    assert r"a\nb/X_A.txt, line 1" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_and_devices_raise(tmp_path):
    for suffix in ("A", "node_labels"):
        folder = write(tmp_path / suffix, **{suffix: None})
        os.mkfifo(folder / f"X_{suffix}.txt")
        with pytest.raises(FileFormatError, match=f"X_{suffix}.txt: not a regular file"):
            read_tu(folder)
    (tmp_path / "x.zip").symlink_to("/dev/zero")
    with pytest.raises(FileFormatError, match="not a regular file"):
        read_tu(tmp_path / "x.zip")
