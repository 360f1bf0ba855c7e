"""Selection of the node data that a baseline uses: the parameter ``node_features``."""

from dataclasses import replace
from typing import Any

from gskn._validation import check_node_features, shorten
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch


def select_node_features(
    node_features: Any, supported: tuple[tuple[str, ...], ...]
) -> tuple[str, ...] | None:
    """Return the selected node features, None for "auto".

    Parameters
    ----------
    node_features : "auto", str or sequence of str
        Value of the parameter.
    supported : tuple of tuples of str
        Selections that the baseline supports.

    Returns
    -------
    selection : tuple of str or None
        The names in a fixed order, or None for "auto".
    """
    selection = check_node_features(node_features, allow_empty=True)
    if selection is not None and selection not in supported:
        choices = ", ".join(["'auto'", *map(repr, supported)])
        raise InputError(
            f"node_features must be one of {choices}, got {shorten(node_features)}."
        )
    return selection


def uses_attributes(
    node_features: Any, supported: tuple[tuple[str, ...], ...], batch: GraphBatch
) -> bool:
    """Return whether attributes are selected; "auto" uses them if the graphs have them."""
    selection = select_node_features(node_features, supported)
    if selection is None:
        return batch.n_attributes > 0
    return "attributes" in selection


def keep_node_features(batch: GraphBatch, selection: tuple[str, ...] | None) -> GraphBatch:
    """Return the batch without the labels or attributes that are not selected."""
    if selection is None:
        return batch
    if "labels" not in selection and batch.node_labels is not None:
        batch = replace(batch, node_labels=None, label_values=())
    if "attributes" not in selection:
        batch = replace(batch, node_attributes=None)
    return batch
