"""Tables and figures of the paper, with our results beside the printed numbers."""

from gskn.reproduce._experiments import (
    EXPERIMENTS,
    Experiment,
    find_experiment,
)
from gskn.reproduce._jobs import Runner

__all__ = ["EXPERIMENTS", "Experiment", "Runner", "find_experiment"]
