"""The command that installs an extra, for the way in which gskn was installed."""

import json
import os
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlparse


def install_command(extra: str) -> str:
    """Return a command that installs an extra of gskn into this environment.

    pipx and uv write files into the environments that they create. Other installers write
    the origin of a package if it was not a package index (PEP 610).
    """
    prefix = Path(sys.prefix)
    requirement = f"'{_requirement(extra)}'"
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx install --force {requirement}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install {requirement}"
    editable = "-e " if _origin().get("dir_info", {}).get("editable") else ""
    return f"{_installer(prefix)} {editable}{requirement}"


def _installer(prefix: Path) -> str:
    """Return a command that installs into this environment, also if it is not activated."""
    python = shlex.quote(sys.executable)
    if _made_by_uv(prefix):
        is_active = os.environ.get("VIRTUAL_ENV") == str(prefix)
        return "uv pip install" if is_active else f"uv pip install --python {python}"
    pip = shutil.which("pip")
    is_active = pip is not None and Path(pip).parent == Path(sys.executable).parent
    return "pip install" if is_active else f"{python} -m pip install"


def _requirement(extra: str) -> str:
    """Return the name, folder or repository of gskn with an extra."""
    origin = _origin()
    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        return f"{unquote(urlparse(url).path)}[{extra}]"
    if "vcs_info" in origin:
        return f"gskn[{extra}] @ {origin['vcs_info'].get('vcs', 'git')}+{url}"
    return f"gskn[{extra}]"


def _origin() -> dict[str, dict[str, str]]:
    """Return where the package was installed from; empty for a package index."""
    try:
        origin = json.loads(distribution("gskn").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return {}
    return origin if isinstance(origin, dict) else {}


def _made_by_uv(prefix: Path) -> bool:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return any(line.startswith("uv =") for line in lines)
