"""Molecules read by RDKit, from files, columns of SMILES and objects."""

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gskn._limits import MAX_ATOMS, MAX_RINGS
from gskn._optional import require
from gskn._validation import shorten
from gskn.exceptions import (
    FileFormatError,
    GsknWarning,
    InputError,
    describe_error,
    one_line,
)
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._atoms import MoleculeBuilder, is_molecule
from gskn.graphs._batch import GraphBatch
from gskn.graphs._options import ReadOptions, Rejected
from gskn.graphs._text import read_content, read_text, stem

# Atoms in brackets, ring closures, and atoms of the organic subset.
_SMILES_TOKENS = re.compile(
    r"(\[[^\]]*\]?)|(%\([0-9]*\)|%[0-9][0-9]|[0-9])|(Cl|Br|[BCNOPSFIbcnops*])"
)
_SMILES = re.compile(
    r"(?:\[[^\]\s]*\]|Cl|Br|[BCNOPSFIbcnops*]|[-=#$:/\\.~()<>]|%\(\d+\)|%\d\d|\d)+"
)
_ATOM = re.compile(r"[BCNOPSFIbcnops*\[]")
_MAX_INCHI_LENGTH = 2**17  # the library of InChI limits the number of atoms
_BOND_BLOCK = re.compile(rb"M  V30 BEGIN BOND(.*?)(?:M  V30 END BOND|\Z)", re.DOTALL)
_BOND = re.compile(rb"M  V30\s+\d+\s+\d+\s+(\d+)\s+(\d+)")
_ATOM_COUNT = re.compile(rb"M  V30\s+COUNTS\s+(\d+)")
_CONTINUATION = re.compile(rb"-[ \t]*\r?\nM  V30 ")
# Errors of RDKit for molecules for which it does not return None.
RDKIT_ERRORS = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError)


