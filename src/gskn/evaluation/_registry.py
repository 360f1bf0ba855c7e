"""All models by name: GSKN with its ablations, the baselines and the networks."""

from collections.abc import Sequence
from difflib import get_close_matches

from sklearn.dummy import DummyClassifier, DummyRegressor

from gskn._types import Params
from gskn.baselines import BASELINES
from gskn.estimators import GRID, PRECOMPUTED, selection_grid
from gskn.evaluation._model import EMBEDDING_CLASSIFIERS, Model
from gskn.evaluation._network_models import NETWORK_MODELS
from gskn.evaluation._node_classifiers import LOGISTIC, NODE_CLASSIFIERS
from gskn.exceptions import InputError

# Fixed settings, which do not follow the defaults of GSKN.
_FIXED: Params = {
    "branches": ("walk", "anonymous"),
    "pooling": "sum",
    "max_degree": 32,
    "rare_walks": False,
}
# 32 landmarks: 32 columns per branch.
_SINGLE_LENGTH: Params = {**_FIXED, "aggregate": False}
# Walks of 5 and 8 nodes: on LastFM they are much better than walks of 3 nodes.
_NODES: Params = {"branches": ("walk", "degree-walk", "anonymous"), "max_degree": None}
_NODE_GRID: tuple[Params, ...] = (
    {**_NODES, "n_landmarks": 32, "walk_length": 3},
    {**_NODES, "n_landmarks": 128, "walk_length": 5},
    {**_NODES, "n_landmarks": 64, "walk_length": 8},
)
# What a model without any graphs achieves.
CONSTANT_MODELS = (
    Model(
        "majority",
        "most frequent class in training",
        ({"strategy": "prior"},),
        (),
        DummyClassifier,
        edges=False,
    ),
    Model(
        "mean",
        "mean target in training",
        ({"strategy": "mean"},),
        (),
        DummyRegressor,
        edges=False,
    ),
)
GSKN_MODELS = (
    Model(
        "rw-degrees",
        "random walks that compare degrees",
        ({**_FIXED, "branches": ("walk",), "node_features": "degrees"},),
        edges=False,
    ),
    Model("aw", "anonymous walks", ({**_FIXED, "branches": ("anonymous",)},), edges=False),
    Model("rw", "random walks", ({**_FIXED, "branches": ("walk",)},), edges=False),
    Model("rw+aw", "rw and aw, as in the paper", (_FIXED,), edges=False),
    Model(
        "rw+aw-log",
        "rw+aw with logarithms of sums",
        ({**_FIXED, "pooling": "log"},),
        edges=False,
    ),
    Model(
        "joint",
        "attributes and pattern of a walk",
        ({**_FIXED, "branches": ("joint",)},),
        edges=False,
    ),
    Model(
        "induced",
        "induced anonymous walks; patterns with the edges between visited nodes",
        ({**_FIXED, "branches": ("induced",), "anonymous_length": 5},),
        edges=False,
    ),
    Model(
        "gskn",
        "walks, paths and patterns; selected by inner folds",
        GRID,
    ),
    Model(
        "gskn-rw",
        "gskn with random walks only; with degree walks and paths",
        selection_grid(("walk", "degree-walk"), ("walk", "degree-walk", "label-path")),
    ),
    Model(
        "gskn-aw",
        "gskn with anonymous walks only",
        selection_grid(("anonymous",)),
        edges=False,
    ),
    Model(
        "rw+aw-64",
        "rw+aw with at most 64 columns; walks of one length",
        (_SINGLE_LENGTH,),
        edges=False,
    ),
    Model(
        "rw-32",
        "rw with at most 32 columns; walks of one length",
        ({**_SINGLE_LENGTH, "branches": ("walk",)},),
        edges=False,
    ),
    Model(
        "aw-32",
        "aw with at most 32 columns; walks of one length",
        ({**_SINGLE_LENGTH, "branches": ("anonymous",)},),
        edges=False,
    ),
    Model(
        "nodes",
        "walks and patterns for nodes; embedding and classifier selected on held-out nodes",
        _NODE_GRID,
        node_classifiers=NODE_CLASSIFIERS,
        edges=False,
    ),
    Model(
        "nodes-linear",
        "nodes with logistic regression",
        _NODE_GRID,
        node_classifiers=LOGISTIC,
        edges=False,
    ),
    Model(
        "nodes-64",
        "rw+aw-64 for classes of nodes; pattern length selected on held-out nodes",
        (_SINGLE_LENGTH, {**_SINGLE_LENGTH, "anonymous_length": 5}),
        edges=False,
    ),
    Model(
        "nodes-large",
        "rw+aw for nodes, many columns",
        ({**_FIXED, "walk_length": 4, "n_landmarks": 64},),
        edges=False,
    ),
)
# Transductive models are fitted once to all graphs of a data set, without their classes,
# as their authors do; fitting them in every fold would take days.
BASELINE_MODELS = tuple(
    Model(
        name=variant.name,
        description=variant.label,
        grid=variant.grid,
        classifiers=(PRECOMPUTED if baseline.output == "kernel" else EMBEDDING_CLASSIFIERS),
        estimator=baseline,
        transductive=variant.transductive,
        extra=baseline.extra,
    )
    for baseline in BASELINES
    for variant in baseline.variants
)
MODELS = {
    model.name: model
    for model in CONSTANT_MODELS + GSKN_MODELS + BASELINE_MODELS + NETWORK_MODELS
}


def constant_model(targets: str) -> str:
    """Return the name of the model that ignores the graphs: "majority" or "mean"."""
    return "mean" if targets == "values" else "majority"


def find_models(names: Sequence[str | Model]) -> list[Model]:
    """Return models by name; a model is returned as it is."""
    if isinstance(names, str):
        raise InputError(f"models must be a list of names, got {names!r}; use [{names!r}].")
    unknown = [n for n in names if not isinstance(n, Model) and n not in MODELS]
    if unknown:
        near = get_close_matches(str(unknown[0]).lower(), MODELS, n=3)
        hint = f"did you mean {_join([repr(name) for name in near])}?"
        listed = f"the models are {', '.join(map(repr, MODELS))}."
        raise InputError(f"There is no model {unknown[0]!r}; {hint if near else listed}")
    return [name if isinstance(name, Model) else MODELS[name] for name in names]


def _join(names: Sequence[str]) -> str:
    """Return names as "a", "a or b", or "a, b or c"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
