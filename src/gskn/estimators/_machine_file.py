"""Save and load a classifier or regressor: the file of its embedding, and its machine.

The header of the embedding has two more entries: ``class``, the name of the estimator, and
``machine``, its parameters and selection. Support vectors and coefficients are arrays.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._files import check_output
from gskn._types import AnyArray, Params
from gskn._validation import check_choice, check_number
from gskn.estimators._gram import KERNELS, Scaling
from gskn.estimators._gskn import GSKN
from gskn.estimators._header import check_types, tag, untag
from gskn.estimators._kernel_machines import KernelMachine
from gskn.estimators._persist import (
    Arrays,
    check_names,
    make_model,
    model_parts,
    plain_parameters,
    read_file,
    take_array,
    write_file,
)
from gskn.estimators._selected import Selected
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from gskn.estimators._base import KernelEstimator

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
_CLASS_TYPES = ("bool", "int", "uint", "float", "str", "object")


def save_machine(model: "KernelEstimator", path: str | Path) -> None:
    """Write a fitted classifier or regressor to a file, completely or not at all."""
    path = Path(path)
    check_output(path)
    header, arrays = model_parts(model.embedding_)
    machine = model.machine_
    arrays |= {
        "machine_mean": machine.scaling.mean,
        "machine_deviation": machine.scaling.deviation,
        "machine_coef": machine.coef,
        "machine_intercept": machine.intercept,
    }
    if len(machine.points):  # a linear or constant machine has none
        arrays["machine_points"] = machine.points
    parameters = model.get_params(deep=False)
    embedding = parameters.pop("embedding")
    saved = {
        "parameters": plain_parameters(
            {
                k: v.tolist() if isinstance(v, np.ndarray) else v
                for k, v in parameters.items()
            }
        ),
        "embedding": None if embedding is None else _save_params(embedding.get_params()),
        "kernel": model.kernel_,
        "strength": model.selected_.strength,
        "selected": _save_selected(model.selected_, model.task_class.strength_name),
        "state": model.save_state(arrays),
    }
    write_file(path, {**header, "class": type(model).__name__, "machine": saved}, arrays)


def load_machine(kind: "type[KernelEstimator]", path: str | Path) -> Any:
    """Read a classifier or regressor from a file; raise if it is not complete."""
    return read_file(
        Path(path), kind.__name__, lambda header, arrays: _make(kind, header, arrays)
    )


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


def _make(kind: "type[KernelEstimator]", header: dict[str, Any], arrays: Arrays) -> Any:
    saved = header.pop("machine", None)
    check_types(saved, _SCHEMA, "machine")
    parameters = _load_params(saved["parameters"])
    check_names({**parameters, "embedding": None}, kind().get_params(deep=False))
    embedding = None
    if saved["embedding"] is not None:
        values = _load_params(saved["embedding"])
        check_names(values, GSKN().get_params())
        embedding = GSKN(**values)
    model = kind(embedding=embedding, **parameters)
    model.check_parameters()
    own = {name: arrays.pop(name) for name in list(arrays) if _is_own(name)}
    model.embedding_ = make_model(GSKN, header, arrays)
    model.machine_ = _load_arrays(saved["kernel"], model.embedding_, own)
    model.kernel_ = saved["kernel"]
    strength_name = kind.task_class.strength_name
    strength = check_number(saved["strength"], strength_name, minimum=0)
    setattr(model, f"{strength_name}_", strength)
    model.selected_ = _load_selected(saved, strength, strength_name)
    model.load_state(saved["state"], own)
    if own:
        raise InputError(f"unknown array {min(own)!r}")
    return model


def _is_own(name: str) -> bool:
    return name.startswith(("machine_", "calibration_"))


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
    n_outputs = len(np.atleast_1d(arrays.get("machine_intercept", 0.0)))
    n_rows = n_columns if kernel == "linear" else len(points)
    coef = take_array(arrays, "machine_coef", (n_rows, n_outputs))
    intercept = take_array(arrays, "machine_intercept", (n_outputs,))
    return KernelMachine(kernel, Scaling(mean, deviation), points, coef, intercept)


def _save_params(params: Params) -> dict[str, Any]:
    return plain_parameters(dict(params))


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


def _load_selected(saved: dict[str, Any], strength: float, strength_name: str) -> Selected:
    selected = saved["selected"]
    return Selected(
        params=_load_params(selected["params"]),
        kernel=saved["kernel"],
        strength=strength,
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
