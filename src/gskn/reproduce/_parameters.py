"""Parameter analysis: accuracy as a function of one parameter at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gskn.evaluation import MODELS, Model, Record, summarize_records
from gskn.evaluation.plots import Curve, plot_parameters
from gskn.reproduce._jobs import latest_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = MODELS["rw+aw-64"]
_VALUES: dict[str, tuple[float, ...]] = {
    "anonymous_length": (2, 3, 4, 5, 6, 7, 8),
    "n_walks": (1, 3, 10, 30, 100, 300),
    "alpha = beta": (0.1, 0.3, 1, 1.5, 3, 10),
    "n_landmarks": (4, 8, 16, 32, 64, 128),
}


def parameter_models() -> list[Model]:
    """Return the model of the paper, and one model for every value of every parameter."""
    return [BASE, *(_model(name, value) for name, value in _pairs())]


def parameter_rows(records: Sequence[Record], data: str) -> list[dict[str, Any]]:
    """Return accuracies on one data set by parameter and value."""
    return [
        {
            "parameter": curve.parameter,
            "value": value,
            "accuracy": f"{100 * mean:.1f} ± {100 * std:.1f}",
        }
        for curve in _curves(records, data)
        for value, mean, std in zip(curve.values, curve.means, curve.stds, strict=True)
    ]


def parameter_figure(records: Sequence[Record], data: str) -> "Figure | None":
    """Plot one panel per parameter; exact patterns are the reference for sampled walks."""
    curves = _curves(records, data)
    title = f"Accuracy on {data} by parameter"
    return plot_parameters(curves, title=title) if curves else None


def _pairs() -> Iterator[tuple[str, float]]:
    return ((name, value) for name, values in _VALUES.items() for value in values)


def _model(name: str, value: float) -> Model:
    params: dict[str, Mapping[str, Any]] = {
        "anonymous_length": {"anonymous_length": value},
        "n_walks": {"method": "sampled", "n_walks": value},
        "alpha = beta": {"alpha": value, "beta": value},
        "n_landmarks": {"n_landmarks": value},
    }
    return Model(
        name=f"{BASE.name}, {name} = {value:g}",
        description=BASE.description,
        grid=({**BASE.grid[0], **params[name]},),
    )


def _curves(records: Sequence[Record], data: str) -> list[Curve]:
    """Return one curve per parameter, for the folds that all models have."""
    names = [model.name for model in parameter_models()]
    runs = [
        latest_run([r for r in records if (r.data, r.protocol, r.model) == run])
        for run in ((data, "nested", name) for name in names)
    ]
    common = set.intersection(*({(r.repeat, r.fold) for r in run} for run in runs))
    if not common:
        return []
    selected = [r for run in runs for r in run if (r.repeat, r.fold) in common]
    summaries = summarize_records(selected)[data]
    curves = []
    for name, values in _VALUES.items():
        points = [summaries[_model(name, value).name] for value in values]
        exact = summaries[BASE.name].mean if name == "n_walks" else None
        means, stds = [p.mean for p in points], [p.std_folds for p in points]
        curves.append(Curve(name, data, values, means, stds, exact))
    return curves
