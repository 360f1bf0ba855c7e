"""The files of data sets: the data folder, downloads and checksums."""

import hashlib
import logging
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import platformdirs
import requests

from gskn._files import check_regular, whole_file
from gskn._types import AnyArray
from gskn.datasets._catalog import SetInfo
from gskn.datasets._checksums import SHA256
from gskn.datasets._foreign import tu_texts_from_gspan, tu_texts_from_neighbors
from gskn.datasets._foreign_nodes import (
    arrays_from_graphsage,
    arrays_from_planetoid,
    arrays_from_tables,
)
from gskn.datasets._molecules import convert_molecules, hash_molecules
from gskn.datasets._node_files import read_node_set, table_paths
from gskn.exceptions import (
    DatasetNotFoundError,
    FileFormatError,
    InputError,
    describe_error,
)
from gskn.graphs import Folder

with warnings.catch_warnings():
    # It imports tqdm, which warns in notebooks without ipywidgets.
    warnings.simplefilter("ignore")
    import pooch

logger = logging.getLogger(__name__)

ENVIRONMENT_VARIABLE = "GSKN_DATA"
# Unchanged files of the TU collection; its README.txt contains source and citation.
BUILT_IN_MUTAG = Path(__file__).with_name("MUTAG.zip")
_TIMEOUT_SECONDS = 30
_TEXTS: dict[str, Callable[..., dict[str, str]]] = {
    "gspan": tu_texts_from_gspan,
    "neighbors": tu_texts_from_neighbors,
}
_ARRAYS: dict[str, Callable[..., dict[str, AnyArray]]] = {
    "planetoid": arrays_from_planetoid,
    "graphsage": arrays_from_graphsage,
    "tables": arrays_from_tables,
}


def data_home(path: str | Path | None = None) -> Path:
    """Return the data folder.

    Parameters
    ----------
    path : str or Path, default=None
        Data folder. None selects the folder in the environment variable ``GSKN_DATA``, or
        else the cache directory of the platform.

    Returns
    -------
    folder : Path
        The data folder, which need not exist.
    """
    folder = path or os.environ.get(ENVIRONMENT_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    return platformdirs.user_cache_path("gskn") / "datasets"


def find_files(info: SetInfo, home: Path) -> Path | None:
    """Return the path of a set in the data folder, or None if it is not there.

    For MUTAG, the copy in the package is used if the data folder has none.

    Parameters
    ----------
    info : SetInfo
        Catalog entry of the set.
    home : Path
        Data folder.

    Returns
    -------
    path : Path or None
        Path of a file or folder.
    """
    if not info.file:
        return None
    try:
        for candidate in (home / info.file, home / info.name):
            if _is_set(candidate, info.name):
                return candidate
        tables = table_paths(home, info.name)
        if info.form == "tables" and all(_is_set(table, "") for table in tables):
            return tables[0]
    except OSError as error:  # for instance, a name that is too long
        raise InputError(
            f"The data folder {str(home)!r} cannot be read: {describe_error(error)}."
        ) from error
    return BUILT_IN_MUTAG if info.name == "MUTAG" else None


def fetch_files(info: SetInfo, home: Path) -> Path:
    """Download a set to the data folder and verify it."""
    if not info.urls:
        reason = "it cannot be downloaded"
        raise DatasetNotFoundError(_remedy(info, home, reason))
    target = home / info.file
    if home.exists() and not home.is_dir():
        raise InputError(f"The data folder {str(home)!r} is a file; give a folder.")
    try:
        with whole_file(target) as temporary:
            if info.form == "tu":
                _download(info.urls[0], temporary)
            else:
                _convert(info, temporary)
            verify_files(info, temporary)
    except (requests.RequestException, OSError) as error:
        reason = f"the download failed ({_explain(error)})"
        raise DatasetNotFoundError(_remedy(info, home, reason)) from error
    except FileFormatError as error:
        reason = f"the downloaded files are invalid ({error.reason})"
        raise DatasetNotFoundError(_remedy(info, home, reason)) from error
    logger.info("stored %s in %s", info.name, target)
    return target


def verify_files(info: SetInfo, path: Path) -> None:
    """Compare the content of a set with its checksums."""
    if info.form == "molecules":
        hashes = {"molecules": hash_molecules(path, info.target)}
    elif info.file.endswith(".npz"):
        hashes = _array_hash(info, path)
    else:
        hashes = _text_hashes(info, path)
    for part, expected in SHA256[info.name].items():
        if hashes[part] != expected:
            raise FileFormatError(path, f"the checksum of {info.name} {part} is wrong")


def _is_set(path: Path, name: str) -> bool:
    """Return whether a path is a file or a folder in TU format; raise for a pipe."""
    if path.is_dir():
        edges = path / f"{name}_A.txt"
        return edges.exists() and not edges.is_dir()
    if not path.exists():
        return False
    check_regular(path)
    return True


def _text_hashes(info: SetInfo, path: Path) -> dict[str, str]:
    folder = Folder(path)
    hashes = {}
    for suffix in SHA256[info.name]:
        name = f"{info.name}_{suffix}.txt"
        if name not in folder.names:
            raise FileFormatError(path, f"{name} is missing")
        with folder.open(name) as file:
            hashes[suffix] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


# Not `joblib.hash`, whose values may change between versions: these are checked in.
def _array_hash(info: SetInfo, path: Path) -> dict[str, str]:
    graphs, y = read_node_set(path, info.name)
    digest = hashlib.sha256()
    indptr = graphs.adjacency.indptr.astype(np.int64)
    attributes = () if graphs.node_attributes is None else (graphs.node_attributes,)
    for array in (indptr, graphs.adjacency.indices, *attributes, y):
        plain = np.ascontiguousarray(array)
        digest.update(f"{plain.dtype.str}{plain.shape}".encode())
        digest.update(plain.tobytes())
    return {"arrays": digest.hexdigest()}


def _download(url: str, target: Path) -> None:
    """Download over https only, with a progress bar on a terminal."""
    if not url.startswith("https://"):
        raise requests.exceptions.InvalidSchema(f"{url} is not https")
    download = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(),
        timeout=_TIMEOUT_SECONDS,
        hooks={"response": _reject_insecure_redirect},
    )
    download(url, str(target), None)


