"""Jobs: the runs that a table needs, and their relative costs."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gskn import datasets
from gskn.datasets import Dataset
from gskn.evaluation import Model
from gskn.evaluation import MODELS
from gskn.evaluation._nodes import SHARES, evaluate_nodes
from gskn.evaluation._protocols import evaluate
from gskn.evaluation import Record, ResultFile

# Cost of a fold of each data set, in folds of MUTAG; only for the estimate of time left.
_COSTS = {
    "PTC": 1.5,
    "BZR": 2,
    "COX2": 2,
    "structure": 4,
    "PROTEINS": 5,
    "IMDB-BINARY": 5,
    "PROTEINS_full": 6,
    "IMDB-MULTI": 10,
    "cora": 10,
    "pubmed": 30,
    "ppi": 60,
    "COLLAB": 60,
}


@dataclass(frozen=True)
class Runner:
    """Location of data and records, number of threads, and a callback for progress."""

    data_home: Path | None = None
    n_jobs: int | None = None
    results: ResultFile | None = None
    advance: Callable[[float], None] = lambda _: None

    def load(self, name: str) -> Dataset:
        """Load a data set by its name."""
        return datasets.load(name, self.data_home)

    def also(self, records: Sequence[Record]) -> list[Record]:
        """Return other records on file of models with their current configuration.

        Of records of several runs, with other data or folds, those of the last run are
        returned.
        """
        if self.results is None:
            return []
        known = {(record.data, record.model, record.protocol) for record in records}
        now = {name: model.configuration for name, model in MODELS.items()}
        runs: dict[tuple[str, str, str], list[Record]] = {}
        for record in self.results.read().values():
            name = (record.data, record.model, record.protocol)
            current = now.get(record.model)
            if name in known or current is None:
                continue
            if current.items() <= record.configuration.items():
                run = runs.setdefault(name, [])
                if run and run[0].configuration != record.configuration:
                    run.clear()
                run.append(record)
        return [record for run in runs.values() for record in run]

    def once(self, blank: Record, run: Callable[[], Record]) -> Record:
        """Return a record that is on file, or run it and add it."""
        return run() if self.results is None else self.results.once(blank, run)


@dataclass(frozen=True)
class Job:
    """Models on one data set, under one protocol: "nested", "paper" or "nodes"."""

    data: str
    models: Sequence[str | Model]
    protocol: Any
    repeats: int = 1

    @property
    def cost(self) -> float:
        """Cost, in folds of one model on MUTAG."""
        n_splits = len(SHARES) if self.protocol == "nodes" else 10
        return n_splits * self._cost * len(self.models) * self.repeats

    def run(self, runner: Runner) -> list[Record]:
        """Run the folds that are not on file, and return all records."""
        data = runner.load(self.data)
        refusals: dict[str, str] = {}
        options: dict[str, Any] = {
            "repeats": self.repeats,
            "n_jobs": runner.n_jobs,
            "results": runner.results,
            "advance": lambda: runner.advance(self._cost),
            "refusals": refusals,
        }
        if self.protocol == "nodes":
            records = evaluate_nodes(data, self.models, **options)
        else:
            options |= {"protocol": self.protocol, "folds": self._folds(data)}
            records = evaluate(data, self.models, **options)
        for model, reason in refusals.items():
            warnings.warn(f"{model} is left out on {self.data}. {reason}", stacklevel=2)
        return records

    def _folds(self, data: Dataset) -> str:
        published = self.protocol == "paper" and "published" in data.folds
        return "published" if published else "stratified"

    def owns(self, record: Record) -> bool:
        """Return whether a record belongs to this job, for any repeat and settings."""
        names = {model if isinstance(model, str) else model.name for model in self.models}
        kind = record.protocol.partition("-")[0]  # of nodes, without the share that trains
        return (record.data, kind) == (self.data, self.protocol) and record.model in names

    @property
    def _cost(self) -> float:
        return _COSTS.get(self.data, 1.0)
