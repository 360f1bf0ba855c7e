"""Mutations of files: of bytes, of lines, of JSON values and of members of archives."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

_TOKENS = (
    b"\x00",
    b"\r",
    b"\n",
    b"\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\x1b[31m",
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"inf",
    b"1" + b"0" * 30,
    b"9" * 400,
    b"2147483648",
    b"9223372036854775808",
    b"18446744073709551616",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"[" * 2000,
    b'{"a":' * 2000,
    b"(" * 500,
    b'"',
    b"'",
    b",",
    b",,,,",
    b";",
    b"\t",
    b" ",
    b"#",
    b"%",
    b"<",
    b"</",
    b"&lol;",
    b"]]>",
    b"$$$$\n",
    b"x" * 140_000,
    b"1," * 5000,
    b"1\n" * 5000,
    "é\u2028\u0085".encode(),
)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**7,
    2**31,
    2**63,
    10**30,
    10**400,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\x1b[31m\x00",
    "\ud800",
    [],
    {},
    [[]],
    {"a": {}},
    [1, 2, 3],
    ["a", None],
    {"tuple": [1]},
    {"list": {}},
)


def mutate(content: bytes, kind: str, generator: random.Random) -> bytes:
    """Return a damaged copy of a file of the given kind."""
    if generator.random() < 0.3:
        kind = "bytes"
    if kind in {"zip", "npz"}:
        return _mutate_archive(content, kind, generator)
    if kind == "json":
        return _mutate_json(content, generator)
    if kind == "parquet":
        return _mutate_table(content, generator)
    return _mutate_text(content, generator) if kind == "text" else _flip(content, generator)


def _flip(content: bytes, generator: random.Random) -> bytes:
    """Change, remove, repeat or insert bytes at random positions."""
    damaged = bytearray(content)
    for _ in range(generator.choice((1, 1, 2, 5, 20))):
        place = generator.randrange(len(damaged) + 1)
        choice = generator.randrange(5)
        if choice == 0 and place < len(damaged):
            damaged[place] ^= 1 << generator.randrange(8)
        elif choice == 1 and place < len(damaged):
            damaged[place] = generator.randrange(256)
        elif choice == 2:
            del damaged[place : place + generator.choice((1, 4, 50))]
        elif choice == 3:
            piece = damaged[place : place + generator.choice((1, 8, 64))]
            damaged[place:place] = piece * generator.choice((1, 3))
        else:
            damaged[place:place] = generator.randbytes(generator.choice((1, 2, 8)))
    if generator.random() < 0.05:
        del damaged[generator.randrange(len(damaged) + 1) :]
    return bytes(damaged)


def _mutate_text(content: bytes, generator: random.Random) -> bytes:
    """Replace tokens and reorder lines, which preserves more of the format."""
    choice = generator.randrange(4)
    if choice == 0:
        return _flip(content, generator)
    token = generator.choice(_TOKENS)
    if choice == 1:
        place = generator.randrange(len(content) + 1)
        removed = generator.choice((0, 0, 1, 5))
        return content[:place] + token + content[place + removed :]
    lines = content.split(b"\n")
    place = generator.randrange(len(lines))
    if choice == 2:
        lines[place] = generator.choice(
            (b"", token, lines[place] * 2, lines[place] + token)
        )
    else:
        other = generator.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
        if generator.random() < 0.3:
            lines[place:place] = lines[other : other + 3]
    ending = generator.choice((b"\n", b"\n", b"\r\n", b"\r"))
    return ending.join(lines)


def _mutate_json(content: bytes, generator: random.Random) -> bytes:
    try:
        value = json.loads(content)
    except ValueError:
        return _flip(content, generator)
    for _ in range(generator.choice((1, 1, 2, 4))):
        value = _mutate_value(value, generator)
    return json.dumps(value).encode()


def _mutate_value(value: Any, generator: random.Random) -> Any:
    """Replace, remove, repeat or wrap a random value of a JSON document."""
    if isinstance(value, dict) and value and generator.random() < 0.85:
        return _mutate_dict(value, generator)
    if isinstance(value, list) and value and generator.random() < 0.85:
        return _mutate_list(value, generator)
    if generator.random() < 0.1:
        nested: Any = value
        for _ in range(generator.choice((1, 900))):
            nested = [nested]
        return nested
    return generator.choice(_VALUES)


def _mutate_dict(value: dict[str, Any], generator: random.Random) -> dict[str, Any]:
    key = generator.choice(sorted(value))
    changed = dict(value)
    choice = generator.randrange(6)
    if choice == 0:
        del changed[key]
    elif choice == 1:
        changed[generator.choice(("", "id", "x\n"))] = changed.pop(key)
    else:
        changed[key] = _mutate_value(value[key], generator)
    return changed


def _mutate_list(value: list[Any], generator: random.Random) -> list[Any]:
    place = generator.randrange(len(value))
    choice = generator.randrange(6)
    item = [value[place]]
    if choice == 0:
        item = []
    elif choice == 1:
        item *= generator.choice((2, 100))
    else:
        item = [_mutate_value(value[place], generator)]
    return value[:place] + item + value[place + 1 :]


def _mutate_table(content: bytes, generator: random.Random) -> bytes:
    """Change the type, the name or the number of values of a column."""
    table = pyarrow.parquet.read_table(io.BytesIO(content))
    place = generator.randrange(table.num_columns)
    name = table.column_names[place]
    choice = generator.randrange(5)
    if choice == 0:
        table = table.drop_columns([name])
    elif choice == 1:
        names = list(table.column_names)
        names[place] = generator.choice(("", "graph", "source", "Weight", "\x00", "é"))
        table = table.rename_columns(names)
    else:
        column = generator.choice(_COLUMNS)()
        repeated = pa.concat_arrays([column] * len(table)).slice(0, len(table))
        table = table.set_column(place, name, repeated)
    packed = io.BytesIO()
    pyarrow.parquet.write_table(table, packed)
    return packed.getvalue()


# Values of every type of parquet.
_COLUMNS: tuple[Callable[[], pa.Array], ...] = (
    lambda: pa.array([None]),
    lambda: pa.array([True, False]),
    lambda: pa.array([0, None]),
    lambda: pa.array([2**64 - 1], pa.uint64()),
    lambda: pa.array([-(2**63)], pa.int64()),
    lambda: pa.array([0.5, float("nan")]),
    lambda: pa.array([float("inf"), -1.0]),
    lambda: pa.array(np.array([1, 2], dtype=np.float16)),
    lambda: pa.array(["a", "b"], pa.large_string()),
    lambda: pa.array(["a", "a" * 100], pa.string_view()),
    lambda: pa.array([b"\xff", b"\x00"], pa.binary()),
    lambda: pa.array([b"\xff\x00"], pa.binary(2)),
    lambda: pa.array(["x", "y"]).dictionary_encode(),
    lambda: pa.array([1, 2, None]).dictionary_encode(),
    lambda: pa.array([[1], []]),
    lambda: pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
    lambda: pa.array([{"a": 1}]),
    lambda: pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
    lambda: pa.array([Decimal("1.5")], pa.decimal128(5, 2)),
    lambda: pa.array([0], pa.date32()),
    lambda: pa.array([0], pa.timestamp("ns", "UTC")),
    lambda: pa.array([0], pa.time64("us")),
    lambda: pa.array([0], pa.duration("s")),
)


def _mutate_archive(content: bytes, kind: str, generator: random.Random) -> bytes:
    """Change members and write the archive again, so that checksums match."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
        stored = archive.infolist()[0].compress_type
    name = generator.choice(sorted(members))
    choice = generator.randrange(8)
    if choice == 0:
        del members[name]
    elif choice == 1:
        members[generator.choice(("", "../x", "/x", "x", name + "\x00", "é"))] = members[
            name
        ]
    elif kind == "npz":
        members[name] = _mutate_npy(name, members[name], generator)
    else:
        members[name] = _mutate_text(members[name], generator)
    method = stored if generator.random() < 0.9 else generator.choice((0, 8, 12, 14))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for member, data in members.items():
            archive.writestr(zipfile.ZipInfo(member or "e"), data, method)
    return packed.getvalue()


