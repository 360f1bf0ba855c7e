"""Conversion of RDKit molecules: atoms are nodes with labels, bonds are labelled edges."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from gskn._optional import comes_from, require
from gskn._types import AnyArray, FloatArray
from gskn.graphs._assemble import GraphParts
from gskn.graphs._columns import Coded
from gskn.graphs._options import ReadOptions

_BOND_ORDERS = {1.0: "single", 1.5: "aromatic", 2.0: "double", 3.0: "triple"}
# The matrix of bonds of a larger molecule takes more time than a loop over its bonds.
_MAX_DENSE_ATOMS = 256
_MAX_CHARGE = 2
_MAX_HYDROGENS = 4
_CHIRALITIES = ("none", "R", "S")


def is_molecule(value: object) -> bool:
    """Return whether an object is an RDKit molecule."""
    return comes_from(value, "rdkit") and hasattr(value, "GetAtoms")


class MoleculeBuilder:
    """Collection of molecules, which become one `GraphParts`.

    One part for all molecules is several times as fast as one part for each.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._sizes: list[int] = []
        self._names: list[Hashable] = []
        self._ends: list[AnyArray] = []
        self._n_nodes = 0
        self._labels = _Vocabulary()
        self._rows = _Vocabulary()
        self._bonds: list[AnyArray] = []
        self._bond_values: dict[Hashable, int] = {}
        for label in _BOND_ORDERS.values():
            self._bond_values[label] = len(self._bond_values)
        self._is_element_only = tuple(options.atom_features) == ("element",)

    def add_empty(self, name: Hashable) -> None:
        """Add a graph without nodes."""
        self._sizes.append(0)
        self._names.append(name)

    def add(self, molecule: Any, name: Hashable) -> None:
        """Add a molecule; implicit hydrogens are not nodes."""
        options = self._options
        if options.explicit_hydrogens:
            molecule = require("rdkit.Chem", extra="rdkit").AddHs(molecule)
        # Not the iterator of GetAtoms, which takes twice as long.
        atoms = [*map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms()))]
        numbers = [atom.GetAtomicNum() for atom in atoms]
        # All values are computed before any is stored: RDKit may raise.
        keys = None if self._is_element_only else [self._features(atom) for atom in atoms]
        is_small = len(atoms) <= _MAX_DENSE_ATOMS
        is_typed = tuple(options.bond_features) == ("type",)
        bonds = _dense_bonds(molecule) if is_small and is_typed else None
        source, target, codes = self._listed_bonds(atoms) if bonds is None else bonds
        self._ends.append(np.stack([source, target]) + self._n_nodes)
        self._bonds.append(codes)
        self._add_atoms(numbers, keys)
        self._sizes.append(len(atoms))
        self._names.append(name)
        self._n_nodes += len(atoms)

    def part(self) -> GraphParts:
        """Return all molecules."""
        options = self._options
        ends = np.concatenate([np.empty((2, 0), dtype=np.int64), *self._ends], axis=1)
        codes = np.concatenate([np.empty(0, dtype=np.int64), *self._bonds])
        has_columns = options.atom_encoding == "columns"
        labels = None
        if not has_columns or "element" in options.atom_features:
            labels = self._labels.coded(self._as_label)
        attributes = self._attribute_rows() if has_columns else None
        return GraphParts(
            self._sizes,
            ends[0],
            ends[1],
            labels=labels if options.node_label is not None else None,
            attributes=attributes if options.node_attributes is not None else None,
            graph_names=self._names,
            directed=options.is_directed(default=False),
            edge_labels=(
                Coded(codes, tuple(self._bond_values))
                if options.edge_label is not None
                else None
            ),
        )

    def _features(self, atom: Any) -> tuple[Any, ...]:
        return tuple(_ATOM_FEATURES[name](atom) for name in self._options.atom_features)

    def _add_atoms(self, numbers: list[int], keys: list[tuple[Any, ...]] | None) -> None:
        if keys is None:
            self._labels.add(numbers)
        elif self._options.atom_encoding == "joint":
            self._labels.add(keys)
        else:
            self._labels.add(numbers)
            self._rows.add(keys)

    def _as_label(self, key: Any) -> Hashable:
        """Return the element of an atomic number, or the features of an atom."""
        if isinstance(key, int):
            return _symbol(key)
        return key[0] if len(key) == 1 else tuple(key)

    def _attribute_rows(self) -> FloatArray | None:
        """Return one block of columns per feature other than the element."""
        names = [name for name in self._options.atom_features if name != "element"]
        if not names:
            return None
        if self._is_element_only or not self._rows.values:
            n_columns = sum(len(_COLUMNS[name](_DEFAULTS[name])) for name in names)
            return np.empty((self._n_nodes, n_columns))
        table = [
            [
                number
                for name, value in zip(self._options.atom_features, key, strict=True)
                if name != "element"
                for number in _COLUMNS[name](value)
            ]
            for key in self._rows.values
        ]
        rows: FloatArray = np.array(table, dtype=np.float64)[self._rows.codes()]
        return rows

    def _listed_bonds(self, atoms: list[Any]) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Return the bonds of every atom to atoms with a larger index."""
        # Not GetBonds of the molecule, whose time grows with the square of their number.
        entries = [
            (atom.GetIdx(), bond.GetOtherAtomIdx(atom.GetIdx()), bond)
            for atom in atoms
            for bond in atom.GetBonds()
        ]
        entries = [entry for entry in entries if entry[0] < entry[1]]
        values = self._bond_values
        codes = [
            values.setdefault(self._bond_label(bond), len(values)) for *_, bond in entries
        ]
        ends = np.array([entry[:2] for entry in entries], dtype=np.int64).reshape(-1, 2)
        return ends[:, 0], ends[:, 1], np.array(codes, dtype=np.int64)

    def _bond_label(self, bond: Any) -> Hashable:
        names = self._options.bond_features
        features: list[Hashable] = [_BOND_FEATURES[name](bond) for name in names]
        return features[0] if len(features) == 1 else tuple(features)


class _Vocabulary:
    """Values of atoms, stored as numbers."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self._codes: list[int] = []

    def add(self, keys: list[Any]) -> None:
        values = self.values
        self._codes += [values.setdefault(key, len(values)) for key in keys]

    def codes(self) -> AnyArray:
        return np.array(self._codes, dtype=np.int64)

    def coded(self, as_label: Any) -> Coded:
        return Coded(self.codes(), tuple(map(as_label, self.values)))


