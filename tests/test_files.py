import os
import time
from pathlib import Path

import pytest

from gskn._files import check_append, check_output, companion, whole_file
from gskn.exceptions import InputError

CHECKS = [check_output, check_append]


def age(path, days=3):
    then = time.time() - days * 24 * 3600
    os.utime(path, (then, then))


def write_half(path):
    with whole_file(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError


def test_file_exists_after_the_block_succeeds(tmp_path):
    path = tmp_path / "new" / "rows.csv"
    with whole_file(path) as temporary:
        temporary.write_text("rows")
        assert not path.exists()
    assert path.read_text() == "rows"
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert path.read_text() == "rows"
    assert [file.name for file in path.parent.iterdir()] == ["rows.csv"]


def test_only_old_temporary_files_are_removed(tmp_path):
    with whole_file(tmp_path / "env") as temporary:
        left = tmp_path / temporary.name.replace(".env.", ".env.x")
    for name in (".env.local", ".env.swp", "env.gskn-tmp", left.name):
        (tmp_path / name).write_text("mine")
        age(tmp_path / name)
    fresh = tmp_path / ".env.young.gskn-tmp"
    fresh.write_text("another process writes here")
    with whole_file(tmp_path / "env") as temporary:
        temporary.write_text("new")
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {".env.local", ".env.swp", "env.gskn-tmp", fresh.name, "env"}


@pytest.mark.parametrize("check", CHECKS)
def test_output_in_a_loop_of_links_raises(tmp_path, check):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for path in (tmp_path / "a", tmp_path / "a" / "rows.csv"):
        with pytest.raises(InputError, match="cannot be written: "):
            check(path)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("folder", "is a folder"),
        ("missing/..", "is a folder"),
        ("file/rows.csv", "is not a folder"),
        ("file/below/rows.csv", "is not a folder"),
        ("pipe", "is not a regular file"),
        ("x" * 256, "cannot be written: "),
        ("folder/" + "x/" * 3000 + "rows.csv", "cannot be written: "),
        ("a\0b", "cannot be written: embedded null"),
    ],
)
def test_invalid_outputs_raise(tmp_path, check, name, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=reason) as caught:
        check(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_output_in_a_broken_link_raises(tmp_path):
    (tmp_path / "broken").symlink_to("nowhere")
    with pytest.raises(InputError, match="is not a folder"):
        check_output(tmp_path / "broken" / "rows.csv")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.parametrize("check", CHECKS)
def test_output_in_a_read_only_folder_raises(check):
    with pytest.raises(InputError, match="'/proc/rows.csv' cannot be written: "):
        check(Path("/proc/rows.csv"))


def test_checks_create_no_files(tmp_path):
    file = tmp_path / "file"
    file.write_text("as it was")
    (tmp_path / "link").symlink_to("new/target")
    for path in (file, tmp_path / "link", tmp_path / "new" / "rows.csv"):
        check_output(path)
        check_append(path)
    assert file.read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "link"}


@pytest.mark.parametrize("name", ["x" * 251 + ".csv", "é" * 125 + ".csv"])
def test_longest_names_can_be_written(tmp_path, name):
    path = tmp_path / name
    check_output(path)
    for _ in range(2):
        with whole_file(path) as temporary:
            temporary.write_text("rows")
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert companion(path, ".lock") != companion(path.with_name("y" + name[1:]), ".lock")


def test_deeply_nested_folders_are_created(tmp_path):
    path = tmp_path.joinpath(*["x"] * 1500, "rows.csv")
    check_output(path)
    with whole_file(path) as temporary:
        temporary.write_text("rows")
    assert path.read_text() == "rows"
    folder = tmp_path / "x"  # pytest removes folders recursively
    while folder.exists():
        inner, moved = folder / "x", tmp_path / "moved"
        for file in folder.glob("*.csv"):
            file.unlink()
        if inner.exists():
            inner.rename(moved)
        folder.rmdir()
        if moved.exists():
            moved.rename(folder)
