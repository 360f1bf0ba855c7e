"""Models by name: what they may choose from, on the training part alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gskn.baselines import LDP, ShortestPathKernel, WLKernel
from gskn.estimators import GSKN
from gskn.evaluation._digest import digest
from gskn.evaluation._svm import LINEAR, PRECOMPUTED, RBF, Setting
from gskn.exceptions import InputError

_NO_PART = ("random_state", "n_jobs", "verbose")  # seeds are said by name, threads by none


@dataclass(frozen=True)
class Model:
    """A name, embeddings to choose from, and classifiers to choose from.

    Attributes
    ----------
    name, description : str
        What it is called in tables, and what it is.
    embeddings : tuple of mappings
        Parameters of the estimator other than its defaults.
    classifiers : tuple of mappings
        Kernel and C of an SVM: "linear" or "rbf" on standardised rows; "precomputed" for
        estimators that return kernels with the training graphs instead of rows.
    estimator : callable
        What makes rows of graphs: a transformer in scikit-learn's form.
    transductive : bool
        Whether a kernel is scaled by the attributes of all graphs, without their classes,
        as its authors do, instead of the training part: it is then computed once for all
        folds. For kernels that take too long to be computed for each.
    """

    name: str
    description: str
    embeddings: tuple[Setting, ...]
    classifiers: tuple[Setting, ...] = field(default_factory=lambda: LINEAR + RBF)
    estimator: Callable[..., Any] = GSKN
    transductive: bool = False

    @property
    def configuration(self) -> dict[str, Any]:
        """What the model may choose from, as records keep it."""
        others: dict[str, Any] = {}
        if self.estimator is not GSKN:
            others["estimator"] = self.estimator.__name__
        if self.transductive:
            others["transductive"] = True
        return {
            **others,
            "embeddings": [plain(setting) for setting in self.embeddings],
            "classifiers": [dict(setting) for setting in self.classifiers],
            "parameters": self._digest(),
        }

    def _digest(self) -> str:
        """Return a digest of all parameters: other defaults are another run."""
        everything = []
        for setting in self.embeddings:
            given = self.estimator(**setting).get_params(deep=False)
            everything.append({k: v for k, v in given.items() if k not in _NO_PART})
        return digest(repr([sorted(given.items()) for given in everything]).encode())

    @property
    def gives_kernels(self) -> bool:
        """Whether the estimator returns kernels with the training graphs, not rows."""
        return bool(self.classifiers[0]["kernel"] == "precomputed")

    @property
    def first_classifiers(self) -> list[Setting]:
        """One of the middle for every kernel, by which embeddings are compared."""
        kernels = dict.fromkeys(setting["kernel"] for setting in self.classifiers)
        by_kernel = [[s for s in self.classifiers if s["kernel"] == k] for k in kernels]
        return [own[(len(own) - 1) // 2] for own in by_kernel]


def _around(*branches: str) -> tuple[Setting, ...]:
    """Return embeddings to choose from: one, and one for each thing done otherwise.

    All combinations would be eight times as many, and on sets of some hundred graphs inner
    folds cannot tell so many apart.
    """
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
        others.append({"attributes": "degrees"})  # attributes may be noise: BZR
    return (middle, *({**middle, **other} for other in others))


_PAPER: Setting = {"aggregate": False}  # one length, 32 landmarks: 32 columns a branch
MODELS = {
    model.name: model
    for model in (
        Model(
            "rw-degrees",
            "random walks, degrees as attributes",
            ({"branches": ("walk",), "attributes": "degrees"},),
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
        Model(
            "ldp",
            "local degree profiles; bins chosen by inner folds",
            tuple(
                {"n_bins": n_bins, "scale": scale}
                for n_bins in (30, 50, 100)
                for scale in ("linear", "log")
            ),
            estimator=LDP,
        ),
        Model(
            "wl",
            "Weisfeiler-Lehman subtree kernel; refinements chosen by inner folds",
            tuple({"n_iterations": number} for number in range(1, 6)),
            PRECOMPUTED,
            WLKernel,
        ),
        Model("sp", "shortest-path kernel", ({},), PRECOMPUTED, ShortestPathKernel),
    )
}


def find_models(names: Sequence[str | Model]) -> list[Model]:
    """Return models by name; a model stands for itself."""
    unknown = [n for n in names if not isinstance(n, Model) and n not in MODELS]
    if unknown:
        raise InputError(
            f"There is no model {unknown[0]!r}; known are {', '.join(map(repr, MODELS))}."
        )
    return [name if isinstance(name, Model) else MODELS[name] for name in names]


def plain(setting: Setting) -> dict[str, Any]:
    """Return a setting as JSON gives it back."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in setting.items()}
