"""Compare models of molecules on one scaffold split of HIV, by ROC-AUC.

Run ``python benchmarks/accuracy/hiv.py RESULTS [NAME]``; RESULTS is a result file, and a
stopped run is resumed. NAME is a set of molecules with two classes, ``hiv`` by default. It
has 41,000 molecules, too many for the kernels of ``molecules.py``: here, fingerprints have
a logistic regression, and embeddings have one on a Nyström approximation of the Laplacian
kernel with 1,000 training molecules. Its strength is selected by ROC-AUC on inner folds of
the training part; forests and boosting have the defaults of scikit-learn. The embedding is
fixed: the largest one of the selection of `GSKNClassifier`. Needs the extra ``rdkit``.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from molecules import ATOMS, features
from rdkit import RDLogger
from scipy.linalg import eigh
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from gskn import GSKN, as_batch, datasets
from gskn.datasets import Dataset
from gskn.estimators import GRID
from gskn.estimators._gram import Scaling, gram
from gskn.evaluation import Record, ResultFile, score_classes
from gskn.evaluation._records import Clock, with_provenance
from gskn.integrations.rdkit import scaffold_split

EMBEDDING = GRID[2]  # walks and paths of 5 nodes, 256 landmarks
N_LANDMARKS = 1_000
STRENGTHS = 10.0 ** np.arange(-3, 3)
N_INNER_FOLDS = 3
_CHUNK = 5_000


class Rows:
    """Rows of all molecules of a set, computed when they are needed."""

    def __init__(self, data: Dataset, train: np.ndarray) -> None:
        self.data = data
        self.train = train

    @cache  # noqa: B019 - there is one object
    def fingerprints(self, kind: str) -> csr_array:
        graphs = self.data.graphs
        parts = (graphs[i : i + _CHUNK] for i in range(0, graphs.n_graphs, _CHUNK))
        return vstack([csr_array(features(part, kind)) for part in parts], format="csr")

    @cache  # noqa: B019 - there is one object
    def descriptors(self) -> np.ndarray:
        return features(self.data.graphs, "descriptors")

    @lru_cache(maxsize=1)  # noqa: B019 - there is one object
    def embeddings(self, *, atoms: bool, bonds: bool) -> np.ndarray:
        options = {"atom_features": ATOMS} if atoms else {}
        batch = as_batch([*self.data.graphs.graph_names], smiles=True, **options)
        batch = batch if bonds else batch.without_edge_data()
        model = GSKN(random_state=0, **EMBEDDING).fit(batch[self.train])
        parts = (batch[i : i + _CHUNK] for i in range(0, batch.n_graphs, _CHUNK))
        return np.vstack([model.transform(part).astype(np.float32) for part in parts])


class LaplacianLandmarks(TransformerMixin, BaseEstimator):
    """Nyström approximation of the Laplacian kernel of standardized embeddings."""

    def fit(self, X, *_):
        self.scaling_ = Scaling.from_embeddings(X)
        chosen = np.random.default_rng(0).permutation(len(X))[:N_LANDMARKS]
        self.landmarks_ = self.scaling_.apply(X[chosen])
        values, vectors = eigh(gram(self.landmarks_, self.landmarks_, "laplacian"))
        kept = values > values.max() * 1e-10
        self.projection_ = vectors[:, kept] / np.sqrt(values[kept])
        return self

    def transform(self, X):
        parts = (X[i : i + _CHUNK] for i in range(0, len(X), _CHUNK))
        return np.vstack([self._features(part) for part in parts])

    def _features(self, part):
        scaled = self.scaling_.apply(part)
        rows = gram(scaled, self.landmarks_, "laplacian") @ self.projection_
        return rows.astype(np.float32)  # the regression takes half the time


def logistic(scaler) -> Pipeline:
    """Return a logistic regression whose strength is selected on inner folds.

    The scaler does not use classes and is fitted once, to all training molecules.
    """
    folds = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=0)
    regression, grid = LogisticRegression(max_iter=2000), {"C": STRENGTHS}
    return make_pipeline(
        scaler, GridSearchCV(regression, grid, scoring="roc_auc", cv=folds)
    )


def models(rows: Rows) -> dict[str, tuple[Callable, object]]:
    """Return rows and classifier of every model."""

    def forest():
        return RandomForestClassifier(random_state=0)

    def boosting():
        return HistGradientBoostingClassifier(random_state=0)

    def both():
        embeddings = rows.embeddings(atoms=True, bonds=True)
        return np.hstack([embeddings, rows.descriptors().astype(np.float32)])

    def embed(*, atoms: bool, bonds: bool):
        return lambda: rows.embeddings(atoms=atoms, bonds=bonds)

    kernel = logistic(LaplacianLandmarks())
    sparse = logistic(MaxAbsScaler())
    return {
        "ECFP bits, forest": (lambda: rows.fingerprints("bits"), forest()),
        "ECFP counts, forest": (lambda: rows.fingerprints("counts"), forest()),
        "ECFP bits, linear": (lambda: rows.fingerprints("bits"), sparse),
        "ECFP counts, linear": (lambda: rows.fingerprints("counts"), sparse),
        "descriptors, forest": (rows.descriptors, forest()),
        "descriptors, boosting": (rows.descriptors, boosting()),
        "GSKN, elements": (embed(atoms=False, bonds=False), kernel),
        "GSKN, elements and bonds": (embed(atoms=False, bonds=True), kernel),
        "GSKN, atoms": (embed(atoms=True, bonds=False), kernel),
        "GSKN, atoms and bonds": (embed(atoms=True, bonds=True), kernel),
        "GSKN, atoms and bonds, with descriptors": (both, kernel),
    }


def run(
    compute: Callable, classifier, data: Dataset, split: tuple, template: Record
) -> Record:
    """Return the record of one model on the split."""
    clock = Clock()
    train, test = split
    with clock.measure("embed"):
        rows = compute()
    with clock.measure("classify"):
        classifier.fit(rows[train], data.y[train])
        decision = classifier.predict_proba(rows[test])
        predicted = classifier.predict(rows[test])
    values = decision[:, 1] - decision[:, 0]
    scores = score_classes(data.y[test], predicted, values, classifier.classes_)
    best = classifier[-1].best_params_ if isinstance(classifier, Pipeline) else {}
    chosen = {name: float(value) for name, value in best.items()}
    return with_provenance(replace(template, scores=scores, chosen=chosen), clock)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("name", nargs="?", default="hiv")
    parser.add_argument("--models", default="", help="Part of the names of models to run.")
    arguments = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    data = datasets.load(arguments.name)
    split = scaffold_split(data.graphs)
    results = ResultFile(arguments.results)
    rows = Rows(data, split[0])
    for name, (compute, classifier) in models(rows).items():
        if arguments.models not in name:
            continue
        configuration = {"folds": "scaffold", "split": "one", "model": repr(classifier)}
        template = Record(data.name, name, "nested", 0, 0, 0, configuration, scores={})
        record = results.once(
            template,
            lambda fields=(compute, classifier), blank=template: run(
                *fields, data, split, blank
            ),
        )
        print(f"{data.name:8} {name:42} {record.scores['roc_auc']:.3f}", flush=True)


if __name__ == "__main__":
    main()
