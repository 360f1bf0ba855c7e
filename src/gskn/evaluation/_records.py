"""Records of runs: JSON lines, one per fold, in a file that survives interrupted runs."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

from gskn._files import (
    check_append,
    check_regular,
    companion,
    make_folders,
    real_path,
)
from gskn.exceptions import FileFormatError, MissingFileError

resource: Any
try:
    import resource
except ImportError:  # Windows does not have it
    resource = None

_BEGINNING = b'{"data": '
_PACKAGES = ("gskn", "numpy", "scipy", "scikit-learn", "numba")
_MAX_LINE_BYTES = 2**24  # a record has some kilobytes
_LOCK_SECONDS = 600  # an append takes milliseconds: after this time the lock is broken
_POLL_SECONDS = 0.01


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
        Parameter grid of the model, and digests of the data and of folds from a file.
        Records with different configurations belong to different runs.
    scores : mapping of str to float
        Scores on the test part; NaN for a score that is not defined on it.
    chosen : mapping
        Parameters chosen on the training part.
    seconds : mapping of str to float
        Time spent by step. Models of one run share embeddings: the first model that needs
        an embedding is charged for it.
    peak_mebibytes : float
        Peak memory of the process so far; 0 where the operating system does not report it.
    versions : mapping of str to str
        Versions of Python and of the packages that results depend on.
    day : str
        Day of the run, as 2026-12-31.
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
        """Identity of the fold: equal keys are the same fold of the same run."""
        names = (self.data, self.model, self.protocol, self.repeat, self.fold, self.seed)
        return json.dumps([*names, self.configuration], sort_keys=True)


class Clock:
    """Seconds spent, by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def shared(self, n_folds: int) -> "Clock":
        """Return the part of one fold of several that were measured together."""
        clock = Clock()
        clock.seconds = {step: spent / n_folds for step, spent in self.seconds.items()}
        return clock

    @contextmanager
    def measure(self, step: str) -> Iterator[None]:
        """Add the time spent inside the block."""
        begin = time.perf_counter()
        yield
        spent = time.perf_counter() - begin
        self.seconds[step] = self.seconds.get(step, 0.0) + spent


def complete(record: Record, clock: Clock) -> Record:
    """Return a record with rounded scores, times, memory, versions and day."""
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
    """A file of records that several processes may add to.

    A record is one line, written under a lock. A process that is killed leaves at most one
    incomplete line, which is ignored. Of records with equal keys the first counts. The
    lock is an empty hidden file beside the records. It is kept: deleting it while another
    process waits for it would let two processes write at once.

    Parameters
    ----------
    path : str or Path
        File of JSON lines; it need not exist.
    """

    _records: dict[str, Record]  # records of the part that was read
    _inode: int
    _n_read: int  # bytes
    _n_lines: int

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._forget()

    def check(self) -> None:
        """Raise unless the file can be read and added to; call this before long work."""
        check_append(self.path)
        self.read()

    def read(self) -> dict[str, Record]:
        """Return all records by key; none if there is no file yet.

        A part of the file that was read before is not read again, unless the file was
        replaced.
        """
        try:
            check_regular(self.path)
        except MissingFileError:
            self._forget()
            return {}
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._inode or status.st_size < self._n_read:
                self._forget()
            self._inode = status.st_ino
            file.seek(self._n_read)
            while line := file.readline(_MAX_LINE_BYTES):
                record = self._parse(line, self._n_lines + 1)
                if not line.endswith(b"\n"):
                    # Another process may be about to write the rest of this line.
                    records = dict(self._records)
                    _add(records, record)
                    return records
                _add(self._records, record)
                self._n_lines += 1
                self._n_read += len(line)
        return dict(self._records)

    def _forget(self) -> None:
        self._records = {}
        self._inode = -1
        self._n_read = self._n_lines = 0

    def _parse(self, line: bytes, number: int) -> Record | None:
        """Return the record of a line; None if the line is empty or incomplete."""
        if len(line) == _MAX_LINE_BYTES:
            reason = f"not a record: longer than {_MAX_LINE_BYTES:,} bytes"
            raise FileFormatError(self.path, reason, line=number)
        line = line.removesuffix(b"\n")
        try:
            return _as_record(json.loads(line)) if line.strip() else None
        except RecursionError:
            reason = "nested too deeply"
        except (ValueError, TypeError) as error:
            if _is_incomplete(line):
                return None
            is_json = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            reason = str(error) if is_json else "invalid JSON"
        raise FileFormatError(self.path, f"not a record: {reason}", line=number)

    def once(self, blank: Record, run: Callable[[], Record]) -> Record:
        """Return the record with the key of ``blank``; run it if there is none yet."""
        known = self.read().get(blank.key)
        if known is not None:
            return known
        record = run()
        self.append(record)
        return record

    def append(self, record: Record) -> None:
        """Add a record at the end of the file, completely or not at all.

        Raises
        ------
        OSError
            If the record cannot be written, for example because the disk is full. The
            file is then as it was.
        """
        path = real_path(self.path)  # one lock for all links to the file
        make_folders(path.parent)
        line = json.dumps(asdict(record)).encode() + b"\n"
        with _locked(path), path.open("a+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            # An incomplete line would swallow the one behind it.
            start = b"" if _ends_complete(file, end) else b"\n"
            try:
                _write_all(file, start + line)
            except BaseException as error:
                with suppress(OSError):  # a reader ignores an incomplete line, too
                    file.truncate(end)
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = str(self.path)
                raise


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time write to a file; the system unlocks for killed ones."""
    lock = FileLock(companion(path, ".lock"))
    with lock.acquire(timeout=_LOCK_SECONDS, poll_interval=_POLL_SECONDS):
        yield


def _write_all(file: IO[bytes], content: bytes) -> None:
    """Write every byte and hand it to the disk, or raise: one write may be partial."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())  # some file systems report a full disk only here


def _add(records: dict[str, Record], record: Record | None) -> None:
    if record is not None:
        records.setdefault(record.key, record)


def _ends_complete(file: IO[bytes], end: int) -> bool:
    if end == 0:
        return True
    file.seek(end - 1)
    return file.read(1) == b"\n"


def _peak_mebibytes() -> float:
    if resource is None:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak / (2**20 if sys.platform == "darwin" else 2**10))  # bytes on macOS


