"""
Your own graphs, with labels and attributes
===========================================

This example converts networkx graphs to a batch and compares them with three kernels. Node
labels can be any hashable values, node attributes are numbers.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from gskn import GSKN, as_batch, kernels

MASS = {"C": 12.0, "N": 14.0, "O": 16.0}


def molecule(name, atoms, graph):
    """Return a graph whose nodes have an element and a mass."""
    graph = nx.Graph(graph, name=name)
    nx.set_node_attributes(graph, dict(enumerate(atoms)), "element")
    nx.set_node_attributes(graph, {n: MASS[a] for n, a in enumerate(atoms)}, "mass")
    return graph


molecules = [
    molecule("benzene", "CCCCCC", nx.cycle_graph(6)),
    molecule("pyridine", "CCCCCN", nx.cycle_graph(6)),
    molecule("hexane", "CCCCCC", nx.path_graph(6)),
    molecule("pentylamine", "CCCCCN", nx.path_graph(6)),
    molecule("cyclopentane", "CCCCC", nx.cycle_graph(5)),
    molecule("furan", "CCCCO", nx.cycle_graph(5)),
]
COLORS = {"C": "#6b6b6b", "N": "#0072B2", "O": "#D55E00"}
figure, axes = plt.subplots(2, 3, figsize=(5.6, 3.8), layout="constrained")
for graph, axis in zip(molecules, axes.flat, strict=True):
    atoms = nx.get_node_attributes(graph, "element")
    nx.draw(
        graph,
        nx.kamada_kawai_layout(graph),
        axis,
        node_color=[COLORS[atom] for atom in atoms.values()],
        node_size=150,
        labels=atoms,
        font_size=9,
        font_color="white",
        edge_color="0.6",
    )
    axis.set_title(graph.name, loc="center")
    axis.set_aspect("equal")
    axis.margins(0.15)
plt.show()

# %%
# ``as_batch`` converts them. ``node_label`` is the key of the categorical label.

graphs = as_batch(molecules, node_label="element")
print(graphs, graphs.label_values)

# %%
# The walk kernel compares the elements along walks. The anonymous walk kernel compares the
# patterns of walks. The joint kernel compares both for the same walk.

matrices = {
    "walk": kernels.walk_kernel(graphs, length=4, normalize=True),
    "anonymous": kernels.anonymous_walk_kernel(graphs, length=7, normalize=True),
    "joint": kernels.joint_kernel(graphs, length=7, normalize=True),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 4), layout="constrained", sharey=True)
for (name, matrix), axis in zip(matrices.items(), axes, strict=True):
    image = axis.imshow(matrix, cmap="cividis", vmin=0.6, vmax=1)
    axis.set_title(f"{name} kernel")
    axis.grid(visible=False)
    axis.set_xticks(range(6), graphs.graph_names, rotation=60, ha="right")
    axis.set_yticks(range(6), graphs.graph_names)
    for (row, column), value in np.ndenumerate(matrix):
        color = "black" if value > 0.8 else "white"
        axis.text(
            column, row, f"{value:.2f}", ha="center", va="center", color=color, size=7
        )
figure.colorbar(image, ax=axes, label="similarity", shrink=0.7)
plt.show()

# %%
# The walk kernel does not distinguish benzene, hexane and cyclopentane, because all their
# walks have the labels C-C-C-C. The anonymous walk kernel does not distinguish benzene and
# pyridine, because they have the same structure. The joint kernel distinguishes all six.

off_diagonal = matrices["joint"][~np.eye(6, dtype=bool)]
print(f"largest joint kernel value of two molecules: {off_diagonal.max():.2f}")

# %%
# Attributes are selected by their keys, with or without labels:

with_masses = as_batch(molecules, node_label="element", node_attributes=["mass"])
embeddings = GSKN(random_state=0).fit_transform(with_masses)
print(with_masses)
print(embeddings.shape)
