"""A model: what it may choose from, on the training part alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gskn.estimators import GSKN
from gskn.evaluation._digest import digest
from gskn.evaluation._svm import LINEAR, RBF, Setting

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
        Whether the estimator is fitted to all graphs, without their classes, instead of
        the training part: once for all folds. For those that would take too long.
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


def vary(middle: Setting, changes: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return a setting, and one for each change of it.

    All combinations would be many times as many, and on sets of some hundred graphs inner
    folds cannot tell so many apart.
    """
    return (middle, *({**middle, **change} for change in changes))


def plain(setting: Setting) -> dict[str, Any]:
    """Return a setting as JSON gives it back."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in setting.items()}


def make(
    estimator: Callable[..., Any], setting: Setting, seed: int, n_jobs: int | None
) -> Any:
    """Make an estimator, with seed and threads where it knows of them."""
    model = estimator(**setting)
    given = {"random_state": seed, "n_jobs": n_jobs}
    known = model.get_params(deep=False)
    return model.set_params(**{k: v for k, v in given.items() if k in known})
