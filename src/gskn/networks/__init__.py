"""Neural networks for graphs and nodes, as scikit-learn estimators (extra ``torch``).

The classes can be imported without torch. They import it when they are fitted or loaded.
"""

from gskn.networks._ddgk import DDGK
from gskn.networks._gat import GAT
from gskn.networks._gcn import GCN
from gskn.networks._gin import GIN
from gskn.networks._gralsp import GraLSP
from gskn.networks._graph_network import GraphNetwork
from gskn.networks._graphstone import GraphSTONE
from gskn.networks._node_network import NodeNetwork, UnsupervisedNodeNetwork
from gskn.networks._patchysan import PatchySAN
from gskn.networks._sage import GraphSAGE

__all__ = [
    "DDGK",
    "GAT",
    "GCN",
    "GIN",
    "GraLSP",
    "GraphNetwork",
    "GraphSAGE",
    "GraphSTONE",
    "NodeNetwork",
    "PatchySAN",
    "UnsupervisedNodeNetwork",
]
