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
# Mean pooling is used so that the size of a graph does not dominate the plot.

model = make_pipeline(GSKN(pooling="mean", random_state=0), StandardScaler(), PCA(2))
NAMES = ["cycle", "path", "wheel", "ladder"]
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]  # color-blind friendly
MARKERS = "osD^"


def plot_map(graphs, classes, title):
    """Plot the first two principal components of the embeddings, one point per graph."""
    points = model.fit_transform(graphs)
    _, axis = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
    for number in sorted(set(classes.tolist())):
        style = {"color": COLORS[number], "marker": MARKERS[number], "label": NAMES[number]}
        axis.scatter(*points[classes == number].T, s=36, edgecolor="white", **style)
    axis.set(xlabel="first component", ylabel="second component", title=title)
    axis.legend(frameon=False)
    plt.show()


plot_map(data.graphs, data.y, "One point per graph")

# %%
# A cycle and a path differ by one edge only. This plot shows only these two classes:

mask = data.y <= 1
plot_map(data.graphs[mask], data.y[mask], "Only cycles and paths")

# %%
# One graph of each class, for comparison:

figure, axes = plt.subplots(1, 4, figsize=(8, 2.4), layout="constrained")
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
