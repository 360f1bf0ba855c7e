"""Records of runs: JSON lines, one per fold, that survive whatever stops a run."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from gskn.exceptions import FileFormatError

fcntl: Any
resource: Any
try:
    import fcntl
    import resource
except ImportError:  # Windows has neither
    fcntl = resource = None

_BEGINNING = b'{"data": '
_PACKAGES = ("gskn", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Record:
    """One fold of one model on one data set.

    Attributes
    ----------
    data, model, protocol : str
        Names.
    repeat, fold : int
        Counted from 0.
    seed : int
        Seed of the repeat.
    configuration : mapping
        What the model could choose from; two runs with other configurations are two runs.
    scores : mapping of str to float
        Scores on the test part.
    chosen : mapping
        What was chosen on the training part.
    seconds : mapping of str to float
        Time spent, by what on. Models of one run share rows: whoever needed them first
        spent the time.
    peak_mebibytes : float
        Peak memory of the process so far; 0 where the system does not tell.
    versions : mapping of str to str
        Of Python and of packages that numbers depend on.
    day : str
        When it was run, as 2026-12-31.
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

    @property
    def key(self) -> str:
        """What a run is known by: equal keys are the same fold of the same run."""
        named = (self.data, self.model, self.protocol, self.repeat, self.fold, self.seed)
        return json.dumps([*named, self.configuration], sort_keys=True)


class Clock:
    """Seconds spent, by what on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def shared(self, n_folds: int) -> "Clock":
        """Return the share of one of several folds that were measured together."""
        clock = Clock()
        clock.seconds = {what: spent / n_folds for what, spent in self.seconds.items()}
        return clock

    @contextmanager
    def measure(self, what: str) -> Iterator[None]:
        """Add the time spent inside."""
        begin = time.perf_counter()
        yield
        spent = time.perf_counter() - begin
        self.seconds[what] = self.seconds.get(what, 0.0) + spent


def complete(record: Record, clock: Clock) -> Record:
    """Return a record with times, memory, versions and day; no digits beyond need."""
    python = ".".join(map(str, sys.version_info[:3]))
    return replace(
        record,
        scores={name: round(score, 6) for name, score in record.scores.items()},
        seconds={name: round(spent, 3) for name, spent in clock.seconds.items()},
        peak_mebibytes=round(_peak_mebibytes(), 1),
        versions={"python": python, **{name: version(name) for name in _PACKAGES}},
        day=time.strftime("%Y-%m-%d", time.gmtime()),
    )


class ResultFile:
    """A file of records that several processes may add to (on Windows, one).

    A record is one line, written at once under a lock, so that a process that is killed
    leaves at most one line cut short, which is not read. Of records with equal keys, the
    first counts.
    """

    _records: dict[str, Record]  # of what was read, and how much that was
    _inode: int
    _n_read: int
    _n_lines: int

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._forget()

    def read(self) -> dict[str, Record]:
        """Return all records by key; none where there is no file yet.

        What was read before is not read again, unless the file is another one.
        """
        if not self.path.exists():
            self._forget()
            return {}
        with self.path.open("rb") as file:
            found = os.fstat(file.fileno())
            if found.st_ino != self._inode or found.st_size < self._n_read:
                self._forget()
            file.seek(self._n_read)
            *whole, last = file.read().split(b"\n")
        self._inode = found.st_ino
        for line in whole:
            self._n_lines += 1
            _add(self._records, self._parse(line, self._n_lines))
            self._n_read += len(line) + 1
        # Another process may be about to write the rest of it.
        records = dict(self._records)
        _add(records, self._parse(last, self._n_lines + 1))
        return records

    def _forget(self) -> None:
        self._records = {}
        self._inode = -1
        self._n_read = self._n_lines = 0

    def _parse(self, line: bytes, number: int) -> Record | None:
        """Return the record of a line; None where it is empty or cut short."""
        try:
            return Record(**json.loads(line)) if line.strip() else None
        except (ValueError, TypeError) as error:
            if _is_cut_short(line):
                return None
            raise FileFormatError(self.path, "not a record", line=number) from error

    def once(self, blank: Record, run: Callable[[], Record]) -> Record:
        """Return the record with the key of ``blank``; run it if there is none yet."""
        known = self.read().get(blank.key)
        if known is not None:
            return known
        record = run()
        self.append(record)
        return record

    def append(self, record: Record) -> None:
        """Add a record, whole, after what is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(record)).encode()
        with self.path.open("a+b", buffering=0) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            # A line cut short would swallow the one behind it.
            file.write((b"" if _ends_whole(file) else b"\n") + line + b"\n")


def _add(records: dict[str, Record], record: Record | None) -> None:
    if record is not None:
        records.setdefault(record.key, record)


def _ends_whole(file: IO[bytes]) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _peak_mebibytes() -> float:
    if resource is None:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak / (2**20 if sys.platform == "darwin" else 2**10))  # bytes on macOS


def _is_cut_short(line: bytes) -> bool:
    """Tell whether a line is the beginning of a record that a killed process left."""
    try:
        json.loads(line)
    except ValueError:
        return line[: len(_BEGINNING)] == _BEGINNING[: len(line)]
    return False
