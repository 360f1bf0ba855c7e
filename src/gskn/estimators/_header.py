"""The JSON header of a model file, checked before anything is built from it.

Types are checked first, then sizes and ranges. Values are checked again by the code that
uses them, but from here on they have the right types and a bounded size.
"""

import json
from typing import Any

import numpy as np

from gskn._validation import shorten
from gskn.exceptions import InputError

FORMAT = "gskn model"
VERSION = 2  # 1: models that do not compare edges
MAX_HEADER_BYTES = 2**24  # a million labels of ten letters
_MAX_DEPTH = 20  # of tuples inside of tuples
_MAX_SEED = 2**63
_RANGE = (1e-150, 1e150)  # of scales: squares stay finite and positive
_SEQUENCES = {"tuple": tuple, "list": list}
_PLAIN = (str, int, float, bool, type(None))

# A type, a tuple of types, a list with the schema of its items, or a dict of schemas.
ENCODER_SCHEMA: dict[str, Any] = {
    "node_features": (str, dict),
    "max_degree": (int, type(None)),
    "node_features_": [str],
    "n_features_out_": int,
    "label_values_": [(*_PLAIN, dict)],
    "n_attributes_": int,
}
_EDGE_ENCODER_SCHEMA: dict[str, Any] = {
    "edge_features": [str],
    "label_values_": [(*_PLAIN, dict)],
    "n_attributes_": int,
}
_SCHEMA: dict[str, Any] = {
    "format": str,
    "version": int,
    "gskn": str,
    "parameters": dict,
    "encoder": ENCODER_SCHEMA,
    "degree_encoder": ENCODER_SCHEMA,
    "edge_encoder": _EDGE_ENCODER_SCHEMA,
    "branches": [
        {
            "name": str,
            "scales": [(int, float)],
            "layers": [{"seed": (int, type(None))}],
        }
    ],
}
# They depend on the node features and on the branches.
_OPTIONAL = {"label_values_", "n_attributes_", "degree_encoder", "edge_encoder"}


def write_header(parts: dict[str, Any]) -> bytes:
    """Return the header with format and version, as UTF-8."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **parts}).encode()
    if len(text) > MAX_HEADER_BYTES:
        raise InputError(
            f"The labels and parameters take {len(text)} bytes, more than the "
            f"{MAX_HEADER_BYTES} of a model file; use fewer or shorter labels."
        )
    return text


def read_header(text: bytes) -> dict[str, Any]:
    """Parse a header and check its size, format and version."""
    if len(text) > MAX_HEADER_BYTES:
        raise InputError(f"the header has {len(text)} bytes, more than {MAX_HEADER_BYTES}")
    try:
        header = json.loads(text, object_pairs_hook=_make_dict)
    except RecursionError as error:
        raise InputError("the header nests too deeply") from error
    except ValueError as error:  # of JSON, of UTF-8, or of a number with many digits
        raise InputError(f"the header is not valid JSON: {error}") from error
    _check_version(header)
    result: dict[str, Any] = header
    return result


def check_header(header: dict[str, Any]) -> dict[str, Any]:
    """Check the types and sizes of the header of a GSKN, and return its values."""
    check_types(header, _SCHEMA, "header")
    parameters = {name: untag(value, name) for name, value in header["parameters"].items()}
    for name in {"encoder", "degree_encoder"} & header.keys():
        untag_encoder(header[name])
    if "edge_encoder" in header:
        _untag_labels(header["edge_encoder"])
    for branch in header["branches"]:
        _check_branch(branch)
    return {**header, "parameters": parameters}


def untag_encoder(encoder: dict[str, Any]) -> None:
    """Replace the node features and labels of an encoder by their values."""
    encoder["node_features"] = untag(encoder["node_features"], "node_features")
    _untag_labels(encoder)


def tag(value: Any, depth: int = 0) -> Any:
    """Write a label or parameter so that JSON returns it with its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list) and depth < _MAX_DEPTH:
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [tag(part, depth + 1) for part in value]}
    if isinstance(value, _PLAIN):
        return value
    raise InputError(
        f"A label is {shorten(value)}, a {type(value).__name__}, which a model file "
        "cannot hold; use strings, numbers or tuples of these as labels."
    )


def untag(value: Any, name: str, depth: int = 0) -> Any:
    """Return what `tag` has written; raise if it was something else."""
    if not isinstance(value, dict):
        if not isinstance(value, _PLAIN):
            raise InputError(f"{name} has the value {shorten(value)}")
        return value
    kind, parts = next(iter(value.items()), ("", None))
    if len(value) != 1 or kind not in _SEQUENCES or not isinstance(parts, list):
        raise InputError(f"{name} has the value {shorten(value)}")
    if depth >= _MAX_DEPTH:
        raise InputError(f"{name} nests too deeply")
    return _SEQUENCES[kind](untag(part, name, depth + 1) for part in parts)


def _untag_labels(encoder: dict[str, Any]) -> None:
    encoder["label_values_"] = [
        _check_label(untag(value, "label")) for value in encoder.get("label_values_", [])
    ]


def _make_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key occurs twice")
    return made


def _check_version(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError("it is not a model of gskn")
    found = header.get("version")
    if type(found) is not int or not 1 <= found <= VERSION:
        raise InputError(
            f"it was written by gskn {shorten(header.get('gskn'))} in version "
            f"{shorten(found)} of the format, and this gskn reads up to version "
            f"{VERSION}; update gskn"
        )


def check_types(value: Any, schema: Any, name: str) -> None:
    """Raise unless a value has the types of a schema; True is not an integer."""
    if isinstance(schema, dict):
        _check_keys(value, schema, name)
        for key in value:
            check_types(value[key], schema[key], key)
    elif isinstance(schema, list):
        check_types(value, list, name)
        for item in value:
            check_types(item, schema[0], name)
    else:
        allowed = schema if isinstance(schema, tuple) else (schema,)
        if type(value) not in allowed:
            expected = " or ".join(kind.__name__ for kind in allowed)
            raise InputError(f"{name} must be {expected}, got {shorten(value)}")


def _check_keys(value: Any, schema: dict[str, Any], name: str) -> None:
    check_types(value, dict, name)
    unknown = sorted(set(value) - set(schema))
    missing = sorted(set(schema) - set(value) - _OPTIONAL)
    if unknown:
        raise InputError(f"{name} has the unknown entry {shorten(unknown[0])}")
    if missing:
        raise InputError(f"{name} has no entry {missing[0]!r}")


def _check_label(label: Any) -> Any:
    try:
        hash(label)
    except TypeError:
        raise InputError(f"the label {shorten(label)} contains a list") from None
    return label


def _check_branch(branch: dict[str, Any]) -> None:
    low, high = _RANGE
    for scale in branch["scales"]:
        if not low <= scale <= high:
            raise InputError(f"scale must be between {low} and {high}, got {scale}")
    for layer in branch["layers"]:
        seed = layer["seed"]
        if seed is not None and not 0 <= seed < _MAX_SEED:
            raise InputError(f"seed must be between 0 and 2^63, got {shorten(seed)}")