def _reject_insecure_redirect(response: Any, *_: object, **__: object) -> None:
    location = response.headers.get("location", "") if response.is_redirect else ""
    if location.startswith("http://"):
        response.close()
        raise requests.exceptions.InvalidSchema(f"redirected to {location}, not https")


def _convert(info: SetInfo, target: Path) -> None:
    """Download a set in another format and store it in a format that can be read."""
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        for number, url in enumerate(info.urls):
            file = Path(folder) / str(number)
            _download(url, file)
            contents.append(file.read_bytes())
    if info.form == "molecules":
        target.write_text(convert_molecules(contents[0], info.columns), encoding="utf-8")
        return
    if info.form in _ARRAYS:
        arrays: dict[str, Any] = {**_ARRAYS[info.form](*contents)}
        with target.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
        return
    texts = _TEXTS[info.form](*(content.decode("ascii", "replace") for content in contents))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix, content in texts.items():
            archive.writestr(f"{info.name}/{info.name}_{suffix}.txt", content)


def _remedy(info: SetInfo, home: Path, reason: str) -> str:
    source = f" (from {info.urls[0]})" if info.form == "tu" else ""
    return (
        f"{info.name} is not in {home}, and {reason}. Put {info.file}{source} there, or "
        f"set {ENVIRONMENT_VARIABLE} to the folder that contains it."
    )


def _explain(error: BaseException) -> str:
    """Return a short reason for a failed download."""
    request = getattr(error, "request", None)
    host = urlsplit(request.url).hostname if request is not None else "the server"
    if isinstance(error, requests.exceptions.SSLError):
        return f"the certificate of {host} is not trusted"
    if isinstance(error, requests.ConnectionError | requests.Timeout):
        return f"no connection to {host}"
    return describe_error(error)
