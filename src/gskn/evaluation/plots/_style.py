"""How pictures look: colours, markers, fonts and panels."""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gskn._optional import require
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#6b6b6b"
INK = "#262626"
DASHES = (0, (4, 3))
# Okabe and Ito's colours, told apart by the colour-blind; yellow, faint on white, last.
_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#F0E442"),
)
# Nine markers and eight colours have no common divisor: 72 pairs until one comes again.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_MOST = len(_COLOURS) * len(_MARKERS)
_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
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
    "svg.fonttype": "none",  # text stays text: it can be searched and edited
    "svg.hashsalt": "gskn",  # equal figures give equal files
    "text.color": INK,
    "text.parse_math": False,  # a name may hold dollars
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
}


@contextmanager
def style() -> Iterator[None]:
    """Set fonts, colours and grid inside the block; the user's settings come back after it.

    Pictures are the same whatever the user's settings, except that fonts stay: they may
    have been chosen for the letters that names are written in.
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

    Width and height are those of a panel, in inches; beside all of them is room for the
    longest of the given texts.
    """
    n_rows = -(-n_panels // n_columns)
    margin = 0.7 + 0.08 * max(map(len, beside), default=6)
    size = (width * n_columns + margin, height * n_rows + 1.0)
    figure = require("matplotlib.figure", extra="plots").Figure(size, layout="constrained")
    require("matplotlib.backends.backend_agg", extra="plots").FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    grid = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    panels = list(grid.flat)
    for panel in panels[n_panels:]:
        panel.remove()
    return figure, panels[:n_panels]


def add_legend(figure: "Figure", handles: Sequence[Any]) -> None:
    """Put a legend below the panels, in as many columns as fit; its rows add height."""
    canvas: Any = figure.canvas  # of Agg, which has a renderer
    renderer = canvas.get_renderer()
    for n_columns in range(len(handles), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=n_columns)
        if n_columns == 1 or legend.get_window_extent(renderer).width < figure.bbox.width:
            n_rows = -(-len(handles) // n_columns)
            figure.set_figheight(figure.get_figheight() + 0.2 * (n_rows - 1))
            return
        legend.remove()


def add_title(figure: "Figure", title: str) -> None:
    """Write a title above the panels, in as many lines as it needs."""
    letters = int(figure.get_figwidth() * 9)  # of the title's font, in one line
    figure.suptitle(textwrap.fill(title, letters), fontweight="bold")


def appearances(names: Sequence[str], what: str) -> dict[str, dict[str, Any]]:
    """Return colour and marker by name; no two names share both."""
    if len(names) > _MOST:
        raise InputError(
            f"There are {len(names)} {what}; a picture can tell {_MOST} apart."
        )
    return {
        name: {
            "color": _COLOURS[number % len(_COLOURS)],
            "marker": _MARKERS[number % len(_MARKERS)],
        }
        for number, name in enumerate(names)
    }
