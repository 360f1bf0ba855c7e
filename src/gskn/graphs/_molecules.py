"""Molecules read by RDKit: atoms are nodes with the element as label, bonds are edges."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gskn._files import check_regular
from gskn._limits import MAX_ATOMS, MAX_RINGS
from gskn._optional import require
from gskn._validation import shorten
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import ReadOptions
from gskn.graphs._text import read_text

# Atoms in brackets, ring closures, and atoms of the organic subset.
_SMILES_TOKENS = re.compile(
    r"(\[[^\]]*\]?)|(%\([0-9]*\)|%[0-9][0-9]|[0-9])|(Cl|Br|[BCNOPSFIbcnops*])"
)
_BOND_BLOCK = re.compile(rb"M  V30 BEGIN BOND(.*?)(?:M  V30 END BOND|\Z)", re.DOTALL)
_BOND = re.compile(rb"M  V30\s+\d+\s+\d+\s+(\d+)\s+(\d+)")
_ATOM_COUNT = re.compile(rb"M  V30\s+COUNTS\s+(\d+)")
_CONTINUATION = re.compile(rb"-[ \t]*\r?\nM  V30 ")
# Errors of RDKit for molecules for which it does not return None.
_RDKIT_ERRORS = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError)


def read_smiles(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read a file with one SMILES, and optionally a name, per line."""
    chem = require("rdkit.Chem", extra="rdkit")
    parts = []
    with _quiet():
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            fields = line.split(maxsplit=1)
            if not fields or fields[0].startswith("#"):
                continue
            smiles = fields[0]
            try:
                _check_smiles(smiles)
                molecule = chem.MolFromSmiles(smiles)
            except _RDKIT_ERRORS as error:
                raise _unreadable(path, shorten(smiles), error, line=number) from error
            if molecule is None:
                raise _unreadable(path, shorten(smiles), line=number)
            name = fields[1].strip() if len(fields) > 1 else smiles
            parts.append(from_molecule(molecule, name, options))
    return parts


def read_sdf(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read the molecules of an SD file."""
    chem = require("rdkit.Chem", extra="rdkit")
    check_regular(path)
    content = path.read_bytes()
    parts: list[GraphParts] = []
    if not content:
        return parts
    for number, record in enumerate(re.split(rb"(?m)^\$\$\$\$", content)):
        try:
            _check_record(record)
        except ValueError as error:
            raise _unreadable(path, f"molecule {number}", error) from error
    with _quiet():
        # RDKit cannot open a path that is not UTF-8.
        molecules = chem.SDMolSupplier()
        molecules.SetData(content)
        for number in range(len(molecules)):
            try:
                molecule = molecules[number]
                title = _title(molecule)
            except _RDKIT_ERRORS as error:
                raise _unreadable(path, f"molecule {number}", error) from error
            if molecule is None:
                raise _unreadable(path, f"molecule {number}")
            parts.append(from_molecule(molecule, title or f"{path.stem}:{number}", options))
    return parts


def _title(molecule: Any) -> str:
    if molecule is None or not molecule.HasProp("_Name"):
        return ""
    title: str = molecule.GetProp("_Name")
    return title


def from_molecule(molecule: Any, name: str, options: ReadOptions) -> GraphParts:
    """Convert an RDKit molecule; implicit hydrogens are not nodes."""
    atoms = list(molecule.GetAtoms())
    # Not GetBonds, whose time grows with the square of the number of bonds.
    bonds = np.array(
        [
            (atom.GetIdx(), other.GetIdx())
            for atom in atoms
            for other in atom.GetNeighbors()
            if atom.GetIdx() < other.GetIdx()
        ],
        dtype=np.int64,
    ).reshape(-1, 2)
    symbols = [atom.GetSymbol() for atom in atoms]
    return GraphParts(
        [len(symbols)],
        bonds[:, 0],
        bonds[:, 1],
        labels=symbols if options.node_label is not None else None,
        graph_names=[name],
        directed=options.is_directed(default=False),
    )


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
        raise ValueError(
            f"{n_atoms} atoms and {n_rings} rings are too many (at most {MAX_ATOMS} atoms "
            f"and {MAX_RINGS} rings); use an edge list instead"
        )


def _unreadable(
    path: Path, what: str, error: Exception | None = None, *, line: int | None = None
) -> FileFormatError:
    reason = "" if error is None else f": {describe_error(error)}"
    return FileFormatError(path, f"RDKit cannot read {what}{reason}", line=line)


def _quiet() -> Any:
    """Suppress the messages of RDKit, which do not contain file and line."""
    return require("rdkit.rdBase", extra="rdkit").BlockLogs()
