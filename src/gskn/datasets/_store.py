"""Where the files of a set lie, and how they get there."""

import hashlib
import logging
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs
import pooch
import requests

from gskn.datasets._catalog import SetInfo
from gskn.datasets._checksums import SHA256
from gskn.datasets._files import whole_file
from gskn.datasets._foreign import tu_texts_from_gspan, tu_texts_from_neighbours
from gskn.exceptions import DatasetNotFoundError, FileFormatError
from gskn.graphs._folder import Folder

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "GSKN_DATA"
_TIMEOUT_SECONDS = 30
_FOREIGN: dict[str, Callable[..., dict[str, str]]] = {
    "gspan": tu_texts_from_gspan,
    "neighbours": tu_texts_from_neighbours,
}


def data_home(path: str | Path | None = None) -> Path:
    """Return the data folder: the argument, ``GSKN_DATA`` or the platform's cache."""
    chosen = path or os.environ.get(ENVIRONMENT_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return platformdirs.user_cache_path("gskn") / "datasets"


def find_files(info: SetInfo, home: Path) -> Path | None:
    """Return the file or folder that holds a set, or None.

    MUTAG is also inside the grakel package, where that is installed.
    """
    if not info.file:
        return None
    for candidate in (home / info.file, home / info.name):
        if candidate.is_file() or (candidate / f"{info.name}_A.txt").is_file():
            return candidate
    return _inside_grakel() if info.name == "MUTAG" else None


def fetch_files(info: SetInfo, home: Path) -> Path:
    """Download a set into the data folder, whole and verified, or say what to do."""
    target = home / info.file
    if not info.urls:
        raise DatasetNotFoundError(_remedy(info, home, "it has no safe public download"))
    try:
        with whole_file(target) as temporary:
            if info.form == "tu":
                _download(info.urls[0], temporary)
            else:
                _convert(info, temporary)
            verify_files(info, temporary)
    except (requests.RequestException, OSError) as error:
        reason = f"the download failed ({_first_line(error)})"
        raise DatasetNotFoundError(_remedy(info, home, reason)) from error
    except FileFormatError as error:
        reason = f"what was downloaded is not that set ({error.reason})"
        raise DatasetNotFoundError(_remedy(info, home, reason)) from error
    logger.info("%s is now in %s", info.name, target)
    return target


def verify_files(info: SetInfo, path: Path) -> None:
    """Compare the text files of a set, unpacked, with their known checksums."""
    folder = Folder(path)
    for suffix, expected in SHA256[info.name].items():
        name = f"{info.name}_{suffix}.txt"
        if name not in folder.names:
            raise FileFormatError(path, f"{name} is missing")
        digest = hashlib.sha256()
        with folder.open(name) as file:
            while piece := file.read(2**20):
                digest.update(piece)
        if digest.hexdigest() != expected:
            raise FileFormatError(path, f"{name} has another checksum than it should")


def _download(url: str, target: Path) -> None:
    """Download over https alone, with a progress bar where somebody watches."""
    if not url.startswith("https://"):
        raise requests.exceptions.InvalidSchema(f"{url} is not https")
    download = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(),
        timeout=_TIMEOUT_SECONDS,
        hooks={"response": _refuse_insecure_redirect},
    )
    download(url, str(target), None)


def _refuse_insecure_redirect(response: Any, *_: object, **__: object) -> None:
    location = response.headers.get("location", "") if response.is_redirect else ""
    if location.startswith("http://"):
        raise requests.exceptions.InvalidSchema(f"redirected to {location}, not https")


def _convert(info: SetInfo, target: Path) -> None:
    """Download a set in a foreign text form and store it in the TU format."""
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        for number, url in enumerate(info.urls):
            text = Path(folder) / str(number)
            _download(url, text)
            contents.append(text.read_text(encoding="ascii", errors="replace"))
    texts = _FOREIGN[info.form](*contents)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix, content in texts.items():
            archive.writestr(f"{info.name}/{info.name}_{suffix}.txt", content)


def _inside_grakel() -> Path | None:
    spec = find_spec("grakel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "tests" / "data" / "MUTAG"
    return folder if (folder / "MUTAG_A.txt").is_file() else None


def _remedy(info: SetInfo, home: Path, reason: str) -> str:
    source = f" (from {' and '.join(info.urls)})" if info.urls else ""
    extra = (
        " Or: pip install 'gskn[grakel]', which brings it." if info.name == "MUTAG" else ""
    )
    return (
        f"{info.name} is not in {home}, and {reason}. Put {info.file}{source} there, or "
        f"set {ENVIRONMENT_VARIABLE} to the folder that has it.{extra}"
    )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
