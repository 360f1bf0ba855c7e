"""Load a model of any class from a file, and predict graphs with it."""

from copy import copy
from pathlib import Path
from typing import TypeAlias

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from gskn._types import AnyArray, FloatArray
from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._gskn import GSKN
from gskn.estimators._persist import read_class
from gskn.estimators._regressor import GSKNRegressor
from gskn.graphs import GraphBatch

Predictor: TypeAlias = GSKNClassifier | GSKNRegressor

_CLASSES: dict[str, type[GSKN | Predictor]] = {
    kind.__name__: kind for kind in (GSKN, GSKNClassifier, GSKNRegressor)
}


def load_any(path: Path) -> GSKN | Predictor:
    """Return the model in a file; its class is stored in the file."""
    # `GSKN.load` raises with a clear message for a class that does not exist.
    return _CLASSES.get(read_class(path), GSKN).load(path)


def predict_once(
    model: Predictor, graphs: GraphBatch
) -> tuple[AnyArray | None, FloatArray]:
    """Return classes and probabilities, or None and values; graphs are embedded once.

    The results equal the results of `predict` and `predict_proba`.
    """
    embeddings = np.asarray(model.embedding_.transform(graphs))
    machine = copy(model)  # predicts embeddings instead of graphs
    machine.embedding_ = FunctionTransformer()
    if isinstance(machine, GSKNRegressor):
        return None, machine.predict(embeddings)[:, None]
    return machine.predict(embeddings), machine.predict_proba(embeddings)
