"""Records of evaluations: one per fold, with its scores, times and provenance."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gskn._html import html_paragraph, html_table
from gskn._optional import require

resource: Any
try:
    import resource
except ImportError:  # not available on Windows
    resource = None

_PACKAGES = ("gskn", "numpy", "scipy", "scikit-learn", "numba")
_GIT_SECONDS = 10
_N_SHOWN = 3  # metrics in the table for notebooks; the first are the most common
_KEYS = ("data", "model", "protocol", "repeat", "fold", "seed")
_PROVENANCE = ("peak_mebibytes", "day", "commit")
ERRORS = frozenset({"rmse", "mae"})  # scores in the unit of the targets; lower is better
_NAMES = {
    "roc_auc": "ROC-AUC",
    "macro_f1": "macro F1",
    "micro_f1": "micro F1",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}


@dataclass(frozen=True)
class Record:
    """Result of one model on one fold of one data set.

    Attributes
    ----------
    data, model, protocol : str
        Names of the data set, the model and the protocol.
    repeat, fold : int
        Numbers of the repeat and of the fold, starting at 0.
    seed : int
        Seed of the repeat.
    configuration : mapping
        Parameter grid of the model, and digests of the data and of published folds.
        Records with different configurations belong to different runs.
    scores : mapping of str to float
        Scores on the test part; NaN if a score is undefined.
    chosen : mapping
        Parameters selected on the training part; ``inner`` is their score there.
    seconds : mapping of str to float
        Duration of each step. The models of one run share embeddings: the time of an
        embedding is added to the first model that needs it.
    peak_mebibytes : float
        Peak memory of the process so far; 0 if the operating system does not report it.
    versions : mapping of str to str
        Versions of Python and of the packages that affect results.
    day : str
        Day of the run, for example "2026-12-31".
    commit : str or None
        Git commit of the code, with the suffix "-dirty" if the code had uncommitted
        changes; None if it was not run from a checkout, or if the commit is unknown.
    """

    data: str
    model: str
    protocol: str
    repeat: int
    fold: int
    seed: int
    configuration: Mapping[str, Any]
    scores: Mapping[str, float]
    chosen: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    peak_mebibytes: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    day: str = ""
    commit: str | None = None

    @property
    def key(self) -> str:
        """Identifier of the fold, equal for all records of the same fold of a run."""
        names = (self.data, self.model, self.protocol, self.repeat, self.fold, self.seed)
        return json.dumps([*names, self.configuration], sort_keys=True)


class Records(list[Record]):
    """A list of records that notebooks display as a table of mean scores."""

    def _repr_html_(self) -> str:
        """Return one row per data set, model and protocol."""
        groups: dict[tuple[str, str, str], list[Record]] = {}
        for record in self:
            key = (record.data, record.model, record.protocol)
            groups.setdefault(key, []).append(record)
        metrics = [
            name
            for name in dict.fromkeys(name for record in self for name in record.scores)
            if not name.startswith("recall_")
        ][:_N_SHOWN]
        rows = [
            [*key, len(records), *(_mean_text(records, metric) for metric in metrics)]
            for key, records in groups.items()
        ]
        names = [metric_name(metric) for metric in metrics]
        table = html_table(["data", "model", "protocol", "records", *names], rows)
        return table + html_paragraph("Mean ± standard deviation over all records.")


def metric_name(metric: str) -> str:
    """Return the name of a metric in tables and plots, such as "macro F1"."""
    return _NAMES.get(metric, metric.replace("_", " "))


def _mean_text(records: list[Record], metric: str) -> str:
    """Return mean and deviation; in percent, except for the scores of real targets."""
    scores = [record.scores[metric] for record in records if metric in record.scores]
    if not scores:
        return "-"
    mean = sum(scores) / len(scores)
    deviation = (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5
    if metric in ERRORS | {"r2"}:
        return f"{mean:.4g} ± {deviation:.2g}"
    return f"{100 * mean:.1f} ± {100 * deviation:.1f} %"


def records_to_frame(records: Iterable[Record]) -> Any:
    """Return records as a pandas DataFrame (extra ``pandas``).

    Parameters
    ----------
    records : iterable of Record
        Records of `evaluate`, `evaluate_nodes` or a `ResultFile`.

    Returns
    -------
    frame : DataFrame
        One row per fold: names, repeat, fold and seed; one column per score; selected
        parameters with the prefix ``chosen_``; durations with the prefix ``seconds_``;
        memory, day and commit. Values that a record does not have are missing.

    Examples
    --------
    >>> record = Record("MUTAG", "gskn", "nested", 0, 0, 0, {}, {"accuracy": 0.9})
    >>> frame = records_to_frame([record])
    >>> frame[["data", "model", "accuracy"]].to_dict("records")
    [{'data': 'MUTAG', 'model': 'gskn', 'accuracy': 0.9}]
    """
    pandas = require("pandas", extra="pandas")
    rows = [
        {
            **{name: getattr(record, name) for name in _KEYS},
            **record.scores,
            **{f"chosen_{name}": value for name, value in _flatten(record.chosen)},
            **{f"seconds_{step}": spent for step, spent in record.seconds.items()},
            **{name: getattr(record, name) for name in _PROVENANCE},
        }
        for record in records
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    last = [name for name in _PROVENANCE if name in columns]
    ordered = [name for name in columns if name not in last] + last
    return pandas.DataFrame(rows, columns=ordered or [*_KEYS, *_PROVENANCE])


def _flatten(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values; nested names are joined by underscores."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}_{inner}", item) for inner, item in _flatten(value))
        else:
            yield name, value


class Clock:
    """Stopwatch that adds up the seconds of named steps.

    A step may contain others, whose time is not added to it.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner = 0.0  # seconds of steps within the current one

    def shared(self, n_folds: int) -> "Clock":
        """Return a clock with the mean time per fold of folds measured together."""
        clock = Clock()
        clock.seconds = {step: spent / n_folds for step, spent in self.seconds.items()}
        return clock

    @contextmanager
    def measure(self, step: str) -> Iterator[None]:
        """Add the duration of the block to the step."""
        begin, before = time.perf_counter(), self._inner
        self._inner = 0.0
        yield
        spent = time.perf_counter() - begin
        self.seconds[step] = self.seconds.get(step, 0.0) + spent - self._inner
        self._inner = before + spent


