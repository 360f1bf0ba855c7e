"""Checks of single values: they raise with name, value and remedy, or return."""

from collections.abc import Sequence
from inspect import signature

import numpy as np

from gskn.exceptions import InputError


def check_int(value: object, name: str, *, minimum: int) -> int:
    """Return ``value`` as an int of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be an integer, got {value!r}.")
    if value < minimum:
        raise InputError(f"{name} must be at least {minimum}, got {value}.")
    return int(value)


def check_number(
    value: object, name: str, *, minimum: float, maximum: float = np.inf
) -> float:
    """Return ``value`` as a float of at least ``minimum`` and at most ``maximum``."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"{name} must be a number, got {value!r}.")
    if not value >= minimum:  # also what is no number at all
        raise InputError(f"{name} must be at least {minimum}, got {value}.")
    if value > maximum:
        raise InputError(f"{name} must be at most {maximum:g}, got {value}.")
    return float(value)


def check_positive(value: object, name: str, *, maximum: float = np.inf) -> float:
    """Return ``value`` as a float above 0 and at most ``maximum``."""
    number = check_number(value, name, minimum=0, maximum=maximum)
    if number == 0:
        raise InputError(f"{name} must be above 0, got {value}.")
    return number


def check_fraction(value: object, name: str) -> float:
    """Return ``value`` as a float between 0 and 1."""
    number = check_number(value, name, minimum=0)
    if number > 1:
        raise InputError(f"{name} must be between 0 and 1, got {value}.")
    return number


def check_flag(value: object, name: str) -> bool:
    """Return ``value`` as a bool; 0 and 1 count."""
    if not isinstance(value, bool | int | np.bool_ | np.integer):
        raise InputError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_flags(estimator: object) -> None:
    """Check all parameters whose defaults are True or False."""
    for name, parameter in signature(type(estimator).__init__).parameters.items():
        if isinstance(parameter.default, bool):
            check_flag(getattr(estimator, name), name)


def check_choice(value: object, name: str, *, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(map(repr, choices))
    raise InputError(f"{name} must be one of {listed}, got {value!r}.")
