"""Decide whether the targets of graphs are classes or real values, and convert them."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from gskn._limits import MAX_TARGET
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_complete, shorten
from gskn.exceptions import InputError

Targets: TypeAlias = Literal["classes", "values"]

_MAX_INTEGER_CLASSES = 20


def detect_task(
    values: Sequence[Any] | AnyArray, task: str = "auto"
) -> tuple[Targets, AnyArray]:
    """Return whether targets are classes or values, and the converted targets.

    Numbers are values if one of them has a fractional part, or if there are more than 20
    different integers and more than half as many as graphs. Everything else is a class.

    Parameters
    ----------
    values : sequence of str or ndarray of shape (n_graphs,)
        Target of every graph, as text or as numbers.
    task : {"auto", "classes", "values"}, default="auto"
        "classes" and "values" skip the detection.

    Returns
    -------
    task : {"classes", "values"}
        Classification or regression.
    targets : ndarray of shape (n_graphs,)
        Floats for values. Classes are integers if all are written as integers, else text;
        an array of booleans is not converted.

    Raises
    ------
    InputError
        If a target is missing, infinite or not a number, or if a target is text and the
        task is "values".

    Examples
    --------
    >>> detect_task(["1", "2", "1"])
    ('classes', array([1, 2, 1]))
    >>> detect_task(["1", "2.5", "1"])
    ('values', array([1. , 2.5, 1. ]))
    >>> detect_task(["1", "2", "1"], "values")
    ('values', array([1., 2., 1.]))
    """
    check_choice(task, "task", choices=("auto", "classes", "values"))
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"Targets are not a list of single values: {error}") from error
    if array.ndim != 1:
        raise InputError(
            f"Targets have shape {array.shape}; give one target for each graph."
        )
    if not len(array):
        raise InputError("There are no targets; give one for each graph.")
    items = array.tolist()
    _check_complete(items)
    if array.dtype.kind == "b" and task != "values":
        return "classes", array
    numbers = None if task == "classes" else _as_numbers(items)
    if task == "values" and numbers is None:
        number = next(n for n, item in enumerate(items) if _as_number(item) is None)
        raise InputError(
            f"The target of graph {number} is {shorten(items[number])}, which is not a "
            "number; correct it, or use the task 'classes'."
        )
    if numbers is not None:
        _check_finite(numbers)
        if task == "values" or _are_values(numbers):
            _check_size(numbers)
            return "values", numbers
    return "classes", _as_classes(array)


def _check_complete(items: Sequence[Any]) -> None:
    """Raise if a target is missing; empty text is a missing target, too."""
    check_complete([None if isinstance(x, str) and not x.strip() else x for x in items])


def _as_numbers(items: Sequence[Any]) -> FloatArray | None:
    """Return targets as floats; None if one of them is not a number."""
    numbers = [_as_number(item) for item in items]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def _as_number(item: Any) -> float | None:
    # Python ignores underscores in numbers, but "1_2" is a name.
    if isinstance(item, str) and "_" in item:
        return None
    try:
        return float(item)
    except (TypeError, ValueError):
        return None
    except OverflowError:  # a long integer
        return float("inf")


def _check_finite(numbers: FloatArray) -> None:
    finite = np.isfinite(numbers)
    if not finite.all():
        number = int(np.argmin(finite))
        raise InputError(
            f"The target of graph {number} is {numbers[number]:g}; correct it, or remove "
            "the graph."
        )


def _check_size(numbers: FloatArray) -> None:
    number = int(np.argmax(np.abs(numbers)))
    if abs(numbers[number]) > MAX_TARGET:
        raise InputError(
            f"The target of graph {number} is {numbers[number]:g}; values must be at most "
            f"{MAX_TARGET:g} in absolute value. Use another unit."
        )


def _are_values(numbers: FloatArray) -> bool:
    if (numbers != np.round(numbers)).any():
        return True
    n_different = len(np.unique(numbers))
    return n_different > _MAX_INTEGER_CLASSES and 2 * n_different > len(numbers)


def _as_classes(array: AnyArray) -> AnyArray:
    """Return integers if all classes are integers, else text."""
    if array.dtype.kind == "i":
        return array.astype(np.int64)
    items = array.tolist()
    if array.dtype.kind in "uf":  # 1.0 as 1
        items = [int(x) if float(x).is_integer() else x for x in items]
    texts = [str(item).strip() for item in items]
    are_integers = all(
        text.removeprefix("-").isdecimal() and len(text) < 19 for text in texts
    )
    return np.array(texts, dtype=np.int64 if are_integers else None)
