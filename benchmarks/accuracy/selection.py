"""Compare rules that select an embedding among the entries of the grid of `GSKNClassifier`.

Run ``python benchmarks/accuracy/selection.py [NAME ...]`` with names of data sets. BBBP,
BACE and HIV are molecules with element labels (they need rdkit), "facebook" are the
neighbors of pages and the edges between them; all four are read from the data folder. The
training part has 315 or 1,000 graphs, and up to 1,500 others are the test part, so that
differences between rules have small errors. MUTAG and PTC are too small for this; they are
split into ten folds, three times.

Rules, for accuracies on inner folds with a Laplacian kernel and C = 10:

best
    The entry with the best accuracy.
score
    The first entry within one standard error of the best accuracy.
difference, strict
    The first entry within one standard error of its difference from the best, as in
    `select_embedding`; within two standard errors.
small, long
    Always 32 landmarks and walks of 3 nodes; always 256 landmarks and walks and paths of 5
    nodes.
mean
    The mean of the kernels of all entries: one kernel on all their embeddings.
preferred
    The mean of the kernels if it is within two standard errors of its difference from the
    best, otherwise "difference".

The machine is a Laplacian kernel with C = 10 ("fixed"), the one with the best accuracy on
inner folds ("all"), or the one that `select_machine` selects ("near"). Printed are
differences in accuracy from "small, fixed" and from "best" with the same machine, in
points, with their standard errors over the training parts.
"""

import argparse
import csv
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from gskn import GSKN, as_batch, datasets
from gskn.estimators import (
    GRID,
    N_FOLDS,
    ClassTask,
    fit_outputs,
    ignore_convergence,
    most_likely,
)
from gskn.estimators._gram import gram_pair
from gskn.estimators._search import (
    Candidate,
    _fold_outputs,
    _score,
    best_candidate,
    cross_validate,
    select_embedding,
    select_machine,
)

MOLECULES = {"BBBP": "permeable", "BACE": "inhibitor", "HIV": "active"}  # column of classes
SIZES = {315: 12, 1000: 6}  # of training parts, with the number of repeats
MAX_TEST = 1500
SMALL, LONG = 0, 2  # entries of the grid
FIXED = ClassTask.default
MEAN = len(GRID)  # number of the mean of the kernels, after the entries of the grid
RULES = ("best", "score", "difference", "strict", "small", "long", "mean", "preferred")
KERNELS = tuple(dict.fromkeys(params["kernel"] for params in ClassTask.grid))


def load(name: str) -> tuple:
    """Return the graphs and the classes of a data set."""
    folder = Path(os.environ.get("GSKN_DATA", "."))
    if name in MOLECULES:
        graphs, y = molecules(folder / "molecules" / f"{name.lower()}.csv", MOLECULES[name])
    elif name == "facebook":
        graphs, y = neighborhoods(folder / "nodes", n_graphs=3000)
    else:
        data = datasets.load(name)
        return data.graphs, data.y
    return as_batch(graphs, node_label="label" if name in MOLECULES else None), y


