"""The tables of ``gskn evaluate``: one row per model, one column per data set."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gskn.datasets import Dataset
    from gskn.evaluation import Record, Summary

_CAPTIONS = {
    "nested": "Parameters are selected and models fitted on the training folds.",
    "paper": "Parameters are selected on the TEST folds, as in the literature; for "
    "comparison only.",
    "nodes": "Nodes are split at random; everything is selected on a fifth of the training "
    "nodes.",
}


@dataclass(frozen=True)
class Results:
    """Records of models on data sets, for tables and figures.

    Attributes
    ----------
    loaded : list of Dataset
        Data sets, in the order of the columns.
    titles : dict
        Names of the data sets as they were typed.
    models : dict
        Names of the models to show, by data set.
    metrics : dict
        Metric of every data set.
    n_folds : dict
        Number of folds of the data sets of graphs.
    records : list of Record
        All records.
    """

    loaded: list["Dataset"]
    titles: dict[str, str]
    models: dict[str, list[str]]
    metrics: dict[str, str]
    n_folds: dict[str, int]
    records: list["Record"]

    @cached_property
    def columns(self) -> dict[str, list["Record"]]:
        """Records by column: data set, with the percentage of training nodes if any."""
        columns: dict[str, list[Record]] = {}
        for record in self.records:
            columns.setdefault(self._column(record), []).append(record)
        return columns

    def summaries(self, metric: str) -> dict[str, dict[str, "Summary"]]:
        """Return the summaries by column and model, of the data sets with a metric."""
        from gskn.evaluation import summarize_records

        summaries = {}
        for column, records in self.columns.items():
            if self.metrics[records[0].data] == metric:
                (by_model,) = summarize_records(records, metric).values()
                summaries[column] = by_model
        return summaries

    def rows(self, metric: str) -> list[dict[str, str]]:
        """Return the cells of all models that were run on a data set with a metric."""
        summaries = self.summaries(metric)
        shown = [data.name for data in self.loaded if self.metrics[data.name] == metric]
        names = dict.fromkeys(model for data in shown for model in self.models[data])
        return [
            _texts(name, summaries, metric)
            for name in names
            if any(name in by_model for by_model in summaries.values())
        ]

    def protocols(self, columns: Iterable[str]) -> list[str]:
        """Return the protocols of columns, without the percentage of training nodes."""
        records = (record for column in columns for record in self.columns[column])
        return list(dict.fromkeys(r.protocol.partition("-")[0] for r in records))

    def _column(self, record: "Record") -> str:
        protocol, _, percentage = record.protocol.partition("-")
        title = self.titles[record.data]
        return f"{title} {percentage}%" if protocol == "nodes" else title


def show_results(results: Results, *, as_json: bool) -> None:
    """Print one table per metric, or the summaries as JSON."""
    from gskn.cli._tables import show

    metrics = dict.fromkeys(results.metrics[r.data] for r in results.records)
    if as_json:
        cells = [cell for metric in metrics for cell in _json_cells(results, metric)]
        show(cells, title="", as_json=True)
        return
    for metric in metrics:
        protocols = " and ".join(results.protocols(results.summaries(metric)))
        show(
            results.rows(metric),
            title=f"{describe_metric(metric)}, {protocols} protocol",
            as_json=False,
            caption=_caption(results, metric),
        )


def describe_metric(metric: str) -> str:
    """Return the name of a metric with its unit or direction."""
    from gskn.evaluation import VALUE_METRICS, is_error, metric_name

    name = metric_name(metric)
    if metric in VALUE_METRICS:
        return f"{name} (lower is better)" if is_error(metric) else name
    return f"{name} in percent"


def _caption(results: Results, metric: str) -> str:
    """Return remarks on protocols, models, targets and folds of a table."""
    from gskn.evaluation import MODELS

    summaries = results.summaries(metric)
    protocols = results.protocols(summaries)
    captions = [_CAPTIONS[protocol] for protocol in protocols]
    models = dict.fromkeys(model for column in summaries.values() for model in column)
    transductive = [name for name in models if MODELS[name].transductive]
    if transductive and "nested" in protocols:
        listed = ", ".join(transductive)
        captions.append(f"Fitted to all graphs without their classes: {listed}.")
    captions.append("± is the standard deviation over folds or splits.")
    for data in results.loaded:
        if results.metrics[data.name] != metric:
            continue
        n, has_values = results.n_folds.get(data.name, 10), data.targets == "values"
        title = results.titles[data.name]
        if has_values:
            captions.append(f"The targets of {title} are values (regression).")
        if n < 10:
            reason = "it" if has_values else "its smallest class"
            captions.append(f"{title} has {n} folds because {reason} has {n} graphs.")
    return " ".join(captions)


def _texts(
    model: str, columns: dict[str, dict[str, "Summary"]], metric: str
) -> dict[str, str]:
    """Return the cells of a model; "-" for a data set on which it was skipped."""
    cells = {
        name: _text(summaries[model], metric) if model in summaries else "-"
        for name, summaries in columns.items()
    }
    return {"model": model, **cells}


def _text(summary: "Summary", metric: str) -> str:
    """Return the mean, in percent for classes, with the deviation of several values."""
    from gskn.evaluation import VALUE_METRICS

    deviation = summary.std_folds or summary.std_repeats
    if metric in VALUE_METRICS:
        mean, spread = f"{summary.mean:.4g}", f"{deviation:.2g}"
    else:
        mean, spread = f"{100 * summary.mean:.1f}", f"{100 * deviation:.1f}"
    return f"{mean} ± {spread}" if summary.n > 1 else mean


def _json_cells(results: Results, metric: str) -> list[dict[str, Any]]:
    """Return one summary per data set and model, with its provenance."""
    from dataclasses import asdict

    return [
        {
            "data": column,
            "model": model,
            "metric": metric,
            **asdict(summary),
            **_provenance([r for r in results.columns[column] if r.model == model]),
        }
        for column, by_model in results.summaries(metric).items()
        for model, summary in by_model.items()
    ]


def _provenance(records: list["Record"]) -> dict[str, Any]:
    """Return protocol, seeds, total times and versions of the records of one model."""
    from collections import Counter

    seconds: Counter[str] = Counter()
    for record in records:
        seconds.update(record.seconds)
    return {
        "protocol": records[0].protocol,
        "seeds": sorted({record.seed for record in records}),
        "seconds": {step: round(spent, 3) for step, spent in seconds.items()},
        "versions": dict(records[-1].versions),
        "commit": records[-1].commit,
    }
