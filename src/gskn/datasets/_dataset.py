"""Dataset: graphs, what is to be predicted, and what is known about both."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np

from gskn._types import AnyArray, IndexArray
from gskn.graphs import GraphBatch


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One data set, frozen.

    Attributes
    ----------
    name : str
        Canonical name.
    graphs : GraphBatch
        The graphs; one large graph when ``task`` is "node".
    y : ndarray
        Class of every graph, or of every node; a 0/1 matrix when a node may have
        several. Values are those of the files.
    task : {"graph", "node"}
        What ``y`` belongs to.
    folds : mapping of str to tuple of ndarray
        Test indices of ten folds, the rest is for training: "published" where the
        literature has them and they lie beside the data, "stratified_seed0" for every
        set of graphs with at least ten graphs a class.
    description : str
        What the graphs are, in a sentence or two.
    """

    name: str
    graphs: GraphBatch
    y: AnyArray
    task: Literal["graph", "node"] = "graph"
    folds: Mapping[str, tuple[IndexArray, ...]] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        # A view: the caller's own array stays as it was.
        object.__setattr__(self, "y", _frozen(self.y))
        folds = {kind: tuple(map(_frozen, tests)) for kind, tests in self.folds.items()}
        object.__setattr__(self, "folds", MappingProxyType(folds))

    # A mapping proxy does not pickle, and arrays come back writable.
    def __reduce__(self) -> tuple[object, ...]:
        state = (self.name, self.graphs, self.y, self.task, dict(self.folds))
        return Dataset, (*state, self.description)

    @property
    def n_classes(self) -> int:
        """Number of classes; of labels where a node may have several."""
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
