"""Pictures as files."""

from pathlib import Path
from typing import TYPE_CHECKING

from gskn._files import whole_file
from gskn._optional import require
from gskn.evaluation.plots._style import style
from gskn.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 200


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write a figure as png or svg, as the suffix of the path says; whole or not at all."""
    path = check_picture(path)
    kind = path.suffix[1:].lower()
    # A date would make two files of one figure differ.
    metadata = {"Date": None} if kind == "svg" else None
    with style(), whole_file(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def check_picture(path: str | Path) -> Path:
    """Return a path that `save_figure` can write to, before hours are spent on a run."""
    path = Path(path)
    if path.suffix.lower() not in {".png", ".svg"}:
        raise InputError(f"A picture must end in .png or .svg, got {str(path)!r}.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file.")
    require("matplotlib", extra="plots")
    return path
