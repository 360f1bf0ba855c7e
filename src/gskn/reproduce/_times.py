"""Running times on the data sets of the paper and on random graphs of several sizes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array
from sklearn.base import clone

from gskn._types import Params
from gskn.baselines import GCKN
from gskn.estimators import GSKN
from gskn.evaluation import (
    MODELS,
    Clock,
    Record,
    as_json,
    get_score,
    make_estimator,
    with_provenance,
)
from gskn.evaluation.plots import Timing, plot_times
from gskn.graphs import GraphBatch, as_batch
from gskn.reproduce._baselines import BASELINE_SYSTEMS
from gskn.reproduce._jobs import Runner, latest_run
from gskn.reproduce._printed import TIMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Timed = tuple[Callable[..., Any], Params]  # an estimator class and its parameters

_GSKN_MODELS: dict[str, Timed] = {
    "GSKN": (GSKN, MODELS["rw+aw-64"].grid[0]),
    "GSKN, all lengths": (GSKN, {}),
}
_BASELINES: dict[str, Timed] = {
    **{
        {"WL subtree": "WL kernel"}.get(system, system): (MODELS[model].estimator, {})
        for system, model in BASELINE_SYSTEMS.items()
    },
    "GCKN, walks": (GCKN, {"variant": "walk"}),
    "GCKN, subtrees": (GCKN, {"variant": "subtree"}),
}
_SLOW = {"COLLAB": {"GNTK", "RetGK", "AWE"}}  # several minutes each
_GROWTH: dict[str, Timed] = {
    "walk": (GSKN, {"branches": ("walk",)}),
    "anonymous": (GSKN, {"branches": ("anonymous",)}),
}
_MEAN_DEGREE = 8
_N_WARM_UP = 20  # graphs that are embedded first, to compile all loops
_PROTOCOL = "times"


def n_times(sizes: Sequence[int], *, quick: bool = False) -> int:
    """Return the number of measurements."""
    n_systems = sum(len(_systems(data, quick=quick)) for data in TIMES)
    return n_systems + len(sizes) * len(_GROWTH)


def _systems(data: str, *, quick: bool) -> dict[str, Timed]:
    """Return the models that are timed on a data set or on a random graph."""
    if data not in TIMES:
        return _GROWTH
    skipped = _SLOW.get(data, set()) if quick else set()
    return _GSKN_MODELS | {name: t for name, t in _BASELINES.items() if name not in skipped}


def run_times(runner: Runner, sizes: Sequence[int], *, quick: bool = False) -> list[Record]:
    """Measure the time to fit and embed data sets of the paper and random graphs."""
    records = []
    sets = [name for name in TIMES if name not in runner.missing]
    for data in (*sets, *map(str, sizes)):
        for system, timed in _systems(data, quick=quick).items():
            configuration = {
                "estimator": timed[0].__name__,
                "embedding": as_json(timed[1]),
                "n_jobs": runner.n_jobs,
            }
            blank = Record(
                data=data,
                model=system,
                protocol=_PROTOCOL,
                repeat=0,
                fold=0,
                seed=0,
                configuration=configuration,
                scores={},
            )
            records.append(runner.once(blank, partial(_time, blank, runner, timed)))
            runner.advance(1.0)
    return records


def _time(blank: Record, runner: Runner, timed: Timed) -> Record:
    data = blank.data
    batch = runner.load(data).graphs if data in TIMES else _random_graph(int(data))
    batch = batch.without_edge_data()  # most systems do not use it
    estimator_class, params = timed
    estimator = make_estimator(estimator_class, params, seed=0, n_jobs=runner.n_jobs)
    # Compilation happens once per machine and is not part of the time.
    warm_up = batch[:_N_WARM_UP] if data in TIMES else _random_graph(100)
    clone(estimator).fit_transform(warm_up)
    clock = Clock()
    with clock.measure("embed"):
        estimator.fit_transform(batch)
    scores = {"minutes": clock.seconds["embed"] / 60, "edges": float(batch.n_edges)}
    return with_provenance(replace(blank, scores=scores), clock)


def _random_graph(n_edges: int) -> GraphBatch:
    generator = np.random.default_rng(0)
    n_nodes = max(2, 2 * n_edges // _MEAN_DEGREE)
    ends = generator.integers(0, n_nodes, (2, n_edges))
    ends = ends[:, ends[0] != ends[1]]
    half = coo_array((np.ones(ends.shape[1]), ends), shape=(n_nodes, n_nodes)).tocsr()
    return as_batch([((half + half.T) > 0).astype(float)])


def time_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Return the minutes of every model on the data sets of the paper."""
    ours = _fold_minutes(records, "DDGK", "ddgk") | {
        (record.data, record.model): get_score(record, "minutes")
        for record in records
        if record.protocol == _PROTOCOL
    }
    rows = []
    for data, cells in TIMES.items():
        for system in dict.fromkeys([*cells, *_GSKN_MODELS, *_BASELINES]):
            minutes = ours.get((data, system))
            rows.append(
                {
                    "data": data,
                    "system": system,
                    "paper": cells.get(system, "-"),
                    "ours": "missing" if minutes is None else f"{minutes:.4f}",
                }
            )
    return rows


def _fold_minutes(
    records: Sequence[Record], system: str, model: str
) -> dict[tuple[str, str], float]:
    """Return the minutes to fit and embed all graphs, by data set.

    This is the longest fold: others may share results with it.
    """
    seconds: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if (record.model, record.protocol) == (model, "nested"):
            seconds.setdefault((record.data, system), []).append(record.seconds["embed"])
    return {key: max(values) / 60 for key, values in seconds.items()}


def time_figure(records: Sequence[Record]) -> "Figure | None":
    """Plot time against the number of edges of random graphs."""
    if not any(record.protocol == _PROTOCOL for record in records):
        return None
    lines = []
    for system in _GROWTH:
        run = latest_run(
            [r for r in records if (r.protocol, r.model) == (_PROTOCOL, system)]
        )
        sizes = [get_score(r, "edges") for r in run]
        seconds = [60 * get_score(r, "minutes") for r in run]
        lines.append(Timing(system, sizes, seconds))
    title = f"Time to fit and embed a random graph of mean degree {_MEAN_DEGREE}"
    return plot_times(lines, size="Edges", title=title)
