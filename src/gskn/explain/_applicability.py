"""How far graphs are from the training graphs that a model stores."""

from dataclasses import dataclass

import numpy as np

from gskn._types import FloatArray
from gskn.estimators import GSKNClassifier, GSKNRegressor
from gskn.explain._additive import Additive
from gskn.graphs import GraphBatch

_MAX_POINTS = 2000  # among which usual distances are measured


@dataclass(frozen=True)
class Applicability:
    """Distances in the space of standardized embeddings.

    Attributes
    ----------
    distances : ndarray of shape (n_graphs,)
        Distance to the nearest stored training graph, or to the mean of all.
    usual : float
        Value that nine of ten training graphs do not exceed; 1 for distances to the mean,
        whose mean square is 1.
    description : str
        What is measured.
    """

    distances: FloatArray
    usual: float
    description: str


def applicability(additive: Additive, batch: GraphBatch) -> Applicability | None:
    """Return the distances of graphs to the training graphs; None for pipelines."""
    model = additive.model
    if not isinstance(model, GSKNClassifier | GSKNRegressor):
        return None
    machine = model.machine_
    scaled = machine.scaling.apply(np.asarray(model.embedding_.transform(batch)))
    if not len(machine.points):
        return Applicability(
            np.sqrt((scaled**2).sum(axis=1)),
            1.0,
            "Distance to the mean of the training graphs; their root mean square is 1. "
            "A linear model stores no training graphs.",
        )
    points = machine.points[:: max(1, len(machine.points) // _MAX_POINTS)]
    among = _squares(points, points)
    np.fill_diagonal(among, np.inf)
    usual = float(np.sqrt(np.quantile(among.min(axis=1), 0.9))) if len(points) > 1 else 1.0
    nearest = np.concatenate(
        [
            np.sqrt(_squares(scaled[first : first + 1000], machine.points).min(axis=1))
            for first in range(0, len(scaled), 1000)
        ]
    )
    return Applicability(
        nearest,
        usual,
        "Distance to the nearest training graph that the model stores (support vectors). "
        f"Nine of ten of these have another one within {usual:.2f}.",
    )


def _squares(left: FloatArray, right: FloatArray) -> FloatArray:
    squares: FloatArray = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    squares -= 2 * (left @ right.T)
    return np.maximum(squares, 0, out=squares)
