"""Sets of molecules: csv files with a column of SMILES and columns of targets."""

import csv
import hashlib
import io
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gskn._files import check_regular
from gskn._types import AnyArray
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs import GraphBatch, ReadOptions, Rejected, as_molecules

logger = logging.getLogger(__name__)

_SMILES = "smiles"


@dataclass(frozen=True)
class MoleculeSet:
    """Molecules of a file, their targets and all other columns.

    Attributes
    ----------
    graphs : GraphBatch
        Molecules that can be read.
    y : ndarray of shape (n_graphs,)
        Classes as integers, or values as floats.
    columns : mapping of str to ndarray
        All other columns, as text.
    n_skipped : int
        Number of molecules that cannot be read.
    """

    graphs: GraphBatch
    y: AnyArray
    columns: Mapping[str, AnyArray]
    n_skipped: int


def read_molecules(path: Path, target: str, *, is_class: bool) -> MoleculeSet:
    """Read a csv file of molecules; molecules that RDKit cannot read are skipped.

    Raises
    ------
    FileFormatError
        If the file is malformed.
    """
    columns = _read_columns(path, path.name)
    values = _as_numbers(columns, target, path)
    rejected: list[Rejected] = []
    options = ReadOptions(on_invalid="skip", report=rejected.append)
    graphs = as_molecules(columns[_SMILES], options)
    used = np.ones(len(values), dtype=bool)
    used[[molecule.number for molecule in rejected]] = False
    if rejected:
        logger.info("skipped %d molecules of %s", len(rejected), path)
    others = {
        name: np.array(texts, dtype=object)[used]
        for name, texts in columns.items()
        if name not in {_SMILES, target}
    }
    y = values[used]
    return MoleculeSet(graphs, y.astype(np.int64) if is_class else y, others, len(rejected))


def hash_molecules(path: Path, target: str) -> str:
    """Return a hash of SMILES and targets, independent of the format of numbers."""
    columns = _read_columns(path, path.name)
    values = _as_numbers(columns, target, path).tolist()
    rows = zip(columns[_SMILES], values, strict=True)
    text = "".join(f"{smiles}\t{value!r}\n" for smiles, value in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def convert_molecules(content: bytes, names: Mapping[str, str]) -> str:
    """Select and rename columns of a published file."""
    columns = _parse(content.decode("utf-8-sig", "replace"), "the download")
    missing = [name for name in names if name not in columns]
    if missing:
        raise FileFormatError("the download", f"the column {missing[0]!r} is missing")
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names.values())
    rows = zip(*(columns[name] for name in names), strict=True)
    # Published files may end in empty rows.
    writer.writerows(row for row in rows if any(row))
    return output.getvalue()


def _read_columns(path: Path, place: str) -> dict[str, list[str]]:
    check_regular(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"cannot be read: {describe_error(error)}") from error
    columns = _parse(text, place)
    if _SMILES not in columns:
        raise FileFormatError(path, f"the column {_SMILES!r} is missing")
    return columns


def _parse(text: str, place: str) -> dict[str, list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next(reader, [])
        rows = list(reader)
    except csv.Error as error:
        raise FileFormatError(place, f"not csv: {error}", line=reader.line_num) from error
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise FileFormatError(
                place, f"expected {len(header)} fields, got {len(row)}", line=number
            )
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def _as_numbers(columns: dict[str, list[str]], target: str, path: Path) -> AnyArray:
    if target not in columns:
        raise FileFormatError(path, f"the column {target!r} is missing")
    try:
        values = np.array(columns[target], dtype=np.float64)
    except ValueError as error:
        raise FileFormatError(path, f"{target!r} is not a number: {error}") from error
    if not np.isfinite(values).all():
        line = int(np.argmin(np.isfinite(values))) + 2
        raise FileFormatError(path, f"{target!r} is not finite", line=line)
    return values
