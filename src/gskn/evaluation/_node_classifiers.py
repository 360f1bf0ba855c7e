"""Classifiers of nodes: logistic regression, and least squares with a kernel."""

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from gskn._types import AnyArray, FloatArray, Params
from gskn.estimators import gram, standardize

# Logistic regression on standardized embeddings, as in the paper.
LOGISTIC: tuple[Params, ...] = tuple(
    {"kernel": "linear", "C": 10.0**power} for power in range(-2, 1)
)
# Least squares: an exact kernel machine is too slow for thousands of nodes with a hundred
# labels. Logistic regression on the same columns takes ten times as long or more; on one
# split it was worse on Cora and better on LastFM.
_KERNELS: tuple[Params, ...] = tuple(
    {"kernel": kernel, "C": 10.0**power}
    for kernel in ("rbf", "laplacian")
    for power in range(4)
)
NODE_CLASSIFIERS = LOGISTIC + _KERNELS
# Selects the embedding, before the classifier, because it is fast.
SCREENING: Params = {"kernel": "rbf", "C": 100.0}
_N_LANDMARKS = 1000
_RTOL = 1e-10  # smallest eigenvalue of a Gram matrix, relative to the largest one
_MAX_NEWTON_COLUMNS = 300  # with more columns, the Hessian of every label is too slow


def classify_nodes(
    train: FloatArray,
    y: AnyArray,
    test: FloatArray,
    classifiers: Sequence[Params],
    seed: int,
) -> Iterator[AnyArray]:
    """Fit classifiers to training nodes, and yield their predictions for test nodes.

    Parameters
    ----------
    train, test : ndarray of shape (n_nodes, n_columns)
        Embeddings of the nodes.
    y : ndarray of shape (n_nodes,) or (n_nodes, n_labels)
        Classes of the training nodes, or 0 and 1 for every label.
    classifiers : sequence of mappings
        Kernel and C. "linear" is logistic regression. "rbf" and "laplacian" are regularized
        least squares on the Nyström features of the kernel, with at most 1,000 training
        nodes as landmarks. Classifiers with the same kernel share the features if they
        follow each other.
    seed : int
        Seed of the landmarks.
    """
    features: dict[str, tuple[FloatArray, FloatArray]] = {}
    for classifier in classifiers:
        kernel, C = classifier["kernel"], classifier["C"]
        # BLAS threads on matrices as small as these only wait for each other.
        with threadpool_limits(1, "blas"):
            if kernel == "linear":
                predicted = _logistic(train, y, test, C)
            else:
                if kernel not in features:
                    features = {kernel: nystrom_features(train, test, kernel, seed)}
                predicted = _least_squares(features[kernel], y, C)
        yield predicted


def nystrom_features(
    train: FloatArray, test: FloatArray, kernel: str, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return columns whose inner products approximate a kernel of standardized embeddings.

    The landmarks are random training nodes. If all of them are landmarks, the inner
    products of training nodes are exact.
    """
    train, test = standardize(train, test)
    landmarks = train[np.random.default_rng(seed).permutation(len(train))[:_N_LANDMARKS]]
    values, vectors = np.linalg.eigh(gram(landmarks, landmarks, kernel))
    # Smaller eigenvalues are rounding noise: nodes may have equal embeddings.
    significant = values > _RTOL * values[-1]
    root = vectors[:, significant] / np.sqrt(values[significant])
    return gram(train, landmarks, kernel) @ root, gram(test, landmarks, kernel) @ root


def _least_squares(
    features: tuple[FloatArray, FloatArray], y: AnyArray, C: float
) -> AnyArray:
    """Predict by least squares with targets 1 and -1; the penalty of the norm is 1 / C."""
    train, test = features
    classes = np.unique(y) if y.ndim == 1 else np.array([1])
    is_member = y[:, None] == classes if y.ndim == 1 else y == 1
    targets = np.where(is_member, 1.0, -1.0)
    center, bias = train.mean(axis=0), targets.mean(axis=0)
    centered = train - center
    penalized = centered.T @ centered
    penalized[np.diag_indices_from(penalized)] += 1 / C
    weights = np.linalg.solve(penalized, centered.T @ (targets - bias))
    decisions = (test - center) @ weights + bias
    if y.ndim == 1:
        return np.asarray(classes[decisions.argmax(axis=1)])
    return np.asarray(decisions > 0, dtype=y.dtype)


def _logistic(train: FloatArray, y: AnyArray, test: FloatArray, C: float) -> AnyArray:
    """Predict by logistic regression, one for every label if there are several."""
    if y.ndim == 2 and train.shape[1] > _MAX_NEWTON_COLUMNS:
        scaler = StandardScaler().fit(train)
        weights, bias = fit_labels(scaler.transform(train), y, C)
        return np.asarray(scaler.transform(test) @ weights + bias > 0, dtype=y.dtype)
    with warnings.catch_warnings():
        # scikit-learn warns of labels that all training nodes have, or none.
        warnings.simplefilter("ignore", UserWarning)
        model = _pipeline(y, C).fit(train, y)
    return np.asarray(model.predict(test))


def _pipeline(y: AnyArray, C: float) -> Pipeline:
    if y.ndim == 1:
        return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=500))
    one = LogisticRegression(C=C, max_iter=500, solver="newton-cholesky")
    return make_pipeline(StandardScaler(), OneVsRestClassifier(one))


def fit_labels(
    features: FloatArray, y: AnyArray, C: float
) -> tuple[FloatArray, FloatArray]:
    """Return weights and bias of the logistic regressions of all labels.

    They are independent, but fitted together: products with a matrix of weights are several
    times as fast as with one vector after the other.
    """
    n_nodes, n_columns = features.shape
    signs = np.where(y == 1, 1.0, -1.0)
    shape = (n_columns + 1, y.shape[1])

    def loss_and_gradient(flat: FloatArray) -> tuple[float, FloatArray]:
        weights, bias = flat.reshape(shape)[:-1], flat.reshape(shape)[-1]
        margins = signs * (features @ weights + bias)
        slopes = -signs * expit(-margins)
        loss = np.logaddexp(0, -margins).sum() + (weights**2).sum() / (2 * C)
        gradient = np.vstack([features.T @ slopes + weights / C, slopes.sum(axis=0)])
        return float(loss) / n_nodes, gradient.ravel() / n_nodes

    options = {"maxiter": 300, "gtol": 1e-5, "ftol": 1e-8}
    start = np.zeros(shape).ravel()
    result = minimize(
        loss_and_gradient, start, jac=True, method="L-BFGS-B", options=options
    )
    solution: FloatArray = result.x.reshape(shape)
    return solution[:-1], solution[-1]
