"""
Your own graphs, with labels and attributes
===========================================

Graphs of networkx become a batch; labels of nodes are any hashable values, and attributes
are numbers. Kernels then say how alike the graphs are, each in its own way.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from gskn import GSKN, as_batch, kernels

MASS = {"C": 12.0, "N": 14.0, "O": 16.0}


def molecule(name, atoms, graph):
    """Return a graph with an element and a mass for every node."""
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
graphs = as_batch(molecules, node_label="element")
print(graphs, graphs.label_values)

# %%
# The walk kernel compares the elements along walks and the anonymous walk kernel the shapes
# of walks. The joint kernel asks for both in the same walk.

matrices = {
    "walk": kernels.walk_kernel(graphs, length=4, normalize=True),
    "anonymous": kernels.anonymous_walk_kernel(graphs, length=7, normalize=True),
    "joint": kernels.joint_kernel(graphs, length=7, normalize=True),
}
figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained", sharey=True)
for (name, matrix), axis in zip(matrices.items(), axes, strict=True):
    image = axis.imshow(matrix, cmap="cividis", vmin=0.6, vmax=1)
    axis.set_title(f"{name} kernel")
    axis.set_xticks(range(6), graphs.graph_names, rotation=60, ha="right")
    axis.set_yticks(range(6), graphs.graph_names)
    for (row, column), value in np.ndenumerate(matrix):
        colour = "black" if value > 0.8 else "white"
        axis.text(
            column, row, f"{value:.2f}", ha="center", va="center", color=colour, size=7
        )
figure.colorbar(image, ax=axes, label="similarity", shrink=0.7)
plt.show()

# %%
# To the walk kernel benzene, hexane and cyclopentane are one: every walk reads C-C-C-C. To
# the anonymous walk kernel benzene and pyridine are one: they have the same shape. The
# joint kernel tells all six apart.

off_diagonal = matrices["joint"][~np.eye(6, dtype=bool)]
print(f"largest similarity of two molecules, joint kernel: {off_diagonal.max():.2f}")

# %%
# Attributes are read by their key, alone or beside labels:

heavy = as_batch(molecules, node_label="element", node_attributes=["mass"])
rows = GSKN(random_state=0).fit_transform(heavy)
print(heavy)
print(rows.shape)
