"""
A map of graphs
===============

This example plots graph embeddings in two dimensions. The graphs are cycles, paths, wheels
and ladders, each with some random additional edges. The classes are used only for the
colors of the plot, not for the embeddings.
"""

import matplotlib.pyplot as plt
import networkx as nx
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, datasets

data = datasets.structure(n_per_class=60)
print(data.description)

# %%
# Mean pooling is used so that the size of a graph does not dominate the plot. A cycle and a
# path differ by one edge only; the right plot shows only these two classes.

model = make_pipeline(GSKN(pooling="mean", random_state=0), StandardScaler(), PCA(2))
NAMES = ["cycle", "path", "wheel", "ladder"]
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]  # color-blind friendly
MARKERS = "o^sD"

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for axis, mask in zip(axes, [data.y >= 0, data.y <= 1], strict=True):
    points, classes = model.fit_transform(data.graphs[mask]), data.y[mask]
    for number in sorted(set(classes.tolist())):
        style = {"color": COLORS[number], "marker": MARKERS[number]}
        class_points = points[classes == number]
        axis.scatter(*class_points.T, s=28, edgecolor="white", label=NAMES[number], **style)
    axis.set(xlabel="first component", ylabel="second component")
    axis.legend(frameon=False)
axes[0].set_title("One point per graph")
axes[1].set_title("Only cycles and paths")
plt.show()

# %%
# One graph of each class, for comparison:

figure, axes = plt.subplots(1, 4, figsize=(9, 2.6), layout="constrained")
for number, (name, axis) in enumerate(zip(NAMES, axes, strict=True)):
    smallest = min(
        (graph for graph, y in zip(data.graphs, data.y, strict=True) if y == number),
        key=lambda graph: graph.n_nodes,
    )
    graph = smallest.to_networkx(0)
    positions = nx.kamada_kawai_layout(graph)
    nx.draw(
        graph, positions, axis, node_size=18, node_color=COLORS[number], edge_color="0.6"
    )
    axis.set_title(name)
plt.show()
