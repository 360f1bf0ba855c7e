"""Measure kernels on embeddings and landmark responses that the model does not use.

Run ``python benchmarks/accuracy/kernels.py [NAME ...]``. MUTAG, PTC and PROTEINS have the
smallest embedding of the grid and three times ten folds (PROTEINS: one time). BBBP, BACE
and HIV (molecules, see ``selection.py``) have the largest one, training parts of 1,000
graphs, and up to 1,500 others as the test part. Inner folds of the training part select C
among 1, 10 and 100 for every kernel, and everything in rows that are called "selected".

default
    The Laplacian kernel of all columns, as in `GSKNClassifier`.
branches
    The mean of the Laplacian kernels of the branches. "weighted": one branch is removed or
    has twice the weight, if that is better on inner folds.
intersection
    The response of a graph to a landmark is the sum of the kernel values of its walks with
    the landmark. The kernel is the sum over landmarks of the smaller of both responses,
    divided by the root of its values for both graphs with themselves.
assignment
    The same kernel of other histograms: for every branch and length, each node is assigned
    to the landmark with its largest response, relative to the mean response. With one count
    for each node, this is an optimal assignment of nodes.
and default
    The mean of the kernel and the default one.

Printed are differences in accuracy from "default" in points, with their standard errors
over training parts. Folds of one set overlap, so their true errors are larger.
"""

import argparse
from collections.abc import Iterator
from copy import copy
from itertools import islice

import numpy as np
from scipy.spatial.distance import cdist
from selection import LONG, MOLECULES, SMALL, difference, load, splits

from gskn import GSKN
from gskn.estimators import GRID, N_FOLDS, ClassTask, ignore_convergence, most_likely
from gskn.estimators._gram import gram_pair
from gskn.estimators._search import Candidate, _fold_outputs, _score, best_candidate
from gskn.pooling import pool, rescale

STRENGTHS = (1.0, 10.0, 100.0)
GRAPHS_AT_ONCE = 200
Pair = tuple[np.ndarray, np.ndarray]  # of training graphs, and of test with training graphs


