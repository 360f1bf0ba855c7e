"""Write figures to files."""

from pathlib import Path
from typing import TYPE_CHECKING

from gskn._files import check_output, whole_file
from gskn._optional import require
from gskn.evaluation.plots._style import style
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 200


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write a figure as png or svg, by the suffix of the path, completely or not at all.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Figure of one of the plot functions.
    path : str or Path
        File that ends in .png or .svg.
    """
    path = check_picture(path)
    kind = path.suffix[1:].lower()
    # With a date, two files of the same figure would differ.
    metadata = {"Date": None} if kind == "svg" else None
    with style(), whole_file(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def check_picture(path: str | Path) -> Path:
    """Return the path, or raise if `save_figure` could not write to it.

    Call this before long work.
    """
    path = Path(path)
    if path.suffix.lower() not in {".png", ".svg"}:
        raise InputError(f"A picture must end in .png or .svg, got {str(path)!r}.")
    check_output(path)
    require("matplotlib", extra="plots")
    return path
