"""Pictures of scores, parameters, embeddings and times, for pages and talks.

A plot is a matplotlib `Figure` of its own: no window, no pyplot, no changed settings.
"""

from gskn.evaluation.plots._embedding import plot_embedding
from gskn.evaluation.plots._parameters import Curve, plot_parameters
from gskn.evaluation.plots._save import check_picture, save_figure
from gskn.evaluation.plots._scores import plot_scores
from gskn.evaluation.plots._style import appearances as appearances  # for the command line
from gskn.evaluation.plots._times import Timing, plot_times

__all__ = [
    "Curve",
    "Timing",
    "check_picture",
    "plot_embedding",
    "plot_parameters",
    "plot_scores",
    "plot_times",
    "save_figure",
]
