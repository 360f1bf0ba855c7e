"""Compare models of molecules: walks, fingerprints, descriptors, and combinations of them.

Run ``python benchmarks/accuracy/molecules.py RESULTS [NAME ...]`` with names of molecule
sets of the catalog; RESULTS is a result file, and a stopped run is resumed. All models have
the same protocol: ten random or scaffold folds, and everything is selected on inner folds
of the training part. Forests and boosting have the defaults of scikit-learn; nothing is
selected for them. Needs the extra ``rdkit``.
"""

import argparse
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from time import process_time
from typing import ClassVar

import numpy as np
from rdkit import Chem
from rdkit.Chem import Descriptors, rdFingerprintGenerator
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from gskn import GSKN, as_batch, datasets
from gskn.datasets import Dataset
from gskn.estimators import GRID, LAPLACIAN, LINEAR, PRECOMPUTED, Precomputation
from gskn.estimators._gram import gram_pair
from gskn.evaluation import MODELS, Model, ResultFile, evaluate

SETS = ("freesolv", "esol", "lipophilicity", "bbbp", "bace", "bace-pic50")
ATOMS = ("element", "charge", "aromatic", "hydrogens", "ring")
LARGEST_COUNT = 255
FOLDS = ("stratified", "scaffold")
LARGEST = 1e6  # of descriptors


@cache
def molecule(smiles: str) -> Chem.Mol:
    return Chem.MolFromSmiles(smiles)


@cache
def fingerprint(smiles: str, *, counts: bool) -> np.ndarray:
    """Return the ECFP4 fingerprint of 2,048 bits or counts."""
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    if counts:
        return (
            generator.GetCountFingerprintAsNumPy(molecule(smiles))
            .clip(max=LARGEST_COUNT)
            .astype(np.uint8)
        )
    return generator.GetFingerprintAsNumPy(molecule(smiles))


@cache
def descriptors(smiles: str) -> np.ndarray:
    """Return all descriptors of RDKit; those that are not defined are zero."""
    values = Descriptors.CalcMolDescriptors(molecule(smiles), missingVal=0.0)
    return np.nan_to_num(np.array([*values.values()], dtype=float)).clip(-LARGEST, LARGEST)


def features(graphs, kind: str) -> np.ndarray:
    """Return the rows of graphs that are named by their SMILES."""
    compute = {
        "bits": lambda smiles: fingerprint(smiles, counts=False),
        "counts": lambda smiles: fingerprint(smiles, counts=True),
        "descriptors": descriptors,
    }[kind]
    return np.array([compute(smiles) for smiles in graphs.graph_names], dtype=float)


class _Independent(Precomputation):
    """Rows and kernels of molecules that do not depend on the training molecules."""

    def depends_on_training(self, estimator):  # noqa: ARG002
        return False


class MoleculeRows(TransformerMixin, BaseEstimator):
    """Fingerprints or descriptors as embeddings."""

    precompute = _Independent

    def __init__(self, kind: str = "counts") -> None:
        self.kind = kind

    def fit(self, *_):
        return self

    def transform(self, X):
        return features(X, self.kind)


class TanimotoKernel(MoleculeRows):
    """Sum of minima over sum of maxima of two fingerprints."""

    def fit(self, X, *_):
        self.training_ = unary(features(X, self.kind))
        return self

    def transform(self, X):
        rows = unary(features(X, self.kind))
        shared = (rows @ self.training_.T).toarray()
        totals = rows.sum(axis=1)[:, None] + self.training_.sum(axis=1)
        return shared / np.maximum(totals - shared, 1)


def unary(counts: np.ndarray) -> csr_array:
    """Return one column for "at least n" of every count, so products are sums of minima."""
    rows, columns = np.nonzero(counts)
    values = counts[rows, columns].astype(int)
    ends = np.cumsum(values)
    levels = np.arange(values.sum()) - np.repeat(ends - values, values)
    entries = np.repeat(rows, values), np.repeat(columns, values) * LARGEST_COUNT + levels
    shape = len(counts), counts.shape[1] * LARGEST_COUNT
    return csr_array((np.ones(values.sum()), entries), shape=shape)


class WithDescriptors(GSKN):
    """Mean of the Laplacian kernels of embeddings and of descriptors."""

    precompute = Precomputation

    def fit_transform(self, X, *_):
        self.training_ = super().fit_transform(X), features(X, "descriptors")
        return self._kernel(self.training_)

    def transform(self, X):
        return self._kernel((super().transform(X), features(X, "descriptors")))

    def _kernel(self, blocks):
        pairs = zip(self.training_, blocks, strict=True)
        return np.mean([gram_pair(*pair, "laplacian")[1] for pair in pairs], axis=0)


