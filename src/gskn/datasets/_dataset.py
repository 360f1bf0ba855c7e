"""Dataset: graphs, targets and folds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np

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
        may have several classes.
    task : {"graph", "node"}
        Whether graphs or nodes have classes.
    folds : mapping of str to tuple of ndarray
        Test indices of ten folds: "published" if published folds are stored with the data,
        and "stratified_seed0" if every class has at least ten graphs.
    description : str
        Short description of the graphs.
    """

    name: str
    graphs: GraphBatch
    y: AnyArray
    task: Literal["graph", "node"] = "graph"
    folds: Mapping[str, tuple[IndexArray, ...]] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        # A view, so that the array of the caller stays writable.
        object.__setattr__(self, "y", _frozen(self.y))
        folds = {name: tuple(map(_frozen, tests)) for name, tests in self.folds.items()}
        object.__setattr__(self, "folds", MappingProxyType(folds))

    # A mapping proxy cannot be pickled, and unpickled arrays are writable.
    def __reduce__(self) -> tuple[object, ...]:
        state = (self.name, self.graphs, self.y, self.task, dict(self.folds))
        return Dataset, (*state, self.description)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.y.shape[1] if self.y.ndim == 2 else len(np.unique(self.y))

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, task={self.task!r}, n_classes={self.n_classes}, "
            f"graphs={self.graphs!r})"
        )


def _frozen(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view
