"""Save and load a network: a safetensors file with a JSON header. No code is run.

The metadata of the file contain the header: class, parameters, encoder, history and the
number of members. The weights of members and the arrays of the encoder are tensors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gskn._files import check_output, check_regular, whole_file
from gskn._optional import require
from gskn._types import AnyArray
from gskn._validation import check_int, shorten
from gskn.estimators import (
    ENCODER_SCHEMA,
    check_names,
    check_types,
    load_encoder,
    plain_parameters,
    read_header,
    save_encoder,
    untag,
    untag_encoder,
    write_header,
)
from gskn.exceptions import FileFormatError, GsknError, InputError, describe_error
from gskn.graphs import AttributeEncoder

_NUMBER = (int, float)
_SCHEMA: dict[str, Any] = {
    "format": str,
    "version": int,
    "gskn": str,
    "class": str,
    "parameters": dict,
    "encoder": (dict, type(None)),
    "n_out": int,
    "n_members": int,
    "history": [
        {
            "loss": [_NUMBER],
            "validation_loss": [_NUMBER],
            "learning_rate": [_NUMBER],
            "best_epoch": int,
            "validation_accuracy": _NUMBER,
        }
    ],
    "state": dict,
}
_ENCODER_PREFIX = "encoder_"
_MAX_OUT = 2**20
_MAX_REASON = 300  # characters of a message


@dataclass(frozen=True)
class NetworkParts:
    """Everything that a file of a network contains."""

    parameters: dict[str, Any]
    encoder: AttributeEncoder | None  # None: node data is not used
    n_out: int
    states: list[dict[str, AnyArray]]  # weights of every member
    history: list[dict[str, Any]]
    state: dict[str, Any]  # other fitted values, as JSON values


def save_network(class_name: str, parts: NetworkParts, path: Path) -> None:
    """Write a fitted network to a file, completely or not at all."""
    safetensors = require("safetensors.numpy", extra="torch")
    check_output(path)
    arrays: dict[str, AnyArray] = {}
    encoder = None
    if parts.encoder is not None:
        encoder = save_encoder(parts.encoder, _ENCODER_PREFIX, arrays)
    header = {
        "gskn": version("gskn"),
        "class": class_name,
        "parameters": plain_parameters(parts.parameters),
        "encoder": encoder,
        "n_out": parts.n_out,
        "n_members": len(parts.states),
        "history": parts.history,
        "state": parts.state,
    }
    for number, state in enumerate(parts.states):
        arrays |= {_key(number, name): array for name, array in state.items()}
    text = write_header(header).decode()
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    content = safetensors.save(arrays, metadata={"header": text})
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def load_network(
    class_name: str, known: dict[str, Any], make: Callable[[NetworkParts], Any], path: Path
) -> Any:
    """Return the result of ``make`` for a file; raise if the file is not complete.

    ``known`` are the parameters of the class that the file must contain.
    """
    text, arrays = _read(path)
    try:
        header = read_header(text)
        parts = _make_parts(class_name, known, header, arrays)
        model = make(parts)
    except GsknError as error:
        reason = " ".join(f"cannot be loaded: {error}".split())[:_MAX_REASON]
        raise FileFormatError(path, reason) from error
    return model


def _read(path: Path) -> tuple[bytes, dict[str, AnyArray]]:
    """Return the header and the arrays of a safetensors file."""
    safetensors = require("safetensors", extra="torch")
    check_regular(path)
    try:
        with safetensors.safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, ValueError, TypeError) as error:
        reason = f"not a readable safetensors file: {describe_error(error)}"
        raise FileFormatError(path, reason) from error
    if "header" not in metadata:
        raise FileFormatError(path, "not a network of gskn: there is no header")
    return metadata["header"].encode(), arrays


def _make_parts(
    class_name: str,
    known: dict[str, Any],
    header: dict[str, Any],
    arrays: dict[str, AnyArray],
) -> NetworkParts:
    """Return the parts of a file; raise unless header and arrays are consistent."""
    found = header.get("class")
    if found != class_name:
        raise InputError(f"it contains {shorten(found)} instead of {class_name!r}")
    check_types(header, _SCHEMA, "header")
    parameters = {name: untag(value, name) for name, value in header["parameters"].items()}
    check_names(parameters, known)
    encoder = None
    if header["encoder"] is not None:
        check_types(header["encoder"], ENCODER_SCHEMA, "encoder")
        untag_encoder(header["encoder"])
        encoder = load_encoder(header["encoder"], _ENCODER_PREFIX, arrays)
    check_int(header["n_out"], "n_out", minimum=1, maximum=_MAX_OUT)
    n_members = check_int(header["n_members"], "n_members", minimum=1, maximum=len(arrays))
    if len(header["history"]) != n_members:
        raise InputError(f"the history of {n_members} members is not complete")
    states: list[dict[str, AnyArray]] = [{} for _ in range(n_members)]
    for name, array in arrays.items():
        number, _, rest = name.removeprefix("member_").partition("/")
        if not number.isdecimal() or int(number[:9]) >= n_members:
            raise InputError(f"unknown array {shorten(name)}")
        states[int(number)][rest] = array
    return NetworkParts(
        parameters=parameters,
        encoder=encoder,
        n_out=header["n_out"],
        states=states,
        history=header["history"],
        state=header["state"],
    )


def _key(number: int, name: str) -> str:
    return f"member_{number}/{name}"
