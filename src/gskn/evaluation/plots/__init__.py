"""Plots of scores, parameters, embeddings and running times.

Every plot is a new matplotlib figure. A notebook displays it if it is the last value of a
cell. No window is opened, pyplot is not used, and the settings of matplotlib are not
changed.
"""

from gskn.evaluation.plots._embedding import plot_embedding
from gskn.evaluation.plots._parameters import Curve, plot_parameters
from gskn.evaluation.plots._save import check_figure_path, save_figure
from gskn.evaluation.plots._scores import plot_scores
from gskn.evaluation.plots._style import point_styles
from gskn.evaluation.plots._times import Timing, plot_times
from gskn.evaluation.plots._witness import plot_witness

__all__ = [
    "Curve",
    "Timing",
    "check_figure_path",
    "plot_embedding",
    "plot_parameters",
    "plot_scores",
    "plot_times",
    "plot_witness",
    "point_styles",
    "save_figure",
]
