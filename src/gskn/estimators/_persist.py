"""Save and load a model: one file of plain arrays and a JSON header. No code is run.

The file is an uncompressed npz archive. ``header`` holds format, version, parameters and
the shape of the stack; landmarks and roots are arrays of their own, bit for bit.
"""

import json
import zipfile
from collections.abc import Hashable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from gskn._files import whole_file
from gskn._types import AnyArray
from gskn.estimators._parameters import check_branches, check_parameters
from gskn.exceptions import FileFormatError, GsknError, InputError, MissingFileError
from gskn.graphs import AttributeEncoder
from gskn.kernels import NystromMap, Stack

FORMAT = "gskn model"
VERSION = 1
_PLAIN = (str, int, float, bool, type(None))
Arrays = dict[str, AnyArray]


def save_model(model: Any, path: str | Path) -> None:
    """Write a fitted GSKN to a file, whole or not at all."""
    check_is_fitted(model, "stack_")
    arrays: Arrays = {}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "gskn": version("gskn"),
        "parameters": _plain_parameters(model.get_params(deep=False)),
        "encoder": _save_encoder(model.encoder_, arrays),
        "branches": _save_branches(model.stack_, arrays),
    }
    text = json.dumps(header).encode()
    with whole_file(Path(path)) as temporary, temporary.open("wb") as file:
        arrays["header"] = np.frombuffer(text, dtype=np.uint8)
        store: Any = np.savez  # takes the names of arrays as keywords
        store(file, **arrays)


def load_model(kind: Any, path: str | Path) -> Any:
    """Read a fitted GSKN from a file, and refuse whatever is not one."""
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"There is no model file {path}.")
    arrays = _read_arrays(path)
    try:
        header = json.loads(bytes(arrays.pop("header")))
        _check_header(header, path)
        model = kind(**header["parameters"])
        settings = check_parameters(model.get_params(deep=False))
        stack = Stack.of(
            check_branches(model.branches),
            model.walk_length,
            model.anonymous_length,
            model.n_layers,
            settings,
        )
        encoder = _load_encoder(header["encoder"], arrays)
        _load_branches(stack, header["branches"], encoder.n_features_out_, arrays)
    except FileFormatError:
        raise
    except (
        GsknError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
    ) as error:
        reason = " ".join(str(error).split())
        raise FileFormatError(path, f"damaged model ({reason})") from error
    if arrays:
        raise FileFormatError(path, f"damaged model (unknown array {min(arrays)!r})")
    model.encoder_, model.stack_ = encoder, stack
    model.n_features_out_ = len(stack.feature_names())
    return model


def _read_arrays(path: Path) -> Arrays:
    try:
        with zipfile.ZipFile(path) as archive:
            # What is stored takes on disk what it takes in memory: nothing can explode.
            if any(
                member.compress_type != zipfile.ZIP_STORED for member in archive.filelist
            ):
                raise FileFormatError(path, "not a model of gskn (compressed members)")
            damaged = archive.testzip()
        if damaged is not None:
            raise FileFormatError(path, f"damaged model (checksum of {damaged})")
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (
        zipfile.BadZipFile,
        ValueError,
        EOFError,
        OSError,
        NotImplementedError,
    ) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(path, "not a model of gskn, or cut short") from error


def _check_header(header: Any, path: Path) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError(path, "not a model of gskn")
    if not isinstance(header["version"], int) or header["version"] > VERSION:
        raise FileFormatError(
            path,
            f"written by gskn {header.get('gskn')} in version {header['version']} of the "
            f"format, and this gskn reads up to {VERSION}; update gskn",
        )