def _dense_bonds(molecule: Any) -> tuple[AnyArray, AnyArray, AnyArray] | None:
    """Return all bonds with one call of RDKit, or None if a bond has a rare type."""
    chem = require("rdkit.Chem", extra="rdkit")
    matrix = chem.GetAdjacencyMatrix(molecule, useBO=True)
    source, target = np.nonzero(matrix)
    # A dative bond has one entry, and a bond of order zero none.
    if len(source) != 2 * molecule.GetNumBonds():
        return None
    is_first = source < target
    source, target = source[is_first], target[is_first]
    orders = (2 * matrix[source, target]).astype(np.int64)
    codes = _ORDER_CODES.take(orders, mode="clip")
    return None if (codes < 0).any() else (source, target, codes)


def _symbol(number: int) -> str:
    table = require("rdkit.Chem", extra="rdkit").GetPeriodicTable()
    symbol: str = table.GetElementSymbol(number)
    return symbol


# Not the chiral tag, which depends on the order of the atoms.
def _chirality(atom: Any) -> str:
    code: str = atom.GetProp("_CIPCode") if atom.HasProp("_CIPCode") else "none"
    return code


def _charge_columns(charge: int) -> list[float]:
    clipped = min(max(charge, -_MAX_CHARGE), _MAX_CHARGE)
    return _one_of(clipped + _MAX_CHARGE, 2 * _MAX_CHARGE + 1)


def _one_of(position: int, n_columns: int) -> list[float]:
    return [float(column == position) for column in range(n_columns)]


_ATOM_FEATURES: dict[str, Any] = {
    "element": lambda atom: atom.GetSymbol(),
    "charge": lambda atom: atom.GetFormalCharge(),
    "aromatic": lambda atom: atom.GetIsAromatic(),
    "hydrogens": lambda atom: atom.GetTotalNumHs(),
    "ring": lambda atom: atom.IsInRing(),
    "chirality": _chirality,
}
_BOND_FEATURES: dict[str, Any] = {
    "type": lambda bond: str(bond.GetBondType()).lower(),
    "conjugated": lambda bond: bond.GetIsConjugated(),
}
# The columns of a value. They do not depend on the molecules, so that training and test
# molecules have the same columns.
_COLUMNS: dict[str, Any] = {
    "charge": _charge_columns,
    "aromatic": lambda value: [float(value)],
    "hydrogens": lambda value: _one_of(min(value, _MAX_HYDROGENS), _MAX_HYDROGENS + 1),
    "ring": lambda value: [float(value)],
    "chirality": lambda value: [float(value == name) for name in _CHIRALITIES],
}
_DEFAULTS: dict[str, Any] = {
    "charge": 0,
    "aromatic": False,
    "hydrogens": 0,
    "ring": False,
    "chirality": "none",
}
_ORDER_CODES = np.full(8, -1)  # by twice the bond order
for _position, _order in enumerate(_BOND_ORDERS):
    _ORDER_CODES[int(2 * _order)] = _position
