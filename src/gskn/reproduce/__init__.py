"""Tables and figures of the paper, with our results beside the printed numbers."""

from gskn.reproduce._experiments import (
    EXPERIMENTS,
    Experiment,
    find_experiment,
)
from gskn.reproduce._jobs import Runner
from gskn.reproduce._ranks import best_baseline_rows
from gskn.reproduce._tables import (
    NESTED,
    PAPER,
    PAPER_PROTOCOL,
    compare,
    summary_of,
)

__all__ = [
    "EXPERIMENTS",
    "NESTED",
    "PAPER",
    "PAPER_PROTOCOL",
    "Experiment",
    "Runner",
    "best_baseline_rows",
    "compare",
    "find_experiment",
    "summary_of",
]
