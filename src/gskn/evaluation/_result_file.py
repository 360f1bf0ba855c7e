"""Result files: records in a file that survives interrupted runs and parallel writers."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from filelock import FileLock

from gskn._files import (
    check_append,
    check_regular,
    companion,
    make_folders,
    real_path,
)
from gskn.evaluation._record_lines import (
    Header,
    decode,
    encode,
    is_incomplete,
)
from gskn.evaluation._records import Record
from gskn.exceptions import FileFormatError, MissingFileError

_MAX_LINE_BYTES = 2**24  # lines have a few kilobytes
_LOCK_SECONDS = 600  # an append takes milliseconds: after this time the lock is broken
_POLL_SECONDS = 0.01


class ResultFile:
    """A file of records that several processes can append to.

    The file has one header line per run and one line per fold, written under a lock. A
    process that is killed leaves at most one incomplete line, which is ignored. If several
    records have the same key, the first one is used. The lock is an empty hidden file
    beside the records. It is never deleted: deleting it while another process waits for it
    would let two processes write at once.

    Parameters
    ----------
    path : str or Path
        File of JSON lines. It is created by the first record.

    Attributes
    ----------
    path : Path
        Path of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = ResultFile(Path(folder) / "runs.jsonl")
    ...     file.append(Record("MUTAG", "gskn", "nested", 0, 0, 0, {}, {"accuracy": 0.9}))
    ...     [record.scores for record in file.read().values()]
    [{'accuracy': 0.9}]
    """

    # Content of the part of the file that was read, and its end.
    _records: dict[str, Record]
    _headers: dict[str, Header]
    _inode: int
    _n_bytes: int
    _n_lines: int

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._forget()

    def check(self) -> None:
        """Raise if the file cannot be read or appended to; call this before long work."""
        check_append(self.path)
        self.read()

    def read(self) -> dict[str, Record]:
        """Return all records by key; empty if the file does not exist.

        Only the part of the file that was added since the last call is read, unless the
        file was replaced.

        Returns
        -------
        records : dict of str to Record
            In the order of the file.
        """
        try:
            check_regular(self.path)
        except MissingFileError:
            self._forget()
            return {}
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._inode or status.st_size < self._n_bytes:
                self._forget()
            self._inode = status.st_ino
            file.seek(self._n_bytes)
            while line := file.readline(_MAX_LINE_BYTES):
                headers, records = self._parse(line, self._n_lines + 1)
                if not line.endswith(b"\n"):
                    # Another process may be about to write the rest of this line.
                    return _merge(dict(self._records), records)
                self._headers |= headers
                _merge(self._records, records)
                self._n_lines += 1
                self._n_bytes += len(line)
        return dict(self._records)

    def once(self, blank: Record, run: Callable[[], Record]) -> Record:
        """Return the record with the key of ``blank``; run and append it if it is missing.

        Parameters
        ----------
        blank : Record
            Record without results.
        run : callable
            Called without arguments; returns the record.

        Returns
        -------
        record : Record
            From the file, or new.
        """
        stored = self.read().get(blank.key)
        if stored is not None:
            return stored
        record = run()
        self.append(record)
        return record

    def append(self, record: Record) -> None:
        """Append a record to the file, completely or not at all.

        Parameters
        ----------
        record : Record
            Record to append.

        Raises
        ------
        OSError
            If the record cannot be written, for example because the disk is full. The
            file is then unchanged.
        """
        path = real_path(self.path)  # one lock for all links to the file
        make_folders(path.parent)
        with _locked(path), path.open("a+b", buffering=0) as file:
            self.read()  # headers that other processes have written
            lines = encode(record, self._headers)
            end = file.seek(0, os.SEEK_END)
            # Without the line break, an incomplete line would absorb the next one.
            start = b"" if _ends_complete(file, end) else b"\n"
            try:
                _write_all(file, start + lines)
            except BaseException as error:
                with suppress(OSError):  # an incomplete line is ignored when reading
                    file.truncate(end)
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = str(self.path)
                raise

    def _forget(self) -> None:
        self._records = {}
        self._headers = {}
        self._inode = -1
        self._n_bytes = self._n_lines = 0

    def _parse(
        self, line: bytes, number: int
    ) -> tuple[dict[str, Header], dict[str, Record]]:
        """Decode a line; the result is empty if the line is incomplete."""
        if len(line) == _MAX_LINE_BYTES:
            reason = f"not a record: longer than {_MAX_LINE_BYTES:,} bytes"
            raise FileFormatError(self.path, reason, line=number)
        line = line.removesuffix(b"\n")
        try:
            return decode(line, self._headers)
        except RecursionError:
            reason = "nested too deeply"
        except (ValueError, TypeError) as error:
            if is_incomplete(line):
                return {}, {}
            is_json = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            reason = str(error) if is_json else "invalid JSON"
        raise FileFormatError(self.path, f"not a record: {reason}", line=number)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Exclude other writers; the operating system unlocks the file of a killed process."""
    lock = FileLock(companion(path, ".lock"))
    with lock.acquire(timeout=_LOCK_SECONDS, poll_interval=_POLL_SECONDS):
        yield


def _write_all(file: IO[bytes], content: bytes) -> None:
    """Write and sync every byte, or raise: a single write may be partial."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())  # some file systems report a full disk only here


def _merge(records: dict[str, Record], new: dict[str, Record]) -> dict[str, Record]:
    for key, record in new.items():
        records.setdefault(key, record)
    return records


def _ends_complete(file: IO[bytes], end: int) -> bool:
    if end == 0:
        return True
    file.seek(end - 1)
    return file.read(1) == b"\n"
