"""Plots of running time against input size, with the exponent of growth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray
from gskn.evaluation.plots._style import add_title, new_panels, plot_style, point_styles
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE_INCHES = 0.2  # height of a label at the end of a line


@dataclass(frozen=True)
class Timing:
    """Running times of one model for inputs of several sizes.

    Attributes
    ----------
    system : str
        Name of the model.
    sizes : sequence of float
        Positive sizes, in any order.
    seconds : sequence of float
        Positive running time for every size.
    """

    system: str
    sizes: Sequence[float]
    seconds: Sequence[float]


def plot_times(
    times: Sequence[Timing], *, size: str = "Edges", title: str | None = None
) -> "Figure":
    """Plot running time against size on logarithmic axes, one line per model.

    Every line is labeled with its slope, fitted by least squares to all of its points: 1
    means linear growth, 2 quadratic growth. Lines with a single size have no slope.

    Parameters
    ----------
    times : sequence of Timing
        One entry per model.
    size : str, default="Edges"
        Unit of the sizes.
    title : str or None, default=None
        Title of the figure; "Time by number of <size>" if None.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A new figure.

    Examples
    --------
    >>> figure = plot_times([Timing("gskn", [10, 100], [0.1, 1.0])])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['gskn, slope 1.00']
    """
    if not times:
        raise InputError("times is empty.")
    for timing in times:
        _check_timing(timing)
    styles = point_styles([timing.system for timing in times], "systems")
    if len(styles) < len(times):
        raise InputError("Two entries of times have the same system.")
    with plot_style():
        height = max(3.2, _LINE_INCHES * len(times) + 0.6)
        figure, (panel,) = new_panels(
            1, n_columns=1, width=5.6, height=height, beside=list(styles)
        )
        panel.set(xscale="log", yscale="log", xlabel=size, ylabel="Time")
        for timing in times:
            order = np.argsort(timing.sizes)
            sizes, seconds = (
                np.asarray(timing.sizes)[order],
                np.asarray(timing.seconds)[order],
            )
            panel.plot(
                sizes,
                seconds,
                label=timing.system,
                markersize=5.5,
                linewidth=1.6,
                **styles[timing.system],
            )
        _use_units(panel)
        _label_ends(panel, times, styles, gap=_LINE_INCHES / height)
        add_title(figure, title or f"Time by number of {size.lower()}")
        return figure


def _check_timing(timing: Timing) -> None:
    if not len(timing.sizes) == len(timing.seconds) or not len(timing.sizes):
        raise InputError(
            f"{timing.system} has {len(timing.sizes)} sizes and {len(timing.seconds)} "
            "times. Expected equal numbers, at least 1."
        )
    values = np.array([*timing.sizes, *timing.seconds], dtype=np.float64)
    invalid = values[~(np.isfinite(values) & (values > 0))]
    if len(invalid):
        raise InputError(
            f"{timing.system} has a size or time of {invalid[0]:g}. Logarithmic axes need "
            "positive values."
        )


def fit_slope(timing: Timing) -> float | None:
    """Return the exponent of growth fitted by least squares, or None for a single size."""
    if len(set(timing.sizes)) < 2:
        return None
    sizes, seconds = np.log(timing.sizes), np.log(timing.seconds)
    return float(np.polyfit(sizes, seconds, 1)[0])


def _use_units(panel: "Axes") -> None:
    ticker = require("matplotlib.ticker", extra="plots")
    panel.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))
    panel.yaxis.set_major_formatter(ticker.EngFormatter(unit="s"))
    for axis in (panel.xaxis, panel.yaxis):
        low, high = axis.get_view_interval()
        if high < 100 * low:  # too few powers of ten for ticks
            axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(ticker.NullFormatter())


def _label_ends(
    panel: "Axes", times: Sequence[Timing], styles: dict[str, dict[str, Any]], *, gap: float
) -> None:
    """Add name and slope to the right of the panel, connected with the end of the line."""
    ends = [max(zip(t.sizes, t.seconds, strict=True)) for t in times]
    low, high = np.log(panel.get_ylim())
    heights = np.array([(np.log(seconds) - low) / (high - low) for _, seconds in ends])
    for timing, end, height in zip(times, ends, _spread(heights, gap), strict=True):
        slope = fit_slope(timing)
        label = timing.system if slope is None else f"{timing.system}, slope {slope:.2f}"
        color = styles[timing.system]["color"]
        connection = {"arrowstyle": "-", "color": color, "linewidth": 1, "linestyle": ":"}
        panel.annotate(
            label,
            end,
            xytext=(1.04, height),
            textcoords="axes fraction",
            va="center",
            arrowprops={**connection, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)},
            annotation_clip=False,
        )


def _spread(heights: FloatArray, gap: float) -> FloatArray:
    """Move heights apart to distances of at least ``gap``, in the same order, below 1."""
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    # First move up where the distance is too small, then down from the upper end.
    moved = np.maximum.accumulate(heights[order] - steps) + steps
    moved = np.minimum(moved, 1 - steps[::-1])
    spread = np.empty_like(heights)
    spread[order] = moved
    return spread
