"""Models that can be explained: GSKN embeddings followed by a linear or kernel machine."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import shorten
from gskn.estimators import GSKN, GSKNClassifier, GSKNRegressor, class_means
from gskn.exceptions import InputError
from gskn.explain._heads import Head, KernelHead, LinearHead
from gskn.graphs import GraphBatch, as_batch
from gskn.pooling import check_pooling, rescale

_NO_STEPS = (None, "passthrough")  # of a pipeline
_PATH_POINTS, _PATH_WEIGHTS = np.polynomial.legendre.leggauss(32)


@dataclass(frozen=True)
class Member:
    """An embedding of a model, and its columns in the input of the head."""

    embedding: GSKN
    columns: slice

    @property
    def is_additive(self) -> bool:
        """Whether a graph embedding is a multiple of the sum of its node embeddings."""
        return "log" not in check_pooling(self.embedding.pooling)

    def pool(self, sums: FloatArray, sizes: IndexArray) -> FloatArray:
        """Return the graph embeddings for sums of node embeddings."""
        return rescale(sums, sizes, self.embedding.pooling)

    def pull_back(
        self, gradient: FloatArray, sums: FloatArray, sizes: IndexArray
    ) -> FloatArray:
        """Return the gradient with respect to sums of node embeddings."""
        names = check_pooling(self.embedding.pooling)
        result = np.zeros(sums.shape)
        for name, part in zip(names, np.hsplit(gradient, len(names)), strict=True):
            if name == "mean":
                result += part / np.maximum(sizes, 1)[:, None]
            elif name == "log":
                result += part / (1.0 + np.abs(sums))
            else:
                result += part
        return result


@dataclass(frozen=True)
class Additive:
    """A model as a function of sums of node embeddings.

    Attributes
    ----------
    members : tuple of Member
        Embeddings, whose columns are concatenated.
    head : Head
        Linear model or kernel machine.
    classes : ndarray or None
        Classes of a classifier.
    model : estimator
        The fitted model itself, without the steps of a pipeline before the embedding.
    before : tuple of transformers
        Steps of a pipeline before the embedding, which convert the graphs.
    """

    members: tuple[Member, ...]
    head: Head
    classes: AnyArray | None
    model: Any
    before: tuple[Any, ...] = ()

    @classmethod
    def from_model(cls, model: Any) -> "Additive":
        """Return the parts of a fitted model; raise if it cannot be explained."""
        before: tuple[Any, ...] = ()
        if isinstance(model, Pipeline):
            before, model = _split_pipeline(model)
        if isinstance(model, GSKNClassifier | GSKNRegressor):
            check_is_fitted(model, "machine_")
            classes = getattr(model, "classes_", None)
            members, head = _members(model.embedding_), _machine_head(model)
            return cls(members, head, classes, model, before)
        if isinstance(model, Pipeline):
            return replace(_from_pipeline(model), before=before)
        raise InputError(
            f"Cannot explain {type(model).__name__}; explain a GSKNClassifier, a "
            "GSKNRegressor, or a Pipeline that ends with one of these or with GSKN, "
            "StandardScaler and a linear model."
        )

    def read(self, graphs: Any) -> GraphBatch:
        """Return graphs as a batch, after the steps of a pipeline before the embedding."""
        for step in self.before:
            graphs = step.transform(graphs)
        return as_batch(graphs)

    @property
    def is_exact(self) -> bool:
        """Whether decision values are linear in sums of node embeddings."""
        return self.head.is_linear and all(member.is_additive for member in self.members)

    def targets(self, batch: GraphBatch, target: object) -> IndexArray:
        """Return the number of the explained target of every graph."""
        if self.classes is None:
            if target is not None:
                raise InputError("A regression has one target; use target=None.")
            return np.zeros(batch.n_graphs, dtype=np.int64)
        if target is not None:
            matches = np.flatnonzero([value == target for value in self.classes.tolist()])
            if not len(matches):
                raise InputError(
                    f"target {shorten(target)} is not a class; use one of "
                    f"{shorten(self.classes.tolist())}, or None."
                )
            return np.full(batch.n_graphs, matches[0])
        if len(self.classes) == 2:
            return np.ones(batch.n_graphs, dtype=np.int64)
        if not batch.n_graphs:
            return np.zeros(0, dtype=np.int64)
        return np.searchsorted(self.classes, self.predict(batch))

    def predict(self, batch: GraphBatch) -> AnyArray:
        """Return the predictions of the model for a batch."""
        return np.asarray(self.model.predict(batch))

    def predict_probabilities(self, batch: GraphBatch) -> FloatArray:
        """Return the probabilities of all classes for a batch."""
        return np.asarray(self.model.predict_proba(batch))

    def gradients(
        self,
        sums: list[FloatArray],
        sizes: IndexArray,
        targets: IndexArray,
        *,
        along_path: bool,
    ) -> list[FloatArray]:
        """Return the gradient with respect to the sums of node embeddings of every member.

        ``along_path`` takes the mean gradient between a graph without nodes and the graph.
        """
        if self.is_exact or not along_path:
            return self._gradients_at(sums, sizes, targets)
        totals = [np.zeros(part.shape) for part in sums]
        for point, weight in zip((_PATH_POINTS + 1) / 2, _PATH_WEIGHTS / 2, strict=True):
            parts = self._gradients_at([point * part for part in sums], sizes, targets)
            totals = [a + weight * b for a, b in zip(totals, parts, strict=True)]
        return totals

    def decide(
        self, sums: list[FloatArray], sizes: IndexArray, targets: IndexArray
    ) -> FloatArray:
        """Return the decision values for sums of node embeddings."""
        return self.head.decide(self._embed(sums, sizes), targets)

    def _embed(self, sums: list[FloatArray], sizes: IndexArray) -> FloatArray:
        return np.hstack(
            [m.pool(part, sizes) for m, part in zip(self.members, sums, strict=True)]
        )

    def _gradients_at(
        self, sums: list[FloatArray], sizes: IndexArray, targets: IndexArray
    ) -> list[FloatArray]:
        gradient = self.head.gradient(self._embed(sums, sizes), targets)
        return [
            member.pull_back(gradient[:, member.columns], part, sizes)
            for member, part in zip(self.members, sums, strict=True)
        ]


def _members(embedding: GSKN) -> tuple[Member, ...]:
    return tuple(_with_columns([embedding]))


def _with_columns(embeddings: list[GSKN]) -> Iterator[Member]:
    first = 0
    for embedding in embeddings:
        end = first + embedding.n_features_out_
        yield Member(embedding, slice(first, end))
        first = end


def _machine_head(model: GSKNClassifier | GSKNRegressor) -> Head:
    """Return the decision values of a class against the others, or the predicted value."""
    machine = model.machine_
    mixing = np.ones((1, 1))
    if isinstance(model, GSKNClassifier):
        # Two classes have one output, which is positive for the second class.
        n_outputs = len(machine.intercept)
        mixing = np.array([[-1.0, 1.0]])
        if n_outputs > 1:
            mixing = class_means(np.eye(n_outputs))
    if machine.kernel != "linear":
        return KernelHead(machine, mixing)
    return LinearHead(
        mixing.T @ machine.linear_coef(), mixing.T @ machine.linear_intercept()
    )


def _split_pipeline(pipeline: Pipeline) -> tuple[tuple[Any, ...], Any]:
    """Return the steps before the embedding, and the model that follows them."""
    steps = [step for _, step in pipeline.steps]
    kinds = GSKN | GSKNClassifier | GSKNRegressor
    places = [number for number, step in enumerate(steps) if isinstance(step, kinds)]
    if len(places) != 1:
        raise InputError(
            f"The pipeline has {len(places)} steps that are GSKN, GSKNClassifier or "
            "GSKNRegressor; exactly one is needed."
        )
    place = places[0]
    before = tuple(step for step in steps[:place] if step not in _NO_STEPS)
    first = steps[place]
    return before, pipeline[place:] if isinstance(first, GSKN) else first


def _from_pipeline(pipeline: Pipeline) -> Additive:
    """Return the parts of a pipeline that starts with an embedding."""
    embedding, *others = (step for _, step in pipeline.steps if step not in _NO_STEPS)
    check_is_fitted(embedding, "stack_")
    *scalers, last = others or [embedding]
    if not hasattr(last, "coef_") or not hasattr(last, "intercept_"):
        raise InputError(
            f"The last step of the pipeline is {type(last).__name__}, which is not a "
            "fitted linear model with coef_ and intercept_."
        )
    coef, intercept = np.atleast_2d(last.coef_), np.atleast_1d(last.intercept_)
    classes = last.classes_ if is_classifier(last) else None
    coef, intercept = _by_target(coef, intercept, classes, type(last).__name__)
    for scaler in reversed(scalers):
        coef, intercept = _unscale(scaler, coef, intercept)
    head = LinearHead(np.asarray(coef), np.asarray(intercept))
    return Additive(_members(embedding), head, classes, pipeline)


def _by_target(
    coef: FloatArray, intercept: FloatArray, classes: AnyArray | None, name: str
) -> tuple[FloatArray, FloatArray]:
    """Return one row of coefficients per target."""
    intercept = np.broadcast_to(intercept, len(coef))
    if classes is None and len(coef) != 1:
        raise InputError(f"{name} has {len(coef)} targets; only one can be explained.")
    if classes is None or len(classes) == len(coef) > 1:
        return coef, intercept
    if len(classes) == 2 and len(coef) == 1:
        return np.vstack([-coef, coef]), np.concatenate([-intercept, intercept])
    raise InputError(
        f"{name} has {len(coef)} rows of coefficients for {len(classes)} classes; use a "
        "model with one row per class, for instance LogisticRegression."
    )


def _unscale(
    scaler: Any, coef: FloatArray, intercept: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the linear model on the input of a StandardScaler."""
    if not isinstance(scaler, StandardScaler):
        raise InputError(
            f"The pipeline contains {type(scaler).__name__} after GSKN; only "
            "StandardScaler can be explained."
        )
    if scaler.scale_ is not None:
        coef = coef / scaler.scale_
    if scaler.with_mean:
        intercept = intercept - coef @ scaler.mean_
    return coef, intercept
