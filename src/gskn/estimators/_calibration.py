"""Probabilities of classes from decision values."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import logit, softmax
from sklearn.linear_model import LogisticRegression

from gskn._types import AnyArray, FloatArray


@dataclass(frozen=True)
class Calibration:
    """Logistic regression from decision values to probabilities.

    References
    ----------
    .. [1] Platt, "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers, 1999.
    """

    coef: FloatArray  # of shape (n_outputs, n_outputs)
    intercept: FloatArray  # of shape (n_outputs,)

    @classmethod
    def identity(cls, n_outputs: int) -> Self:
        """Return a calibration that takes decision values as logarithms of odds."""
        return cls(np.eye(n_outputs), np.zeros(n_outputs))

    @classmethod
    def from_outputs(
        cls, outputs: FloatArray, codes: AnyArray, weights: FloatArray | None
    ) -> Self:
        """Fit to decision values of samples that the machine was not fitted to.

        If larger values do not make class 1 more likely, the machine has learned nothing,
        and all samples get the frequencies of both classes. With a negative slope, the most
        probable class would be the one that is not predicted.
        """
        model = LogisticRegression(max_iter=1000).fit(outputs, codes, weights)
        if len(model.coef_) == 1 and model.coef_[0, 0] <= 0:
            frequency = np.average(codes, weights=weights)
            return cls(np.zeros((1, 1)), np.array([logit(frequency)]))
        return cls(np.ascontiguousarray(model.coef_.T), model.intercept_)

    def probabilities(self, outputs: FloatArray) -> FloatArray:
        """Return the probability of every class, of shape (n_samples, n_classes)."""
        logits = outputs @ self.coef + self.intercept
        if logits.shape[1] == 1:
            logits = np.hstack([np.zeros_like(logits), logits])
        probabilities: FloatArray = softmax(logits, axis=1)
        return probabilities
