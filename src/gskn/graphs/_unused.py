"""Warnings about data of graphs that a method does not use."""

import warnings

from gskn.exceptions import UnusedDataWarning
from gskn.graphs._batch import GraphBatch


def warn_unused_edges(batch: GraphBatch, user: str, *, stacklevel: int = 3) -> None:
    """Warn once if graphs have edge labels or edge attributes, which ``user`` ignores.

    Parameters
    ----------
    batch : GraphBatch
        Graphs that a method received.
    user : str
        Name of the method.
    stacklevel : int, default=3
        Frames between this function and the code to report; 3 is the caller of the caller.
    """
    columns = (("labels", batch.edge_labels), ("attributes", batch.edge_attributes))
    names = [f"edge {name}" for name, column in columns if column is not None]
    if names:
        warnings.warn(
            f"{' and '.join(names).capitalize()} are not used by {user}. To remove them "
            "and this warning, pass batch.without_edge_data().",
            UnusedDataWarning,
            stacklevel=stacklevel,
        )