def _is_incomplete(line: bytes) -> bool:
    """Return whether a line is the beginning of a record that a killed process left."""
    try:
        json.loads(line)
    except ValueError:
        return line[: len(_BEGINNING)] == _BEGINNING[: len(line)]
    return False


def _as_record(content: object) -> Record:
    """Return a record after a check of every type: a file may hold anything."""
    if not isinstance(content, dict):
        raise TypeError("not an object")
    _check_fields(content)
    record = Record(**content)
    for name in ("data", "model", "protocol", "day"):
        _check_type(record, name, str)
    for name in ("repeat", "fold", "seed"):
        _check_type(record, name, int)
    for name in ("configuration", "chosen", "scores", "seconds", "versions"):
        _check_type(record, name, dict)
    _check_numbers({"peak_mebibytes": record.peak_mebibytes}, "the number")
    _check_numbers(record.seconds, "the seconds of")
    _check_numbers(record.scores, "the score", with_nan=True)
    if not all(isinstance(text, str) for text in record.versions.values()):
        raise TypeError("versions must be text")
    _ = record.key  # raises RecursionError if the configuration is nested too deeply
    return record


def _check_fields(content: Mapping[str, object]) -> None:
    for entry in fields(Record):
        required = entry.default is MISSING and entry.default_factory is MISSING
        if required and entry.name not in content:
            raise TypeError(f"without {entry.name!r}")
    unknown = content.keys() - {entry.name for entry in fields(Record)}
    if unknown:
        raise TypeError(f"with the unknown field {min(unknown)!r}")


def _check_type(record: Record, name: str, kind: type) -> None:
    value = getattr(record, name)
    if not isinstance(value, kind) or isinstance(value, bool):
        text = {str: "text", int: "an integer", dict: "an object"}[kind]
        raise TypeError(f"{name} must be {text}")


def _check_numbers(
    values: Mapping[str, object], kind: str, *, with_nan: bool = False
) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{kind} {name!r} must be a number")
        is_allowed_nan = with_nan and value != value
        if not (abs(value) <= sys.float_info.max or is_allowed_nan):
            raise ValueError(f"{kind} {name!r} must be finite")