class _Trees(BaseEstimator):
    """Trees on fingerprints or descriptors."""

    def __init__(self, kind="counts", trees="forest", random_state=None) -> None:
        self.kind = kind
        self.trees = trees
        self.random_state = random_state

    def fit(self, X, y):
        options = {"random_state": self.random_state}
        self.model_ = self._kinds[self.trees](**options).fit(features(X, self.kind), y)
        return self

    def predict(self, X):
        return self.model_.predict(features(X, self.kind))


class TreesRegressor(RegressorMixin, _Trees):
    _kinds: ClassVar = {
        "forest": RandomForestRegressor,
        "boosting": HistGradientBoostingRegressor,
    }


class TreesClassifier(ClassifierMixin, _Trees):
    _kinds: ClassVar = {
        "forest": RandomForestClassifier,
        "boosting": HistGradientBoostingClassifier,
    }

    @property
    def classes_(self):
        return self.model_.classes_

    def predict_proba(self, X):
        probabilities = self.model_.predict_proba(features(X, self.kind))
        return probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities


def gskn_model(name: str, **changes) -> Model:
    grid = tuple({**params, **changes} for params in GRID)
    return Model(name, name, grid, edges=changes.get("edge_features") != "none")


def row_models(targets: str) -> list[Model]:
    """Return the models of fingerprints and descriptors."""
    trees = TreesRegressor if targets == "values" else TreesClassifier

    def model(name, kind, machines, estimator=MoleculeRows, **params):
        grid = ({"kind": kind, **params},)
        return Model(name, name, grid, machines, estimator, edges=False)

    return [
        model("ECFP bits, forest", "bits", (), trees),
        model("ECFP counts, forest", "counts", (), trees),
        model("ECFP bits, linear", "bits", LINEAR),
        model("ECFP counts, linear", "counts", LINEAR),
        model("ECFP bits, Tanimoto", "bits", PRECOMPUTED, TanimotoKernel),
        model("ECFP counts, Tanimoto", "counts", PRECOMPUTED, TanimotoKernel),
        model("descriptors, Laplacian", "descriptors", LAPLACIAN),
        model("descriptors, forest", "descriptors", (), trees),
        model("descriptors, boosting", "descriptors", (), trees, trees="boosting"),
    ]


def runs(targets: str) -> list[tuple[dict, list[Model]]]:
    """Return options of molecules, with the models that are run on these graphs."""
    columns = {"atom_features": ATOMS, "atom_encoding": "columns"}
    return [
        ({}, row_models(targets)),
        (
            {},
            [
                gskn_model(
                    "GSKN, structure", node_features="degrees", edge_features="none"
                ),
                gskn_model("GSKN, elements", edge_features="none"),
                gskn_model("GSKN, elements and bonds"),
                MODELS["wl"],
            ],
        ),
        (
            {"atom_features": ATOMS},
            [
                gskn_model("GSKN, atoms", edge_features="none"),
                gskn_model("GSKN, atoms and bonds"),
                Model(
                    "GSKN, atoms and bonds, with descriptors",
                    "GSKN, atoms and bonds, with descriptors",
                    GRID,
                    PRECOMPUTED,
                    WithDescriptors,
                ),
            ],
        ),
        (columns, [gskn_model("GSKN, atoms in columns and bonds")]),
    ]


class _EnoughFoldsError(Exception):
    """As many folds as requested are in the result file."""


def run(data: Dataset, models: list[Model], n_folds: int, **options) -> None:
    """Run the first folds; records are only in the result file."""
    finished: list[None] = []

    def advance() -> None:
        finished.append(None)
        if len(finished) == n_folds * len(models):
            raise _EnoughFoldsError

    with suppress(_EnoughFoldsError):
        evaluate(data, models, advance=advance, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--folds", default=FOLDS, nargs="+", choices=FOLDS)
    parser.add_argument("--n-folds", type=int, default=10, help="Stop after some folds.")
    parser.add_argument("--models", default="", help="Part of the names of models to run.")
    arguments = parser.parse_args()
    protocols = product(arguments.names, arguments.folds)
    for name, folds in protocols:
        data = datasets.load(name)
        for options, models in runs(data.targets):
            selected = [model for model in models if arguments.models in model.name]
            if not selected:
                continue
            graphs = as_batch([*data.graphs.graph_names], smiles=True, **options)
            start = process_time()
            protocol = {"results": ResultFile(arguments.results), "folds": folds}
            run(Dataset(name, graphs, data.y), selected, arguments.n_folds, **protocol)
            labels = ", ".join(model.name for model in selected)
            seconds = process_time() - start
            print(f"{name}, {folds}: {labels} in {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
