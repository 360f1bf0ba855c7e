"""
A map of graphs
===============

Every graph becomes a row, and rows can be drawn. Here are cycles, paths, wheels and ladders,
each with some edges added at random. Classes are used for colours only: the rows know
nothing of them.
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
# Rows are pooled by the mean, so that the size of a graph does not fill the map.

model = make_pipeline(GSKN(pooling="mean", random_state=0), StandardScaler(), PCA(2))
points = model.fit_transform(data.graphs)

NAMES = ["cycle", "path", "wheel", "ladder"]
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]  # told apart by all eyes
MARKERS = "o^sD"

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for number, name in enumerate(NAMES):
    chosen = points[data.y == number]
    style = {"color": COLOURS[number], "marker": MARKERS[number], "label": name}
    axes.scatter(*chosen.T, s=28, alpha=0.8, edgecolor="white", linewidth=0.5, **style)
axes.set(xlabel="first component", ylabel="second component", title="One point per graph")
axes.legend(frameon=False)
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
    place = nx.kamada_kawai_layout(graph)
    nx.draw(graph, place, axis, node_size=18, node_color=COLOURS[number], edge_color="0.6")
    axis.set_title(name)
plt.show()
