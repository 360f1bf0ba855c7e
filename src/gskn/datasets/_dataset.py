"""Dataset: graphs, targets and folds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np

from gskn._html import html_paragraph
from gskn._types import AnyArray, IndexArray
from gskn.graphs import GraphBatch


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One immutable data set.

    Attributes
    ----------
    name : str
        Name of the set.
    graphs : GraphBatch
        The graphs; one large graph if ``task`` is "node".
    y : ndarray
        Class of every graph or node, with the values in the files; a 0/1 matrix if a node
        may have several classes. Real targets of graphs are floats.
    task : {"graph", "node"}
        Whether graphs or nodes have targets.
    folds : mapping of str to tuple of ndarray
        Test indices of ten folds: "published" if published folds are stored with the data,
        and "stratified_seed0" if every class has at least ten graphs.
    description : str
        Short description of the graphs.
    columns : mapping of str to ndarray
        Other columns of a table of molecules, as text, with one value per graph.
    labelled : ndarray of int or None
        Nodes that have a class, if others have none; None if all have a target.
    """

    name: str
    graphs: GraphBatch
    y: AnyArray
    task: Literal["graph", "node"] = "graph"
    folds: Mapping[str, tuple[IndexArray, ...]] = field(default_factory=dict)
    description: str = ""
    columns: Mapping[str, AnyArray] = field(default_factory=dict)
    labelled: IndexArray | None = None

    def __post_init__(self) -> None:
        # A view, so that the array of the caller stays writable.
        object.__setattr__(self, "y", _frozen(self.y))
        folds = {name: tuple(map(_frozen, tests)) for name, tests in self.folds.items()}
        object.__setattr__(self, "folds", MappingProxyType(folds))
        columns = {name: _frozen(column) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(columns))
        if self.labelled is not None:
            object.__setattr__(self, "labelled", _frozen(self.labelled))

    # A mapping proxy cannot be pickled, and unpickled arrays are writable.
    def __reduce__(self) -> tuple[object, ...]:
        state = (self.name, self.graphs, self.y, self.task, dict(self.folds))
        return Dataset, (*state, self.description, dict(self.columns), self.labelled)

    @property
    def targets(self) -> Literal["classes", "values"]:
        """Kind of targets: "values" if the targets of graphs are floats."""
        is_float = self.task == "graph" and self.y.dtype.kind == "f"
        return "values" if is_float else "classes"

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if the targets are values."""
        if self.targets == "values":
            return 0
        if self.y.ndim == 2:
            return int(self.y.shape[1])
        return len(np.unique(self.y if self.labelled is None else self.y[self.labelled]))

    def __repr__(self) -> str:
        targets = f"n_classes={self.n_classes}" if self.n_classes else "targets='values'"
        return (
            f"Dataset({self.name!r}, task={self.task!r}, {targets}, graphs={self.graphs!r})"
        )

    def _repr_html_(self) -> str:
        """Return name, targets and a table of the graphs for notebooks."""
        targets = f"{self.n_classes} classes of {self.task}s"
        if self.targets == "values":
            targets = "values of graphs"
        text = f"Dataset {self.name}: {targets}. {self.description}".strip()
        return html_paragraph(text) + self.graphs._repr_html_()


def _frozen(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view
