"""Molecules in scikit-learn: a transformer of SMILES, and splits by scaffold.

This module needs the extra ``rdkit``.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import BaseCrossValidator

from gskn._optional import comes_from, require
from gskn._types import IndexArray
from gskn._validation import check_int, shorten
from gskn.exceptions import InputError
from gskn.graphs import (
    RDKIT_ERRORS,
    GraphBatch,
    ReadOptions,
    as_batch,
    as_list,
    find_smiles_column,
    is_molecule,
    parse_molecule,
    quiet,
)

__all__ = ["MoleculeFeaturizer", "ScaffoldKFold", "murcko_scaffolds", "scaffold_split"]

_scaffold_smiles = require(
    "rdkit.Chem.Scaffolds.MurckoScaffold", extra="rdkit"
).MurckoScaffoldSmiles

_to_smiles = require("rdkit.Chem", extra="rdkit").MolToSmiles

# The time of RDKit grows with the cube of the atoms: one second for 1,000.
_MAX_SCAFFOLD_ATOMS = 1000

Acyclic = Literal["together", "separate"]


# The output is a batch, which scikit-learn cannot wrap.
class MoleculeFeaturizer(  # type: ignore[call-arg]
    TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    """Convert molecules to a `GraphBatch` in a pipeline of scikit-learn.

    The estimators of gskn accept SMILES directly. This transformer makes the features of
    atoms and bonds parameters of a pipeline, for instance for ``GridSearchCV``.

    Parameters
    ----------
    atom_features : sequence of str, default=("element",)
        As in `gskn.graphs.as_batch`.
    atom_encoding : {"joint", "columns"}, default="joint"
        As in `gskn.graphs.as_batch`.
    bond_features : sequence of str, default=("type",)
        As in `gskn.graphs.as_batch`.
    explicit_hydrogens : bool, default=False
        Whether hydrogens are nodes.
    on_invalid : {"raise", "keep"}, default="raise"
        Treatment of molecules that cannot be read. "keep" replaces them by graphs without
        nodes. They cannot be skipped, because graphs must stay aligned with the targets.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from gskn import GSKN
    >>> molecules = ["C", "CC", "CCC", "CCO", "C=C", "c1ccccc1"]
    >>> model = make_pipeline(MoleculeFeaturizer(), GSKN(random_state=0), Ridge())
    >>> model.fit(molecules, [1, 2, 3, 3, 2, 6]).predict(["CCCC"]).shape
    (1,)
    """

    def __init__(
        self,
        *,
        atom_features: Sequence[str] = ("element",),
        atom_encoding: str = "joint",
        bond_features: Sequence[str] = ("type",),
        explicit_hydrogens: bool = False,
        on_invalid: str = "raise",
    ) -> None:
        self.atom_features = atom_features
        self.atom_encoding = atom_encoding
        self.bond_features = bond_features
        self.explicit_hydrogens = explicit_hydrogens
        self.on_invalid = on_invalid

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Do nothing; features of molecules do not depend on the training molecules.

        Parameters
        ----------
        X : sequence of SMILES or RDKit molecules
            Ignored.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : MoleculeFeaturizer
            The transformer.
        """
        return self

    def transform(self, X: Any) -> Any:
        """Convert molecules to graphs.

        Parameters
        ----------
        X : sequence of SMILES or RDKit molecules, or pandas Series
            Molecules.

        Returns
        -------
        batch : GraphBatch or pandas.Series
            One graph per molecule; a Series of graphs with the index of X after
            ``set_output(transform="pandas")``.
        """
        if self.on_invalid == "skip":
            raise InputError(
                "on_invalid='skip' would remove rows from X but not from y; use 'keep' or "
                "'raise'."
            )
        batch = as_batch(
            X,
            smiles=True if not hasattr(X, "columns") else None,
            atom_features=self.atom_features,
            atom_encoding=self.atom_encoding,
            bond_features=self.bond_features,
            explicit_hydrogens=self.explicit_hydrogens,
            on_invalid=self.on_invalid,
        )
        config = getattr(self, "_sklearn_output_config", {})
        if config.get("transform") == "pandas" and comes_from(X, "pandas"):
            # scikit-learn copies the index of pandas input only.
            return require("pandas", extra="pandas").Series(np.asarray(batch), X.index)
        return batch

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container of the output.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            "pandas" keeps the index of pandas input. Other values return a `GraphBatch`.
            None changes nothing.

        Returns
        -------
        self : MoleculeFeaturizer
            The transformer.
        """
        if transform is not None:
            # `clone` copies the attribute of this name.
            self._sklearn_output_config = {"transform": transform}
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


def murcko_scaffolds(molecules: Any) -> list[str]:
    """Return the Bemis-Murcko scaffolds of molecules.

    Parameters
    ----------
    molecules : sequence of SMILES or RDKit molecules, table or GraphBatch
        Molecules. A table has a column of SMILES; the graphs of a batch are named by them.

    Returns
    -------
    scaffolds : list of str
        Canonical SMILES of the rings and the chains between them, without stereochemistry;
        empty for a molecule without rings and for a molecule that cannot be read. A
        molecule with rings and more than 1,000 atoms is its own scaffold.

    References
    ----------
    Bemis and Murcko, "The properties of known drugs. 1. Molecular frameworks", 1996.

    Examples
    --------
    >>> murcko_scaffolds(["CCc1ccccc1", "CCO"])
    ['c1ccccc1', '']
    """
    return [scaffold or "" for scaffold in _scaffolds(_as_items(molecules))]


def scaffold_split(
    molecules: Any, *, test_size: float = 0.2, acyclic: Acyclic = "together"
) -> tuple[IndexArray, IndexArray]:
    """Split molecules so that no scaffold is in both parts.

    Scaffolds are added to the training part in order of decreasing frequency, as long as
    it has room; the test part contains rare scaffolds. Equally frequent scaffolds are
    ordered by a hash, because files are often sorted by their targets. The split is
    deterministic.

    Parameters
    ----------
    molecules : sequence of SMILES or RDKit molecules, table or GraphBatch
        Molecules.
    test_size : float, default=0.2
        Fraction of test molecules.
    acyclic : {"together", "separate"}, default="together"
        Whether molecules without rings are one group or separate groups.

    Returns
    -------
    train, test : ndarray of int
        Indices of molecules, sorted.

    Examples
    --------
    >>> molecules = ["c1ccccc1", "Cc1ccccc1", "C1CC1", "CC"]
    >>> train, test = scaffold_split(molecules, test_size=0.5)
    >>> train.tolist(), test.tolist()
    ([0, 1], [2, 3])
    """
    if not 0 < test_size < 1:
        raise InputError(f"test_size must be between 0 and 1, got {shorten(test_size)}.")
    members = _members(molecules, acyclic)
    order = sorted(members, key=lambda key: (-len(members[key]), _hash(key)))
    groups = [members[key] for key in order]
    n_molecules = sum(map(len, groups))
    room = n_molecules - round(test_size * n_molecules)
    train: list[int] = []
    for group in groups:
        if len(train) + len(group) <= room:
            train += group
    rest = np.setdiff1d(np.arange(n_molecules), train)
    if not train or not len(rest):
        raise InputError(
            f"{n_molecules} molecules with {len(groups)} scaffolds cannot be split with "
            f"test_size={test_size}."
        )
    return np.sort(np.array(train, dtype=np.int64)), rest


class ScaffoldKFold(BaseCrossValidator):
    """K-fold cross-validation in which no scaffold is in two folds.

    Scaffolds are assigned in order of decreasing frequency, each to the smallest fold so
    far. The folds are deterministic.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    acyclic : {"together", "separate"}, default="together"
        Whether molecules without rings are one group or separate groups. If most molecules
        have no rings, one group gives folds of very different sizes.

    Examples
    --------
    >>> molecules = ["c1ccccc1", "Cc1ccccc1", "C1CC1", "CC"]
    >>> [test.tolist() for _, test in ScaffoldKFold(2).split(molecules)]
    [[0, 1], [2, 3]]
    """

    def __init__(self, n_splits: int = 5, *, acyclic: Acyclic = "together") -> None:
        self.n_splits = n_splits
        self.acyclic = acyclic

    def get_n_splits(
        self,
        X: object = None,  # noqa: ARG002
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
    ) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object, default=None
            Ignored.

        Returns
        -------
        n_splits : int
            Number of folds.
        """
        return self.n_splits

    def _iter_test_indices(
        self,
        X: Any = None,
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
    ) -> Iterator[IndexArray]:
        check_int(self.n_splits, "n_splits", minimum=2)
        # Ties are broken by the first molecule.
        scaffolds = sorted(
            _members(X, self.acyclic).values(), key=lambda group: (-len(group), group[0])
        )
        if len(scaffolds) < self.n_splits:
            raise InputError(
                f"There are {len(scaffolds)} scaffolds, fewer than n_splits="
                f"{self.n_splits}."
            )
        folds: list[list[int]] = [[] for _ in range(self.n_splits)]
        for group in scaffolds:
            min(folds, key=len).extend(group)
        for fold in folds:
            yield np.sort(np.array(fold, dtype=np.int64))


