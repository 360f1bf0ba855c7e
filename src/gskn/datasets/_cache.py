"""Parsed sets beside their sources, in npz without pickle.

A cache is believed only if its format, the size and the hash of its source and its own
checksums (those of the zip container) are right; else the source is parsed again.
"""

import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from gskn._files import whole_file
from gskn._types import AnyArray
from gskn.graphs import GraphBatch
from gskn.graphs._sparse import make_csr
from gskn.graphs._tu import TuSet, read_tu

logger = logging.getLogger(__name__)

_FORMAT = 1
_HASH_PIECE_BYTES = 2**20


def read_tu_cached(path: Path) -> TuSet:
    """Read a TU set from its cache, or parse it and leave a cache."""
    cache = cache_path(path)
    source = _fingerprint(path)
    cached = _read(cache, source)
    if cached is not None:
        return cached
    parsed = read_tu(path)
    try:
        with whole_file(cache) as temporary:
            _write(temporary, parsed, source)
    except OSError as error:
        logger.warning("no cache of %s was written: %s", path, error)
    return parsed


def cache_path(source: Path) -> Path:
    """Return where the cache of a source belongs: beside it, if one may write there.

    A folder without any write permission is meant to stay as it is, also for an
    administrator; its caches go to the platform's cache directory.
    """
    folder = source.resolve().parent
    if folder.stat().st_mode & 0o222:
        return folder / ".gskn-cache" / f"{source.name}.npz"
    place = hashlib.sha256(str(source.resolve()).encode()).hexdigest()[:16]
    home = platformdirs.user_cache_path("gskn")
    return home / "parsed" / f"{source.name}-{place}.npz"


def _fingerprint(path: Path) -> dict[str, Any]:
    """Describe a file, or the text files of a folder, by size and hash."""
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    digest = hashlib.sha256()
    size = 0
    for file in files:
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        size += file.stat().st_size
        with file.open("rb") as stream:
            while piece := stream.read(_HASH_PIECE_BYTES):
                digest.update(piece)
    return {"size": size, "sha256": digest.hexdigest()}


def _write(path: Path, parsed: TuSet, source: dict[str, Any]) -> None:
    graphs = parsed.graphs
    header = {
        "format": _FORMAT,
        "name": parsed.name,
        "source": source,
        "label_values": graphs.label_values,
    }
    optional: dict[str, Any] = {
        "node_labels": graphs.node_labels,
        "node_attributes": graphs.node_attributes,
        "targets": parsed.targets,
    }
    with path.open("wb") as file:
        np.savez(
            file,
            header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            indptr=graphs.adjacency.indptr,
            indices=graphs.adjacency.indices,
            graph_ptr=graphs.graph_ptr,
            **{name: array for name, array in optional.items() if array is not None},
        )


def _read(path: Path, source: dict[str, Any]) -> TuSet | None:
    """Read a cache; None if there is none, or none to be believed."""
    try:
        # numpy leaves a file open that it was given by name and cannot read.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            header = json.loads(content["header"].tobytes())
            if header["format"] != _FORMAT or header["source"] != source:
                logger.info("the cache %s is of another version or source", path)
                return None
            return _restore(header, {name: content[name] for name in content.files})
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001 - damage may show as anything, all is remade
        logger.warning("the cache %s is damaged and made anew: %s", path, error)
        return None


def _restore(header: dict[str, Any], arrays: dict[str, AnyArray]) -> TuSet:
    # Weights are not stored: the TU format has none, and ones are made faster than read.
    indices = arrays["indices"]
    adjacency = make_csr(np.ones(len(indices)), indices, arrays["indptr"])
    values = header["label_values"]
    graphs = GraphBatch(
        adjacency,
        arrays["graph_ptr"],
        arrays.get("node_labels"),
        tuple(tuple(value) if isinstance(value, list) else value for value in values),
        arrays.get("node_attributes"),
    )
    targets = arrays.get("targets")
    _check(graphs, targets)
    return TuSet(header["name"], graphs, targets)


def _check(graphs: GraphBatch, targets: AnyArray | None) -> None:
    """Refuse arrays that do not fit together and might lead others astray."""
    matrix, n_nodes = graphs.adjacency, graphs.n_nodes
    fits = (
        matrix.indices.dtype == np.int32
        and matrix.indptr.dtype == graphs.graph_ptr.dtype == np.int64
        and len(matrix.indptr) == n_nodes + 1
        and matrix.indptr[0] == 0
        and matrix.indptr[-1] == len(matrix.indices)
        and (np.diff(matrix.indptr) >= 0).all()
        and matrix.indices.min(initial=0) >= 0
        and matrix.indices.max(initial=-1) < n_nodes
        and graphs.graph_ptr[0] == 0
        and (np.diff(graphs.graph_ptr) >= 0).all()
        and (targets is None or len(targets) == graphs.n_graphs)
        and _are_labels(graphs)
        and all(
            rows is None or len(rows) == n_nodes
            for rows in (graphs.node_labels, graphs.node_attributes)
        )
    )
    if not fits:
        raise ValueError("its arrays do not fit together")


def _are_labels(graphs: GraphBatch) -> bool:
    labels = graphs.node_labels
    if labels is None:
        return not graphs.label_values
    return labels.dtype == np.int64 and bool(
        labels.min(initial=0) >= 0 and labels.max(initial=-1) < len(graphs.label_values)
    )
