"""Parameters of `GSKN` among which the classifier and the regressor select."""

from collections.abc import Sequence

from gskn._types import Params

# Smaller models first: see `select_embedding`. Long walks and paths with many landmarks are
# better on thousands of labelled molecules, and worse on some sets of a few hundred.
# Counts keep the size of a neighborhood, which helps on large social networks.
_SMALL: Params = {"n_landmarks": 32, "walk_length": 3}
_SHORT: Params = {"n_landmarks": 256, "walk_length": 2}
_LONG: Params = {"n_landmarks": 256, "walk_length": 5}
_COUNTS: Params = {"n_landmarks": 256, "walk_length": 3, "weighting": "count"}


def selection_grid(
    branches: Sequence[str], long_branches: Sequence[str] | None = None
) -> tuple[Params, ...]:
    """Return the parameter grid of models with these branches.

    The model with long walks has the branches ``long_branches``, if they are given.
    """
    common: Params = {"pooling": ("mean", "log"), "max_degree": None}
    short = tuple(branches)
    long = tuple(long_branches or branches)
    return tuple(
        {"branches": long if change is _LONG else short, **common, **change}
        for change in (_SMALL, _SHORT, _LONG, _COUNTS)
    )


GRID = selection_grid(
    ("walk", "degree-walk", "anonymous"),
    ("walk", "degree-walk", "label-path", "anonymous"),
)
