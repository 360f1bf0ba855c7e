"""A model: an estimator with the parameter values among which inner folds select."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from gskn._types import FloatArray, IndexArray, Params
from gskn.estimators import (
    GSKN,
    LAPLACIAN,
    LINEAR,
    RBF,
    Precomputation,
    ValueTask,
)
from gskn.evaluation._digest import digest
from gskn.graphs import GraphBatch

# Excluded from the configuration: the seed is stored separately, threads and messages do
# not affect results.
_EXCLUDED = frozenset({"random_state", "n_jobs", "verbose"})
EMBEDDING_CLASSIFIERS = LINEAR + RBF + LAPLACIAN  # of all models that give embeddings


@dataclass(frozen=True)
class Model:
    """An estimator of embeddings or kernels with a parameter grid, and classifiers.

    Attributes
    ----------
    name : str
        Name on the command line and in records.
    description : str
        Name in tables.
    grid : tuple of mappings
        Parameters of the estimator to select among; parameters that are not named have
        their defaults.
    classifiers : tuple of mappings
        Kernel and C of an SVM: "linear", "rbf" or "laplacian" on standardized embeddings;
        "precomputed" for estimators that return kernels with the training graphs. Real
        targets are predicted by kernel ridge regression with the same kernels. Empty for
        estimators that predict the targets themselves.
    estimator : callable
        Class of transformers with the API of scikit-learn; of classifiers or regressors if
        there are no ``classifiers``.
    transductive : bool
        Whether the estimator is fitted once to all graphs, without their classes, instead
        of to the training graphs of every fold. For estimators that would take too long
        otherwise.
    extra : str or None
        Extra of gskn that the estimator needs to be fitted.
    nodes : Model or None
        Model that has this name on data sets with classes of nodes; None: this model.
    node_classifiers : tuple of mappings
        Kernel and C of classifiers of nodes, see `evaluate_nodes`. Empty for logistic
        regression, as in the paper.
    edges : bool
        Whether graphs keep the labels and attributes of their edges. They are always
        removed if the attribute ``uses_edges`` of the estimator is False.

    Examples
    --------
    >>> from gskn.baselines import WLKernel
    >>> model = Model(
    ...     "wl-2", "WL kernel, two iterations", ({"n_iterations": 2},),
    ...     ({"kernel": "precomputed", "C": 1.0},), WLKernel,
    ... )
    >>> model.gives_kernels
    True
    """

    name: str
    description: str
    grid: tuple[Params, ...]
    classifiers: tuple[Params, ...] = field(default_factory=lambda: EMBEDDING_CLASSIFIERS)
    estimator: Callable[..., Any] = GSKN
    transductive: bool = False
    extra: str | None = None
    nodes: "Model | None" = None
    node_classifiers: tuple[Params, ...] = ()
    edges: bool = True

    @property
    def uses_edges(self) -> bool:
        """Whether the estimator gets labels and attributes of edges."""
        return self.edges and getattr(self.estimator, "uses_edges", True)

    @property
    def configuration(self) -> dict[str, Any]:
        """Estimator, grid and classifiers, as stored in records."""
        return {
            "estimator": self.estimator.__name__,
            **({"transductive": True} if self.transductive else {}),
            "embeddings": [as_json(params) for params in self.grid],
            "classifiers": [dict(params) for params in self.classifiers],
            **(
                {"node_classifiers": [dict(params) for params in self.node_classifiers]}
                if self.node_classifiers
                else {}
            ),
            "parameters": self._digest(),
        }

    def configuration_for(self, targets: str) -> dict[str, Any]:
        """Return the configuration for classes or for real targets.

        Parameters
        ----------
        targets : {"classes", "values"}
            Kind of targets; see `Dataset`.

        Returns
        -------
        configuration : dict
            For classes, ``configuration``. For values, with ``regressors`` instead of
            ``classifiers``.
        """
        configuration = self.configuration
        if targets == "values":
            del configuration["classifiers"]
            configuration["regressors"] = [dict(params) for params in self.regressors]
        return configuration

    def _digest(self) -> str:
        """Return a digest of all parameters: with other defaults it is another run."""
        values = []
        for params in self.grid:
            complete = self.estimator(**params).get_params(deep=False)
            if complete.get("edge_features") == "auto":  # graphs may have no edge data
                del complete["edge_features"]
            values.append(sorted((k, v) for k, v in complete.items() if k not in _EXCLUDED))
        return digest(repr(values).encode())

    @property
    def regressors(self) -> tuple[Params, ...]:
        """Kernel and alpha of kernel ridge regression, for the kernels of the SVMs."""
        kernels = {params["kernel"] for params in self.classifiers}
        grid = ValueTask.grid + ValueTask.precomputed
        return tuple(params for params in grid if params["kernel"] in kernels)

    @property
    def predicts(self) -> bool:
        """Whether the estimator predicts targets itself, without embeddings."""
        return not self.classifiers

    @property
    def gives_kernels(self) -> bool:
        """Whether the estimator returns kernels with the training graphs."""
        return not self.predicts and bool(self.classifiers[0]["kernel"] == "precomputed")

    @property
    def embeds_nodes(self) -> bool:
        """Whether the estimator embeds nodes, too."""
        return callable(getattr(self.estimator, "transform_nodes", None))

    def supports(self, targets: str) -> bool:
        """Return whether the model predicts classes or real targets.

        Parameters
        ----------
        targets : {"classes", "values"}
            Kind of targets; see `Dataset`.

        Returns
        -------
        is_supported : bool
            True for both, unless the estimator predicts targets itself.
        """
        if not self.predicts:
            return True
        return bool(is_regressor(self.estimator(**self.grid[0]))) == (targets == "values")

    def precompute(self, batch: GraphBatch, n_jobs: int | None) -> Precomputation:
        """Return the precomputation of the estimator, or the default one.

        Parameters
        ----------
        batch : GraphBatch
            All graphs of a data set.
        n_jobs : int or None
            Number of threads.

        Returns
        -------
        precomputation : Precomputation
            Results that fits to parts of the batch share.
        """
        factory = getattr(self.estimator, "precompute", Precomputation)
        precomputation: Precomputation = factory(batch, n_jobs)
        return precomputation

    def select(
        self, embeddings: FloatArray, graphs: IndexArray, train: IndexArray
    ) -> FloatArray:
        """Return the rows of some graphs; of a kernel, the columns of training graphs.

        Parameters
        ----------
        embeddings : ndarray of shape (n_graphs, n_columns)
            Embeddings or kernel of all graphs.
        graphs, train : ndarray of int
            Indices of the selected graphs and of the training graphs.

        Returns
        -------
        selection : ndarray of shape (n_selected, n_columns) or (n_selected, n_train)
            Embeddings, or kernels with the training graphs.
        """
        return (
            embeddings[np.ix_(graphs, train)] if self.gives_kernels else embeddings[graphs]
        )


def make_estimator(
    estimator: Callable[..., Any], params: Params, seed: int, n_jobs: int | None
) -> Any:
    """Return a new estimator, with seed and threads if it has such parameters."""
    instance = estimator(**params)
    names = instance.get_params(deep=False).keys()
    common = {"random_state": seed, "n_jobs": n_jobs}
    return instance.set_params(**{k: v for k, v in common.items() if k in names})


def as_json(params: Params) -> dict[str, Any]:
    """Return parameters as JSON reads them back: with lists instead of tuples."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in params.items()}
