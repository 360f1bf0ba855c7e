"""Save figures to files."""

from pathlib import Path
from typing import TYPE_CHECKING

from gskn._files import check_output, whole_file
from gskn._optional import require
from gskn.evaluation.plots._style import plot_style
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 200


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Save a figure as png or svg.

    The file is written completely or not at all, and equal figures give equal files.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Figure of one of the plot functions.
    path : str or Path
        Path with the suffix .png or .svg. Missing folders are created.
    """
    path = check_figure_path(path)
    kind = path.suffix[1:].lower()
    # The date would make two files of the same figure differ.
    metadata = {"Date": None} if kind == "svg" else None
    with plot_style(), whole_file(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def check_figure_path(path: str | Path) -> Path:
    """Return the path, or raise if `save_figure` cannot write to it.

    Parameters
    ----------
    path : str or Path
        Path with the suffix .png or .svg.

    Returns
    -------
    path : Path
        The same path.
    """
    path = Path(path)
    if path.suffix.lower() not in {".png", ".svg"}:
        raise InputError(f"A figure must have the suffix .png or .svg, got {str(path)!r}.")
    check_output(path)
    require("matplotlib", extra="plots")
    return path
