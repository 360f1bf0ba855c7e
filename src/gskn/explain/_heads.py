"""Prediction from graph embeddings, and its gradient: linear models and kernel machines."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray, IndexArray
from gskn.estimators import KernelMachine, gram

_NEAR = 1e-9  # distance below which the Laplacian kernel has no gradient
_SLOPE = 1.0 / (2.0 * np.sqrt(2.0))  # of the logarithm of the Laplacian kernel


class Head(ABC):
    """A function from graph embeddings to one decision value per target."""

    is_linear: bool

    @abstractmethod
    def decide(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the decision value of the target of every graph."""

    @abstractmethod
    def gradient(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the gradient of the decision values, one row per graph."""


@dataclass(frozen=True)
class LinearHead(Head):
    """A linear model: ``embeddings @ coef[target] + intercept[target]``."""

    coef: FloatArray  # of shape (n_targets, n_features)
    intercept: FloatArray  # of shape (n_targets,)
    is_linear = True

    def decide(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the decision value of the target of every graph."""
        products: FloatArray = np.einsum("gc,gc->g", embeddings, self.coef[targets])
        return products + self.intercept[targets]

    def gradient(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the coefficients of the target of every graph."""
        del embeddings
        return np.asarray(self.coef[targets])


@dataclass(frozen=True)
class KernelHead(Head):
    """A kernel machine whose outputs are combined to decision values of targets."""

    machine: KernelMachine
    mixing: FloatArray  # of shape (n_outputs, n_targets)
    is_linear = False

    def decide(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the decision value of the target of every graph."""
        decisions = self.machine.decide(embeddings) @ self.mixing
        return np.asarray(decisions[np.arange(len(targets)), targets])

    def gradient(self, embeddings: FloatArray, targets: IndexArray) -> FloatArray:
        """Return the gradient of the decision values, one row per graph.

        The Laplacian kernel has a kink where a graph is a support vector; the gradient of
        that term is zero.
        """
        machine = self.machine
        scaled = machine.scaling.apply(embeddings)
        products = gram(scaled, machine.points, machine.kernel)
        slopes = products * (machine.coef @ self.mixing)[:, targets].T
        if machine.kernel == "laplacian":
            distances = -np.log(np.maximum(products, np.finfo(np.float64).tiny)) / _SLOPE
            near = distances < _NEAR
            slopes *= np.where(near, 0.0, _SLOPE / np.where(near, 1.0, distances))
        gradient = slopes @ machine.points - slopes.sum(axis=1)[:, None] * scaled
        divisor = machine.scaling.deviation * np.sqrt(len(machine.scaling.mean))
        return np.asarray(gradient / divisor)