def read_smiles(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read a file with one SMILES, and optionally a name, per line."""
    reader = _Reader(options, str(path))
    with quiet():
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            fields = line.split(maxsplit=1)
            if not fields or fields[0].startswith("#"):
                continue
            name = fields[1].strip() if len(fields) > 1 else fields[0]
            reader.add(_Entry(fields[0], name, number, line.strip()))
    return reader.parts()


def read_smiles_rows(
    path: Path,
    smiles: Sequence[str],
    names: Sequence[Hashable],
    options: ReadOptions,
    line_of: Callable[[int], int],
) -> list[GraphParts]:
    """Convert a column of SMILES of a file; ``line_of`` returns the line of a row."""
    reader = _Reader(options, str(path), line_of)
    with quiet():
        for row, (text, name) in enumerate(zip(smiles, names, strict=True)):
            reader.add(_Entry(text, name, row))
    return reader.parts()


def from_molecules(
    items: Iterable[Any], options: ReadOptions, names: Sequence[Hashable] | None = None
) -> GraphParts:
    """Convert SMILES, InChI strings and RDKit molecules; None is a missing molecule."""
    reader = _Reader(options)
    with quiet():
        for number, item in enumerate(items):
            name = item if isinstance(item, str) else number
            if is_molecule(item):
                name = _title(item) or number
            reader.add(_Entry(item, name if names is None else names[number], number))
    return reader.parts()[0]


def as_molecules(items: Sequence[Any], options: ReadOptions) -> GraphBatch:
    """Return a batch of SMILES, InChI strings and RDKit molecules."""
    return assemble([from_molecules(items, options)])


def from_molecule(molecule: Any, options: ReadOptions, number: int = 0) -> GraphParts:
    """Convert one RDKit molecule of a sequence with graphs of other types."""
    return from_molecules([molecule], options, [_title(molecule) or number])


def read_sdf(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read the molecules of an SD file."""
    chem = require("rdkit.Chem", extra="rdkit")
    content = read_content(path)
    if not content:
        return []
    reader = _Reader(options, str(path), unit="molecule")
    records = re.split(rb"(?m)^\$\$\$\$[^\n]*\n?", content)
    if not records[-1].strip():
        records.pop()
    with quiet():
        for number, record in enumerate(records):
            reader.add(_Entry(_Record(chem, record), f"{stem(path)}:{number}", number))
    return reader.parts()


def is_smiles(text: str) -> bool:
    """Return whether a text consists of symbols of SMILES, or is an InChI string."""
    text = text.strip()
    if text.startswith("InChI="):
        return True
    is_like = _SMILES.fullmatch(text) is not None and not text.startswith(("/", ".", "~"))
    return is_like and _ATOM.search(text) is not None


@dataclass(frozen=True)
class _Record:
    """The text of one molecule in an SD file."""

    chem: Any
    content: bytes

    def read(self) -> Any:
        """Return the molecule, or None if RDKit cannot read it."""
        _check_record(self.content)
        # RDKit cannot open a path that is not UTF-8.
        molecules = self.chem.SDMolSupplier()
        molecules.SetData(self.content)
        return molecules[0] if len(molecules) else None


@dataclass(frozen=True)
class _Entry:
    """One molecule to read, its name, its position and its line."""

    item: Any
    name: Hashable
    number: int
    line: str = ""


class _Reader:
    """Conversion of molecules, with a policy for molecules that cannot be read."""

    def __init__(
        self,
        options: ReadOptions,
        path: str = "",
        lines: Callable[[int], int] | None = None,
        unit: str = "line",
    ) -> None:
        self._options = options
        self._path = path
        self._line_of = lines or (lambda number: number)
        self._unit = unit
        self._builder = MoleculeBuilder(options)
        self._n_entries = 0
        self._rejected: list[Rejected] = []

    def add(self, entry: _Entry) -> None:
        """Convert a molecule, or treat it as ``on_invalid`` demands."""
        self._n_entries += 1
        try:
            molecule = parse_molecule(entry.item)
            name = entry.name
            if isinstance(entry.item, _Record):
                name = _title(molecule) or name
            self._builder.add(molecule, name)
        except RDKIT_ERRORS as error:
            detail = f": {describe_error(error)}" if str(error) else ""
            reason = f"RDKit cannot read {self._describe(entry)}{detail}"
            self._reject(entry, reason, error)

    def parts(self) -> list[GraphParts]:
        """Return all molecules as one part; warn if some were skipped."""
        options = self._options
        if self._rejected and options.on_invalid == "skip" and options.report is None:
            first = self._rejected[0]
            place = f"{first.place}, " if first.place else ""
            warnings.warn(
                f"Skipped {len(self._rejected)} of {self._n_entries} molecules. The first "
                f"is {place}{self._unit_of(first.number)}: {one_line(first.reason)}",
                GsknWarning,
                stacklevel=4,
            )
        return [self._builder.part()]

    def _reject(self, entry: _Entry, reason: str, error: BaseException) -> None:
        options = self._options
        number = self._line_of(entry.number)
        if options.on_invalid == "raise":
            remedy = "on_invalid='skip' leaves such molecules out, 'keep' makes them empty"
            if self._path:
                line = number if self._unit == "line" else None
                raise FileFormatError(
                    self._path, f"{reason}; {remedy}", line=line
                ) from error
            raise InputError(f"Graph {entry.number}: {reason}; {remedy}.") from error
        text = entry.line or (entry.item if isinstance(entry.item, str) else "")
        rejected = Rejected(self._path, number, text, reason)
        self._rejected.append(rejected)
        if options.report is not None:
            options.report(rejected)
        if options.on_invalid == "keep":
            self._builder.add_empty(entry.name)

    def _describe(self, entry: _Entry) -> str:
        if isinstance(entry.item, str):
            return shorten(entry.item)
        return f"molecule {entry.number}"

    def _unit_of(self, number: int) -> str:
        return f"{self._unit if self._path else 'graph'} {number}"


class _InvalidError(ValueError):
    """A molecule cannot be read; the reason may be empty."""


def parse_molecule(item: Any) -> Any:
    """Return an RDKit molecule; raise one of `RDKIT_ERRORS` if the item is not valid."""
    if is_molecule(item):
        return item
    if isinstance(item, _Record):
        molecule = item.read()
    elif isinstance(item, str) and item.strip():
        molecule = _parse_text(item.strip())
    else:
        is_gap = isinstance(item, float) and np.isnan(item)
        is_missing = item is None or isinstance(item, str) or is_gap
        raise _InvalidError(
            "it is missing" if is_missing else f"its type is {type(item).__name__}"
        )
    if molecule is None:
        raise _InvalidError
    return molecule


def _parse_text(text: str) -> Any:
    chem = require("rdkit.Chem", extra="rdkit")
    if text.startswith("InChI="):
        if len(text) > _MAX_INCHI_LENGTH:
            raise _InvalidError(f"the InChI has more than {_MAX_INCHI_LENGTH} characters")
        return chem.MolFromInchi(text)
    _check_smiles(text)
    return chem.MolFromSmiles(text)


def _title(molecule: Any) -> str:
    if molecule is None or not molecule.HasProp("_Name"):
        return ""
    title: str = molecule.GetProp("_Name")
    return title


def _check_smiles(smiles: str) -> None:
    """Raise if a SMILES has too many atoms or ring closures."""
    if len(smiles) <= MAX_RINGS:
        return
    n_atoms = n_closures = 0
    for token in _SMILES_TOKENS.finditer(smiles):
        if token.lastindex == 2:
            n_closures += 1
        else:
            n_atoms += 1
    _check_size(n_atoms, n_closures // 2)


def _check_record(record: bytes) -> None:
    """Raise if a molecule of an SD file has too many atoms or rings.

    Only the V3000 format allows more than 999.
    """
    if b"V3000" not in record:
        return
    record = _CONTINUATION.sub(b"", record)
    counts = [int(number) for number in _ATOM_COUNT.findall(record)]
    bonds = [
        (int(first), int(second))
        for block in _BOND_BLOCK.findall(record)
        for first, second in _BOND.findall(block)
    ]
    _check_size(max(counts, default=0), 0)
    if len(bonds) > MAX_RINGS:
        atoms, ends = np.unique(np.array(bonds), return_inverse=True)
        first, second = ends.reshape(-1, 2).T
        shape = (len(atoms), len(atoms))
        matrix = coo_array((np.ones(len(bonds)), (first, second)), shape=shape)
        n_molecules = connected_components(matrix, directed=False)[0]
        _check_size(len(atoms), len(bonds) - len(atoms) + n_molecules)


def _check_size(n_atoms: int, n_rings: int) -> None:
    if n_atoms > MAX_ATOMS or n_rings > MAX_RINGS:
        raise _InvalidError(
            f"{n_atoms} atoms and {n_rings} rings are too many (at most {MAX_ATOMS} atoms "
            f"and {MAX_RINGS} rings); use an edge list instead"
        )


def quiet() -> Any:
    """Suppress the messages of RDKit, which do not contain file and line.

    Messages are restored when the block ends.
    """
    return require("rdkit.rdBase", extra="rdkit").BlockLogs()