def _plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON holds them; a generator, of use to `fit` alone, is None."""
    plain = {name: _as_plain(value) for name, value in parameters.items()}
    return {name: value for name, value in plain.items() if value is not None}


def _as_plain(value: Any) -> Any:
    if isinstance(value, np.random.Generator):
        return None
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, tuple) else value


def _save_encoder(encoder: AttributeEncoder, arrays: Arrays) -> dict[str, Any]:
    saved: dict[str, Any] = {
        "sources": _as_plain(encoder.sources),
        "max_degree": encoder.max_degree,
        "sources_": list(encoder.sources_),
        "n_features_out_": encoder.n_features_out_,
    }
    if "labels" in encoder.sources_:
        saved["label_values_"] = [_tag(value) for value in encoder.label_values_]
    if "attributes" in encoder.sources_:
        saved["n_attributes_"] = encoder.n_attributes_
        if encoder.scaler_ is not None:
            arrays["attribute_mean"] = encoder.scaler_.mean_
            arrays["attribute_scale"] = encoder.scaler_.scale_
    if "degrees" in encoder.sources_:
        arrays["degree_bins"] = encoder.degree_bins_
    return saved


def _load_encoder(saved: dict[str, Any], arrays: Arrays) -> AttributeEncoder:
    encoder = AttributeEncoder(sources=saved["sources"], max_degree=saved["max_degree"])
    encoder.sources_ = tuple(saved["sources_"])
    n_columns = 0
    if "labels" in encoder.sources_:
        encoder.label_values_ = tuple(_untag(value) for value in saved["label_values_"])
        n_columns += len(encoder.label_values_) + 1
    if "attributes" in encoder.sources_:
        encoder.n_attributes_ = n_attributes = int(saved["n_attributes_"])
        encoder.scaler_ = None
        if "attribute_mean" in arrays:
            encoder.scaler_ = StandardScaler()
            encoder.scaler_.mean_ = _take(arrays, "attribute_mean", (n_attributes,))
            encoder.scaler_.scale_ = _take(arrays, "attribute_scale", (n_attributes,))
            encoder.scaler_.n_features_in_ = n_attributes
        n_columns += n_attributes
    if "degrees" in encoder.sources_:
        bins = arrays.pop("degree_bins")
        if bins.ndim != 2 or bins.shape[1] != 2 or bins.dtype.kind != "i" or not len(bins):
            raise InputError(f"degree_bins has shape {bins.shape}")
        encoder.degree_bins_ = bins
        n_columns += len(bins)
    if n_columns != saved["n_features_out_"]:
        raise InputError(f"{n_columns} columns instead of {saved['n_features_out_']}")
    encoder.n_features_out_ = n_columns
    return encoder


def _save_branches(stack: Stack, arrays: Arrays) -> list[dict[str, Any]]:
    saved = []
    for branch in stack.branches:
        layers = []
        for depth, layer in enumerate(branch.layers):
            for length, mapped in zip(layer.lengths, layer.maps, strict=True):
                key = f"{branch.name}_{depth}_{length}"
                arrays[f"{key}_landmarks"] = mapped.landmarks
                arrays[f"{key}_root"] = mapped.root
            layers.append({"seed": getattr(layer, "seed", None)})
        saved.append({"name": branch.name, "scales": branch.scales, "layers": layers})
    return saved


def _load_branches(
    stack: Stack, saved: list[dict[str, Any]], n_features: int, arrays: Arrays
) -> None:
    for branch, kept in zip(stack.branches, saved, strict=True):
        branch.scales = [float(scale) for scale in kept["scales"]]
        if len(branch.scales) != len(branch.layers) - 1 or not all(
            0 < scale < np.inf for scale in branch.scales
        ):
            raise InputError(f"scales of branch {branch.name}: {kept['scales']}")
        size = n_features
        for depth, layer in enumerate(branch.layers):
            if hasattr(layer, "seed"):
                layer.seed = int(kept["layers"][depth]["seed"])
            maps = []
            for length in layer.lengths:
                key = f"{branch.name}_{depth}_{length}"
                n_landmarks = len(arrays[f"{key}_root"])
                shape = (n_landmarks, layer.n_columns(length, size))
                landmarks = _take(arrays, f"{key}_landmarks", shape)
                root = _take(arrays, f"{key}_root", (n_landmarks, n_landmarks))
                maps.append(NystromMap(landmarks, root))
            layer.maps = maps
            size = sum(mapped.n_landmarks for mapped in maps)


def _take(arrays: Arrays, name: str, shape: tuple[int, ...]) -> AnyArray:
    """Return an array that must be there, of this shape, and finite."""
    array = arrays.pop(name)
    if array.shape != shape or array.dtype != np.float64:
        raise InputError(f"{name} is {array.dtype} of shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} has values that are not finite")
    return array


def _tag(value: Hashable) -> Any:
    """Write a label so that JSON gives it back with its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return {"tuple": [_tag(part) for part in value]}
    if isinstance(value, _PLAIN):
        return value
    raise InputError(
        f"A node label is {value!r}, a {type(value).__name__}, which a model file cannot "
        "hold; use strings, numbers or tuples of these as labels."
    )


def _untag(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple(_untag(part) for part in value["tuple"])
    if not isinstance(value, _PLAIN):
        raise InputError(f"unknown label {value!r}")
    return value
