"""Compare one column per degree with the degree as one number, for GIN on IMDB-BINARY.

The accuracy is that of the validation parts, within the training parts of the first two
folds; no test graph is used. The seeds, and thereby the validation parts, are the same.

    python benchmarks/accuracy/degrees.py [FOLDER]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from gskn import datasets
from gskn.networks import GIN

N_FOLDS, N_SEEDS = 2, 4


def main() -> None:
    """Print both mean accuracies, and the mean difference with its standard error."""
    home = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    data = datasets.load("IMDB-BINARY", home)
    graphs, y = data.graphs, data.y
    numbers = replace(graphs, node_attributes=graphs.degrees[:, None].astype(float))
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(y, y)
    accuracies: dict[str, list[float]] = {"columns": [], "number": []}
    for fold, (train, _) in zip(range(N_FOLDS), folds, strict=False):
        for name, batch in (("columns", graphs), ("number", numbers)):
            model = GIN(n_layers=2, readout="mean", n_seeds=N_SEEDS, random_state=fold)
            model.fit(batch[train], y[train])
            accuracies[name] += [h["validation_accuracy"] for h in model.history_]
    for name, values in accuracies.items():
        print(f"{name}: {100 * np.mean(values):.1f}")
    gaps = 100 * np.subtract(accuracies["columns"], accuracies["number"])
    print(f"difference: {gaps.mean():.1f} ± {gaps.std(ddof=1) / len(gaps) ** 0.5:.1f}")


if __name__ == "__main__":
    main()
