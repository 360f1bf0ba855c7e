"""Save and load a model: one file of plain arrays and a JSON header. No code is run.

The file is an uncompressed npz archive. ``header`` holds format, version, parameters and
the shape of the stack. Landmarks and roots are separate arrays, stored exactly.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from gskn._archives import read_arrays
from gskn._files import check_output, whole_file
from gskn._types import AnyArray
from gskn._validation import check_edge_features, check_int, check_node_features, shorten
from gskn.estimators._header import check_header, read_header, tag, write_header
from gskn.estimators._parameters import (
    add_degrees,
    check_branches,
    check_parameters,
    make_stack,
    select_branches,
)
from gskn.exceptions import FileFormatError, GsknError, InputError
from gskn.graphs import AttributeEncoder, EdgeEncoder, check_max_degree
from gskn.layers import BRANCHES, NystromMap, Stack

_LARGEST = np.float64(1e150)  # of landmarks and roots: squares are finite
_MAX_REASON = 300  # characters of a message
_CLASSES = ("GSKN", "GSKNClassifier", "GSKNRegressor")
_DEGREE_PREFIX = "degree_encoder_"  # of the arrays of this encoder
Arrays = dict[str, AnyArray]


def save_model(model: Any, path: str | Path) -> None:
    """Write a fitted GSKN to a file, completely or not at all."""
    check_is_fitted(model, "stack_")
    path = Path(path)
    check_output(path)
    header, arrays = model_parts(model)
    write_file(path, header, arrays)


def load_model(kind: Any, path: str | Path) -> Any:
    """Read a fitted GSKN from a file; raise if it is not a complete model."""
    return read_file(
        Path(path), "GSKN", lambda header, arrays: make_model(kind, header, arrays)
    )


def model_parts(model: Any) -> tuple[dict[str, Any], Arrays]:
    """Return the entries of the header and the arrays of a fitted GSKN."""
    # The parameters that the layers were fitted with, also if others were set since then.
    parameters = {**model.get_params(deep=False), **model.stack_.parameters}
    check_parameters(parameters)
    arrays: Arrays = {}
    header = {
        "gskn": version("gskn"),
        "parameters": plain_parameters(parameters),
        "encoder": save_encoder(model.encoder_, "", arrays),
        "branches": _save_branches(model.stack_, arrays),
    }
    if model.degree_encoder_ is not None:
        saved = save_encoder(model.degree_encoder_, _DEGREE_PREFIX, arrays)
        header["degree_encoder"] = saved
    if model.edge_encoder_ is not None:
        header["edge_encoder"] = _save_edge_encoder(model.edge_encoder_, arrays)
    return header, arrays


def make_model(kind: Any, header: dict[str, Any], arrays: Arrays) -> Any:
    """Return a fitted GSKN; raise unless header and arrays are complete and consistent."""
    header = check_header(header)
    parameters = complete_parameters(header["parameters"], header["version"])
    check_names(parameters, kind().get_params(deep=False))
    check_parameters(parameters)
    n_arrays = len(arrays)
    encoder = load_encoder(header["encoder"], "", arrays)
    branches = select_branches(
        check_branches(parameters["branches"]), encoder.node_features_
    )
    _check_size(parameters, branches, header["branches"], n_arrays)
    stack = make_stack(parameters).select(branches)
    degree_encoder = _load_degree_encoder(header, stack, encoder, arrays)
    edge_encoder = _load_edge_encoder(header, stack, arrays)
    sizes = _InputSizes(
        encoder.n_features_out_,
        0 if degree_encoder is None else degree_encoder.n_features_out_,
        0 if edge_encoder is None else edge_encoder.n_features,
    )
    _load_branches(stack, header["branches"], sizes, arrays)
    if arrays:
        raise InputError(f"unknown array {min(arrays)!r}")
    model = kind(**parameters)
    model.encoder_, model.degree_encoder_ = encoder, degree_encoder
    model.edge_encoder_ = edge_encoder
    model.branches_, model.stack_ = branches, stack
    model.n_node_features_out_ = len(stack.feature_names())
    return model


def complete_parameters(parameters: dict[str, Any], version: int) -> dict[str, Any]:
    """Add the parameters of a GSKN that are missing in a file of an earlier version."""
    return {"edge_features": "none", **parameters} if version == 1 else parameters


def write_file(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    """Write header and arrays to a file, completely or not at all."""
    text = np.frombuffer(write_header(header), dtype=np.uint8)
    with whole_file(path) as temporary, temporary.open("wb") as file:
        store: Any = np.savez  # takes the names of arrays as keywords
        store(file, **arrays, header=text)


def read_file(
    path: Path, class_name: str, make: Callable[[dict[str, Any], Arrays], Any]
) -> Any:
    """Return the model that ``make`` builds from header and arrays of a file.

    ``class_name`` is the class that the file must contain.
    """
    arrays = _read_arrays(path)
    with _loading(path):
        header = read_header(_take_header(arrays))
        _check_class(header, class_name)
        return make(header, arrays)


def read_class(path: Path) -> str:
    """Return the name of the class in a file; other parts of the file are not checked."""
    arrays = _read_arrays(path, ["header"])
    with _loading(path):
        header = read_header(_take_header(arrays))
    return str(header.get("class", _CLASSES[0]))


def _read_arrays(path: Path, wanted: Sequence[str] | None = None) -> Arrays:
    try:
        return read_arrays(path, wanted, stored=True)
    except FileFormatError as error:
        reason = _shorten(f"not a model of gskn: {error.reason}")
        raise FileFormatError(path, reason) from error


@contextmanager
def _loading(path: Path) -> Iterator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except GsknError as error:
        raise FileFormatError(path, _shorten(f"cannot be loaded: {error}")) from error


def _shorten(reason: str) -> str:
    """Return a message on one line; values from the file may be long."""
    line = " ".join(reason.split())
    return line if len(line) <= _MAX_REASON else f"{line[:_MAX_REASON]}..."


def _take_header(arrays: Arrays) -> bytes:
    header = arrays.pop("header", None)
    if header is None or header.dtype != np.uint8 or header.ndim != 1:
        raise InputError("there is no header")
    return header.tobytes()


def _check_class(header: dict[str, Any], expected: str) -> None:
    """Raise if the file contains another class; remove the entry."""
    name = header.pop("class", "GSKN")
    if name != expected:
        remedy = f"; use {name}.load" if name in _CLASSES else ""
        raise InputError(f"it contains {shorten(name)} instead of {expected!r}{remedy}")


def check_names(parameters: dict[str, Any], known: dict[str, Any]) -> None:
    """Raise if a parameter is unknown or missing."""
    for name in sorted(parameters.keys() ^ known.keys()):
        which = "unknown" if name in parameters else "missing"
        raise InputError(f"the parameter {name!r} is {which}")


def _check_size(
    parameters: dict[str, Any],
    names: Sequence[str],
    branches: list[dict[str, Any]],
    n_arrays: int,
) -> None:
    """Raise if branches, layers and lengths do not fit the parameters and the arrays.

    Layers are made after this check, so a small file cannot ask for many of them.
    """
    saved_names = [branch["name"] for branch in branches]
    if saved_names != list(names):
        raise InputError(f"the branches are {saved_names}, not {list(names)}")
    n_layers = parameters["n_layers"]
    for branch in branches:
        sizes = len(branch["layers"]), len(branch["scales"]) + 1
        if sizes != (n_layers, n_layers):
            raise InputError(f"branch {branch['name']!r} does not have {n_layers} layers")
    if not parameters["aggregate"]:
        return
    walk_length = parameters["walk_length"]
    n_blocks = sum(
        parameters[BRANCHES[name].length_parameter] + walk_length * (n_layers - 1)
        for name in names
    )
    if 2 * n_blocks > n_arrays:
        raise InputError(f"{n_arrays} arrays are too few for {n_blocks} blocks of columns")


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON values; a generator, which only `fit` uses, is None."""
    return {
        name: tag(None if isinstance(value, np.random.Generator) else value)
        for name, value in parameters.items()
    }


