"""Everything that imports torch: tensors of graphs, modules and the training loop.

The estimators import this package when they are fitted or loaded, so that the other parts
of gskn work without torch.
"""

from gskn.networks._modules._divergence import (
    SourceEncoders,
    divergences,
    n_trainings,
    train_sources,
)
from gskn.networks._modules._fields import FieldInputs, FieldModule
from gskn.networks._modules._graph_module import (
    GraphModule,
    predict_graphs,
    train_graph_member,
)
from gskn.networks._modules._node_module import (
    NodeModule,
    node_outputs,
    train_node_member,
    train_walk_member,
)
from gskn.networks._modules._registry import CONVOLUTIONS
from gskn.networks._modules._state import load_state, save_state
from gskn.networks._modules._tensors import GraphInputs
from gskn.networks._modules._training import Settings
from gskn.networks._modules._walk_modules import (
    PatternModule,
    PatternWalks,
    TopicModule,
    pattern_outputs,
    topic_outputs,
    train_pattern_member,
    train_topic_member,
)

__all__ = [
    "CONVOLUTIONS",
    "FieldInputs",
    "FieldModule",
    "GraphInputs",
    "GraphModule",
    "NodeModule",
    "PatternModule",
    "PatternWalks",
    "Settings",
    "SourceEncoders",
    "TopicModule",
    "divergences",
    "load_state",
    "n_trainings",
    "node_outputs",
    "pattern_outputs",
    "predict_graphs",
    "save_state",
    "topic_outputs",
    "train_graph_member",
    "train_node_member",
    "train_pattern_member",
    "train_sources",
    "train_topic_member",
    "train_walk_member",
]
