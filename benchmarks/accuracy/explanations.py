"""Explanations compared with known causes, and checked by removing nodes.

Study "truth": molecules of `benzene` and `alkane_carbonyl`, whose causes are known; one
stratified split into 80% training and 20% test molecules. Study "fidelity": molecules of
MUTAG and BBBP, whose causes are not known; five stratified folds, so that every molecule
is a test molecule once. Branches, walk length and C of a linear model are selected by
three inner folds of at most 3,000 training molecules: among all candidates within one
standard error of the best accuracy, the one with the smallest C, then with the shortest
walks. Neither test molecules nor causes are used. Truth has sum pooling, by which an atom
that does not matter contributes zero, and fidelity mean pooling, by which predictions do
not depend on the number of atoms that are left.

Truth: for every positive test molecule that is predicted correctly, the area under the
ROC curve compares the contributions of its atoms with the atoms of all causes. The
explanation accuracy (GEA) is the Jaccard index of a cause and of the atoms whose
contribution is above 0.1 times the largest, for the best of the accepted causes, as in
the program of its authors. Two explainers of another model follow: gradients times
inputs, and GNNExplainer of PyTorch Geometric with a mask of nodes, of a GIN with the same
features of atoms and bonds. Study "truth-all" explains all positive test molecules, by the
selected linear model. Study "truth-large" explains a larger linear model, and study
"kernels" compares it with the selected one, and with an RBF kernel on the same embedding,
by 1,200 training molecules of `alkane_carbonyl` that are held out from the others.

Fidelity: the top 30% of the atoms of every test molecule are chosen (sparsity 70%), by
their contribution to the predicted class. Fidelity+ is the fraction of molecules whose
class changes without them, fidelity- the fraction whose class changes if only they are
kept.

References: Agarwal et al., "Evaluating explainability for graph neural networks", 2023,
for GEA; Yuan et al., "Explainability in graph neural networks: a taxonomic survey", 2022,
for fidelity; Ying et al., "GNNExplainer: generating explanations for graph neural
networks", 2019.

    python benchmarks/accuracy/explanations.py truth benzene alkane_carbonyl
    python benchmarks/accuracy/explanations.py truth-all alkane_carbonyl
    python benchmarks/accuracy/explanations.py truth-large alkane_carbonyl
    python benchmarks/accuracy/explanations.py kernels alkane_carbonyl
    python benchmarks/accuracy/explanations.py network benzene alkane_carbonyl
    python benchmarks/accuracy/explanations.py fidelity MUTAG bbbp

``--records FILE`` appends the results to a file, from which the tables of the
documentation are generated.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from gskn import GSKN, GraphBatch, GSKNClassifier, as_batch, datasets
from gskn.explain import explain, induced_subgraphs, occlusion

ATOMS = ("element", "aromatic", "hydrogens")
BRANCHES = (("walk",), ("label-path",), ("walk", "anonymous"))
LENGTHS = (3, 4, 5)
C = (1.0, 10.0, 100.0)
MAX_SELECTION = 3000  # training molecules by which parameters are selected
N_HELD_OUT = 1200  # training molecules by which kernels are compared
MAX_OCCLUDED = 300  # graphs whose nodes are removed one by one
TOP = 0.3  # of the atoms, for fidelity
RELATIVE = 0.1  # of the largest contribution, for the explanation accuracy


@dataclass(frozen=True)
class Parameters:
    """Parameters of a linear model."""

    branches: tuple[str, ...]
    walk_length: int
    pooling: str
    C: float
    n_landmarks: int = 256

    @property
    def rank(self) -> tuple[Any, ...]:
        """Order of equally accurate models, the preferred one first."""
        return self.C, self.walk_length, BRANCHES.index(self.branches)

    def embedding(self) -> GSKN:
        return GSKN(
            self.branches,
            walk_length=self.walk_length,
            n_landmarks=self.n_landmarks,
            pooling=self.pooling,
            random_state=0,
        )


LARGE = Parameters(("label-path",), 6, "sum", 10.0, n_landmarks=1024)


@dataclass(frozen=True)
class Task:
    """Molecules, and a split into training and test molecules."""

    name: str
    graphs: GraphBatch
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    causes: list[list[list[int]]] | None = None


def load_split(name: str) -> Task:
    """Return molecules with known causes, and one split."""
    graphs, y, columns = load(name)
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.2, stratify=y, random_state=0
    )
    causes = [json.loads(text) for text in columns["atoms"]]
    return Task(name, graphs, y, train, test, causes)


def load_folds(name: str) -> list[Task]:
    """Return molecules in five folds."""
    graphs, y, _ = load(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
    return [Task(name, graphs, y, train, test) for train, test in folds]


def load(name: str) -> tuple[GraphBatch, np.ndarray, Any]:
    data = datasets.load(name)
    graphs = data.graphs
    if name != "MUTAG":  # which has no SMILES
        smiles = [str(smiles) for smiles in graphs.graph_names]
        graphs = as_batch(smiles, smiles=True, atom_features=ATOMS)
    return graphs, np.asarray(data.y), data.columns


def main() -> None:
    options = parse()
    for name in options.names:
        for record in STUDIES[options.study](name):
            known = {
                "study": options.study,
                "data": name,
                **record,
                "day": f"{datetime.now(UTC):%Y-%m-%d}",
                "versions": {"gskn": version("gskn")},
            }
            print(json.dumps(known), flush=True)
            if options.records is not None:
                with options.records.open("a", encoding="utf-8") as file:
                    file.write(f"{json.dumps(known)}\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=sorted(STUDIES))
    parser.add_argument("names", nargs="+", metavar="DATA")
    parser.add_argument("--records", type=Path, help="file to which results are appended")
    return parser.parse_args()


def fit_linear(
    task: Task, pooling: str, parameters: Parameters | None = None
) -> tuple[GSKNClassifier, dict[str, Any]]:
    """Select and fit a linear model; return it with its parameters and accuracy."""
    parameters = parameters or select(task, pooling)
    model = GSKNClassifier(
        parameters.embedding(),
        kernel="linear",
        C=parameters.C,
        selection="none",
        random_state=0,
    )
    model.fit(task.graphs[task.train], task.y[task.train])
    accuracy = np.mean(model.predict(task.graphs[task.test]) == task.y[task.test])
    return model, {
        "model": "GSKN, linear",
        "n_train": len(task.train),
        "n_test": len(task.test),
        "parameters": asdict(parameters),
        "accuracy": round(float(accuracy), 4),
    }


def select(task: Task, pooling: str) -> Parameters:
    """Select parameters by inner folds of the training molecules."""
    train = task.train
    if len(train) > MAX_SELECTION:
        train, _ = train_test_split(
            train, train_size=MAX_SELECTION, stratify=task.y[train], random_state=0
        )
    graphs, y = task.graphs[train], task.y[train]
    scores: dict[Parameters, float] = {}
    for branches, length in product(BRANCHES, LENGTHS):
        scores |= score_embedding(graphs, y, Parameters(branches, length, pooling, 1.0))
    best = max(scores.values())
    limit = best - np.sqrt(best * (1 - best) / len(y))
    return min(
        (choice for choice, score in scores.items() if score >= limit),
        key=lambda choice: choice.rank,
    )


def score_embedding(
    graphs: GraphBatch, y: np.ndarray, parameters: Parameters
) -> dict[Parameters, float]:
    """Return the accuracy on inner folds for all values of C."""
    rows = parameters.embedding().fit_transform(graphs)
    rows = StandardScaler().fit_transform(rows)
    products = rows @ rows.T / rows.shape[1]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = {}
    for strength in C:
        svm = SVC(kernel="precomputed", C=strength, max_iter=1_000_000)
        predicted = cross_val_predict(svm, products, y, cv=folds)
        scores[replace(parameters, C=strength)] = float((predicted == y).mean())
    return scores


def node_scores(
    model: GSKNClassifier, graphs: GraphBatch
) -> Iterator[tuple[str, np.ndarray, float]]:
    """Yield the name of a method, the scores of nodes, and its seconds per 1,000 graphs."""
    explain(model, graphs[:1])  # compile
    for name, options in (
        ("visited nodes", {}),
        ("edges", {"by": "edges"}),
        ("start nodes", {"view": "start"}),
    ):
        begin = time.perf_counter()
        values = explain(model, graphs, **options).node_values()
        seconds = time.perf_counter() - begin
        yield f"contributions, {name}", values, 1000 * seconds / len(graphs)
    occluded = graphs[:MAX_OCCLUDED]
    begin = time.perf_counter()
    values = occlusion(model, occluded).contributions
    seconds = time.perf_counter() - begin
    yield "occlusion", values, 1000 * seconds / len(occluded)
    yield "degree", graphs.degrees.astype(float), 0.0
    yield "random", np.random.default_rng(0).random(graphs.n_nodes), 0.0


def compare_with_truth(
    name: str, *, parameters: Parameters | None = None, only_correct: bool = True
) -> Iterator[dict[str, Any]]:
    """Yield the agreement of every method with the known causes."""
    task = load_split(name)
    model, fields = fit_linear(task, "sum", parameters)
    positive = find_positive(task, model)
    if not only_correct:
        positive = task.test[task.y[task.test] == 1]
    fields["additivity_error"] = additivity_error(model, task.graphs[positive])
    for method, values, seconds in node_scores(model, task.graphs[positive]):
        yield {**fields, "method": method, **agreement(task, positive, values, seconds)}


def additivity_error(model: GSKNClassifier, graphs: GraphBatch) -> float:
    """Return the largest difference of a prediction and the sum of its contributions."""
    explanation = explain(model, graphs)
    error = explanation.baseline + explanation.sums - model.decision_function(graphs)
    return float(np.abs(error).max())


def find_positive(task: Task, model: Any) -> np.ndarray:
    """Return the positive test molecules that are predicted correctly."""
    predicted = model.predict(task.graphs[task.test])
    return task.test[(task.y[task.test] == 1) & (predicted == 1)]


def agreement(
    task: Task, positive: np.ndarray, values: np.ndarray, seconds: float
) -> dict[str, Any]:
    """Return AUROC and GEA; ``values`` may belong to the first molecules only."""
    ends = np.cumsum(task.graphs.graph_sizes[positive])
    n_graphs = int(np.searchsorted(ends, len(values))) + 1
    parts = np.split(values, ends[: n_graphs - 1])
    pairs = [(v, task.causes[n]) for v, n in zip(parts, positive, strict=False)]
    areas = [value for value in (area(*pair) for pair in pairs) if value is not None]
    return {
        "n_graphs": n_graphs,
        "auroc": round(float(np.mean(areas)), 4),
        "auroc_error": round(float(np.std(areas) / np.sqrt(len(areas))), 4),
        "gea": round(float(np.mean([jaccard(*pair) for pair in pairs])), 4),
        "seconds": round(seconds, 2),
    }


def jaccard(scores: np.ndarray, causes: list[list[int]]) -> float:
    """Return the explanation accuracy of one molecule."""
    chosen = scores > RELATIVE * scores.max()
    values = []
    for cause in causes:
        truth = np.zeros(len(scores), dtype=bool)
        truth[cause] = True
        values.append((chosen & truth).sum() / (chosen | truth).sum())
    return max(values)


def area(scores: np.ndarray, causes: list[list[int]]) -> float | None:
    """Return the area under the ROC curve for the atoms of all causes, or None."""
    truth = np.zeros(len(scores), dtype=bool)
    truth[[atom for cause in causes for atom in cause]] = True
    return None if truth.all() or not truth.any() else roc_auc_score(truth, scores)


def measure_fidelity(name: str) -> Iterator[dict[str, Any]]:
    """Yield how often the class changes without, and with only, the top atoms."""
    for fold, task in enumerate(load_folds(name)):
        model, fields = fit_linear(task, "mean")
        fields = {"fold": fold, **fields}
        batch = task.graphs[task.test]
        predicted = model.predict(batch)
        sign = np.where(predicted == model.classes_[1], 1.0, -1.0)[batch.node_graphs]
        fields["additivity_error"] = additivity_error(model, batch)
        for method, values, seconds in node_scores(model, batch):
            if method == "degree":
                continue
            n_graphs = int(np.searchsorted(batch.graph_ptr, len(values)))
            part, classes = batch[:n_graphs], predicted[:n_graphs]
            scores = values if method == "random" else values * sign[: len(values)]
            top = top_nodes(part, scores)
            without = model.predict(induced_subgraphs(part, ~top))
            only = model.predict(induced_subgraphs(part, top))
            yield {
                **fields,
                "method": method,
                "n_graphs": n_graphs,
                "fidelity_plus": round(float(np.mean(without != classes)), 4),
                "fidelity_minus": round(float(np.mean(only != classes)), 4),
                "seconds": round(seconds, 2),
            }


def top_nodes(graphs: GraphBatch, scores: np.ndarray) -> np.ndarray:
    """Return whether every node is among the top nodes of its graph."""
    top = np.zeros(len(scores), dtype=bool)
    for first, end in zip(graphs.graph_ptr, graphs.graph_ptr[1:], strict=False):
        n_top = int(np.ceil(TOP * (end - first)))
        top[first + np.argsort(-scores[first:end], kind="stable")[:n_top]] = True
    return top


def explain_network(name: str) -> Iterator[dict[str, Any]]:
    """Yield the agreement of two explainers of a GIN with the known causes."""
    from network_explanations import fit_network, network_scores  # noqa: PLC0415 - torch

    task = load_split(name)
    model = fit_network(task.graphs[task.train], task.y[task.train])
    accuracy = np.mean(model.predict(task.graphs[task.test]) == task.y[task.test])
    positive = find_positive(task, model)
    fields = {
        "model": "GIN",
        "n_train": len(task.train),
        "n_test": len(task.test),
        "parameters": {"max_epochs": model.max_epochs},
        "accuracy": round(float(accuracy), 4),
    }
    for method, values, seconds in network_scores(model, task.graphs[positive]):
        yield {**fields, "method": method, **agreement(task, positive, values, seconds)}


def compare_kernels(name: str) -> Iterator[dict[str, Any]]:
    """Yield the accuracy of linear and RBF kernels on held-out training molecules."""
    task = load_split(name)
    known, held_out = train_test_split(
        task.train, test_size=N_HELD_OUT, stratify=task.y[task.train], random_state=1
    )
    y = task.y[held_out]
    small = Parameters(("label-path",), 4, "sum", 10.0)
    for kernel, parameters in (("linear", small), ("rbf", small), ("linear", LARGE)):
        model = GSKNClassifier(
            parameters.embedding(),
            kernel=kernel,
            C=parameters.C,
            selection="none",
            random_state=0,
        )
        model.fit(task.graphs[known], task.y[known])
        predicted = model.predict(task.graphs[held_out])
        yield {
            "kernel": kernel,
            "n_train": len(known),
            "n_test": len(held_out),
            "parameters": asdict(parameters),
            "accuracy": round(float((predicted == y).mean()), 4),
            "recall": round(float((predicted[y == 1] == 1).mean()), 4),
            "baseline": round(float(1 - y.mean()), 4),
        }


STUDIES = {
    "truth": compare_with_truth,
    "truth-all": partial(compare_with_truth, only_correct=False),
    "truth-large": partial(compare_with_truth, parameters=LARGE),
    "kernels": compare_kernels,
    "network": explain_network,
    "fidelity": measure_fidelity,
}

if __name__ == "__main__":
    main()
