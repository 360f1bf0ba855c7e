"""Jobs: the evaluations that a table needs, and their relative costs."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gskn import datasets
from gskn.datasets import Dataset
from gskn.evaluation import (
    MODELS,
    TRAIN_SIZES,
    Model,
    Record,
    ResultFile,
    evaluate,
    evaluate_nodes,
)

# Cost of one fold of a data set relative to MUTAG, for the estimate of the time left.
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
    "lastfm": 15,
    "pubmed": 30,
    "facebook": 40,
    "ppi": 60,
    "COLLAB": 60,
}


@dataclass(frozen=True)
class Runner:
    """Options of a run.

    Attributes
    ----------
    data_home : Path or None
        Folder of data sets; the default folder if None.
    n_jobs : int or None
        Number of threads.
    results : ResultFile or None
        Records in this file are not run again, and new ones are appended to it.
    advance : callable
        Called with the cost of each fold that is finished.
    missing : frozenset of str
        Data sets that are not available; experiments leave them out.
    """

    data_home: Path | None = None
    n_jobs: int | None = None
    results: ResultFile | None = None
    advance: Callable[[float], None] = lambda _: None
    missing: frozenset[str] = frozenset()

    def load(self, name: str) -> Dataset:
        """Load a data set by its name."""
        return datasets.load(name, self.data_home)

    def stored(self, records: Sequence[Record]) -> list[Record]:
        """Return records in the file of models that ``records`` do not have.

        Only records with the current configuration of the model are returned. If there
        are several runs, with other data or folds, the last one is returned.
        """
        if self.results is None:
            return []
        present = {(record.data, record.model, record.protocol) for record in records}
        current = {name: model.configuration.items() for name, model in MODELS.items()}
        runs: dict[tuple[str, str, str], list[Record]] = {}
        for record in self.results.read().values():
            name = (record.data, record.model, record.protocol)
            if name in present or record.model not in current:
                continue
            if current[record.model] <= record.configuration.items():
                runs.setdefault(name, []).append(record)
        return [record for run in runs.values() for record in latest_run(run)]

    def once(self, blank: Record, run: Callable[[], Record]) -> Record:
        """Return a record from the file, or run it and append it."""
        return run() if self.results is None else self.results.once(blank, run)


def latest_run(records: Sequence[Record]) -> list[Record]:
    """Return the records with the same configuration as the last one."""
    return [r for r in records if r.configuration == records[-1].configuration]


@dataclass(frozen=True)
class Job:
    """Evaluation of models on one data set.

    Attributes
    ----------
    data : str
        Name of the data set.
    models : sequence of str or Model
        Models to evaluate.
    protocol : {"nested", "paper", "nodes"}
        Protocol of graph classification, or node classification.
    repeats : int
        Number of repeats.
    """

    data: str
    models: Sequence[str | Model]
    protocol: Any
    repeats: int = 1

    @property
    def cost(self) -> float:
        """Cost relative to one fold of one model on MUTAG."""
        n_splits = len(TRAIN_SIZES) if self.protocol == "nodes" else 10
        return n_splits * self._cost * len(self.models) * self.repeats

    def run(self, runner: Runner) -> list[Record]:
        """Run the folds that are not in the result file, and return all records."""
        if self.data in runner.missing:
            runner.advance(self.cost)
            return []
        data = runner.load(self.data)
        skipped: dict[str, str] = {}
        options: dict[str, Any] = {
            "repeats": self.repeats,
            "n_jobs": runner.n_jobs,
            "results": runner.results,
            "advance": lambda: runner.advance(self._cost),
            "skipped": skipped,
        }
        if self.protocol == "nodes":
            records = evaluate_nodes(data, self.models, **options)
        else:
            options |= {"protocol": self.protocol, "folds": self._folds(data)}
            records = evaluate(data, self.models, **options)
        for model, reason in skipped.items():
            warnings.warn(f"{model} is skipped on {self.data}. {reason}", stacklevel=2)
        return records

    def _folds(self, data: Dataset) -> str:
        published = self.protocol == "paper" and "published" in data.folds
        return "published" if published else "stratified"

    def owns(self, record: Record) -> bool:
        """Return whether a record belongs to this job, for any repeat or configuration."""
        names = {model if isinstance(model, str) else model.name for model in self.models}
        protocol = record.protocol.partition("-")[0]  # "nodes-30" is "nodes"
        return (record.data, protocol) == (
            self.data,
            self.protocol,
        ) and record.model in names

    @property
    def _cost(self) -> float:
        return _COSTS.get(self.data, 1.0)
