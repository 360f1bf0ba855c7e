"""Save and load a classifier or regressor: the file of its embedding, and its machine.

The header of the embedding has two more entries: ``class``, the name of the estimator, and
``machine``, its parameters and selection. Support vectors and coefficients are arrays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gskn._files import check_output
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_number
from gskn.estimators._gram import KERNELS, Scaling
from gskn.estimators._gskn import GSKN
from gskn.estimators._header import check_types, tag, untag
from gskn.estimators._kernel_machines import KernelMachine
from gskn.estimators._persist import (
    Arrays,
    check_names,
    complete_parameters,
    make_model,
    model_parts,
    plain_parameters,
    read_file,
    take_array,
    write_file,
)
from gskn.estimators._selected import Selected
from gskn.exceptions import InputError

_NUMBER = (int, float)
_SCHEMA: dict[str, Any] = {
    "parameters": dict,
    "embedding": (dict, type(None)),
    "kernel": str,
    "strength": _NUMBER,
    "selected": {
        "params": dict,
        "metric": str,
        "reason": str,
        "scores": [
            {
                "params": dict,
                "kernel": str,
                "strength": _NUMBER,
                "score": _NUMBER,
                "standard_error": _NUMBER,
            }
        ],
    },
    "state": dict,
}
_CLASS_SCHEMA: dict[str, Any] = {"type": str, "values": [(str, int, float, bool)]}
_PREFIXES = ("machine_", "calibration_")  # of the arrays that belong to no embedding
_CLASS_TYPES = ("bool", "int", "uint", "float", "str", "object")


@dataclass(frozen=True)
class MachineParts:
    """Everything that a file of a classifier or regressor contains."""

    parameters: dict[str, Any]  # of the estimator; the embedding is a GSKN or None
    embedding: GSKN  # fitted
    machine: KernelMachine
    selected: Selected
    state: dict[str, Any]  # other fitted values, as JSON values
    arrays: Arrays  # other fitted arrays


def save_machine(
    class_name: str, strength_name: str, parts: MachineParts, path: str | Path
) -> None:
    """Write a fitted classifier or regressor to a file, completely or not at all."""
    path = Path(path)
    check_output(path)
    header, arrays = model_parts(parts.embedding)
    machine = parts.machine
    arrays |= {
        **parts.arrays,
        "machine_mean": machine.scaling.mean,
        "machine_deviation": machine.scaling.deviation,
        "machine_coef": machine.coef,
        "machine_intercept": machine.intercept,
    }
    if len(machine.points):  # a linear or constant machine has none
        arrays["machine_points"] = machine.points
    if machine.sample is not None:
        arrays["machine_sample"] = machine.sample
    parameters = dict(parts.parameters)
    embedding = parameters.pop("embedding")
    saved = {
        "parameters": plain_parameters(
            {
                k: v.tolist() if isinstance(v, np.ndarray) else v
                for k, v in parameters.items()
            }
        ),
        "embedding": None
        if embedding is None
        else plain_parameters(embedding.get_params()),
        "kernel": machine.kernel,
        "strength": parts.selected.strength,
        "selected": _save_selected(parts.selected, strength_name),
        "state": parts.state,
    }
    write_file(path, {**header, "class": class_name, "machine": saved}, arrays)


def load_machine(
    class_name: str,
    strength_name: str,
    make: Callable[[MachineParts], Any],
    path: str | Path,
) -> Any:
    """Return the result of ``make`` for a file; raise if the file is not complete."""

    def make_from_file(header: dict[str, Any], arrays: Arrays) -> Any:
        parts = _read_parts(header, arrays, strength_name)
        model = make(parts)
        if parts.arrays:
            raise InputError(f"unknown array {min(parts.arrays)!r}")
        return model

    return read_file(Path(path), class_name, make_from_file)


def save_classes(classes: AnyArray) -> dict[str, Any]:
    """Return classes as JSON values with the name of their type."""
    kind = np.result_type(classes).kind
    names = dict(zip("biufUO", _CLASS_TYPES, strict=True))
    values = classes.tolist()
    for value in values:
        check_types(value, (str, int, float, bool), "class")
    return {"type": names[kind], "values": values}


def load_classes(saved: Any) -> AnyArray:
    """Return the classes that `save_classes` has written; raise if they are not sorted."""
    check_types(saved, _CLASS_SCHEMA, "classes")
    check_choice(saved["type"], "type", choices=_CLASS_TYPES)
    kind, values = saved["type"], saved["values"]
    try:
        classes = np.array(values, dtype=object if kind == "object" else kind)
        is_sorted = len(values) > 1 and bool((classes[1:] > classes[:-1]).all())
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"the classes are not of type {kind}") from error
    if not is_sorted:
        raise InputError("the classes are not sorted, or there are fewer than two")
    return classes


def load_frequencies(saved: Any, n_classes: int) -> FloatArray | None:
    """Return the frequencies of classes; None if a file does not contain them."""
    if saved is None:
        return None
    check_types(saved, [_NUMBER], "frequencies")
    frequencies = np.array(saved, dtype=np.float64)
    if len(frequencies) != n_classes or not (
        (frequencies > 0).all() and np.isclose(frequencies.sum(), 1.0)
    ):
        raise InputError("the frequencies of the classes are not fractions of one")
    return frequencies


def _read_parts(header: dict[str, Any], arrays: Arrays, strength_name: str) -> MachineParts:
    saved = header.pop("machine", None)
    check_types(saved, _SCHEMA, "machine")
    parameters = _load_params(saved["parameters"])
    parameters["embedding"] = None
    if saved["embedding"] is not None:
        values = _load_params(saved["embedding"])
        values = complete_parameters(values, header["version"])
        check_names(values, GSKN().get_params())
        parameters["embedding"] = GSKN(**values)
    machine_arrays = {n: arrays.pop(n) for n in list(arrays) if n.startswith(_PREFIXES)}
    embedding = make_model(GSKN, header, arrays)
    return MachineParts(
        parameters=parameters,
        embedding=embedding,
        machine=_load_arrays(saved["kernel"], embedding, machine_arrays),
        selected=_load_selected(saved, strength_name),
        state=saved["state"],
        arrays=machine_arrays,
    )


def _load_arrays(kernel: str, embedding: GSKN, arrays: Arrays) -> KernelMachine:
    check_choice(kernel, "kernel", choices=KERNELS)
    n_columns = len(embedding.get_feature_names_out())
    mean = take_array(arrays, "machine_mean", (n_columns,))
    deviation = take_array(arrays, "machine_deviation", (n_columns,))
    if not (deviation > 0).all():
        raise InputError("machine_deviation has values that are not positive")
    points = np.empty((0, n_columns))
    if "machine_points" in arrays:
        n_points = len(np.atleast_1d(arrays["machine_points"]))
        points = take_array(arrays, "machine_points", (n_points, n_columns))
    if kernel == "linear" and len(points):
        raise InputError("a linear machine has support vectors")
    sample = None
    if kernel == "linear" and "machine_sample" in arrays:  # not in earlier files
        n_sampled = len(np.atleast_1d(arrays["machine_sample"]))
        shape = (n_sampled, n_columns)
        sample = take_array(arrays, "machine_sample", shape, np.float32)
    n_outputs = len(np.atleast_1d(arrays.get("machine_intercept", 0.0)))
    n_rows = n_columns if kernel == "linear" else len(points)
    coef = take_array(arrays, "machine_coef", (n_rows, n_outputs))
    intercept = take_array(arrays, "machine_intercept", (n_outputs,))
    scaling = Scaling(mean, deviation)
    return KernelMachine(kernel, scaling, points, coef, intercept, sample)


def _load_params(params: dict[str, Any]) -> dict[str, Any]:
    return {name: untag(value, name) for name, value in params.items()}


def _save_selected(selected: Selected, strength_name: str) -> dict[str, Any]:
    rows = []
    for row in selected.scores:
        values = {k: v for k, v in row.items() if k not in {"params", strength_name}}
        params = {name: tag(value) for name, value in row["params"].items()}
        rows.append({**values, "params": params, "strength": row[strength_name]})
    return {
        "params": {name: tag(value) for name, value in selected.params.items()},
        "metric": selected.metric,
        "reason": selected.reason,
        "scores": rows,
    }


def _load_selected(saved: dict[str, Any], strength_name: str) -> Selected:
    selected = saved["selected"]
    return Selected(
        params=_load_params(selected["params"]),
        kernel=saved["kernel"],
        strength=check_number(saved["strength"], strength_name, minimum=0),
        metric=selected["metric"],
        scores=tuple(
            {
                "params": _load_params(row["params"]),
                "kernel": row["kernel"],
                strength_name: row["strength"],
                "score": row["score"],
                "standard_error": row["standard_error"],
            }
            for row in selected["scores"]
        ),
        reason=selected["reason"],
    )
