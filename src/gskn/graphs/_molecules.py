"""Molecules through RDKit: atoms are nodes labelled by element, bonds are edges."""

from pathlib import Path
from typing import Any

import numpy as np

from gskn._optional import require
from gskn.exceptions import FileFormatError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import ReadOptions


def read_smiles(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read one SMILES a line, with an optional name after it."""
    chem = require("rdkit.Chem", extra="rdkit")
    parts = []
    for number, line in enumerate(
        path.read_text(encoding="utf-8-sig").splitlines(), start=1
    ):
        fields = line.split(maxsplit=1)
        if not fields or fields[0].startswith("#"):
            continue
        with _quiet():
            molecule = chem.MolFromSmiles(fields[0])
        if molecule is None:
            raise FileFormatError(path, f"RDKit cannot read {fields[0]!r}", line=number)
        name = fields[1].strip() if len(fields) > 1 else fields[0]
        parts.append(from_molecule(molecule, name, options))
    return parts


def read_sdf(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read the molecules of an SD file."""
    chem = require("rdkit.Chem", extra="rdkit")
    parts: list[GraphParts] = []
    if not path.stat().st_size:
        return parts
    with _quiet():
        for number, molecule in enumerate(chem.SDMolSupplier(str(path))):
            if molecule is None:
                raise FileFormatError(path, f"RDKit cannot read molecule {number}")
            title = molecule.GetProp("_Name") if molecule.HasProp("_Name") else ""
            parts.append(from_molecule(molecule, title or f"{path.stem}:{number}", options))
    return parts


def from_molecule(molecule: Any, name: str, options: ReadOptions) -> GraphParts:
    """Describe an RDKit molecule; hydrogens only where they are atoms of it."""
    ends = np.array(
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()],
        dtype=np.int64,
    ).reshape(-1, 2)
    symbols = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    return GraphParts(
        [len(symbols)],
        ends[:, 0],
        ends[:, 1],
        labels=symbols if options.node_label is not None else None,
        graph_names=[name],
        directed=options.is_directed(custom=False),
    )


def _quiet() -> Any:
    """Keep RDKit's own messages off the screen; ours names file and line."""
    return require("rdkit.rdBase", extra="rdkit").BlockLogs()
