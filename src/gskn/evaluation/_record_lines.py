"""Text format of result files: a header line per run, a compact line per fold.

A header is a JSON object with everything that the folds of a run have in common, and a fold
is a JSON array that refers to the header by its identifier. The format is documented in
``docs/guide/evaluation.md``.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from gskn.evaluation._digest import digest
from gskn.evaluation._records import Record

FORMAT = 1
_BEGINNINGS = (b'{"run":"', b'["')  # of headers and folds
_ID_LENGTHS = (8, 12, 16)  # digits of an identifier; the shortest one that is not taken
_COLUMNS = ("run", "repeat", "fold", "seed", "scores", "chosen", "seconds", "memory")
_TYPE_NAMES = {str: "text", int: "an integer", dict: "an object", list: "a list"}


@dataclass(frozen=True)
class Header:
    """Everything that the folds of a run have in common.

    Attributes
    ----------
    data, model, protocol, configuration, versions, day, commit
        As in `Record`.
    scores, seconds : list of str
        Names of the scores and of the steps.
    chosen : dict of str to str or None
        Names of the selected parameters, with the key of their grid in the configuration.
        A fold contains the index into the grid; if None, it contains the value.
    """

    data: str
    model: str
    protocol: str
    configuration: Mapping[str, Any]
    scores: list[str]
    chosen: dict[str, str | None]
    seconds: list[str]
    versions: Mapping[str, str]
    day: str
    commit: str | None

    @classmethod
    def from_record(cls, record: Record) -> "Header":
        """Return the header of the run that a record belongs to."""
        return cls(
            data=record.data,
            model=record.model,
            protocol=record.protocol,
            configuration=record.configuration,
            scores=list(record.scores),
            chosen={name: _grid(record, name) for name in record.chosen},
            seconds=list(record.seconds),
            versions=record.versions,
            day=record.day,
            commit=record.commit,
        )

    @property
    def digest(self) -> str:
        """Digest of the content; headers with equal digests are the same."""
        return digest(_as_json(vars(self)).encode())


def encode(record: Record, headers: Mapping[str, Header]) -> bytes:
    """Return the lines of a record: its fold, and its header unless the file has it."""
    header = Header.from_record(record)
    names = (header.digest[:length] for length in _ID_LENGTHS)
    run = next(name for name in names if _is_free(name, header, headers))
    chosen = []
    for name, grid in header.chosen.items():
        value = record.chosen[name]
        chosen.append(value if grid is None else record.configuration[grid].index(value))
    fold = [
        run,
        record.repeat,
        record.fold,
        record.seed,
        list(record.scores.values()),
        chosen,
        list(record.seconds.values()),
        record.peak_mebibytes,
    ]
    lines = [] if run in headers else [{"run": run, "format": FORMAT, **vars(header)}]
    return "".join(f"{_as_json(line)}\n" for line in (*lines, fold)).encode()


def decode(
    line: bytes, headers: Mapping[str, Header]
) -> tuple[dict[str, Header], dict[str, Record]]:
    """Return the header of a line by identifier, or its record by key; the other is empty.

    Every type is checked. An empty line has neither.
    """
    if not line.strip():
        return {}, {}
    content = json.loads(line)
    if isinstance(content, list):
        record = _decode_fold(content, headers)
        return {}, {record.key: record}
    _check_type(content, "line", dict)
    run, header = _decode_header(content)
    _ = header.digest  # raises RecursionError if the configuration is nested too deeply
    if not _is_free(run, header, headers):
        raise ValueError(f"another header of the run {run!r}")
    return {run: header}, {}


def is_incomplete(line: bytes) -> bool:
    """Return whether a line is the beginning of a header or fold that was not finished."""
    try:
        json.loads(line)
    except ValueError:
        return any(line[: len(start)] == start[: len(line)] for start in _BEGINNINGS)
    return False


def _decode_header(content: Mapping[str, Any]) -> tuple[str, Header]:
    _check_fields(content)
    for name in ("run", "data", "model", "protocol", "day"):
        _check_type(content[name], name, str)
    for name in ("configuration", "chosen", "versions"):
        _check_type(content[name], name, dict)
    for name in ("scores", "seconds"):
        _check_type(content[name], name, list)
        _check_texts(content[name], f"names of {name}")
    _check_texts(content["versions"].values(), "versions")
    if content["commit"] is not None:
        _check_type(content["commit"], "commit", str)
    grids = [grid for grid in content["chosen"].values() if grid is not None]
    _check_texts(grids, "names of grids")
    for grid in grids:
        _check_type(content["configuration"].get(grid), f"grid {grid!r}", list)
    header = Header(**{field.name: content[field.name] for field in fields(Header)})
    return content["run"], header


def _check_fields(content: Mapping[str, Any]) -> None:
    names = ["run", "format", *(field.name for field in fields(Header))]
    if content.get("format", FORMAT) != FORMAT:
        raise ValueError(f"unsupported format {content['format']!r}, expected {FORMAT}")
    for name in names:
        if name not in content:
            raise TypeError(f"without {name!r}")
    unknown = content.keys() - {*names}
    if unknown:
        raise TypeError(f"with the unknown field {min(unknown)!r}")


def _decode_fold(content: list[Any], headers: Mapping[str, Header]) -> Record:
    if len(content) != len(_COLUMNS):
        raise ValueError(f"{len(content)} values, expected {len(_COLUMNS)}")
    run, repeat, fold, seed, scores, chosen, seconds, memory = content
    _check_type(run, "run", str)
    if run not in headers:
        raise ValueError(f"without a header of the run {run!r} above it")
    header = headers[run]
    for name, value in (("repeat", repeat), ("fold", fold), ("seed", seed)):
        _check_type(value, name, int)
    record = Record(
        data=header.data,
        model=header.model,
        protocol=header.protocol,
        repeat=repeat,
        fold=fold,
        seed=seed,
        configuration=header.configuration,
        scores=_by_name(header.scores, scores, "scores"),
        chosen=_decode_chosen(header, chosen),
        seconds=_by_name(header.seconds, seconds, "seconds"),
        peak_mebibytes=memory,
        versions=header.versions,
        day=header.day,
        commit=header.commit,
    )
    _check_numbers({"peak_mebibytes": memory}, "the number")
    _check_numbers(record.seconds, "the seconds of")
    _check_numbers(record.scores, "the score", with_nan=True)
    return record


def _is_free(run: str, header: Header, headers: Mapping[str, Header]) -> bool:
    """Return whether no other header has the identifier."""
    return run not in headers or headers[run].digest == header.digest


def _as_json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"))


def _grid(record: Record, name: str) -> str | None:
    """Return the key of the grid that contains the selected value of a parameter."""
    key = f"{name}s"  # "embedding" is one of the "embeddings"
    grid = record.configuration.get(key)
    return key if isinstance(grid, list) and record.chosen[name] in grid else None


def _decode_chosen(header: Header, content: object) -> dict[str, Any]:
    chosen = _by_name(list(header.chosen), content, "chosen")
    for name, grid in header.chosen.items():
        if grid is not None:
            index, values = chosen[name], header.configuration[grid]
            _check_type(index, f"index of {name!r}", int)
            if not 0 <= index < len(values):
                raise ValueError(f"index of {name!r} must be below {len(values)}")
            chosen[name] = values[index]
    return chosen


def _by_name(names: list[str], values: Any, kind: str) -> dict[str, Any]:
    _check_type(values, kind, list)
    if len(values) != len(names):
        raise ValueError(f"{len(values)} {kind}, expected {len(names)}")
    return dict(zip(names, values, strict=True))


def _check_type(value: object, name: str, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} must be {_TYPE_NAMES[kind]}")


def _check_texts(values: Any, kind: str) -> None:
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{kind} must be text")


def _check_numbers(
    values: Mapping[str, object], kind: str, *, with_nan: bool = False
) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{kind} {name!r} must be a number")
        is_allowed_nan = with_nan and value != value
        if not (abs(value) <= sys.float_info.max or is_allowed_nan):
            raise ValueError(f"{kind} {name!r} must be finite")
