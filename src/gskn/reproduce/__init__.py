"""The paper's tables and figures, with our numbers beside the printed ones."""

from gskn.reproduce._experiments import (
    EXPERIMENTS,
    Experiment,
    find_experiment,
)
from gskn.reproduce._jobs import Runner

__all__ = ["EXPERIMENTS", "Experiment", "Runner", "find_experiment"]
