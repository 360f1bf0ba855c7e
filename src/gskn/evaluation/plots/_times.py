"""Time against size, with the exponent of growth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray
from gskn.evaluation.plots._style import add_title, appearances, new_panels, style
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE_INCHES = 0.2  # that a label at the end of a line needs


@dataclass(frozen=True)
class Timing:
    """Seconds that one system takes for inputs of several sizes.

    Attributes
    ----------
    system : str
        Name of the line.
    sizes : sequence of float
        Sizes, above 0, in any order.
    seconds : sequence of float
        Seconds for every size, above 0.
    """

    system: str
    sizes: Sequence[float]
    seconds: Sequence[float]


def plot_times(
    times: Sequence[Timing], *, size: str = "Edges", title: str | None = None
) -> "Figure":
    """Draw time against size on logarithmic axes, one line per system.

    At the end of a line stands its slope, that of least squares through all its points: 1
    is linear growth, 2 quadratic. Lines with a single size have none.

    Parameters
    ----------
    times : sequence of Timing
        One per system.
    size : str, default="Edges"
        What the sizes count.
    title : str or None, default=None
        Heading; "Time by number of <size>" if None.
    """
    if not times:
        raise InputError("There are no times to draw.")
    for timing in times:
        _check_timing(timing)
    looks = appearances([timing.system for timing in times], "systems")
    if len(looks) < len(times):
        raise InputError("Two timings have the same system; give every one its own name.")
    with style():
        height = max(3.2, _LINE_INCHES * len(times) + 0.6)
        figure, (panel,) = new_panels(
            1, n_columns=1, width=5.6, height=height, beside=list(looks)
        )
        panel.set(xscale="log", yscale="log", xlabel=size, ylabel="Time")
        for timing in times:
            order = np.argsort(timing.sizes)
            sizes, seconds = (
                np.asarray(timing.sizes)[order],
                np.asarray(timing.seconds)[order],
            )
            panel.plot(
                *(sizes, seconds),
                label=timing.system,
                markersize=5.5,
                linewidth=1.6,
                **looks[timing.system],
            )
        _use_units(panel)
        _label_ends(panel, times, looks, gap=_LINE_INCHES / height)
        add_title(figure, title or f"Time by number of {size.lower()}")
        return figure


def _check_timing(timing: Timing) -> None:
    if not len(timing.sizes) == len(timing.seconds) or not len(timing.sizes):
        raise InputError(
            f"{timing.system} has {len(timing.sizes)} sizes and {len(timing.seconds)} "
            "times; give equally many, at least one."
        )
    values = np.array([*timing.sizes, *timing.seconds], dtype=np.float64)
    wrong = values[~(np.isfinite(values) & (values > 0))]
    if len(wrong):
        raise InputError(
            f"{timing.system} has a size or time of {wrong[0]:g}; axes are logarithmic, so "
            "that all must be above 0."
        )


def fit_slope(timing: Timing) -> float | None:
    """Return the exponent of growth, by least squares; None for a single size."""
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
        if high < 100 * low:  # hardly a power of ten on the axis
            axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(ticker.NullFormatter())


def _label_ends(
    panel: "Axes", times: Sequence[Timing], looks: dict[str, dict[str, Any]], *, gap: float
) -> None:
    """Write name and slope right of the panel, apart, each with a thread to its line."""
    ends = [max(zip(t.sizes, t.seconds, strict=True)) for t in times]
    low, high = np.log(panel.get_ylim())
    wanted = np.array([(np.log(seconds) - low) / (high - low) for _, seconds in ends])
    for timing, end, place in zip(times, ends, _spread(wanted, gap), strict=True):
        slope = fit_slope(timing)
        said = timing.system if slope is None else f"{timing.system}, slope {slope:.2f}"
        colour = looks[timing.system]["color"]
        thread = {"arrowstyle": "-", "color": colour, "linewidth": 1, "linestyle": ":"}
        panel.annotate(
            said,
            end,
            xytext=(1.04, place),
            textcoords="axes fraction",
            va="center",
            arrowprops={**thread, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)},
            annotation_clip=False,
        )


def _spread(wanted: FloatArray, gap: float) -> FloatArray:
    """Move places apart by at least ``gap``, in their order, inside 0 to 1."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    # Upwards no nearer than gap, then down from the top where that went too far.
    placed = np.maximum.accumulate(wanted[order] - steps) + steps
    placed = np.minimum(placed, 1 - steps[::-1])
    spread = np.empty_like(wanted)
    spread[order] = placed
    return spread