def with_provenance(record: Record, clock: Clock) -> Record:
    """Return a record with rounded scores, times, memory, versions, day and commit."""
    python = ".".join(map(str, sys.version_info[:3]))
    chosen = dict(record.chosen)
    if "inner" in chosen:
        chosen["inner"] = _round(chosen["inner"], significant=chosen["inner"] < 0)
    return replace(
        record,
        scores={
            name: _round(score, significant=name in ERRORS)
            for name, score in record.scores.items()
        },
        chosen=chosen,
        seconds={name: round(spent, 3) for name, spent in clock.seconds.items()},
        peak_mebibytes=round(_peak_mebibytes(), 1),
        versions={"python": python, **{name: version(name) for name in _packages()}},
        day=time.strftime("%Y-%m-%d", time.gmtime()),
        commit=code_commit(Path(__file__).parents[1]),
    )


def _packages() -> tuple[str, ...]:
    """Return the packages that affect results; optional ones if they were imported."""
    optional = (name for name in ("rdkit", "torch") if sys.modules.get(name) is not None)
    return (*_PACKAGES, *optional)


def _round(score: float, *, significant: bool) -> float:
    """Round to six decimals, or to six significant digits if the unit is unknown."""
    return float(f"{score:.6g}") if significant else round(score, 6)


@cache
def code_commit(package: Path) -> str | None:
    """Return the git commit of a package, or None if it is not in its own checkout.

    Uncommitted changes of the package are marked by the suffix "-dirty".
    """
    root = package.parents[1]
    # Without this check, a package that is installed into an environment within another
    # repository would be assigned the commit of that repository.
    if package.parent.name != "src" or not (root / ".git").exists():
        return None
    try:
        commit = _git(root, "rev-parse", "HEAD")
        changes = _git(root, "--no-optional-locks", "status", "--porcelain", "--", "src")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit}-dirty" if changes else commit


def _git(root: Path, *arguments: str) -> str:
    # In a git hook, GIT_DIR and others would select another repository.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    result = subprocess.run(
        ["git", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=_GIT_SECONDS,
    )
    return result.stdout.strip()


def _peak_mebibytes() -> float:
    if resource is None:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak / (2**20 if sys.platform == "darwin" else 2**10))  # bytes on macOS
