"""
Exact and sampled patterns, and models in files
===============================================

``pattern_counts`` can be used on its own. It returns a table with one row per node and one
column per pattern, which is exact by default. Sampling is meant for graphs that are too
large for the exact computation. This example measures its error.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from gskn import GSKN, datasets, pattern_counts

graphs = datasets.structure(n_per_class=5).graphs
exact = pattern_counts(graphs, 6)
print(exact)

# %%
# The error of the sampled distribution of a node is inversely proportional to the square
# root of the number of walks. The paper uses 30 walks per node.

numbers = [10, 30, 100, 300, 1000]
errors = []
for n_walks in numbers:
    options = {"method": "sampled", "n_walks": n_walks, "random_state": 0}
    sampled = pattern_counts(graphs, 6, **options)
    errors.append(abs(sampled.rows - exact.rows).sum(axis=1).mean())

figure, axis = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
slope = errors[0] * np.sqrt(numbers[0] / np.array(numbers))
axis.loglog(numbers, slope, color="0.5", linestyle="--", label="one over the square root")
axis.loglog(numbers, errors, "o", color="#0072B2", markersize=8, label="sampled")
axis.set(xlabel="sampled walks per node", ylabel="mean L1 distance from exact")
axis.set_xticks(numbers, numbers)
axis.set_yticks([0.05, 0.1, 0.2, 0.5], ["0.05", "0.1", "0.2", "0.5"])
axis.minorticks_off()
axis.legend(frameon=False)
plt.show()

# %%
# The most probable patterns of a cycle and of a wheel:

pooled = exact.graph_rows().toarray() / graphs.graph_sizes[:, None]
for name, number in (("cycle", 0), ("wheel", 10)):
    best = np.argsort(-pooled[number])[:3]
    print(name, ", ".join(f"{exact.names[b]} {pooled[number, b]:.3f}" for b in best))

# %%
# A fitted model is saved as plain arrays. Loading runs no code, and the loaded model
# returns exactly the same embeddings.

model = GSKN(random_state=0).fit(graphs)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.gskn"
    model.save(path)
    loaded = GSKN.load(path)
    print(f"{path.stat().st_size / 1024:.0f} KiB")
print((loaded.transform(graphs) == model.transform(graphs)).all())