def molecules(path: Path, column: str) -> tuple[list[nx.Graph], np.ndarray]:
    """Return molecules with the symbols of elements as labels.

    Of a set with few positive molecules, twice as many others are drawn.
    """
    from rdkit import Chem, RDLogger  # noqa: PLC0415 - an extra

    RDLogger.DisableLog("rdApp.*")
    with path.open() as file:
        rows = list(csv.DictReader(file))
    positive = [row for row in rows if float(row[column])]
    others = [row for row in rows if not float(row[column])]
    if len(others) > 5 * len(positive):
        drawn = np.random.default_rng(0).permutation(len(others))[: 2 * len(positive)]
        rows = positive + [others[number] for number in drawn]
    graphs, y = [], []
    for row in rows:
        molecule = Chem.MolFromSmiles(row["smiles"])
        if molecule is None or molecule.GetNumAtoms() < 2:
            continue
        graph = nx.Graph()
        graph.add_nodes_from(
            (a.GetIdx(), {"label": a.GetSymbol()}) for a in molecule.GetAtoms()
        )
        graph.add_edges_from(
            (b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()
        )
        graphs.append(graph)
        y.append(float(row[column]))
    return graphs, np.array(y)


def neighborhoods(folder: Path, n_graphs: int) -> tuple[list[nx.Graph], np.ndarray]:
    """Return the neighbors of random pages and the edges between them; classes of pages."""
    with (folder / "facebook_edges.csv").open() as file:
        edges = [tuple(map(int, row)) for row in list(csv.reader(file))[1:]]
    with (folder / "facebook_target.csv").open() as file:
        classes = {int(row["id"]): row["target"] for row in csv.DictReader(file)}
    network = nx.Graph(edges)
    network.remove_edges_from(list(nx.selfloop_edges(network)))
    graphs, y = [], []
    for page in np.random.default_rng(0).permutation(sorted(network)).tolist():
        if 9 <= network.degree(page) <= 149:
            graphs.append(network.subgraph(network[page]))
            y.append(classes[page])
        if len(graphs) == n_graphs:
            break
    return graphs, np.unique(y, return_inverse=True)[1]


def splits(y: np.ndarray, size: int | None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield seed, training and test part: of a given size, or three times ten folds."""
    if size is None:
        for seed in range(3):
            folds = StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y)
            yield from ((seed, train, test) for train, test in folds)
        return
    for seed in range(SIZES[size]):
        n_test = min(MAX_TEST, len(y) - size)
        shuffle = StratifiedShuffleSplit(
            1, train_size=size, test_size=n_test, random_state=seed
        )
        ((train, test),) = shuffle.split(y, y)
        yield seed, np.sort(train), np.sort(test)


def accuracies(precomputation, y, seed, train, test) -> dict[str, float]:
    """Return the test accuracy of every rule and machine."""
    split = precomputation.split(train, test)
    task = ClassTask.from_targets(y[train])
    folds = task.folds(N_FOLDS, seed)
    codes = np.searchsorted(task.classes, y[test])
    candidates, tests, pairs = [], [], []
    for params in GRID:
        pair = split.embed(GSKN(**params, random_state=seed))
        candidates.append(cross_validate(pair[0], ClassTask.grid, task, folds, None))
        outputs = fit_outputs(ClassTask.grid, *pair, task)
        tests.append([np.mean(most_likely(part) == codes) for part in outputs])
        pairs.append(pair)
    of_mean, outputs = mean_of_kernels(pairs, task, folds)
    candidates.append(of_mean)
    tests.append([np.mean(most_likely(part) == codes) for part in outputs])
    fixed = ClassTask.grid.index(FIXED)
    results = {}
    for rule in RULES:
        number = choose(rule, [entry[fixed] for entry in candidates])
        machines = {
            "fixed": FIXED,
            "all": best_candidate(candidates[number]).params,
            "near": select_machine(candidates[number], FIXED).params,
        }
        for machine, params in machines.items():
            results[f"{rule}, {machine}"] = tests[number][ClassTask.grid.index(params)]
    return results


def mean_of_kernels(pairs, task, folds) -> tuple[list[Candidate], list[np.ndarray]]:
    """Return the candidates of all machines on mean kernels, and their test outputs."""
    candidates, outputs = [], []
    for kernel in KERNELS:
        grams = [gram_pair(*pair, kernel) for pair in pairs]
        square, cross = (np.mean(parts, axis=0) for parts in zip(*grams, strict=True))
        for params in ClassTask.grid:
            if params["kernel"] == kernel:
                inner = [_fold_outputs(square, [params["C"]], task, f)[0] for f in folds]
                candidates.append(_score(params, inner, task, folds))
                dual = task.fit(square, np.arange(len(square)), params["C"])
                outputs.append(cross @ dual.coef + dual.intercept)
    return candidates, outputs


def choose(rule: str, candidates: list[Candidate]) -> int:
    """Return the entry of the grid that a rule selects, or the number of the mean."""
    always = {"small": SMALL, "long": LONG, "mean": MEAN}
    if rule in always:
        return always[rule]
    if rule == "preferred" and is_close(candidates[MEAN], best_candidate(candidates)):
        return MEAN
    candidates = candidates[:MEAN]
    if rule in {"difference", "preferred"}:
        return select_embedding(candidates)
    best = best_candidate(candidates)
    if rule == "strict":
        return next(n for n, c in enumerate(candidates) if is_close(c, best))
    error = best.sample_scores.std() / np.sqrt(len(best.sample_scores))
    limit = best.score - (error if rule == "score" else 0.0)
    return next(n for n, candidate in enumerate(candidates) if candidate.score >= limit)


def is_close(candidate: Candidate, best: Candidate) -> bool:
    """Return whether a candidate is within two standard errors of the difference."""
    differences = best.sample_scores - candidate.sample_scores
    return differences.mean() <= 2 * differences.std() / np.sqrt(len(differences))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["MUTAG", "PTC", *MOLECULES, "facebook"]
    parser.add_argument("names", nargs="*", help=f"data sets; default: {' '.join(names)}")
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), choices=SIZES)
    parser.add_argument("--parts", type=int, help="number of training parts; default: all")
    options = parser.parse_args()
    for name in options.names or names:
        graphs, y = load(name)
        precomputation = GSKN.precompute(graphs)
        for size in options.sizes if name in names[2:] else (None,):
            with ignore_convergence():
                some = islice(splits(y, size), options.parts)
                parts = [accuracies(precomputation, y, *part) for part in some]
            show(f"{name}, {size or 'ten folds'}", parts)


def show(title: str, parts: list[dict[str, float]]) -> None:
    small = 100 * np.mean([part["small, fixed"] for part in parts])
    print(f"{title}: small, fixed {small:.2f} ({len(parts)} training parts)")
    print(f"{'':20s}{'from small, fixed':>20s}{'from best':>20s}")
    for rule in parts[0]:
        best = f"best, {rule.split(', ')[1]}"
        cells = [difference(parts, rule, other) for other in ("small, fixed", best)]
        print(f"  {rule:18s}" + "".join(f"{cell:>20s}" for cell in cells), flush=True)


def difference(parts: list[dict[str, float]], rule: str, other: str) -> str:
    """Return the mean difference between two rules in points, with its standard error."""
    values = 100 * np.array([part[rule] - part[other] for part in parts])
    return f"{values.mean():+.2f} +- {values.std(ddof=1) / np.sqrt(len(values)):.2f}"


if __name__ == "__main__":
    main()
