import json
import sys

import pytest

from gskn import _install
from gskn._html import html_table


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Set the files of an environment and the origin of the package."""

    def set_up(file=None, text="", origin=None, *, active=True):
        programs = tmp_path / "bin"
        programs.mkdir()
        for name in ("python", "pip"):
            (programs / name).write_text("")
            (programs / name).chmod(0o755)
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        monkeypatch.setattr(sys, "executable", str(programs / "python"))
        monkeypatch.setenv("PATH", str(programs if active else tmp_path))
        monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path) if active else "")
        if file is not None:
            (tmp_path / file).write_text(text)
        monkeypatch.setattr(_install, "_origin", lambda: origin or {})

    return set_up


FOLDER = {"url": "file:///home/me/my%20gskn", "dir_info": {}}
EDITABLE = {"url": "file:///src/gskn", "dir_info": {"editable": True}}
REPOSITORY = {"url": "https://host/gskn", "vcs_info": {"vcs": "git"}}


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ({}, "pip install 'gskn[plots]'"),
        ({"file": "pyvenv.cfg", "text": "uv = 0.9\n"}, "uv pip install 'gskn[plots]'"),
        ({"file": "pipx_metadata.json"}, "pipx install --force 'gskn[plots]'"),
        ({"file": "uv-receipt.toml"}, "uv tool install 'gskn[plots]'"),
        ({"origin": FOLDER}, "pip install '/home/me/my gskn[plots]'"),
        ({"origin": EDITABLE}, "pip install -e '/src/gskn[plots]'"),
        ({"origin": REPOSITORY}, "pip install 'gskn[plots] @ git+https://host/gskn'"),
    ],
)
def test_command_fits_the_environment(environment, options, command):
    environment(**options)
    assert _install.install_command("plots") == command


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ({}, "{python} -m pip install 'gskn[plots]'"),
        (
            {"file": "pyvenv.cfg", "text": "uv = 0.9\n"},
            "uv pip install --python {python} 'gskn[plots]'",
        ),
        ({"origin": EDITABLE}, "{python} -m pip install -e '/src/gskn[plots]'"),
        ({"file": "uv-receipt.toml"}, "uv tool install 'gskn[plots]'"),
    ],
)
def test_command_names_the_environment_if_it_is_not_activated(
    environment, options, command
):
    environment(**options, active=False)
    expected = command.format(python=sys.executable)
    assert _install.install_command("plots") == expected


def test_origin_is_a_mapping():
    assert json.dumps(_install._origin())


def test_html_escapes_texts_and_aligns_numbers():
    table = html_table(["a", "b"], [["<x>", 1234], [True, 0.123456]])
    assert "&lt;x&gt;" in table
    assert 'right; white-space: nowrap">1,234<' in table
    assert 'left; white-space: nowrap">True<' in table
    assert 'right; white-space: nowrap">0.1235<' in table