def save_encoder(encoder: AttributeEncoder, prefix: str, arrays: Arrays) -> dict[str, Any]:
    """Return an encoder as JSON values; add its arrays under names with the prefix."""
    saved: dict[str, Any] = {
        "node_features": tag(encoder.node_features),
        "max_degree": encoder.max_degree_,
        "node_features_": list(encoder.node_features_),
        "n_features_out_": encoder.n_features_out_,
    }
    if "labels" in encoder.node_features_:
        saved["label_values_"] = [tag(value) for value in encoder.label_values_]
    if "attributes" in encoder.node_features_:
        saved["n_attributes_"] = encoder.n_attributes_
        if encoder.scaler_ is not None:
            arrays[f"{prefix}attribute_mean"] = encoder.scaler_.mean_
            arrays[f"{prefix}attribute_scale"] = encoder.scaler_.scale_
    if "degrees" in encoder.node_features_:
        arrays[f"{prefix}degree_bins"] = encoder.degree_bins_
    return saved


def load_encoder(saved: dict[str, Any], prefix: str, arrays: Arrays) -> AttributeEncoder:
    """Return the encoder that `save_encoder` has saved; remove its arrays."""
    encoder = AttributeEncoder(
        node_features=saved["node_features"],
        max_degree=check_max_degree(saved["max_degree"]),
    )
    check_node_features(encoder.node_features)
    encoder.max_degree_ = encoder.max_degree
    encoder.node_features_ = check_node_features(saved["node_features_"]) or ()
    n_columns = 0
    if "labels" in encoder.node_features_:
        encoder.label_values_ = tuple(saved["label_values_"])
        if len(set(encoder.label_values_)) < len(encoder.label_values_):
            raise InputError("a label occurs twice")
        n_columns += len(encoder.label_values_) + 1
    if "attributes" in encoder.node_features_:
        encoder.n_attributes_ = saved.get("n_attributes_", -1)
        encoder.scaler_ = _load_scaler(arrays, prefix, encoder.n_attributes_)
        n_columns += encoder.n_attributes_
    if "degrees" in encoder.node_features_:
        encoder.degree_bins_ = _load_bins(arrays, f"{prefix}degree_bins")
        n_columns += encoder.n_degree_columns
    if n_columns != saved["n_features_out_"]:
        raise InputError(f"{n_columns} columns instead of {saved['n_features_out_']}")
    encoder.n_features_out_ = n_columns
    return encoder


