"""Convolutions by name."""

from gskn.networks._modules._convolution import Convolution
from gskn.networks._modules._gat import GATConvolution
from gskn.networks._modules._gcn import GCNConvolution
from gskn.networks._modules._gin import GINConvolution
from gskn.networks._modules._gine import GINEConvolution
from gskn.networks._modules._sage import SAGEConvolution

CONVOLUTIONS: dict[str, type[Convolution]] = {
    "gin": GINConvolution,
    "gine": GINEConvolution,
    "gcn": GCNConvolution,
    "sage": SAGEConvolution,
    "gat": GATConvolution,
}
