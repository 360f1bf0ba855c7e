"""Save and load a model: one file of plain arrays and a JSON header. No code is run.

The file is an uncompressed npz archive. ``header`` holds format, version, parameters and
the shape of the stack; landmarks and roots are arrays of their own, bit for bit.
"""

import json
import math
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from gskn._files import whole_file
from gskn._types import AnyArray
from gskn._validation import check_int
from gskn.estimators._parameters import check_branches, check_parameters, make_stack
from gskn.exceptions import FileFormatError, GsknError, InputError, MissingFileError
from gskn.graphs import AttributeEncoder
from gskn.layers import BRANCHES, NystromMap, Stack

FORMAT = "gskn model"
VERSION = 1
_PLAIN = (str, int, float, bool, type(None))
Arrays = dict[str, AnyArray]


def save_model(model: Any, path: str | Path) -> None:
    """Write a fitted GSKN to a file, whole or not at all."""
    check_is_fitted(model, "stack_")
    # What layers were made with, whatever was set since: rows must stay what they are.
    parameters = {**model.get_params(deep=False), **model.stack_.parameters}
    check_parameters(parameters)
    arrays: Arrays = {}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "gskn": version("gskn"),
        "parameters": _plain_parameters(parameters),
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
        parameters = {name: _untag(value) for name, value in header["parameters"].items()}
        model = kind(**parameters)
        check_parameters(model.get_params(deep=False))
        _check_size(model, header["branches"], len(arrays))
        stack = make_stack(model.get_params(deep=False))
        encoder = _load_encoder(header["encoder"], arrays)
        _load_branches(stack, header["branches"], encoder.n_features_out_, arrays)
    except FileFormatError:
        raise
    except (GsknError, LookupError, TypeError, ValueError, RecursionError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise FileFormatError(path, f"damaged model ({reason})") from error
    if arrays:
        raise FileFormatError(path, f"damaged model (unknown array {min(arrays)!r})")
    model.encoder_, model.stack_ = encoder, stack
    model.n_features_out_ = len(stack.feature_names())
    return model


def _read_arrays(path: Path) -> Arrays:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.filelist:
                _check_member(archive, member, path)
            _check_sums(archive, path)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileFormatError:
        raise
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, RuntimeError) as error:
        raise FileFormatError(path, "not a model of gskn, or cut short") from error


def _check_sums(archive: zipfile.ZipFile, path: Path) -> None:
    damaged = archive.testzip()
    if damaged is not None:
        raise FileFormatError(path, f"damaged model (checksum of {damaged})")


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    """Refuse what would take more memory than it takes on disk."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise FileFormatError(path, "not a model of gskn (compressed members)")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, _, dtype = readers[version](file) if version in readers else ((), 0, "")
        size = math.prod(shape) * np.dtype(dtype or object).itemsize
        if np.dtype(dtype or object).hasobject or file.tell() + size != member.file_size:
            raise FileFormatError(path, f"damaged model (size of {member.filename})")


def _check_size(model: Any, branches: list[dict[str, Any]], n_arrays: int) -> None:
    """Refuse more layers or lengths than there are arrays, before they are made."""
    lengths = [
        getattr(model, BRANCHES[name].length_parameter)
        for name in check_branches(model.branches)
    ]
    if any(len(branch["layers"]) != model.n_layers for branch in branches) or (
        model.aggregate and 2 * sum(lengths) > n_arrays
    ):
        raise InputError(f"{n_arrays} arrays are too few for the parameters")


def _check_header(header: Any, path: Path) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError(path, "not a model of gskn")
    version = header["version"]
    if type(version) is not int or not 1 <= version <= VERSION:
        raise FileFormatError(
            path,
            f"written by gskn {header.get('gskn')} in version {version} of the "
            f"format, and this gskn reads up to {VERSION}; update gskn",
        )


def _plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON holds them; a generator, of use to `fit` alone, is None."""
    return {
        name: _tag(None if isinstance(value, np.random.Generator) else value)
        for name, value in parameters.items()
    }


def _save_encoder(encoder: AttributeEncoder, arrays: Arrays) -> dict[str, Any]:
    saved: dict[str, Any] = {
        "sources": _tag(encoder.sources),
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
    encoder = AttributeEncoder(
        sources=_untag(saved["sources"]),
        max_degree=check_int(saved["max_degree"], "max_degree", minimum=0),
    )
    encoder.sources_ = AttributeEncoder(sources=saved["sources_"]).check_sources()
    n_columns = 0
    if "labels" in encoder.sources_:
        encoder.label_values_ = tuple(_untag(value) for value in saved["label_values_"])
        if len(set(encoder.label_values_)) < len(encoder.label_values_):
            raise InputError("a label occurs twice")
        n_columns += len(encoder.label_values_) + 1
    if "attributes" in encoder.sources_:
        encoder.n_attributes_ = int(saved["n_attributes_"])
        encoder.scaler_ = _load_scaler(arrays, encoder.n_attributes_)
        n_columns += encoder.n_attributes_
    if "degrees" in encoder.sources_:
        encoder.degree_bins_ = _load_bins(arrays)
        n_columns += len(encoder.degree_bins_)
    if n_columns != saved["n_features_out_"]:
        raise InputError(f"{n_columns} columns instead of {saved['n_features_out_']}")
    encoder.n_features_out_ = n_columns
    return encoder


def _load_scaler(arrays: Arrays, n_attributes: int) -> StandardScaler | None:
    if "attribute_mean" not in arrays:
        return None
    scaler = StandardScaler()
    scaler.mean_ = _take(arrays, "attribute_mean", (n_attributes,))
    scaler.scale_ = _take(arrays, "attribute_scale", (n_attributes,))
    scaler.n_features_in_ = n_attributes
    if not (scaler.scale_ > 0).all():
        raise InputError("a scale of attributes is not positive")
    return scaler


def _load_bins(arrays: Arrays) -> AnyArray:
    bins = arrays.pop("degree_bins")
    if bins.ndim != 2 or bins.shape[1] != 2 or bins.dtype.kind != "i" or not len(bins):
        raise InputError(f"degree_bins has shape {bins.shape}")
    if bins.min() < 0 or (np.diff(bins.ravel()) < 0).any():
        raise InputError("degree_bins are not in order")
    return bins


def _save_branches(stack: Stack, arrays: Arrays) -> list[dict[str, Any]]:
    saved = []
    for branch in stack.branches:
        layers = []
        for depth, layer in enumerate(branch.layers):
            for length, mapped in zip(layer.lengths, layer.maps, strict=True):
                key = f"{branch.name}_{depth}_{length}"
                arrays[f"{key}_landmarks"] = mapped.landmarks
                arrays[f"{key}_root"] = mapped.root
            layers.append({"seed": layer.seed})
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


def _tag(value: Any) -> Any:
    """Write a label so that JSON gives it back with its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return {"tuple": [_tag(part) for part in value]}
    if isinstance(value, list):
        return {"list": [_tag(part) for part in value]}
    if isinstance(value, _PLAIN):
        return value
    raise InputError(
        f"A node label is {value!r}, a {type(value).__name__}, which a model file cannot "
        "hold; use strings, numbers or tuples of these as labels."
    )


def _untag(value: Any) -> Any:
    if isinstance(value, dict):
        ((kind, parts),) = value.items()
        return {"tuple": tuple, "list": list}[kind](_untag(part) for part in parts)
    if not isinstance(value, _PLAIN):
        raise InputError(f"unknown label {value!r}")
    return value
