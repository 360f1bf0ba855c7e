"""The degree-walk branch: node features and degrees along all walks."""

from dataclasses import dataclass

from gskn.layers._walk import WalkLayer


@dataclass
class DegreeWalkLayer(WalkLayer):
    """Sum over all walks from a node of the kernel of node features and degrees.

    The features are the one-hot vectors of degrees beside the other node features.
    """

    adds_degrees = True
