"""Explanations compared with known causes, and checked by removing nodes.

Molecules with ground truth: `benzene` and `alkane_carbonyl`. A linear model is trained on
80% of the molecules. For every positive test molecule that is predicted correctly, the area
under the ROC curve compares the contributions of its atoms with the atoms of the cause; the
explanation accuracy (GEA) is the Jaccard index of the cause and of the atoms whose positive
contribution is more than 0.1 of the largest, for the best of the accepted causes.

Molecules without: fidelity+ is the fraction of test molecules whose class changes when the
top 30% of the atoms are removed, and fidelity- when only these are kept.

References: Agarwal et al., "Evaluating explainability for graph neural networks", 2023, for
GEA; Yuan et al., "Explainability in graph neural networks: a taxonomic survey", 2022, for
fidelity.

    python benchmarks/accuracy/explanations.py truth benzene --molecules 12000
    python benchmarks/accuracy/explanations.py fidelity MUTAG
"""

import argparse
import json
import time

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from gskn import GSKN, GSKNClassifier, as_batch, datasets
from gskn.explain import explain, induced_subgraphs, occlusion

ATOMS = ("element", "aromatic", "hydrogens")
MAX_OCCLUDED = 100  # graphs whose nodes are removed one by one
TOP = 0.3  # of the atoms, for fidelity
RELATIVE = 0.1  # of the largest contribution, for the explanation accuracy


def linear_model(branches, C, **options):
    embedding = GSKN(branches, **options)
    return GSKNClassifier(embedding, kernel="linear", C=C, selection="none", random_state=0)


def node_scores(model, graphs):
    """Yield the name of a method, the scores of nodes, and its seconds per 1,000 graphs."""
    n_graphs = len(graphs) / 1000
    for view in ("visited", "start"):
        begin = time.perf_counter()
        values = explain(model, graphs, view=view).contributions
        yield f"contributions, {view}", values, (time.perf_counter() - begin) / n_graphs
    begin = time.perf_counter()
    edges = explain(model, graphs, by="edges").node_values()
    yield "contributions, edges", edges, (time.perf_counter() - begin) / n_graphs
    begin = time.perf_counter()
    removed = occlusion(model, graphs[:MAX_OCCLUDED]).contributions
    n_occluded = min(len(graphs), MAX_OCCLUDED) / 1000
    yield "occlusion", removed, (time.perf_counter() - begin) / n_occluded
    yield "degree", graphs.degrees.astype(float), 0.0
    yield "random", np.random.default_rng(0).random(graphs.n_nodes), 0.0


def jaccard(scores, causes):
    """Return the explanation accuracy of one molecule."""
    positive = np.maximum(scores, 0)
    chosen = positive > RELATIVE * positive.max(initial=0)
    values = []
    for cause in causes:
        truth = np.zeros(len(scores), dtype=bool)
        truth[cause] = True
        values.append((chosen & truth).sum() / max((chosen | truth).sum(), 1))
    return max(values)


def area(scores, causes):
    """Return the area under the ROC curve for the union of all causes, or None."""
    truth = np.zeros(len(scores), dtype=bool)
    truth[[atom for cause in causes for atom in cause]] = True
    return None if truth.all() or not truth.any() else roc_auc_score(truth, scores)


def compare_with_truth(name, n_molecules, model):
    data = datasets.load(name)
    smiles = [str(smiles) for smiles in data.graphs.graph_names]
    graphs = as_batch(smiles, smiles=True, atom_features=ATOMS)
    chosen = np.arange(len(data.y))
    if n_molecules < len(chosen):
        chosen, _ = train_test_split(
            chosen, train_size=n_molecules, stratify=data.y, random_state=0
        )
    train, test = train_test_split(
        chosen, test_size=0.2, stratify=data.y[chosen], random_state=0
    )
    begin = time.perf_counter()
    model.fit(graphs[train], data.y[train])
    print(f"{name}: {len(train)} training molecules, {time.perf_counter() - begin:.0f} s")
    predicted = model.predict(graphs[test])
    print(f"test accuracy {np.mean(predicted == data.y[test]):.4f}, C = {model.C_:g}")
    positive = test[(data.y[test] == 1) & (predicted == 1)]
    causes = [json.loads(text) for text in data.columns["atoms"][positive]]
    batch = graphs[positive]
    explanation = explain(model, batch)
    error = explanation.baseline + explanation.sums - explanation.prediction
    print(f"{len(positive)} positive molecules, largest error {np.abs(error).max():.1e}")
    for method, values, seconds in node_scores(model, batch):
        n_graphs = int(np.searchsorted(batch.graph_ptr, len(values)))
        parts = np.split(values, batch.graph_ptr[1:n_graphs])
        pairs = list(zip(parts, causes[:n_graphs], strict=True))
        areas = [value for value in (area(*pair) for pair in pairs) if value is not None]
        accuracy = np.mean([jaccard(*pair) for pair in pairs])
        print(
            f"{method:24} AUROC {np.mean(areas):.3f}  GEA {accuracy:.3f}  "
            f"{seconds:6.1f} s per 1,000 molecules"
        )


def measure_fidelity(name, model):
    data = datasets.load(name)
    graphs, y = data.graphs, data.y
    if name != "MUTAG":
        smiles = [str(smiles) for smiles in graphs.graph_names]
        graphs = as_batch(smiles, smiles=True, atom_features=ATOMS)
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.2, stratify=y, random_state=0
    )
    model.fit(graphs[train], y[train])
    batch = graphs[test]
    predicted = model.predict(batch)
    sign = np.where(predicted == model.classes_[1], 1.0, -1.0)[batch.node_graphs]
    print(f"{name}: test accuracy {np.mean(predicted == y[test]):.3f}, {len(test)} graphs")
    for method, values, seconds in node_scores(model, batch):
        if method == "degree":
            continue
        n_graphs = int(np.searchsorted(batch.graph_ptr, len(values)))
        part, classes = batch[:n_graphs], predicted[:n_graphs]
        scores = values if method == "random" else values * sign[: len(values)]
        top = np.zeros(len(values), dtype=bool)
        for first, end in zip(part.graph_ptr, part.graph_ptr[1:], strict=False):
            n_top = int(np.ceil(TOP * (end - first)))
            top[first + np.argsort(-scores[first:end], kind="stable")[:n_top]] = True
        without = model.predict(induced_subgraphs(part, ~top))
        only = model.predict(induced_subgraphs(part, top))
        print(
            f"{method:24} fidelity+ {np.mean(without != classes):.3f}  "
            f"fidelity- {np.mean(only != classes):.3f}  "
            f"{seconds:6.1f} s per 1,000 molecules"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["truth", "fidelity"])
    parser.add_argument("name")
    parser.add_argument("--molecules", type=int, default=12_000)
    parser.add_argument("--length", type=int, default=7)
    parser.add_argument("--landmarks", type=int, default=256)
    parser.add_argument("--branches", default="walk,anonymous")
    parser.add_argument("--pooling", default="sum")
    parser.add_argument("--C", type=float, default=100.0)
    arguments = parser.parse_args()
    estimator = linear_model(
        tuple(arguments.branches.split(",")),
        arguments.C,
        walk_length=arguments.length,
        n_landmarks=arguments.landmarks,
        pooling=arguments.pooling,
    )
    if arguments.task == "truth":
        compare_with_truth(arguments.name, arguments.molecules, estimator)
    else:
        measure_fidelity(arguments.name, estimator)
