"""Node attributes, standardized by the statistics of the training graphs."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from gskn._types import FloatArray
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, check_size


class AttributeScaler:
    """Scale every node attribute to mean 0 and variance 1 on the training graphs.

    Parameters
    ----------
    batch : GraphBatch
        Training graphs.
    system : str
        Name of the baseline, the subject of error messages.
    """

    def __init__(self, batch: GraphBatch, system: str) -> None:
        self.system = system
        self.n_attributes = batch.n_attributes
        attributes = self._check(batch)
        self.scaler = StandardScaler().fit(attributes) if len(attributes) else None

    def scale(self, batch: GraphBatch) -> FloatArray:
        """Return the scaled attributes, an array of shape (n_nodes, n_attributes)."""
        if not batch.n_nodes:  # a batch without nodes has no attributes to check
            return np.empty((0, self.n_attributes))
        attributes = self._check(batch)
        if not len(attributes) or self.scaler is None:
            return attributes
        scaled: FloatArray = self.scaler.transform(attributes)
        return scaled

    def _check(self, batch: GraphBatch) -> FloatArray:
        """Return the attributes of the graphs; raise if they do not fit."""
        if batch.node_attributes is None or not batch.n_attributes:
            raise InputError(
                f"{self.system} compares node attributes, but the graphs have none; "
                "add node attributes."
            )
        if batch.n_attributes != self.n_attributes:
            raise InputError(
                f"The graphs have {batch.n_attributes} node attributes, but the training "
                f"graphs had {self.n_attributes}; use the same attributes."
            )
        return check_size(batch.node_attributes) if batch.n_nodes else batch.node_attributes
