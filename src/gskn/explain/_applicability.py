"""How far graphs are from training graphs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from gskn._types import FloatArray, IndexArray
from gskn.estimators import GSKNClassifier, GSKNRegressor
from gskn.exceptions import InputError
from gskn.explain._additive import Additive
from gskn.graphs import GraphBatch

_MAX_POINTS = 2000  # among which usual distances are measured
_CHUNK_ROWS = 1000


@dataclass(frozen=True)
class Applicability:
    """Distances in the space of standardized embeddings.

    Attributes
    ----------
    distances : ndarray of shape (n_graphs,)
        Distance to the nearest known training graph, or to the mean of all.
    usual : float
        Value that nine of ten training graphs do not exceed; 1 for distances to the mean,
        whose mean square is 1.
    description : str
        What is measured.
    nearest : list of str or None
        Name of the nearest training graph of every graph, if they are given.
    """

    distances: FloatArray
    usual: float
    description: str
    nearest: list[str] | None = None


def applicability(
    additive: Additive, batch: GraphBatch, reference: Any = None
) -> Applicability | None:
    """Return the distances of graphs to given or stored training graphs.

    None for pipelines without given training graphs.
    """
    if reference is not None:
        return _to_reference(additive, batch, additive.read(reference))
    model = additive.model
    if not isinstance(model, GSKNClassifier | GSKNRegressor):
        return None
    machine = model.machine_
    scaled = machine.scaling.apply(np.asarray(model.embedding_.transform(batch)))
    points, which = machine.points, "training graph that the model stores (support vectors)"
    if machine.sample is not None and len(machine.sample):
        points = machine.sample.astype(np.float64)
        which = f"of {len(points):,} training graphs whose embeddings the model stores"
    if not len(points):
        return Applicability(
            np.sqrt((scaled**2).sum(axis=1)),
            1.0,
            "Distance to the mean of the training graphs; their root mean square is 1. "
            "The model stores no training graphs.",
        )
    distances, _ = _nearest(scaled, points)
    usual = _usual(points)
    return Applicability(
        distances,
        usual,
        f"Distance to the nearest {which}. "
        f"Nine of ten of these have another one within {usual:.2f}.",
    )


def _to_reference(
    additive: Additive, batch: GraphBatch, reference: GraphBatch
) -> Applicability:
    """Return the distances to the nearest of given training graphs."""
    if not reference.n_graphs:
        raise InputError("There are no training graphs in reference.")
    rows, points = (
        np.hstack([np.asarray(m.embedding.transform(graphs)) for m in additive.members])
        for graphs in (batch, reference)
    )
    scaler = StandardScaler().fit(points)
    scale = np.sqrt(points.shape[1])
    rows, points = scaler.transform(rows) / scale, scaler.transform(points) / scale
    distances, places = _nearest(rows, points)
    names = reference.graph_names
    usual = _usual(points)
    return Applicability(
        distances,
        usual,
        f"Distance to the nearest of {reference.n_graphs:,} training graphs. Nine of ten "
        f"of these have another one within {usual:.2f}.",
        [str(n if names is None else names[n]) for n in places.tolist()],
    )


def _nearest(rows: FloatArray, points: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Return the distance of every row to the nearest point, and its index."""
    places = np.zeros(len(rows), dtype=np.int64)
    distances = np.zeros(len(rows))
    for first in range(0, len(rows), _CHUNK_ROWS):
        part = slice(first, first + _CHUNK_ROWS)
        squares = _squares(rows[part], points)
        places[part] = squares.argmin(axis=1)
        distances[part] = np.sqrt(squares.min(axis=1))
    return distances, places


def _usual(points: FloatArray) -> float:
    """Return the distance within which nine of ten points have another one."""
    if len(points) < 2:
        return 1.0
    points = points[:: max(1, len(points) // _MAX_POINTS)]
    among = _squares(points, points)
    np.fill_diagonal(among, np.inf)
    return float(np.sqrt(np.quantile(among.min(axis=1), 0.9)))


def _squares(left: FloatArray, right: FloatArray) -> FloatArray:
    squares: FloatArray = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    squares -= 2 * (left @ right.T)
    return np.maximum(squares, 0, out=squares)
