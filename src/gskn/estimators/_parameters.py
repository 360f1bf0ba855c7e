"""Limits of the parameters of GSKN, and one check for all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gskn._limits import MAX_LANDMARKS, MAX_LAYERS, MAX_WALK_LENGTH, MAX_WALKS
from gskn._random import as_generator
from gskn._validation import (
    NODE_FEATURES,
    check_choice,
    check_edge_features,
    check_flag,
    check_int,
    check_n_jobs,
    check_node_features,
    check_number,
    shorten,
)
from gskn.exceptions import InputError
from gskn.graphs import check_max_degree
from gskn.layers import BRANCHES, LayerParams, Stack
from gskn.pooling import check_pooling
from gskn.walks import MAX_EXACT_LENGTH

# Settings of the paper; the other parameters have their defaults.
PAPER_PARAMETERS: dict[str, Any] = {
    "branches": ("walk", "anonymous"),
    "walk_length": 3,
    "anonymous_length": 6,
    "n_landmarks": 32,
    "alpha": 1.5,
    "beta": 1.5,
    "aggregate": False,
    "pooling": "sum",
    "max_degree": 32,
    "rare_walks": False,
    "edge_features": "none",
}
_MAX_INTEGERS = {
    "walk_length": MAX_WALK_LENGTH,
    "anonymous_length": MAX_WALK_LENGTH,  # less where a branch uses it
    "n_landmarks": MAX_LANDMARKS,
    "n_layers": MAX_LAYERS,
    "n_walks": MAX_WALKS,
}
_MAX_NUMBERS = {"alpha": 1e6, "beta": 1e6, "eps": 1e6}
_CHOICES: dict[str, Sequence[str]] = {
    "weighting": ("probability", "count"),
    "method": ("auto", "exact", "sampled"),
}
_LENGTHS = ("walk_length", "anonymous_length")


def check_parameters(values: dict[str, Any]) -> LayerParams:
    """Raise if a parameter is out of bounds; return the parameters of the layers."""
    for name, largest in _MAX_INTEGERS.items():
        check_int(values[name], name, minimum=1, maximum=largest)
    for name, maximum in _MAX_NUMBERS.items():
        check_number(values[name], name, minimum=0, maximum=maximum)
    for name, choices in _CHOICES.items():
        check_choice(values[name], name, choices=choices)
    check_pooling(values["pooling"])
    for name in ("aggregate", "rare_walks", "verbose"):
        check_flag(values[name], name)
    check_n_jobs(values["n_jobs"])
    check_node_features(values["node_features"])
    check_edge_features(values["edge_features"])
    check_max_degree(values["max_degree"])
    as_generator(values["random_state"])
    _check_lengths(check_branches(values["branches"]), values)
    names = ("n_landmarks", "alpha", "beta", "weighting", "method", "n_walks", "eps")
    params = {name: _plain(values[name]) for name in names}
    params |= {name: bool(values[name]) for name in ("aggregate", "rare_walks")}
    return LayerParams(**params)


def make_stack(values: dict[str, Any]) -> Stack:
    """Check the parameters and build the layers."""
    params = check_parameters(values)
    lengths = {name: values[name] for name in _LENGTHS}
    branches = check_branches(values["branches"])
    return Stack.from_parameters(branches, lengths, values["n_layers"], params)


def check_branches(branches: Any) -> tuple[str, ...]:
    """Return the names of the branches; raise if one is unknown or occurs twice."""
    listed = (branches,) if isinstance(branches, str) else branches
    if not isinstance(listed, list | tuple) or not listed:
        raise InputError(
            f"branches must be some of {', '.join(map(repr, BRANCHES))}, got "
            f"{shorten(branches)}."
        )
    for name in listed:
        check_choice(name, "branches", choices=tuple(BRANCHES))
    if len(set(listed)) < len(listed):
        raise InputError(f"branches names one twice: {shorten(branches)}.")
    return tuple(listed)


def select_branches(
    branches: Sequence[str], node_features: Sequence[str]
) -> tuple[str, ...]:
    """Return the branches that add something for these node features.

    A branch that adds degrees to node features that contain them already equals "walk".
    A branch that needs labels or attributes is left out if there are only degrees, unless
    no other branch remains.
    """
    selected = tuple(branches)
    if "walk" in branches and "degrees" in node_features:
        selected = tuple(name for name in selected if not BRANCHES[name].adds_degrees)
    if tuple(node_features) == ("degrees",):
        others = tuple(name for name in selected if not BRANCHES[name].needs_node_data)
        selected = others or selected
    return selected


def add_degrees(node_features: Sequence[str]) -> tuple[str, ...]:
    """Return the node features with degrees among them."""
    return tuple(name for name in NODE_FEATURES if name in {*node_features, "degrees"})


def _check_lengths(branches: tuple[str, ...], values: dict[str, Any]) -> None:
    for branch in branches:
        layer = BRANCHES[branch]
        length = values[layer.length_parameter]
        if layer.max_length is not None and length > layer.max_length:
            raise InputError(
                f"{layer.length_parameter} must be at most {layer.max_length} for the "
                f"branch {branch!r}, got {length}."
            )
    if values["weighting"] == "probability":
        return
    can_sample = all(BRANCHES[branch].can_sample_counts for branch in branches)
    if values["method"] == "sampled" and not can_sample:
        raise InputError(
            "Counts cannot be sampled; use weighting='probability' with method='sampled'."
        )
    length = values["anonymous_length"]
    if "anonymous" in branches and length > MAX_EXACT_LENGTH:
        raise InputError(
            f"anonymous_length must be at most {MAX_EXACT_LENGTH} for counts, got "
            f"{length}; use weighting='probability', or a smaller length."
        )


def _plain(value: Any) -> Any:
    """Convert a number of numpy to one of Python."""
    return value.item() if isinstance(value, np.generic) else value
