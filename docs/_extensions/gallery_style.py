"""Give the figures of the gallery the style of the plots of gskn."""

from typing import Any

import matplotlib as mpl

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
