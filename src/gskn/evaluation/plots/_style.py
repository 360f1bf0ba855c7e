"""Appearance of plots: colors, markers, fonts and panels."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gskn._optional import require
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRAY = "#6b6b6b"
INK = "#262626"
DASHES = (0, (4, 3))
# Color-blind safe palette of Masataka Okabe and Kei Ito, "Color universal design", 2008.
# Yellow has little contrast on white and comes last.
_COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#F0E442"),
)
# Nine and eight are coprime, so there are 72 different pairs of marker and color.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_MAX_STYLES = len(_COLORS) * len(_MARKERS)
_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GRAY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.titlesize": 12,
    "font.size": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text can be searched and edited
    "svg.hashsalt": "gskn",  # equal figures give equal files
    "text.color": INK,
    "text.parse_math": False,  # names may contain dollar signs
    "xtick.color": GRAY,
    "xtick.labelcolor": INK,
    "ytick.color": GRAY,
    "ytick.labelcolor": INK,
}


@contextmanager
def plot_style() -> Iterator[None]:
    """Set colors, font sizes and grid inside the block, then restore the user's settings.

    Plots do not depend on the user's settings, except for the font family: it may be
    needed for the script of the names.
    """
    matplotlib = require("matplotlib", extra="plots")
    fonts = {key: matplotlib.rcParams[key] for key in ("font.family", "font.sans-serif")}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**fonts, **_STYLE})
        yield


def new_panels(
    n_panels: int,
    *,
    n_columns: int,
    width: float,
    height: float,
    beside: Sequence[str] = (),
    **options: Any,
) -> tuple["Figure", list["Axes"]]:
    """Return a figure and its panels, row by row.

    ``width`` and ``height`` are the size of one panel in inches. A margin for the longest
    text in ``beside`` is added.
    """
    n_rows = -(-n_panels // n_columns)
    margin = 0.7 + 0.08 * max(map(len, beside), default=6)
    size = (width * n_columns + margin, height * n_rows + 1.0)
    require("matplotlib", extra="plots")
    # Imported here because the module defines a subclass of matplotlib's figure.
    figure_class = require("gskn.evaluation.plots._figure", extra="plots").PlotFigure
    figure = figure_class(size, layout="constrained")
    require("matplotlib.backends.backend_agg", extra="plots").FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    grid = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    panels = list(grid.flat)
    for panel in panels[n_panels:]:
        panel.remove()
    return figure, panels[:n_panels]


def add_legend(figure: "Figure", handles: Sequence[Any]) -> None:
    """Add a legend below the panels, in as many columns as fit into the width."""
    canvas: Any = figure.canvas  # the Agg canvas has a renderer
    renderer = canvas.get_renderer()
    for n_columns in range(len(handles), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=n_columns)
        if n_columns == 1 or legend.get_window_extent(renderer).width < figure.bbox.width:
            n_rows = -(-len(handles) // n_columns)
            figure.set_figheight(figure.get_figheight() + 0.2 * (n_rows - 1))
            return
        legend.remove()


def add_title(figure: "Figure", title: str) -> None:
    """Add a title above the panels, in as many lines as needed, broken after a colon."""
    letters = int(figure.get_figwidth() * 9)  # letters of the title per line
    if len(title) > letters:
        title = title.replace(": ", ":\n", 1)
    lines = [textwrap.fill(line, letters) for line in title.split("\n")]
    figure.suptitle("\n".join(lines), fontweight="bold")


def point_styles(names: Sequence[str], kind: str) -> dict[str, dict[str, Any]]:
    """Return a different pair of color and marker for every name."""
    if len(names) > _MAX_STYLES:
        raise InputError(f"A plot can show at most {_MAX_STYLES} {kind}, got {len(names)}.")
    return {
        name: {
            "color": _COLORS[number % len(_COLORS)],
            "marker": _MARKERS[number % len(_MARKERS)],
        }
        for number, name in enumerate(names)
    }
