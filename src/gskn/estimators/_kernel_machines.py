"""Support vector machines on kernels of graph embeddings."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from gskn._types import AnyArray, FloatArray, Params
from gskn.estimators._gram import gram_pair

_MAX_ITER = 100_000  # a large C on few columns takes minutes without any gain


class Prediction(NamedTuple):
    """Predicted classes, decision values, and the classes of the decision columns."""

    y: AnyArray
    decision: FloatArray
    classes: AnyArray


@contextmanager
def ignore_convergence() -> Iterator[None]:
    """Ignore warnings of SVMs that stop at the iteration limit of this module.

    Warning filters belong to the process: enter this context before threads start.
    """
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        yield


def fit_predict(
    classifiers: Sequence[Params], train: FloatArray, y: AnyArray, test: FloatArray
) -> list[Prediction]:
    """Fit every classifier to the training samples and predict the test samples."""
    predictions = {}
    for kernel in dict.fromkeys(params["kernel"] for params in classifiers):
        square, products = gram_pair(train, test, kernel)
        for number, params in enumerate(classifiers):
            if params["kernel"] == kernel:
                svm = fit_svc(square, y, params["C"])
                decision = svm.decision_function(products)
                predictions[number] = Prediction(
                    svm.predict(products), decision, svm.classes_
                )
    return [predictions[number] for number in range(len(classifiers))]


def fit_svc(
    products: FloatArray, y: AnyArray, C: float, sample_weight: FloatArray | None = None
) -> SVC:
    """Fit an SVM to the kernel of the training samples."""
    svm = SVC(kernel="precomputed", C=C, max_iter=_MAX_ITER)
    return svm.fit(products, y, sample_weight)