class Representation:
    """Embeddings, responses and assignments of some graphs, by a fitted model."""

    def __init__(self, model: GSKN, graphs, scale: np.ndarray | None = None) -> None:
        self.pooling, self.sizes = model.pooling, graphs.graph_sizes
        self.blocks = [
            (branch.name, nystrom)
            for branch in model.stack_.branches
            for nystrom in branch.layers[-1].maps
        ]
        self.roots = [np.linalg.pinv(nystrom.root) for _, nystrom in self.blocks]
        # Means of training graphs: an assignment must not depend on the other graphs.
        self.scale = self._mean_responses(model, graphs) if scale is None else scale
        parts = [
            self._pooled(model, graphs[begin : begin + GRAPHS_AT_ONCE])
            for begin in range(0, graphs.n_graphs, GRAPHS_AT_ONCE)
        ]
        self.sums, self.responses, self.assignments = map(
            np.vstack, zip(*parts, strict=True)
        )

    def _pooled(self, model, graphs) -> tuple[np.ndarray, ...]:
        """Return sums of embeddings, of responses and of assignments per graph."""
        nodes = model.transform_nodes(graphs)
        responses, assigned, begin = [], [], 0
        for block in self._responses(nodes):
            scale = self.scale[begin : begin + block.shape[1]]
            begin += block.shape[1]
            responses.append(np.maximum(block, 0.0))  # negative by rounding only
            assigned.append(np.eye(block.shape[1])[(block / scale).argmax(axis=1)])
        return tuple(
            pool(part, graphs.graph_ptr)
            for part in (nodes, np.hstack(responses), np.hstack(assigned))
        )

    def _responses(self, embeddings: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the responses to the landmarks of every branch and length."""
        begin = 0
        for (_, nystrom), root in zip(self.blocks, self.roots, strict=True):
            yield embeddings[:, begin : begin + nystrom.n_landmarks] @ root
            begin += nystrom.n_landmarks

    def _mean_responses(self, model: GSKN, graphs) -> np.ndarray:
        sums = copy(model).set_params(pooling="sum")
        total = np.asarray(sums.transform(graphs)).sum(axis=0, keepdims=True)
        means = np.hstack(list(self._responses(total)))[0] / graphs.n_nodes
        return np.maximum(means, 1e-12)

    def embeddings(self, branch: str | None = None) -> np.ndarray:
        """Return the graph embeddings, by all branches or one of them."""
        names = [name for name, nystrom in self.blocks for _ in range(nystrom.n_landmarks)]
        columns = [number for number, name in enumerate(names) if branch in {None, name}]
        return rescale(self.sums[:, columns], self.sizes, self.pooling)


def intersection(train: np.ndarray, test: np.ndarray) -> Pair:
    """Return the normalized histogram intersection kernel."""
    used = train.any(axis=0) | test.any(axis=0)
    totals = [part.sum(axis=1) for part in (train, test)]
    kernels = []
    for part, total in zip((train, test), totals, strict=True):
        distances = cdist(part[:, used], train[:, used], "cityblock")
        smaller = (total[:, None] + totals[0] - distances) / 2
        kernels.append(smaller / np.sqrt(total[:, None] * totals[0]))
    return kernels[0], kernels[1]


def mean(pairs: list[Pair], weights=None) -> Pair:
    squares, crosses = zip(*pairs, strict=True)
    return (
        np.average(squares, axis=0, weights=weights),
        np.average(crosses, axis=0, weights=weights),
    )


def select_strength(pair: Pair, task: ClassTask, folds) -> Candidate:
    """Return the candidate with the best C on inner folds."""
    outputs = [_fold_outputs(pair[0], STRENGTHS, task, fold) for fold in folds]
    return best_candidate(
        [
            _score({"C": strength}, list(parts), task, folds)
            for strength, parts in zip(STRENGTHS, zip(*outputs, strict=True), strict=True)
        ]
    )


def kernels(train: Representation, test: Representation) -> dict[str, Pair | list[Pair]]:
    """Return all kernels; a list if one of several is selected."""
    default = gram_pair(train.embeddings(), test.embeddings(), "laplacian")
    names = list(dict.fromkeys(name for name, _ in train.blocks))
    branches = [
        gram_pair(train.embeddings(name), test.embeddings(name), "laplacian")
        for name in names
    ]
    ones = np.ones(len(names))
    changes = [value * row for value in (-1.0, 1.0) for row in np.eye(len(names))]
    weighted = [mean(branches, ones + change) for change in (0 * ones, *changes)]
    histograms = {
        "intersection": intersection(train.responses, test.responses),
        "assignment": intersection(train.assignments, test.assignments),
    }
    results = {"default": default, "branches": weighted[0], "branches, weighted": weighted}
    for name, pair in histograms.items():
        both = mean([default, pair])
        results |= {
            name: pair,
            f"{name} and default": both,
            f"{name}, selected": [default, pair, both],
        }
    return results


def accuracies(graphs, y, params, part) -> dict[str, float]:
    """Return the test accuracy of every kernel."""
    seed, train, test = part
    task = ClassTask.from_targets(y[train])
    folds = task.folds(N_FOLDS, seed)
    codes = np.searchsorted(task.classes, y[test])
    model = GSKN(**params, random_state=seed).fit(graphs[train])
    first = Representation(model, graphs[train])
    both = first, Representation(model, graphs[test], first.scale)
    scored: dict[int, tuple[float, float]] = {}  # inner and test accuracy, by kernel

    def score(pair: Pair) -> tuple[float, float]:
        if id(pair) not in scored:
            best = select_strength(pair, task, folds)
            dual = task.fit(pair[0], np.arange(len(train)), best.params["C"])
            predicted = most_likely(pair[1] @ dual.coef + dual.intercept)
            scored[id(pair)] = best.score, float(np.mean(predicted == codes))
        return scored[id(pair)]

    found = kernels(*both)
    return {
        name: max((score(p) for p in pairs), key=lambda scores: scores[0])[1]
        for name, value in found.items()
        for pairs in [value if isinstance(value, list) else [value]]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["MUTAG", "PTC", "PROTEINS", *MOLECULES]
    parser.add_argument("names", nargs="*", help=f"data sets; default: {' '.join(names)}")
    parser.add_argument("--parts", type=int, help="number of training parts; default: all")
    options = parser.parse_args()
    for name in options.names or names:
        graphs, y = load(name)
        is_large = name in MOLECULES
        limit = options.parts or (10 if name == "PROTEINS" else None)
        with ignore_convergence():
            parts = [
                accuracies(graphs, y, GRID[LONG if is_large else SMALL], part)
                for part in islice(splits(y, 1000 if is_large else None), limit)
            ]
        reference = 100 * np.mean([part["default"] for part in parts])
        print(f"{name}: default {reference:.2f} ({len(parts)} training parts)")
        for kernel in parts[0]:
            print(f"  {kernel:28s}{difference(parts, kernel, 'default'):>16s}", flush=True)


if __name__ == "__main__":
    main()
