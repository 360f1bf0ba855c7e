"""Scores of models, one panel per data set."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._optional import require
from gskn._validation import check_fraction
from gskn.evaluation._records import Record
from gskn.evaluation._scores import Summary, summarize_records
from gskn.evaluation.plots._style import (
    DASHES,
    GREY,
    INK,
    add_legend,
    add_title,
    appearances,
    new_panels,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {"roc_auc": "ROC-AUC", "macro_f1": "Macro F1", "micro_f1": "Micro F1"}
_LEAST_SPAN = 10.0  # percent that a panel shows at least: noise should look like noise


def plot_scores(
    records: Sequence[Record],
    *,
    metric: str = "accuracy",
    chance: Mapping[str, float] | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw the scores of models: one panel per data set, one row per model.

    A point is the mean, its interval one standard deviation over folds to both sides, as
    in `summarize`. Axes differ between panels.

    Parameters
    ----------
    records : sequence of Record
        Of one protocol, and one run of every model and set. Sets and models keep their
        order.
    metric : str, default="accuracy"
        Name of a score, drawn in percent.
    chance : mapping of str to float or None, default=None
        Share of the largest class by data set, drawn as a line where it is given.
    title : str or None, default=None
        Heading; metric and protocol if None.
    """
    summaries = summarize_records(records, metric)
    models = list(dict.fromkeys(record.model for record in records))
    looks = appearances(models, "models")
    shares = {
        data: check_fraction(share, f"chance of {data}")
        for data, share in (chance or {}).items()
        if data in summaries
    }
    label = _NAMES.get(metric, metric.replace("_", " ").capitalize())
    with style():
        n_columns = {1: 1, 2: 2, 4: 2}.get(len(summaries), 3)
        height = 0.24 * len(models) + 0.75
        figure, panels = new_panels(
            len(summaries),
            n_columns=n_columns,
            width=2.9,
            height=height,
            beside=models,
            sharey=True,
        )
        for number, (data, found) in enumerate(summaries.items()):
            _draw_panel(panels[number], found, looks, shares.get(data))
            panels[number].set_title(textwrap.fill(data, 28))
            if number + n_columns >= len(panels):
                panels[number].set_xlabel(f"{label} in percent")
        panels[0].set_yticks(range(len(models)), models)
        panels[0].set_ylim(len(models) - 0.4, -0.6)  # the first model on top
        repeats = len({record.repeat for record in records})
        _draw_legend(figure, repeats, has_chance=bool(shares))
        add_title(figure, title or _heading(label, records[0].protocol))
        return figure


def _heading(label: str, protocol: str) -> str:
    how = " (chosen on the test folds: for comparison only)" if protocol == "paper" else ""
    return f"{label}, {protocol} protocol{how}"


def _draw_panel(
    panel: "Axes",
    found: Mapping[str, Summary],
    looks: Mapping[str, dict[str, Any]],
    chance: float | None,
) -> None:
    beside = panel.get_yaxis_transform()  # x from the left to the right edge of the panel
    for place, (model, look) in enumerate(looks.items()):
        summary = found.get(model)
        if summary is None or np.isnan(summary.mean):
            said = "not run" if summary is None else "undefined"
            panel.text(1.02, place, said, transform=beside, va="center", color=GREY)
            continue
        mean, std = 100 * summary.mean, 100 * summary.std_folds
        panel.errorbar(
            *(mean, place),
            xerr=std,
            label=model,
            markersize=6.5,
            elinewidth=1.8,
            capsize=3,
            markeredgecolor=INK,
            markeredgewidth=0.5,
            **look,
        )
        panel.text(1.02, place, f"{mean:.1f}", transform=beside, va="center", color=GREY)
    if chance is not None:
        panel.axvline(100 * chance, color=GREY, linestyle=DASHES, linewidth=1, zorder=1)
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)
    _fit_axis(panel, [*_ends(found), *([] if chance is None else [100 * chance])])


def _ends(found: Mapping[str, Summary]) -> list[float]:
    ends = [100 * (s.mean + side * s.std_folds) for s in found.values() for side in (-1, 1)]
    return [end for end in ends if not np.isnan(end)]


def _fit_axis(panel: "Axes", shown: Sequence[float]) -> None:
    """Show all values, and no tick above 100, where intervals end but no score is."""
    low, high = (min(shown), max(shown)) if shown else (0.0, 100.0)
    pad = max(0.06 * (high - low), (_LEAST_SPAN - (high - low)) / 2)
    low, high = low - pad, high + pad
    ticker = require("matplotlib.ticker", extra="plots")
    locator = ticker.MaxNLocator(7, steps=[1, 2, 5, 10])
    ticks = locator.tick_values(low, high)
    panel.set_xticks(ticks[(ticks >= low) & (ticks <= min(high, 100 + 1e-9))])
    panel.set_xlim(low, high)


def _draw_legend(figure: "Figure", n_repeats: int, *, has_chance: bool) -> None:
    line = require("matplotlib.lines", extra="plots").Line2D
    said = "Mean and standard deviation over folds"
    said += f", {n_repeats} repeats" if n_repeats > 1 else ""
    handles = [line([], [], color=GREY, marker="o", linewidth=1.8, label=said)]
    if has_chance:
        said = "Share of the largest class"
        handles.append(line([], [], color=GREY, linestyle=DASHES, linewidth=1, label=said))
    add_legend(figure, handles)
