"""Warnings about data of graphs that a method does not use."""

import warnings
from collections.abc import Container

from gskn.exceptions import UnusedDataWarning
from gskn.graphs._batch import GraphBatch


def warn_unused_edges(
    batch: GraphBatch, user: str, *, used: Container[str] = (), stacklevel: int = 3
) -> None:
    """Warn once if graphs have edge labels or edge attributes that ``user`` ignores.

    Parameters
    ----------
    batch : GraphBatch
        Graphs that a method received.
    user : str
        Name of the method.
    used : container of {"labels", "attributes"}, default=()
        Edge data that the method uses.
    stacklevel : int, default=3
        Frames between this function and the code to report; 3 is the caller of the caller.
    """
    columns = (("labels", batch.edge_labels), ("attributes", batch.edge_attributes))
    present = [name for name, column in columns if column is not None]
    unused = [name for name in present if name not in used]
    if unused:
        names = " and ".join(f"edge {name}" for name in unused).capitalize()
        remedy = "pass batch.without_edge_data()"
        if unused != present:
            remedy = "read the graphs with edge_attributes=None"
        warnings.warn(
            f"{names} are not used by {user}. To remove them and this warning, {remedy}.",
            UnusedDataWarning,
            stacklevel=stacklevel,
        )
