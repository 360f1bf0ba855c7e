"""
Roles of nodes in a network
===========================

``transform_nodes`` returns one embedding per node. Two nodes have similar embeddings if the
walks around them are similar, even if the nodes are far apart in the graph. The embeddings
describe the structural roles of nodes, not communities. The network is the karate club of
Wayne Zachary, "An information flow model for conflict and fission in small groups" (1977).
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from gskn import GSKN, pattern_counts

club = nx.karate_club_graph()
for _, _, edge in club.edges(data=True):
    edge.pop("weight")  # use only the presence of edges

model = GSKN(("anonymous",), anonymous_length=6, n_layers=2, random_state=0).fit(club)
node_embeddings = StandardScaler().fit_transform(model.transform_nodes(club))
roles = KMeans(4, n_init=10, random_state=0).fit_predict(node_embeddings)

# %%
# The roles are sorted by mean degree, hubs first.

degrees = np.array([degree for _, degree in club.degree])
order = np.argsort([-degrees[roles == role].mean() for role in range(4)])
roles = np.argsort(order)[roles]

COLORS = np.array(["#D55E00", "#0072B2", "#009E73", "#E69F00"])
positions = nx.kamada_kawai_layout(club)
figure, axes = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
nx.draw_networkx_edges(club, positions, ax=axes, edge_color="0.75")
for role, (color, marker) in enumerate(zip(COLORS, "so^D", strict=True)):
    nodes = np.flatnonzero(roles == role).tolist()
    nx.draw_networkx_nodes(
        club,
        positions,
        nodelist=nodes,
        node_size=190,
        node_color=color,
        node_shape=marker,
        ax=axes,
        edgecolors="white",
        label=f"role {role + 1} ({len(nodes)} nodes)",
    )
figure.legend(loc="outside lower center", ncols=2, markerscale=0.7)
axes.set_axis_off()
axes.set_title("Structural roles of nodes")
plt.show()

# %%
# The roles differ in the probabilities that a random walk of four nodes closes a triangle
# (``0-1-2-0``) or visits three new nodes (``0-1-2-3``).

table = pattern_counts(club, 4)
columns = [table.names.index(name) for name in ("0-1-2-0", "0-1-2-3")]
probabilities = table.rows.toarray()[:, columns]
for role in range(4):
    triangle, new = probabilities[roles == role].mean(axis=0)
    degree = degrees[roles == role].mean()
    print(f"role {role + 1}: degree {degree:.1f}, triangle {triangle:.2f}, new {new:.2f}")