def _mutate_npy(name: str, content: bytes, generator: random.Random) -> bytes:
    if name.startswith("header") and generator.random() < 0.9:
        array = np.load(io.BytesIO(content))
        text = _mutate_json(array.tobytes(), generator)
        return _as_npy(np.frombuffer(text, dtype=np.uint8))
    choice = generator.randrange(4)
    if choice == 0:
        return _flip(content, generator)
    if choice == 1:
        return _mutate_header(content, generator)
    array = np.load(io.BytesIO(content))
    return _as_npy(_mutate_array(array, generator))


def _mutate_header(content: bytes, generator: random.Random) -> bytes:
    """Change the shape or the type in the header."""
    header = generator.choice(
        (
            b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }",
            b"{'descr': '<f8', 'fortran_order': False, 'shape': (True,), }",
            b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
            b"{'descr': '<U4', 'fortran_order': True, 'shape': (), }",
            b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10000000000), }",
            b"{'descr': '<i8', 'fortran_order': 1, 'shape': (-1,), }",
            b"[" * 300,
        )
    )
    values = content[10 + int.from_bytes(content[8:10], "little") :]
    padded = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + values


def _mutate_array(array: np.ndarray, generator: random.Random) -> np.ndarray:
    choice = generator.randrange(7)
    if choice == 0:
        return array[: generator.randrange(array.size + 1)] if array.ndim else array
    if choice == 1:
        return np.concatenate([np.atleast_1d(array)] * generator.choice((2, 50)))
    if choice == 2:
        return array.reshape(1, *array.shape) if generator.random() < 0.5 else array.ravel()
    if choice == 3:
        kinds = ("<f8", "<f4", "<i8", "<i2", "|u1", "<u8", "|b1", "<U3", "<f2")
        with np.errstate(all="ignore"):
            return array.astype(generator.choice(kinds))
    damaged = array.copy()
    if damaged.size:
        flat = damaged.reshape(-1)
        extremes: tuple[Any, ...] = (-1, -40, 0, 1, 3, 100, 10**9, 2**31 - 1, 2**62)
        if damaged.dtype.kind == "f":
            extremes = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e-308, 0.5)
        value = generator.choice(extremes)
        with np.errstate(all="ignore"):
            flat[generator.randrange(flat.size)] = np.array(value).astype(flat.dtype)
    return damaged


def _as_npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()
