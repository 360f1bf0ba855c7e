"""Our models by name: branches alone and together, fixed or chosen by inner folds."""

from gskn.evaluation._model import Model, vary
from gskn.evaluation._svm import Setting


def _around(*branches: str) -> tuple[Setting, ...]:
    """Return embeddings to choose from."""
    middle: Setting = {"branches": branches, "pooling": "log"}
    others: list[Setting] = [
        {"pooling": "sum"},
        {"pooling": "mean"},
        {"weighting": "count"},
        {"weighting": "count", "n_landmarks": 128},
        {"anonymous_length": 4, "walk_length": 2},
        {"alpha": 0.5, "beta": 0.5},
    ]
    if "walk" in branches:
        others.append({"node_features": "degrees"})  # attributes may be noise: BZR
    return vary(middle, others)


_PAPER: Setting = {"aggregate": False}  # one length, 32 landmarks: 32 columns a branch
OURS = (
    Model(
        "rw-degrees",
        "random walks, degrees as attributes",
        ({"branches": ("walk",), "node_features": "degrees"},),
    ),
    Model("aw", "anonymous walks", ({"branches": ("anonymous",)},)),
    Model("rw", "random walks", ({"branches": ("walk",)},)),
    Model("rw+aw", "random and anonymous walks, as in the paper", ({},)),
    Model(
        "rw+aw-log",
        "random and anonymous walks, logarithm of sums",
        ({"pooling": "log"},),
    ),
    Model("joint", "attributes and pattern of one walk", ({"branches": ("joint",)},)),
    Model(
        "induced",
        "patterns with edges between visited nodes",
        ({"branches": ("induced",), "anonymous_length": 5},),
    ),
    Model(
        "gskn",
        "random and anonymous walks, with or without joint ones; chosen by inner folds",
        (
            *_around("walk", "anonymous"),
            {"branches": ("walk", "joint", "anonymous"), "pooling": "log"},
        ),
    ),
    Model("gskn-rw", "random walks; chosen by inner folds", _around("walk")),
    Model("gskn-aw", "anonymous walks; chosen by inner folds", _around("anonymous")),
    Model(
        "rw+aw-64",
        "random and anonymous walks of one length, at most 64 columns",
        (_PAPER,),
    ),
    Model(
        "rw-32",
        "random walks of one length, at most 32 columns",
        ({**_PAPER, "branches": ("walk",)},),
    ),
    Model(
        "aw-32",
        "anonymous walks of one length, at most 32 columns",
        ({**_PAPER, "branches": ("anonymous",)},),
    ),
    Model(
        "nodes-64",
        "as rw+aw-64 for classes of nodes; length of patterns chosen on held-out nodes",
        (_PAPER, {**_PAPER, "anonymous_length": 5}),
    ),
    Model(
        "nodes-large",
        "random and anonymous walks for classes of nodes, many columns",
        ({"walk_length": 4, "n_landmarks": 64},),
    ),
)
