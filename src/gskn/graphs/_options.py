"""Options for reading graphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gskn._validation import shorten
from gskn.exceptions import InputError

Key: TypeAlias = str | None
AttributeKeys: TypeAlias = str | Sequence[str] | None

AUTO = "auto"  # the default key of the format, if the graphs have it

# Features of atoms and bonds, in the order of their documentation.
ATOM_FEATURES = ("element", "charge", "aromatic", "hydrogens", "ring", "chirality")
BOND_FEATURES = ("type", "conjugated")
ATOM_ENCODINGS = ("joint", "columns")
ON_INVALID = ("raise", "skip", "keep")


@dataclass(frozen=True)
class Rejected:
    """A molecule that cannot be read."""

    place: str  # a file, or empty
    number: int  # of the line in the file, of the molecule in an SD file, or of the row
    text: str  # the line or the SMILES
    reason: str


@dataclass(frozen=True)
class ReadOptions:
    """Keys of the node and edge data to read, with the parameters of `as_batch`."""

    node_label: Key = AUTO
    node_attributes: AttributeKeys = AUTO
    edge_weight: Key = AUTO
    directed: bool | None = None
    columns: tuple[str, str, str] = ("graph", "source", "target")
    nodes: Any = None
    edge_label: Key = AUTO
    edge_attributes: AttributeKeys = AUTO
    smiles: str | bool | None = None
    atom_features: Sequence[str] = ("element",)
    atom_encoding: str = "joint"
    bond_features: Sequence[str] = ("type",)
    explicit_hydrogens: bool = False
    on_invalid: str = "raise"
    # Called with every molecule that is skipped or kept as an empty graph.
    report: Callable[["Rejected"], None] | None = None

    def __post_init__(self) -> None:
        for name in ("node_label", "edge_weight", "edge_label"):
            value = getattr(self, name)
            if not isinstance(value, str | None):
                raise InputError(f"{name} must be a string or None, got {shorten(value)}.")
        for name in ("node_attributes", "edge_attributes"):
            keys = getattr(self, name)
            if not isinstance(keys, str | None) and not _are_names(keys):
                raise InputError(
                    f"{name} must be a string, a sequence of strings or None, got "
                    f"{shorten(keys)}."
                )
        self._check_molecule_options()
        if not isinstance(self.directed, bool | None):
            raise InputError(
                f"directed must be True, False or None, got {shorten(self.directed)}."
            )
        if not _are_names(self.columns) or len(self.columns) != 3:
            raise InputError(
                "columns must be the names of the graph, source and target columns, got "
                f"{shorten(self.columns)}."
            )

    def _check_molecule_options(self) -> None:
        names: tuple[tuple[str, tuple[str, ...]], ...] = (
            ("atom_features", ATOM_FEATURES),
            ("bond_features", BOND_FEATURES),
        )
        for name, choices in names:
            values = getattr(self, name)
            is_valid = _are_names(values) and len({*values}) == len(values)
            if not is_valid or not {*values} <= {*choices}:
                raise InputError(
                    f"{name} must be a list of different names among "
                    f"{', '.join(choices)}, got {shorten(values)}."
                )
        names = (("atom_encoding", ATOM_ENCODINGS), ("on_invalid", ON_INVALID))
        for name, choices in names:
            if getattr(self, name) not in choices:
                raise InputError(
                    f"{name} must be one of {', '.join(choices)}, got "
                    f"{shorten(getattr(self, name))}."
                )
        if not isinstance(self.smiles, str | bool | None):
            raise InputError(
                "smiles must be the name of a column, True, False or None, got "
                f"{shorten(self.smiles)}."
            )
        if not isinstance(self.explicit_hydrogens, bool):
            raise InputError(
                "explicit_hydrogens must be True or False, got "
                f"{shorten(self.explicit_hydrogens)}."
            )

    def is_directed(self, *, default: bool) -> bool:
        """Return ``directed``, or the convention of the format if it is None."""
        return default if self.directed is None else self.directed


def _are_names(keys: object) -> bool:
    return (
        isinstance(keys, list | tuple)
        and bool(keys)
        and all(isinstance(key, str) for key in keys)
    )