def _load_degree_encoder(
    header: dict[str, Any], stack: Stack, encoder: AttributeEncoder, arrays: Arrays
) -> AttributeEncoder | None:
    """Return the encoder of node features and degrees; None if no branch uses it."""
    if stack.adds_degrees != ("degree_encoder" in header):
        raise InputError("the branches and the entry 'degree_encoder' do not match")
    if not stack.adds_degrees:
        return None
    degree_encoder = load_encoder(header["degree_encoder"], _DEGREE_PREFIX, arrays)
    if degree_encoder.node_features_ != add_degrees(encoder.node_features_):
        raise InputError(
            f"degree_encoder has the node features {degree_encoder.node_features_}"
        )
    return degree_encoder


def _save_edge_encoder(encoder: EdgeEncoder, arrays: Arrays) -> dict[str, Any]:
    """Return an encoder of edges as JSON values; add its arrays."""
    if "attributes" in encoder.edge_features:
        arrays["edge_attribute_mean"] = encoder.mean
        arrays["edge_attribute_scale"] = encoder.scale
    return {
        "edge_features": list(encoder.edge_features),
        "label_values_": [tag(value) for value in encoder.label_values],
        "n_attributes_": len(encoder.mean),
    }


def _load_edge_encoder(
    header: dict[str, Any], stack: Stack, arrays: Arrays
) -> EdgeEncoder | None:
    """Return the encoder of edges; None if walks do not compare edges."""
    if "edge_encoder" not in header:
        return None
    saved = header["edge_encoder"]
    selection = check_edge_features(saved["edge_features"]) or ()
    if not stack.compares_edges or not selection:
        raise InputError("the branches and the entry 'edge_encoder' do not match")
    label_values = tuple(saved["label_values_"])
    if len(set(label_values)) < len(label_values):
        raise InputError("an edge label occurs twice")
    n_attributes = check_int(saved.get("n_attributes_"), "n_attributes_", minimum=0)
    if ("attributes" not in selection and n_attributes) or (
        "labels" not in selection and label_values
    ):
        raise InputError("edge_features and the entry 'edge_encoder' do not match")
    mean = scale = np.empty(0)
    if "attributes" in selection:
        mean = take_array(arrays, "edge_attribute_mean", (n_attributes,))
        scale = take_array(arrays, "edge_attribute_scale", (n_attributes,))
        if not (scale > 0).all():
            raise InputError("edge_attribute_scale has values that are not positive")
    return EdgeEncoder(selection, label_values, mean, scale)


