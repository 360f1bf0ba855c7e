import os
import time

import pytest

from gskn._files import whole_file


def age(path, days=3):
    then = time.time() - days * 24 * 3600
    os.utime(path, (then, then))


def write_half(path):
    with whole_file(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError


def test_a_file_is_there_when_the_block_succeeds(tmp_path):
    path = tmp_path / "new" / "rows.csv"
    with whole_file(path) as temporary:
        temporary.write_text("rows")
        assert not path.exists()
    assert path.read_text() == "rows"
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert path.read_text() == "rows"
    assert [file.name for file in path.parent.iterdir()] == ["rows.csv"]


def test_what_killed_processes_left_is_removed_and_nothing_else(tmp_path):
    with whole_file(tmp_path / "env") as temporary:
        left = tmp_path / temporary.name.replace(".env.", ".env.x")
    for name in (".env.local", ".env.swp", "env.gskn-tmp", left.name):
        (tmp_path / name).write_text("mine")
        age(tmp_path / name)
    fresh = tmp_path / ".env.young.gskn-tmp"
    fresh.write_text("another process writes here")
    with whole_file(tmp_path / "env") as temporary:
        temporary.write_text("new")
    found = {file.name for file in tmp_path.iterdir()}
    assert found == {".env.local", ".env.swp", "env.gskn-tmp", fresh.name, "env"}
