"""Parameters of `GSKN` among which the classifier and the regressor select."""

from gskn._types import Params

# Smaller models first: of equally good ones the first is selected.
GRID: tuple[Params, ...] = (
    {"pooling": "log"},
    {"pooling": "log", "n_landmarks": 256, "walk_length": 2},
    {"pooling": "log", "n_landmarks": 256, "walk_length": 5},
    {"pooling": "log", "n_landmarks": 256, "weighting": "count"},
)
