"""Scores against parameters, one panel per parameter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray
from gskn.evaluation.plots._style import (
    DASHES,
    GREY,
    add_legend,
    add_title,
    appearances,
    new_panels,
    style,
)
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What a parameter is called, and its axis.
_PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "anonymous_length": ("Anonymous walk length", {"value": "linear"}),
    "walk_length": ("Walk length", {"value": "linear"}),
    "n_walks": ("Walks per node", {"value": "log"}),
    "alpha": ("Alpha", {"value": "log"}),
    "beta": ("Beta", {"value": "log"}),
    "alpha = beta": ("Alpha and beta", {"value": "log"}),
    "n_landmarks": ("Landmarks", {"value": "log", "base": 2}),
    "embedding_size": ("Embedding size", {"value": "log", "base": 2}),
}
_LETTER = 0.03  # width of a letter at a tick, as a share of the axis


@dataclass(frozen=True)
class Curve:
    """Scores on one data set for several values of one parameter.

    Attributes
    ----------
    parameter : str
        "anonymous_length", "walk_length", "n_walks", "alpha", "beta", "alpha = beta",
        "n_landmarks" or "embedding_size", which have names and axes of their own
        (logarithmic from "n_walks" on); any other name is written as it is, on a linear
        axis.
    data : str
        Name of the line: a data set, with the protocol where there are several.
    values : sequence of float
        Values of the parameter, in any order.
    means, stds : sequence of float
        Mean score for every value, and standard deviation over folds; shares of 1.
    reference : float or None, default=None
        Mean score of the exact computation, drawn as a horizontal line.
    """

    parameter: str
    data: str
    values: Sequence[float]
    means: Sequence[float]
    stds: Sequence[float]
    reference: float | None = None


def plot_parameters(
    curves: Sequence[Curve], *, metric: str = "Accuracy", title: str | None = None
) -> "Figure":
    """Draw curves of scores: one panel per parameter, one line per data set.

    Parameters
    ----------
    curves : sequence of Curve
        Panels and lines keep their order.
    metric : str, default="Accuracy"
        Name of the score, drawn in percent.
    title : str or None, default=None
        Heading; "<metric> by parameter" if None.
    """
    if not curves:
        raise InputError("There are no curves to draw.")
    for curve in curves:
        _check_curve(curve)
    parameters = list(dict.fromkeys(curve.parameter for curve in curves))
    names = list(dict.fromkeys(curve.data for curve in curves))
    looks = appearances(names, "lines")
    with style():
        n_columns = min(len(parameters), 2 if len(parameters) in {2, 4} else 3)
        figure, panels = new_panels(
            len(parameters), n_columns=n_columns, width=3.1, height=2.4, sharey=True
        )
        for panel, parameter in zip(panels, parameters, strict=True):
            own = [curve for curve in curves if curve.parameter == parameter]
            for curve in own:
                _draw_curve(panel, curve, looks[curve.data])
            _fit_axis(panel, parameter, np.unique(np.concatenate([c.values for c in own])))
        for panel in panels[::n_columns]:
            panel.set_ylabel(f"{metric} in percent")
        has_reference = any(curve.reference is not None for curve in curves)
        _draw_legend(figure, looks, has_reference=has_reference)
        add_title(figure, title or f"{metric} by parameter")
        return figure


def _check_curve(curve: Curve) -> None:
    n_values = len(curve.values)
    named = f"The curve of {curve.parameter} on {curve.data}"
    if not n_values == len(curve.means) == len(curve.stds) or not n_values:
        raise InputError(
            f"{named} has {n_values} values, {len(curve.means)} means and "
            f"{len(curve.stds)} standard deviations; give equally many, at least one."
        )
    least = 0.0 if _axis(curve.parameter)[1]["value"] == "log" else -np.inf
    wrong = [value for value in curve.values if not least < value < np.inf]
    if wrong:
        raise InputError(
            f"{named} has the value {wrong[0]:g}, which its axis cannot show; leave it out."
        )


def _axis(parameter: str) -> tuple[str, dict[str, Any]]:
    name = parameter.replace("_", " ")
    return _PARAMETERS.get(parameter, (name[:1].upper() + name[1:], {"value": "linear"}))


def _draw_curve(panel: "Axes", curve: Curve, look: dict[str, Any]) -> None:
    order = np.argsort(curve.values)
    values, means, stds = (
        np.asarray(column, dtype=np.float64)[order]
        for column in (
            curve.values,
            100 * np.asarray(curve.means),
            100 * np.asarray(curve.stds),
        )
    )
    colour = look["color"]
    panel.fill_between(
        values, means - stds, means + stds, color=colour, alpha=0.15, linewidth=0
    )
    if len(values) == 1:  # an area without width is not seen
        panel.vlines(values, means - stds, means + stds, color=colour, alpha=0.3)
    panel.plot(values, means, label=curve.data, markersize=5, linewidth=1.6, **look)
    if curve.reference is not None:
        panel.axhline(100 * curve.reference, color=colour, linestyle=DASHES, linewidth=1.3)


def _fit_axis(panel: "Axes", parameter: str, values: FloatArray) -> None:
    """Label the axis, with ticks at values that were tried, as many as fit."""
    name, scale = _axis(parameter)
    panel.set_xlabel(name)
    panel.set_xscale(**scale)
    panel.xaxis.set_minor_locator(require("matplotlib.ticker", extra="plots").NullLocator())
    places = np.log(values) if scale["value"] == "log" else values
    shares = (places - places[0]) / max(np.ptp(places), np.finfo(float).tiny)
    texts = [f"{value:g}" for value in values]
    kept = [0]
    for number in range(1, len(values)):
        letters = (len(texts[kept[-1]]) + len(texts[number])) / 2
        if shares[number] - shares[kept[-1]] >= _LETTER * (letters + 0.5):
            kept.append(number)
    panel.set_xticks(values[kept], [texts[number] for number in kept])


def _draw_legend(
    figure: "Figure", looks: dict[str, dict[str, Any]], *, has_reference: bool
) -> None:
    line = require("matplotlib.lines", extra="plots").Line2D
    patch = require("matplotlib.patches", extra="plots").Patch
    handles = [
        line([], [], label=name, linewidth=1.6, **look) for name, look in looks.items()
    ]
    if has_reference:
        handles.append(line([], [], color=GREY, linestyle=DASHES, label="Exact"))
    handles.append(
        patch(color=GREY, alpha=0.2, linewidth=0, label="Standard deviation over folds")
    )
    add_legend(figure, handles)
