"""Checks of single values; each returns the value or raises with its name and value."""

import sys
from collections.abc import Iterable, Sequence
from inspect import signature
from math import isnan

import numpy as np

from gskn._limits import MAX_CELLS
from gskn.exceptions import InputError

_NUMBERS = (int, float, np.integer, np.floating)
NODE_FEATURES = ("labels", "attributes", "degrees")
EDGE_FEATURES = ("labels", "attributes")
_MAX_SHOWN = 80  # characters of a value in a message


def shorten(value: object, width: int = _MAX_SHOWN) -> str:
    """Return the repr of a value on one line of at most ``width`` characters.

    Examples
    --------
    >>> shorten(np.str_("abc")), shorten("abcdefgh", 8), shorten(10**5000)
    ("'abc'", "'abcd...", 'an integer of 16610 bits')
    """
    # Python does not convert integers of more than 4300 digits to text.
    if isinstance(value, int) and abs(value) >= 10**width:
        return f"an integer of {value.bit_length()} bits"
    try:
        plain = value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value
        text = " ".join(repr(plain).split())
    except (ValueError, RecursionError):  # a large integer in a list, or deep nesting
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else f"{text[: width - 3]}..."


def check_complete(targets: Sequence[object], graphs: Iterable[int] | None = None) -> None:
    """Raise if a target is missing: None, nan, NaT, or NA of pandas.

    ``graphs`` are the numbers of the graphs, 0, 1, ... by default.
    """
    numbers = range(len(targets)) if graphs is None else graphs
    for number, target in zip(numbers, targets, strict=True):
        if _is_missing(target):
            raise InputError(
                f"The target of graph {number} is missing ({shorten(target)}); add it, or "
                "remove the graph."
            )


def check_int(value: object, name: str, *, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as an int from ``minimum`` to ``maximum``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be an integer, got {shorten(value)}.")
    if value < minimum:
        raise InputError(f"{name} must be at least {minimum}, got {shorten(value)}.")
    if maximum is not None and value > maximum:
        raise InputError(f"{name} must be at most {maximum}, got {shorten(value)}.")
    return int(value)


def check_n_jobs(n_jobs: object) -> int | None:
    """Return ``n_jobs``, None or an integer other than 0, as for `joblib.Parallel`."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise InputError(f"n_jobs must be None or an integer, got {shorten(n_jobs)}.")
    if n_jobs == 0:
        raise InputError(
            "n_jobs must be None, a number of threads, or negative (-1: all cores, -2: "
            "all but one), got 0."
        )
    return int(n_jobs)


def check_cells(n_cells: float, array: str, remedy: str) -> None:
    """Raise if an array of ``n_cells`` numbers would not fit into memory."""
    if n_cells > MAX_CELLS:
        n_bytes = 8.0 * float(min(n_cells, 1e300))
        raise InputError(f"{array} would take {n_bytes / 1e9:.3g} GB of memory; {remedy}.")


def check_number(
    value: object, name: str, *, minimum: float, maximum: float = np.inf
) -> float:
    """Return ``value`` as a float of at least ``minimum`` and at most ``maximum``."""
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        raise InputError(f"{name} must be a number, got {shorten(value)}.")
    if not value >= minimum:  # also NaN
        raise InputError(f"{name} must be at least {minimum}, got {shorten(value)}.")
    if isinstance(value, int):
        maximum = min(maximum, sys.float_info.max)
    if value > maximum:
        raise InputError(f"{name} must be at most {maximum:g}, got {shorten(value)}.")
    return float(value)


def check_positive(value: object, name: str, *, maximum: float = np.inf) -> float:
    """Return ``value`` as a float above 0 and at most ``maximum``."""
    number = check_number(value, name, minimum=0, maximum=maximum)
    if number == 0:
        raise InputError(f"{name} must be above 0, got {shorten(value)}.")
    return number


def check_fraction(value: object, name: str) -> float:
    """Return ``value`` as a float between 0 and 1."""
    number = check_number(value, name, minimum=0)
    if number > 1:
        raise InputError(f"{name} must be between 0 and 1, got {shorten(value)}.")
    return number


def check_flag(value: object, name: str) -> bool:
    """Return ``value`` as a bool; integers are accepted."""
    if not isinstance(value, bool | int | np.bool_ | np.integer):
        raise InputError(f"{name} must be True or False, got {shorten(value)}.")
    return bool(value)


def check_common_parameters(estimator: object) -> None:
    """Check ``n_jobs``, if there is one, and all parameters with a boolean default."""
    for name, parameter in signature(type(estimator).__init__).parameters.items():
        if isinstance(parameter.default, bool):
            check_flag(getattr(estimator, name), name)
        elif name == "n_jobs":
            check_n_jobs(getattr(estimator, name))


def check_choice(value: object, name: str, *, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(map(repr, choices))
    raise InputError(f"{name} must be one of {listed}, got {shorten(value)}.")


def check_node_features(
    node_features: object, *, allow_empty: bool = False
) -> tuple[str, ...] | None:
    """Return the selected node features in a fixed order, None for "auto".

    Examples
    --------
    >>> check_node_features(["degrees", "labels"]), check_node_features("labels")
    (('labels', 'degrees'), ('labels',))
    """
    if isinstance(node_features, str) and node_features == "auto":
        return None
    names = node_features if isinstance(node_features, list | tuple) else (node_features,)
    are_known = all(isinstance(name, str) and name in NODE_FEATURES for name in names)
    if not are_known or not (names or allow_empty):
        listed = ", ".join(map(repr, NODE_FEATURES))
        raise InputError(
            f"node_features must be 'auto' or some of {listed}, got "
            f"{shorten(node_features)}."
        )
    return tuple(name for name in NODE_FEATURES if name in names)


def check_edge_features(edge_features: object) -> tuple[str, ...] | None:
    """Return the selected edge features in a fixed order, None for "auto".

    Examples
    --------
    >>> check_edge_features(["attributes", "labels"]), check_edge_features("none")
    (('labels', 'attributes'), ())
    """
    if isinstance(edge_features, str) and edge_features in {"auto", "none"}:
        return None if edge_features == "auto" else ()
    names = edge_features if isinstance(edge_features, list | tuple) else (edge_features,)
    are_known = all(isinstance(name, str) and name in EDGE_FEATURES for name in names)
    if not are_known or not names:
        listed = ", ".join(map(repr, EDGE_FEATURES))
        raise InputError(
            f"edge_features must be 'auto', 'none' or some of {listed}, got "
            f"{shorten(edge_features)}."
        )
    return tuple(name for name in EDGE_FEATURES if name in names)


def _is_missing(value: object) -> bool:
    is_nan = isinstance(value, float) and isnan(value)
    return value is None or is_nan or type(value).__name__ in {"NAType", "NaTType"}