def are_smiles(names: Any) -> bool:
    """Return whether the names of graphs are SMILES that RDKit can read; None is not."""
    if names is None or not all(isinstance(name, str) for name in names):
        return False
    return all(scaffold is not None for scaffold in _scaffolds(names))


def _as_items(molecules: Any) -> Sequence[Any]:
    """Return a list of molecules; raise if they are something else."""
    if isinstance(molecules, GraphBatch):
        if molecules.graph_names is None:
            raise InputError("The graphs have no names; their names must be SMILES.")
        return list(molecules.graph_names)
    if isinstance(molecules, str):
        return [molecules]
    if hasattr(molecules, "columns"):
        names = getattr(molecules, "column_names", molecules.columns)  # pyarrow or pandas
        column = find_smiles_column([*map(str, names)], ReadOptions())
        if column is None:
            raise InputError("The table has no column of SMILES; pass the column.")
        molecules = molecules[column]
    is_column = hasattr(molecules, "to_pylist") or comes_from(molecules, "pandas")
    items = as_list(molecules) if is_column else list(molecules)
    for number, item in enumerate(items):
        if not (item is None or isinstance(item, str | float) or is_molecule(item)):
            raise InputError(
                f"Molecule {number} must be SMILES or an RDKit molecule, got "
                f"{shorten(item, 40)}."
            )
    return items


def _scaffolds(items: Sequence[Any]) -> Iterator[str | None]:
    """Yield the scaffolds of molecules, None for those that cannot be read."""
    with quiet():
        for item in items:
            try:
                yield _scaffold(parse_molecule(item))
            except RDKIT_ERRORS:
                yield None


def _scaffold(molecule: Any) -> str:
    is_large = molecule.GetNumAtoms() > _MAX_SCAFFOLD_ATOMS
    if is_large and molecule.GetRingInfo().NumRings():
        smiles: str = _to_smiles(molecule, isomericSmiles=False)
        return smiles
    return "" if is_large else str(_scaffold_smiles(mol=molecule))


def _members(molecules: Any, acyclic: str) -> dict[str, list[int]]:
    """Return the molecules of every scaffold."""
    if acyclic not in {"together", "separate"}:
        raise InputError(
            f"acyclic must be 'together' or 'separate', got {shorten(acyclic)}."
        )
    members: dict[str, list[int]] = {}
    for number, scaffold in enumerate(murcko_scaffolds(molecules)):
        is_single = not scaffold and acyclic == "separate"
        members.setdefault(f"molecule {number}" if is_single else scaffold, []).append(
            number
        )
    return members


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=8).digest()
