import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn import as_batch, read_graphs
from gskn.exceptions import FileFormatError
from gskn.graphs import _tu
from gskn.graphs._tu import read_tu
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


def test_a_set_is_read_as_its_readme_says(tmp_path):
    data = read_tu(write(tmp_path / "X"))
    assert data.name == "X"
    assert data.targets.tolist() == [-1, 1]
    check_batch(data.graphs, [Spec(2, [(0, 1)])] * 2)
    assert labels_of(data.graphs) == [5, 0, 5, 3]
    np.testing.assert_array_equal(data.graphs.node_attributes[2], [-1e-3, 4])


@given(specs=spec_lists(labelled=False, n_attributes=0, weighted=False))
def test_any_graphs_come_back(tmp_path_factory, specs):
    """Graphs without nodes are ids that no node has."""
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
def test_line_ends_and_blanks_do_not_matter(tmp_path, end):
    text = FILES["A"].replace("\n", end) + end
    assert read_tu(write(tmp_path / "X", A=text)).graphs.n_edges == 2


def test_without_graph_labels_there_are_no_targets(tmp_path):
    data = read_tu(write(tmp_path / "X", graph_labels=None))
    assert data.targets is None
    assert data.graphs.n_graphs == 2


def test_options_hold_for_this_format_too(tmp_path):
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
def test_a_malformed_file_is_named_with_its_line(tmp_path, case):
    changes, words = BAD[case]
    with pytest.raises(FileFormatError) as caught:
        read_tu(write(tmp_path / "X", **changes))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_leading_blank_line_does_not_hide_the_columns(tmp_path):
    data = read_tu(write(tmp_path / "X", node_labels="\n1, 2\n1, 3\n1, 2\n0, 0\n"))
    assert labels_of(data.graphs)[0] == (1, 2)


def test_a_large_malformed_archive_ends_in_an_error_and_nothing_worse(tmp_path):
    """Parsing threads must not outlive the error: run it to the end of a process."""
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
def test_blocks_are_whole_lines_that_join_to_the_file(lengths, block, piece):
    text = b"".join(b"x" * length + b"\n" for length in lengths) + b"end"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tu, "_BLOCK_BYTES", block)
        patch.setattr(_tu, "_PIECE_BYTES", piece)
        blocks = list(_tu._line_blocks(io.BytesIO(text)))
    assert b"".join(blocks) == text
    assert all(part.endswith(b"\n") for part in blocks[:-1])


def test_two_sets_in_one_folder_are_refused(tmp_path):
    write(tmp_path / "X")
    write(tmp_path / "X", name="Y")
    with pytest.raises(FileFormatError, match="several sets"):
        read_graphs(tmp_path / "X")
