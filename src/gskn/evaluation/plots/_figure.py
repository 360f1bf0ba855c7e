"""The class of all figures: notebooks display it without pyplot."""

import io

from matplotlib.figure import Figure

from gskn.evaluation.plots._style import plot_style

_DOTS_PER_INCH = 100


class PlotFigure(Figure):
    """A matplotlib figure that is displayed as the last value of a notebook cell.

    IPython displays figures of matplotlib only after pyplot was imported.
    """

    def _repr_png_(self) -> bytes:
        """Return the picture for IPython."""
        buffer = io.BytesIO()
        with plot_style():
            self.savefig(buffer, format="png", dpi=_DOTS_PER_INCH)
        return buffer.getvalue()
