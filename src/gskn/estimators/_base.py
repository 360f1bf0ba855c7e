"""The part that the classifier and the regressor of graphs share."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from gskn._random import RandomState, as_generator
from gskn._types import FloatArray, Params
from gskn._validation import (
    check_choice,
    check_complete,
    check_flag,
    check_int,
    check_n_jobs,
    check_positive,
    shorten,
)
from gskn.estimators._gram import KERNELS, Scaling, gram
from gskn.estimators._grid import GRID
from gskn.estimators._gskn import GSKN
from gskn.estimators._kernel_machines import KernelMachine
from gskn.estimators._machine_file import MachineParts, load_machine, save_machine
from gskn.estimators._persist import Arrays, check_names
from gskn.estimators._progress import progress
from gskn.estimators._search import Candidate, Selection, select
from gskn.estimators._selected import Selected
from gskn.estimators._tasks import Folds, Task
from gskn.exceptions import GsknWarning, InputError
from gskn.graphs import GraphBatch, as_batch

_MAX_FOLDS = 10_000
_MAX_STRENGTH = 1e12
_N_COMPARED = 16  # graphs on which embeddings of the screening are checked
_MAX_SEED = 2**32  # of scikit-learn
_PREFIX = "embedding__"


class KernelEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A kernel machine on graph embeddings, with everything selected by inner folds."""

    embedding: GSKN | None
    selection: str
    kernel: str
    cv: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int

    _task_class: ClassVar[type[Task]]
    _compares_single: ClassVar[bool] = False  # whether a single machine needs inner folds
    embedding_: GSKN
    kernel_: str
    machine_: KernelMachine
    selected_: Selected

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the parameters, including the default embedding's if there is none.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of the embedding, as ``embedding__*``.

        Returns
        -------
        params : dict
            Values by name.
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep and self.embedding is None:
            defaults = GSKN().get_params()
            params |= {f"{_PREFIX}{name}": value for name, value in defaults.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``embedding__*`` creates an embedding if there is none.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : estimator
            This estimator.
        """
        nested = {name for name in params if name.startswith(_PREFIX)}
        if nested and params.get("embedding", self.embedding) is None:
            values = {name.removeprefix(_PREFIX): params[name] for name in nested}
            params = {k: v for k, v in params.items() if k not in nested}
            params["embedding"] = GSKN().set_params(**values)
        super().set_params(**params)
        return self

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Return the display of scikit-learn, with the selection if the model is fitted."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle and hasattr(self, "selected_"):
            bundle["text/html"] += self.selected_._repr_html_()
        return bundle

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of graph embeddings, for the linear kernel only."""
        return self._linear_machine("coef_").linear_coef()

    @property
    def intercept_(self) -> FloatArray:
        """Intercepts that belong to ``coef_``, for the linear kernel only."""
        return self._linear_machine("intercept_").linear_intercept()

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one file, without pickle.

        Parameters
        ----------
        path : str or Path
            File to write; it is written completely or not at all.
        """
        check_is_fitted(self, "machine_")
        arrays: Arrays = {}
        parts = MachineParts(
            parameters=self.get_params(deep=False),
            embedding=self.embedding_,
            machine=self.machine_,
            selected=self.selected_,
            state=self._save_state(arrays),
            arrays=arrays,
        )
        save_machine(type(self).__name__, self._task_class.strength_name, parts, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote; no code in the file is run.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        model : estimator
            The fitted model, with the same predictions to the last bit.
        """
        model: Self = load_machine(
            cls.__name__, cls._task_class.strength_name, cls._from_parts, path
        )
        return model

    @classmethod
    def _from_parts(cls, parts: MachineParts) -> Self:
        """Return the model in a file; raise if its parts are not consistent."""
        check_names(parts.parameters, cls().get_params(deep=False))
        model = cls(**parts.parameters)
        cls._check_parameters(model)
        model.embedding_ = parts.embedding
        model.machine_ = parts.machine
        model.kernel_ = parts.machine.kernel
        model.selected_ = parts.selected
        setattr(model, f"{cls._task_class.strength_name}_", parts.selected.strength)
        cls._load_state(model, parts.state, parts.arrays)
        return model

    @abstractmethod
    def _save_state(self, arrays: Arrays) -> dict[str, Any]:
        """Add fitted arrays of the subclass; return other fitted values as JSON values."""

    @abstractmethod
    def _load_state(self, state: dict[str, Any], arrays: Arrays) -> None:
        """Set the fitted values of the subclass from a file; remove its arrays."""

    @abstractmethod
    def _check_parameters(self) -> list[Params]:
        """Check the parameters; return the kernels and strengths to compare."""

    def _fit(self, batch: GraphBatch, task: Task) -> tuple[Candidate | None, Folds]:
        """Select and fit; return the selected candidate and the inner folds."""
        machines = self._check_parameters()
        seed = _as_seed(self.random_state)
        grid = self._embeddings(seed)
        folds = task.folds(self.cv, seed)
        if not folds:
            if len(grid) > 1 or len(machines) > 1:
                warnings.warn(
                    f"Nothing is selected: {task.obstacle}.", GsknWarning, stacklevel=3
                )
            grid = grid[:1]
        n_steps = 2 + (len(grid) if len(grid) > 1 else 0)
        with progress("selection", n_steps, shown=self.verbose > 0) as advance:
            selection = select(
                self._embedder(batch, [embedding for _, embedding in grid]),
                [params for params, _ in grid],
                machines,
                task,
                folds,
                n_jobs=self.n_jobs,
                compare_single=self._compares_single,
                advance=advance,
            )
            params, self.embedding_ = grid[selection.number]
            embeddings = selection.embeddings
            if len(grid) > 1:
                embeddings = _fit_embedding(self.embedding_, batch, embeddings)
            self._fit_machine(embeddings, selection.machine, task, seed)
            advance()
        self._set_selected(params, selection, task, has_folds=bool(folds))
        return selection.candidate, folds

    def _set_selected(
        self, params: Params, selection: Selection, task: Task, *, has_folds: bool
    ) -> None:
        """Set the attributes that report the selection."""
        strength = float(selection.machine[task.strength_name])
        setattr(self, f"{task.strength_name}_", strength)
        self.selected_ = Selected(
            params=dict(params),
            kernel=self.kernel_,
            strength=strength,
            metric=task.metric,
            scores=selection.rows if len(selection.rows) > 1 else (),
            reason=_reason(selection, task, has_folds=has_folds),
        )

    def _check_machines(self, values: Any) -> list[Params]:
        """Check the common parameters and the values of C or alpha."""
        task = self._task_class
        check_choice(self.selection, "selection", choices=("auto", "none"))
        check_choice(self.kernel, "kernel", choices=("auto", *KERNELS))
        check_int(self.cv, "cv", minimum=2, maximum=_MAX_FOLDS)
        check_flag(self.verbose, "verbose")
        check_n_jobs(self.n_jobs)
        name = task.strength_name
        strengths = _check_strengths(values, name)
        if self.selection == "none":
            if strengths is not None and len(strengths) > 1:
                raise InputError(f"selection='none' needs one value of {name}.")
            kernel = task.default["kernel"] if self.kernel == "auto" else self.kernel
            return [{"kernel": kernel, name: (strengths or [task.default[name]])[0]}]
        kernels = KERNELS if self.kernel == "auto" else (self.kernel,)
        if strengths is None:
            return [params for params in task.grid if params["kernel"] in kernels]
        return [{"kernel": k, name: value} for k in kernels for value in strengths]

    def _embeddings(self, seed: int) -> list[tuple[Params, GSKN]]:
        """Return the embeddings to compare, with their entries of the grid."""
        if self.embedding is None:
            grid: Sequence[Params] = GRID if self.selection == "auto" else ({},)
            common: Params = {"random_state": seed, "n_jobs": self.n_jobs}
            return [(params, GSKN(**params, **common)) for params in grid]
        if not isinstance(self.embedding, GSKN):
            raise InputError(
                f"embedding must be a GSKN or None, got {shorten(self.embedding)}."
            )
        embedding: GSKN = clone(self.embedding)
        values = embedding.get_params(deep=False)
        missing = {"random_state": seed, "n_jobs": self.n_jobs}
        embedding.set_params(**{k: v for k, v in missing.items() if values[k] is None})
        embedding.set_output(transform="default")
        return [({}, embedding)]

    def _embedder(
        self, batch: GraphBatch, embeddings: Sequence[GSKN]
    ) -> Callable[[int], FloatArray]:
        """Return a function that embeds the training graphs; a single one is fitted."""
        if len(embeddings) == 1:
            return lambda _: np.asarray(embeddings[0].fit_transform(batch))
        everything = np.arange(batch.n_graphs)
        split = GSKN.precompute(batch, self.n_jobs).split(everything, everything[:0])
        return lambda number: split.embed(embeddings[number])[0]

    def _fit_machine(
        self, embeddings: FloatArray, machine: Params, task: Task, seed: int
    ) -> None:
        """Fit one machine to all training graphs."""
        scaling = Scaling.from_embeddings(embeddings)
        scaled = scaling.apply(embeddings)
        kernel = machine["kernel"]
        products = gram(scaled, scaled, kernel)
        dual = task.fit(products, np.arange(len(scaled)), machine[task.strength_name])
        self.kernel_ = kernel
        self.machine_ = KernelMachine.from_dual(kernel, scaling, scaled, dual, seed)

    def _outputs(self, X: Any) -> FloatArray:
        """Return the outputs of the machine for graphs."""
        check_is_fitted(self, "machine_")
        return self.machine_.decide(np.asarray(self.embedding_.transform(X)))

    def _linear_machine(self, name: str) -> KernelMachine:
        check_is_fitted(self, "machine_")
        if self.kernel_ != "linear":
            raise AttributeError(f"{name} needs kernel='linear', got {self.kernel_!r}.")
        return self.machine_


def check_weights(sample_weight: Any, n_graphs: int) -> FloatArray:
    """Return weights of graphs as floats; ones if there are none."""
    if sample_weight is None:
        return np.ones(n_graphs)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must be numbers: {error}") from error
    if weights.shape != (n_graphs,):
        raise InputError(
            f"sample_weight has shape {weights.shape} for {n_graphs} graphs; give one "
            "number for each graph."
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("sample_weight must be finite, not negative and not all zero.")
    return weights


def read_graphs_and_targets(
    X: Any, y: Any, sample_weight: Any
) -> tuple[GraphBatch, Any, FloatArray]:
    """Return graphs, targets and weights; graphs of weight zero are omitted."""
    batch = as_batch(X)
    try:
        y = np.asarray(y)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"y is not a list of single targets: {error}") from error
    if y.ndim != 1 or len(y) != batch.n_graphs:
        raise InputError(
            f"y has shape {y.shape} for {batch.n_graphs} graphs; give one target for "
            "each graph."
        )
    weights = check_weights(sample_weight, batch.n_graphs)
    used = np.flatnonzero(weights)
    check_complete(y[used].tolist(), used)
    if len(used) == batch.n_graphs:
        return batch, y, weights
    return batch[used], y[used], weights[used]


def _as_seed(random_state: RandomState) -> int:
    """Return the seed of embeddings and folds: an integer itself, if it is below 2**32.

    `gskn.evaluation.evaluate` uses its seed in the same way.
    """
    generator = as_generator(random_state)
    if isinstance(random_state, int | np.integer) and random_state < _MAX_SEED:
        return int(random_state)
    return int(generator.integers(2**31))


def _fit_embedding(embedding: GSKN, batch: GraphBatch, screened: FloatArray) -> FloatArray:
    """Fit an embedding; return the embeddings of the training graphs.

    Embeddings from the selection are used again, after a comparison with the fitted model
    on some graphs: on large walks they take longer than the fit.
    """
    embedding.fit(batch)
    sample = np.unique(np.linspace(0, batch.n_graphs - 1, _N_COMPARED).astype(np.int64))
    expected = np.asarray(embedding.transform(batch[sample]))
    tolerance = 1e-8 * np.abs(expected).max(initial=0.0)
    if expected.shape[1] == screened.shape[1] and np.allclose(
        screened[sample], expected, rtol=1e-8, atol=tolerance
    ):
        return screened
    return np.asarray(embedding.transform(batch))


def _check_strengths(values: Any, name: str) -> list[float] | None:
    if values is None:
        return None
    items = list(np.atleast_1d(values)) if isinstance(values, np.ndarray) else values
    items = items if isinstance(items, Sequence) else [items]
    if isinstance(values, str) or not len(items):
        raise InputError(
            f"{name} must be one or more positive numbers, got {shorten(values)}."
        )
    return [check_positive(item, name, maximum=_MAX_STRENGTH) for item in items]


def _reason(selection: Selection, task: Task, *, has_folds: bool) -> str:
    candidate, n_candidates = selection.candidate, len(selection.rows)
    if n_candidates > 1 and candidate is not None:
        return (
            f"{task.metric} on inner folds ({candidate.score:.4g}), {n_candidates} "
            "candidates: the smallest embedding within one standard error of the best, "
            f"then kernel and {task.strength_name}, where the default is preferred within "
            "half a standard error"
        )
    if not has_folds:
        return f"default, because {task.obstacle}"
    return "nothing to select"
