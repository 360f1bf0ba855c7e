"""Cache of parsed TU sets in npz format, stored next to their sources.

A cache is used only if its format and the size and hash of its source match and its arrays
are valid; otherwise the source is parsed again.
"""

import hashlib
import json
import logging
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from gskn._archives import read_arrays
from gskn._files import whole_file
from gskn._types import AnyArray, BoolArray, FloatArray, IndexArray
from gskn.exceptions import (
    FileFormatError,
    GsknError,
    InputError,
    MissingFileError,
    describe_error,
)
from gskn.graphs import GraphBatch, TuSet, check_csr, make_csr, read_tu

logger = logging.getLogger(__name__)

_FORMAT = 2  # 2: with labels and attributes of edges
_REQUIRED = ("header", "indptr", "indices", "graph_ptr")
_OPTIONAL = (
    "node_labels",
    "node_attributes",
    "targets",
    "edge_labels",
    "edge_attributes",
)
_HEADER_ERRORS = (ValueError, RecursionError)  # ValueError: invalid JSON or UTF-8


def read_tu_cached(path: Path) -> TuSet:
    """Read a TU set from its cache, or parse it and write a cache."""
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
        logger.warning("the cache of %s could not be written: %s", path, error)
    return parsed


def cache_path(source: Path) -> Path:
    """Return the path of the cache of a source: next to it, if the folder is writable.

    If the permissions of the folder do not include writing, even if the user is an
    administrator, the cache directory of the platform is used.
    """
    folder = source.resolve().parent
    if folder.stat().st_mode & 0o222:
        return folder / ".gskn-cache" / f"{source.name}.npz"
    encoded = str(source.resolve()).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    home = platformdirs.user_cache_path("gskn")
    return home / "parsed" / f"{source.name}-{digest}.npz"


def _fingerprint(path: Path) -> dict[str, Any]:
    """Return size and hash of a file, or of the regular text files of a folder.

    `joblib.hash` is not used: it would read the files into memory as Python objects.
    """
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    digest = hashlib.sha256()
    size = 0
    for file in files:
        if not file.is_file():  # reading a pipe would wait for a writer
            continue
        try:
            n_bytes = file.stat().st_size
            digest.update(f"{file.name}\0{n_bytes}\0".encode("utf-8", "surrogateescape"))
            size += n_bytes
            with file.open("rb") as stream:
                hashlib.file_digest(stream, lambda: digest)  # adds the content
        except OSError as error:
            raise FileFormatError(
                file, f"cannot be read: {describe_error(error)}"
            ) from error
    return {"size": size, "sha256": digest.hexdigest()}


def _write(path: Path, parsed: TuSet, source: dict[str, Any]) -> None:
    graphs = parsed.graphs
    header = {
        "format": _FORMAT,
        "name": parsed.name,
        "source": source,
        "label_values": graphs.label_values,
        "edge_label_values": graphs.edge_label_values,
    }
    optional: dict[str, Any] = {
        "node_labels": graphs.node_labels,
        "node_attributes": graphs.node_attributes,
        "targets": parsed.targets,
        "edge_labels": graphs.edge_labels,
        "edge_attributes": graphs.edge_attributes,
    }
    with path.open("wb") as file:
        np.savez(
            file,
            header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            indptr=graphs.adjacency.indptr.astype(np.int64),
            indices=graphs.adjacency.indices,
            graph_ptr=graphs.graph_ptr,
            **{name: array for name, array in optional.items() if array is not None},
        )


def _read(path: Path, source: dict[str, Any]) -> TuSet | None:
    """Read a cache; return None if it is missing, outdated or invalid."""
    try:
        arrays = read_arrays(path)
        header = _read_header(arrays)
        if header.get("format") != _FORMAT or header.get("source") != source:
            logger.info("the cache %s has a different version or source", path)
            return None
        return _restore(header, arrays)
    except MissingFileError:
        return None
    except GsknError as error:
        logger.warning("the cache %s is invalid and will be replaced: %s", path, error)
        return None


def _read_header(arrays: dict[str, AnyArray]) -> dict[str, Any]:
    for name in _REQUIRED:
        _check(name in arrays, f"the array {name!r} is missing")
    # Checksums do not include names: a damaged name must not look like a missing array.
    unknown = arrays.keys() - {*_REQUIRED, *_OPTIONAL}
    _check(not unknown, f"it has unknown arrays: {sorted(unknown)}")
    try:
        header = json.loads(arrays["header"].tobytes())
    except _HEADER_ERRORS as error:
        raise InputError(f"the header is not JSON: {error}") from error
    _check(isinstance(header, dict), "the header is not a JSON object")
    return dict(header)


