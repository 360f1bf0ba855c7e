"""Parameters of `GSKN` among which the classifier and the regressor select."""

from collections.abc import Sequence

from gskn._types import Params

# Smaller models first: of equally good ones the first is selected. Long walks with many
# landmarks are better on some thousand labelled molecules and worse on a few hundred.
# Counts keep the size of a neighborhood, which helps on large social networks.
_CHANGES: tuple[Params, ...] = (
    {"n_landmarks": 32, "walk_length": 3},
    {"n_landmarks": 256, "walk_length": 2},
    {"n_landmarks": 256, "walk_length": 5},
    {"n_landmarks": 256, "walk_length": 3, "weighting": "count"},
)


def selection_grid(branches: Sequence[str]) -> tuple[Params, ...]:
    """Return the parameter grid of models with these branches."""
    common: Params = {
        "branches": tuple(branches),
        "pooling": ("mean", "log"),
        "max_degree": None,
    }
    return tuple({**common, **change} for change in _CHANGES)


GRID = selection_grid(("walk", "degree-walk", "anonymous"))
