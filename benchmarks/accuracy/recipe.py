"""Change one part of the default model at a time and measure the accuracy on new graphs.

Run ``python benchmarks/accuracy/recipe.py [NAME ...]`` with names of data sets of
``selection.py``: BBBP, BACE, HIV (molecules with element labels) and "facebook" (neighbors
of pages). The recipe was not developed on them. The reference has walks and paths of 5
nodes and 256 landmarks, the Laplacian kernel and C = 10; nothing is selected. Training
parts have 1,000 graphs, and up to 1,500 others are the test part. Printed are differences
in accuracy from the reference in points, with their standard errors over training parts.
"""

import argparse
from itertools import islice

import numpy as np
from selection import FIXED, LONG, MOLECULES, difference, load, splits

from gskn import GSKN
from gskn.estimators import GRID, ClassTask, fit_outputs, ignore_convergence, most_likely
from gskn.estimators._gram import gram_pair

REFERENCE = GRID[LONG]
BRANCHES = REFERENCE["branches"]


def without(branch: str) -> dict:
    return {"branches": tuple(name for name in BRANCHES if name != branch)}


CHANGES = {
    "reference": {},
    "32 landmarks": {"n_landmarks": 32},
    "walks of 3 nodes": {"walk_length": 3},
    "counts": {"weighting": "count"},
    "no patterns": without("anonymous"),
    "no paths": without("label-path"),
    "no degree walks": without("degree-walk"),
    "joint walks": {"branches": (*BRANCHES, "joint")},
    "induced patterns": {"branches": (*without("anonymous")["branches"], "induced")},
    "patterns of 8 nodes": {"anonymous_length": 8},
    "sharper kernels (alpha 6)": {"alpha": 6.0},
    "wider kernels (alpha 0.5)": {"alpha": 0.5},
    "mean pooling": {"pooling": "mean"},
    "logarithm of sums": {"pooling": "log"},
    "two layers": {"n_layers": 2},
}
KERNELS = ("linear", "rbf")


def accuracies(precomputation, y, seed, train, test) -> dict[str, float]:
    """Return the test accuracy of every change."""
    split = precomputation.split(train, test)
    task = ClassTask.from_targets(y[train])
    codes = np.searchsorted(task.classes, y[test])
    results = {}
    for name, change in CHANGES.items():
        pair = split.embed(GSKN(**{**REFERENCE, **change}, random_state=seed))
        machines = {name: FIXED}
        if not change:
            machines |= {f"{name} kernel": {"kernel": name, "C": 10.0} for name in KERNELS}
            results["mean kernel of branches"] = _score(
                *branch_kernels(split, seed), task, codes
            )
        outputs = fit_outputs(list(machines.values()), *pair, task)
        for machine, part in zip(machines, outputs, strict=True):
            results[machine] = np.mean(most_likely(part) == codes)
    return results


def branch_kernels(split, seed) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the Laplacian kernels of every branch."""
    squares, crosses = [], []
    for branch in BRANCHES:
        params = {**REFERENCE, "branches": (branch,)}
        train, test = split.embed(GSKN(**params, random_state=seed))
        if train.shape[1]:  # graphs without labels have no label-path
            square, cross = gram_pair(train, test, "laplacian")
            squares.append(square)
            crosses.append(cross)
    return np.mean(squares, axis=0), np.mean(crosses, axis=0)


def _score(square, cross, task, codes) -> float:
    dual = task.fit(square, np.arange(len(square)), FIXED["C"])
    return float(np.mean(most_likely(cross @ dual.coef + dual.intercept) == codes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*MOLECULES, "facebook"]
    parser.add_argument("names", nargs="*", help=f"data sets; default: {' '.join(names)}")
    parser.add_argument("--parts", type=int, help="number of training parts; default: all")
    options = parser.parse_args()
    for name in options.names or names:
        graphs, y = load(name)
        precomputation = GSKN.precompute(graphs)
        with ignore_convergence():
            some = islice(splits(y, 1000), options.parts)
            parts = [accuracies(precomputation, y, *part) for part in some]
        mean = 100 * np.mean([part["reference"] for part in parts])
        print(f"{name}: reference {mean:.2f} ({len(parts)} training parts)")
        for change in parts[0]:
            print(
                f"  {change:32s}{difference(parts, change, 'reference'):>16s}", flush=True
            )


if __name__ == "__main__":
    main()
