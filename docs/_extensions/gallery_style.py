"""Order the examples of the gallery, and give their figures the style of gskn."""

import re
from typing import Any

import matplotlib as mpl

from gskn import datasets
from gskn.evaluation.plots._style import plot_style

# Larger than in plots of gskn, so that text is legible in the thumbnails.
_LARGER = {
    "axes.titlesize": 12,
    "figure.dpi": 120,
    "font.size": 10.5,
    "legend.fontsize": 10,
    "savefig.dpi": 150,
}


def use_style(gallery_conf: Any, path: Any) -> None:
    """Set the style before an example runs."""
    with plot_style():
        style = dict(mpl.rcParams)
    style.pop("backend")
    mpl.rcParams.update(style | _LARGER)


def has_files(name: str) -> bool:
    """Return whether a data set is in the data folder."""
    return datasets.find_files(datasets.find_set(name), datasets.data_home()) is not None


class ExampleNumber:
    """Sort key of examples: the number in the name of the file."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> int:
        """Return the number."""
        match = re.match(r"plot_(\d+)_", filename)
        if match is None:
            raise ValueError(f"{filename} has no number; name it plot_NUMBER_TITLE.py.")
        return int(match[1])
