"""
Graphs that 1-WL cannot distinguish
===================================

Decalin has two rings of six nodes, bicyclopentyl two rings of five. The 1-WL test cannot
distinguish them, and neither can message-passing networks. Anonymous walks can, because
they record which of their nodes are the same.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from gskn import datasets, pattern_counts
from gskn.walks import distinguish

BLUE, ORANGE = "#0072B2", "#D55E00"
pair = datasets.decalin_bicyclopentyl().graphs
names = ["decalin", "bicyclopentyl"]

figure, axes = plt.subplots(1, 2, figsize=(5.6, 3.4), layout="constrained")
for number, (name, color) in enumerate(zip(names, [BLUE, ORANGE], strict=True)):
    graph = pair.to_networkx(number)
    positions = nx.kamada_kawai_layout(graph)
    nx.draw(
        graph, positions, axes[number], node_size=150, node_color=color, edge_color="0.6"
    )
    axes[number].set_title(name, loc="center", color=color)
    axes[number].set_aspect("equal")
plt.show()

# %%
# :py:obj:`gskn.walks.distinguish` returns the first method that tells two graphs apart.

result = distinguish(*pair)
for item in result.comparisons:
    print(f"{item.method}: {item.distinguishes}")
print(result.summary)

# %%
# The plot shows the patterns whose counts differ at length 6. A walk around a ring of five
# nodes returns to its start after five steps, which no walk on decalin does.

table = pattern_counts(pair, 6, weighting="count")
counts = table.graph_rows().toarray()
differ = np.flatnonzero(counts[0] != counts[1])
differ = differ[np.argsort(counts[1, differ] - counts[0, differ])]

figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
heights = np.arange(len(differ))
axis.barh(heights + 0.2, counts[0, differ], 0.38, color=BLUE, label=names[0])
axis.barh(heights - 0.2, counts[1, differ], 0.38, color=ORANGE, label=names[1])
axis.set_yticks(heights, [table.names[column] for column in differ], family="monospace")
axis.set(xlabel="walks of six nodes", title="Patterns with different counts")
axis.legend(frameon=False)
plt.show()

# %%
# Other pairs need longer walks. The plot shows the L1 distance between the mean pattern
# distributions of the two graphs: 0 means equal, 2 means no pattern in common.

pairs = {
    "ring of 6 / two triangles": datasets.rings(3).graphs,
    "ring of 8 / two squares": datasets.rings(4).graphs,
    "decalin / bicyclopentyl": pair,
    "rook / Shrikhande": datasets.rook_shrikhande().graphs,
}
lengths = np.arange(2, 9)
figure, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
styles = zip(["#0072B2", "#D55E00", "#009E73", "#CC79A7"], "osD^", strict=True)
for (name, graphs), (color, marker) in zip(pairs.items(), styles, strict=True):
    distances = []
    for length in lengths:
        totals = pattern_counts(graphs, int(length)).graph_rows().toarray()
        means = totals / graphs.graph_sizes[:, None]
        distances.append(np.abs(means[0] - means[1]).sum())
    axis.plot(lengths, distances, color=color, marker=marker, label=name)
axis.set_yscale("symlog", linthresh=1e-3)
axis.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.001", "0.01", "0.1", "1"])
axis.set(xlabel="walk length (nodes)", ylabel="distance of distributions", ylim=(0, 2))
axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
