"""Measure reasons for differences from published accuracies.

Run ``python benchmarks/accuracy/differences.py NAME`` with one of these names:

columns
    MUTAG: random walks with 64 columns, compared with `rw+aw-64`.
hydrogen
    PTC without hydrogen atoms.
weights
    BZR with equal weights of both classes.

Every accuracy is the mean of three repeats of nested cross-validation with ten folds. The
results are quoted in ``docs/results/index.md``.
"""

import sys
from dataclasses import replace

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from gskn import datasets
from gskn.baselines import HashGraphKernel, ShortestPathKernel, WLKernel, WLOAKernel
from gskn.evaluation import MODELS, Model, corrected_t_test, evaluate
from gskn.graphs import as_batch

HYDROGEN = 19  # label in PTC
REPEATS = 3


def columns():
    params = {**MODELS["rw-32"].grid[0], "n_landmarks": 64}
    text = "random walks of one length, at most 64 columns"
    walks = Model("rw-64", text, (params,), edges=False)
    records = evaluate(datasets.load("MUTAG"), [walks, "rw+aw-64"], repeats=REPEATS)
    alone, both = (
        np.array([r.scores["accuracy"] for r in records if r.model == name])
        for name in ("rw-64", "rw+aw-64")
    )
    p_value = corrected_t_test(both, alone, test_share=0.1)
    print(
        f"rw-64 {100 * alone.mean():.1f}, rw+aw-64 {100 * both.mean():.1f}, p {p_value:.3f}"
    )


def hydrogen():
    data = datasets.load("PTC")
    graphs = [data.graphs.to_networkx(number) for number in range(data.graphs.n_graphs)]
    for graph in graphs:
        atoms = [node for node, label in graph.nodes(data="label") if label == HYDROGEN]
        graph.remove_nodes_from(atoms)
    part = datasets.Dataset("PTC", as_batch(graphs, node_label="label"), data.y)
    for model in ("wwl-labels", "wl", "wl-oa", "sp"):
        records = evaluate(part, [model], repeats=REPEATS)
        print(model, f"{100 * np.mean([r.scores['accuracy'] for r in records]):.1f}")


def weights():
    data = datasets.load("BZR")
    without_labels = replace(data.graphs, node_labels=None, label_values=())
    hgk_sp = [HashGraphKernel(base="sp", random_state=0)]
    hgk_wl = [HashGraphKernel(base="wl", n_iterations=n, random_state=0) for n in range(4)]
    kernels = {
        "sp": ([ShortestPathKernel()], data.graphs),
        "wl": ([WLKernel(n_iterations=n) for n in range(1, 6)], data.graphs),
        "wl-oa": ([WLOAKernel(n_iterations=n) for n in range(1, 6)], data.graphs),
        "hgk-sp": (hgk_sp, data.graphs),
        "hgk-wl": (hgk_wl, data.graphs),
        "hgk-sp without labels": (hgk_sp, without_labels),
        "hgk-wl without labels": (hgk_wl, without_labels),
    }
    for name, (grid, graphs) in kernels.items():
        matrices = [scaled(kernel.fit_transform(graphs)) for kernel in grid]
        means = [100 * nested(matrices, data.y, weight) for weight in (None, "balanced")]
        print(name, "{:.1f}, with weights {:.1f}".format(*means), flush=True)


def scaled(kernel):
    """Return a kernel matrix with unit variance, as in `gskn.evaluation`."""
    return kernel / (np.diagonal(kernel).mean() - kernel.mean())


def nested(matrices, y, class_weight):
    """Return the mean accuracy; the kernel is selected with C = 10, then C is selected."""
    scores = []
    svm = SVC(kernel="precomputed", C=10, class_weight=class_weight, max_iter=100_000)
    for seed in range(REPEATS):
        inner = StratifiedKFold(5, shuffle=True, random_state=seed)
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y):
            parts = [np.ascontiguousarray(matrix[:, train]) for matrix in matrices]
            means = [
                cross_val_score(svm, part[train], y[train], cv=inner).mean()
                for part in (parts if len(parts) > 1 else ())
            ]
            best = parts[int(np.argmax(means))] if means else parts[0]
            search = GridSearchCV(svm, {"C": 10.0 ** np.arange(-1, 4)}, cv=inner)
            search.fit(best[train], y[train])
            scores.append(search.score(best[test], y[test]))
    return float(np.mean(scores))


if __name__ == "__main__":
    {"columns": columns, "hydrogen": hydrogen, "weights": weights}[sys.argv[1]]()
