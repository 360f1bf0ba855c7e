"""Limits of parameters as data, and one check for all of them."""

from collections.abc import Sequence
from typing import Any

from gskn._validation import check_choice, check_int, check_number
from gskn.exceptions import InputError
from gskn.kernels import BRANCHES, Settings
from gskn.pooling import POOLINGS
from gskn.walks import MAX_INDUCED_LENGTH

_INTEGERS = {
    "walk_length": 1,
    "anonymous_length": 1,
    "n_landmarks": 1,
    "n_layers": 1,
    "n_walks": 1,
    "verbose": 0,
}
_NUMBERS = {"alpha": 0.0, "beta": 0.0, "eps": 0.0}
_CHOICES: dict[str, Sequence[str]] = {
    "weighting": ("probability", "count"),
    "method": ("auto", "exact", "sampled"),
    "pooling": POOLINGS,
}


def check_parameters(values: dict[str, Any]) -> Settings:
    """Refuse what is out of bounds, and return what layers need to know."""
    for name, minimum in _INTEGERS.items():
        check_int(values[name], name, minimum=minimum)
    for name, bound in _NUMBERS.items():
        if not check_number(values[name], name, minimum=bound) < float("inf"):
            raise InputError(f"{name} must be finite, got {values[name]}.")
    for name, choices in _CHOICES.items():
        check_choice(values[name], name, choices=choices)
    if not isinstance(values["aggregate"], bool):
        raise InputError(f"aggregate must be True or False, got {values['aggregate']!r}.")
    _check_lengths(check_branches(values["branches"]), values)
    named = ("n_landmarks", "alpha", "beta", "aggregate", "weighting", "method")
    kept = {name: values[name] for name in (*named, "n_walks", "eps", "n_jobs")}
    return Settings(**kept)


def check_branches(branches: Any) -> tuple[str, ...]:
    """Return the names of the branches: some of those there are, none twice."""
    listed = (branches,) if isinstance(branches, str) else branches
    if not isinstance(listed, list | tuple) or not listed:
        raise InputError(
            f"branches must be some of {', '.join(map(repr, BRANCHES))}, got {branches!r}."
        )
    for name in listed:
        check_choice(name, "branches", choices=BRANCHES)
    if len(set(listed)) < len(listed):
        raise InputError(f"branches names one twice: {branches!r}.")
    return tuple(listed)


def _check_lengths(branches: tuple[str, ...], values: dict[str, Any]) -> None:
    length = values["anonymous_length"]
    if "induced" in branches and length > MAX_INDUCED_LENGTH:
        raise InputError(
            f"Induced patterns end at length {MAX_INDUCED_LENGTH}, but anonymous_length is "
            f"{length}; lower it, or leave out 'induced'."
        )
