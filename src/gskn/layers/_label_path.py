"""The label-path branch: labels and attributes of nodes along paths."""

from dataclasses import dataclass

from gskn.layers._path import PathLayer


@dataclass
class LabelPathLayer(PathLayer):
    """The path branch for graphs with node labels or attributes only.

    Paths help on molecules. Degrees along the paths of dense graphs take long and add
    nothing to walks.
    """

    needs_node_data = True
