"""Measure fit, selection and prediction of `GSKNClassifier` in one run.

Compared are: "selected", the default classifier, whose fit selects embedding, kernel and C
by inner folds; "former", its predecessor, a fixed embedding with a linear SVM and C = 10;
"GraKeL", its WL kernel with five iterations and an SVM whose C is selected by inner folds.
Times are CPU times of one thread, minima over repeats. Half of the graphs are predicted.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from embedding import grakel_graphs
from grakel.kernels import VertexHistogram, WeisfeilerLehman
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from gskn import GSKN, GSKNClassifier, datasets

C_GRID = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0]}
FORMER = GSKN(branches=("walk", "anonymous"), pooling="sum", max_degree=32)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the smallest CPU time of some calls."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


class GrakelClassifier:
    """GraKeL's WL kernel and an SVM on the kernel matrix."""

    def fit(self, graphs: list, y: np.ndarray) -> None:
        self.kernel = WeisfeilerLehman(
            n_iter=5, base_graph_kernel=VertexHistogram, normalize=True
        )
        svm = SVC(kernel="precomputed", max_iter=100_000)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        self.search = GridSearchCV(svm, C_GRID, cv=folds).fit(
            self.kernel.fit_transform(graphs), y
        )

    def predict(self, graphs: list) -> np.ndarray:
        return self.search.predict(self.kernel.transform(graphs))


def measure(name: str, n_graphs: int | None, repeats: int) -> None:
    data = datasets.load(name)
    order = np.random.default_rng(0).permutation(data.graphs.n_graphs)[:n_graphs]
    train, test = order[::2], order[1::2]
    graphs = data.graphs[train], data.graphs[test]
    lists = grakel_graphs(graphs[0]), grakel_graphs(graphs[1])
    former = GSKNClassifier(FORMER, selection="none", kernel="linear", random_state=0)
    models = {
        "selected": (GSKNClassifier(random_state=0), graphs),
        "former": (former, graphs),
        "GraKeL": (GrakelClassifier(), lists),
    }
    print(f"{name}: {len(train)} training graphs, {len(test)} predicted graphs")
    seconds_of_fit = seconds(lambda: GSKN(random_state=0).fit(graphs[0]), repeats)
    print(f"  {'embedding alone':18s}fit {seconds_of_fit:7.2f} s", flush=True)
    times = {}
    for title, (model, (first, second)) in models.items():
        fit = seconds(lambda m=model, g=first: m.fit(g, data.y[train]), repeats)
        predict = seconds(lambda m=model, g=second: m.predict(g), repeats)
        times[title] = np.array([fit, predict])
        accuracy = 100 * np.mean(model.predict(second) == data.y[test])
        print(f"  {title:18s}fit {fit:7.2f} s, predict {predict:6.2f} s", end="")
        print(f", accuracy {accuracy:.1f}", flush=True)
    for other in ("former", "GraKeL"):
        fit, predict = times["selected"] / times[other]
        print(f"  selected / {other:7s}fit {fit:7.2f} x, predict {predict:6.2f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-collab", type=int, default=1000, help="0: all graphs")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for name in ("MUTAG", "structure"):  # compile before measuring
        data = datasets.load(name)
        GSKNClassifier(random_state=0).fit(data.graphs[::3], data.y[::3]).predict(
            data.graphs
        )
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
        measure("PROTEINS", None, options.repeats)
        measure("COLLAB", options.n_collab or None, options.repeats)


if __name__ == "__main__":
    main()