def _restore(header: dict[str, Any], arrays: dict[str, AnyArray]) -> TuSet:
    name = header.get("name")
    _check(isinstance(name, str), "the name of the set is not text")
    graph_ptr = _check_graph_ptr(arrays["graph_ptr"])
    indptr, indices = arrays["indptr"], arrays["indices"]
    _check_adjacency(indptr, indices, graph_ptr)
    n_nodes, n_graphs = int(graph_ptr[-1]), len(graph_ptr) - 1
    nodes = _restore_columns(header, arrays, "node", n_nodes)
    edges = _restore_columns(header, arrays, "edge", len(indices))
    targets = arrays.get("targets")
    if targets is not None:
        _check_type(targets, np.int64, "targets")
        _check(targets.ndim in {1, 2}, "targets has the wrong shape")
        _check(len(targets) == n_graphs, "targets does not have one row per graph")
    # Weights are not stored: in the TU format all are 1, and reading them takes longer.
    adjacency = make_csr(np.ones(len(indices)), indices, indptr)
    graphs = GraphBatch(
        adjacency,
        graph_ptr,
        *nodes,
        edge_labels=edges[0],
        edge_label_values=edges[1],
        edge_attributes=edges[2],
    )
    return TuSet(str(name), graphs, targets)


def _restore_columns(
    header: dict[str, Any], arrays: dict[str, AnyArray], kind: str, size: int
) -> tuple[IndexArray | None, tuple[Any, ...], FloatArray | None]:
    """Return labels, label values and attributes of nodes or of edges."""
    labels = arrays.get(f"{kind}_labels")
    key = "label_values" if kind == "node" else "edge_label_values"
    values = _read_label_values(header.get(key), key)
    _check_labels(labels, size, len(values), kind)
    attributes = arrays.get(f"{kind}_attributes")
    if attributes is not None:
        name = f"{kind}_attributes"
        _check_type(attributes, np.float64, name)
        _check(attributes.ndim == 2, f"{name} is not a matrix")
        _check(len(attributes) == size, f"{name} does not have one row per {kind}")
        _check(np.isfinite(attributes).all(), f"{name} has values that are not finite")
        attributes = np.ascontiguousarray(attributes)
    return labels, values, attributes


def _check_graph_ptr(graph_ptr: AnyArray) -> IndexArray:
    _check_type(graph_ptr, np.int64, "graph_ptr")
    _check(graph_ptr.ndim == 1 and len(graph_ptr) > 0, "graph_ptr is not one-dimensional")
    is_valid = graph_ptr[0] == 0 and (graph_ptr[1:] >= graph_ptr[:-1]).all()
    _check(is_valid, "graph_ptr does not increase from 0")
    return graph_ptr


def _check_adjacency(indptr: AnyArray, indices: AnyArray, graph_ptr: IndexArray) -> None:
    """Raise unless rows are sorted, without duplicates, and within their graph."""
    _check_type(indptr, np.int64, "indptr")
    _check_type(indices, np.int32, "indices")
    n_nodes = int(graph_ptr[-1])
    check_csr(indptr, indices, (n_nodes, n_nodes), "the adjacency matrix")
    increases: BoolArray = indices[1:] > indices[:-1]
    starts = indptr[(indptr > 0) & (indptr < len(indices))]
    increases[starts - 1] = True  # between rows
    _check(increases.all(), "the columns of a row are not sorted")
    filled = np.flatnonzero(indptr[1:] > indptr[:-1])
    graph = np.searchsorted(graph_ptr, filled, side="right") - 1
    lowest, highest = indices[indptr[filled]], indices[indptr[filled + 1] - 1]
    within = (lowest >= graph_ptr[graph]) & (highest < graph_ptr[graph + 1])
    _check(within.all(), "an edge connects two graphs")


def _check_labels(labels: AnyArray | None, size: int, n_values: int, kind: str) -> None:
    name = f"{kind}_labels"
    if labels is None:
        _check(n_values == 0, f"there are label values without {name}")
        return
    _check_type(labels, np.int64, name)
    _check(labels.shape == (size,), f"{name} does not have one label per {kind}")
    in_range = labels.min(initial=0) >= 0 and labels.max(initial=-1) < n_values
    _check(in_range, f"{name} has numbers that are out of range")


def _read_label_values(values: object, name: str) -> tuple[Any, ...]:
    """Return the label values of a TU set: integers, or tuples of equal length."""
    if not isinstance(values, list):
        raise InputError(f"{name} is not a list")
    rows = [value if isinstance(value, list) else [value] for value in values]
    are_integers = all(_is_int32(number) for row in rows for number in row)
    kinds = {(type(value), len(row)) for value, row in zip(values, rows, strict=True)}
    _check(are_integers and len(kinds) <= 1, f"{name} has values other than numbers")
    _check(all(a < b for a, b in pairwise(rows)), f"{name} is not sorted")
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def _is_int32(value: object) -> bool:
    return type(value) is int and -(2**31) <= value < 2**31


def _check_type(array: AnyArray, dtype: type, name: str) -> None:
    _check(array.dtype == dtype, f"{name} has the type {array.dtype}")


def _check(condition: object, reason: str) -> None:
    if not condition:
        raise InputError(reason)
