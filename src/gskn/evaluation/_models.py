"""Models by name: what they may choose from, on the training part alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from gskn.exceptions import InputError

LINEAR = tuple({"kernel": "linear", "C": 10.0**power} for power in range(-4, 1))
RBF = tuple({"kernel": "rbf", "C": 10.0**power} for power in range(-1, 3))


@dataclass(frozen=True)
class Model:
    """A name, embeddings to choose from, and classifiers to choose from.

    Attributes
    ----------
    name, description : str
        What it is called in tables, and what it is.
    embeddings : tuple of mappings
        Parameters of `GSKN` other than its defaults.
    classifiers : tuple of mappings
        Kernel ("linear" or "rbf") and C of an SVM on standardised rows.
    """

    name: str
    description: str
    embeddings: tuple[Mapping[str, Any], ...]
    classifiers: tuple[Mapping[str, Any], ...] = LINEAR

    @property
    def configuration(self) -> dict[str, Any]:
        """What the model may choose from, as records keep it."""
        return {
            "embeddings": [plain(setting) for setting in self.embeddings],
            "classifiers": [dict(setting) for setting in self.classifiers],
        }


_GRID = tuple(
    {"branches": branches, "weighting": weighting}
    for branches in (("walk", "anonymous"), ("walk", "joint", "anonymous"))
    for weighting in ("probability", "count")
)
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
        Model("joint", "attributes and pattern of one walk", ({"branches": ("joint",)},)),
        Model(
            "induced",
            "patterns with edges between visited nodes",
            ({"branches": ("induced",), "anonymous_length": 5},),
        ),
        Model(
            "gskn", "branches, weighting and classifier by inner folds", _GRID, LINEAR + RBF
        ),
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


def make_classifier(setting: Mapping[str, Any], seed: int) -> Pipeline:
    """Return scaler and SVM of a setting."""
    if setting["kernel"] == "linear":
        svm = LinearSVC(dual="auto", C=setting["C"], random_state=seed)
    else:
        svm = SVC(kernel=setting["kernel"], C=setting["C"], random_state=seed)
    return make_pipeline(StandardScaler(), svm)


def plain(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting as JSON gives it back."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in setting.items()}