def _load_scaler(arrays: Arrays, prefix: str, n_attributes: int) -> StandardScaler | None:
    if n_attributes == 0 and f"{prefix}attribute_mean" not in arrays:
        return None
    scaler = StandardScaler()
    scaler.mean_ = take_array(arrays, f"{prefix}attribute_mean", (n_attributes,))
    scaler.scale_ = take_array(arrays, f"{prefix}attribute_scale", (n_attributes,))
    scaler.n_features_in_ = n_attributes
    if not (scaler.scale_ > 0).all():
        raise InputError("attribute_scale has values that are not positive")
    return scaler


def _load_bins(arrays: Arrays, name: str) -> AnyArray:
    bins = arrays.pop(name, np.empty(0))
    if bins.ndim != 2 or bins.shape[1] != 2 or bins.dtype != np.int64 or not len(bins):
        raise InputError(f"{name} is {bins.dtype} of shape {bins.shape}")
    low, high = bins.T
    if bins.min() < 0 or (low > high).any() or (low[1:] <= high[:-1]).any():
        raise InputError(f"{name} are not in order")
    return np.ascontiguousarray(bins)


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


class _InputSizes(NamedTuple):
    """Numbers of columns of the features that enter the layers."""

    nodes: int
    nodes_with_degrees: int
    edges: int


def _load_branches(
    stack: Stack, saved: list[dict[str, Any]], sizes: _InputSizes, arrays: Arrays
) -> None:
    for branch, entry in zip(stack.branches, saved, strict=True):
        branch.scales = [float(scale) for scale in entry["scales"]]
        size = sizes.nodes_with_degrees if branch.adds_degrees else sizes.nodes
        for depth, layer in enumerate(branch.layers):
            layer.seed = check_int(entry["layers"][depth]["seed"], "seed", minimum=0)
            layer.maps = []
            for length in layer.lengths:
                key = f"{branch.name}_{depth}_{length}"
                n_columns = layer.n_columns(length, size, sizes.edges)
                mapped = _load_map(arrays, key, n_columns)
                layer.maps.append(mapped)
                if mapped.n_landmarks > layer.params.n_landmarks:
                    raise InputError(f"{key} has {mapped.n_landmarks} landmarks")
            size = sum(mapped.n_landmarks for mapped in layer.maps)


def _load_map(arrays: Arrays, key: str, n_columns: int) -> NystromMap:
    n_landmarks = len(np.atleast_1d(arrays.get(f"{key}_root", 0.0)))
    landmarks = take_array(arrays, f"{key}_landmarks", (n_landmarks, n_columns))
    root = take_array(arrays, f"{key}_root", (n_landmarks, n_landmarks))
    if not n_landmarks:
        raise InputError(f"{key} has no landmarks")
    return NystromMap(landmarks, root)


def take_array(
    arrays: Arrays, name: str, shape: tuple[int, ...], dtype: type = np.float64
) -> AnyArray:
    """Remove an array and return it; raise unless it has this shape and finite values."""
    array = arrays.pop(name, None)
    if array is None:
        raise InputError(f"there is no array {name}")
    if array.shape != shape or array.dtype != dtype:
        raise InputError(f"{name} is {array.dtype} of shape {array.shape}, not {shape}")
    if not (np.abs(array) <= _LARGEST).all():
        raise InputError(f"{name} has values that are not finite, or beyond {_LARGEST}")
    return np.ascontiguousarray(array)
