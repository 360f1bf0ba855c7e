"""Attributes of nodes, standardised by those of the training graphs."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from gskn._types import FloatArray
from gskn._validation import check_choice
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, check_size


def uses_attributes(sources: str, batch: GraphBatch) -> bool:
    """Tell whether attributes of these graphs are to be used."""
    choices = ("auto", "labels", "attributes")
    chosen = check_choice(sources, "sources", choices=choices)
    return chosen == "attributes" or (chosen == "auto" and batch.n_attributes > 0)


class AttributeScaler:
    """Mean 0 and variance 1 for every attribute, over all nodes of the graphs given here.

    Parameters
    ----------
    batch : GraphBatch
        Training graphs.
    system : str
        What asks for attributes, as the subject of a sentence.
    """

    def __init__(self, batch: GraphBatch, system: str) -> None:
        self.system = system
        self.n_attributes = batch.n_attributes
        rows = self._check(batch)
        self.scaler = StandardScaler().fit(rows) if len(rows) else None

    def scale(self, batch: GraphBatch) -> FloatArray:
        """Return one row per node."""
        if not batch.n_nodes:  # nor have they attributes, then
            return np.empty((0, self.n_attributes))
        rows = self._check(batch)
        if not len(rows) or self.scaler is None:
            return rows
        scaled: FloatArray = self.scaler.transform(rows)
        return scaled

    def _check(self, batch: GraphBatch) -> FloatArray:
        if batch.node_attributes is None or not batch.n_attributes:
            raise InputError(
                f"{self.system} compares attributes of nodes, but the graphs have none; "
                "give attributes."
            )
        if batch.n_attributes != self.n_attributes:
            raise InputError(
                f"The graphs have {batch.n_attributes} node attributes, but those of fit "
                f"had {self.n_attributes}; give the same attributes."
            )
        return check_size(batch.node_attributes) if batch.n_nodes else batch.node_attributes
