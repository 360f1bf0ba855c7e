"""Folds of molecules by scaffold."""

import numpy as np
import pytest

from gskn import as_batch, datasets, evaluation
from gskn.exceptions import InputError

RINGS = ["c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccoc1", "c1ccsc1"]
MOLECULES = [f"{chain}{ring}" for chain in ("", "C", "CC", "O") for ring in RINGS] + [
    "C" * length for length in range(1, 9)
]


@pytest.fixture
def molecules():
    rdkit = pytest.importorskip("gskn.integrations.rdkit")
    graphs = as_batch(MOLECULES, smiles=True)
    y = np.array([len(smiles) + 0.5 for smiles in MOLECULES])
    return rdkit, datasets.Dataset("molecules", graphs, y)


def test_scaffolds_are_in_one_fold(molecules, tmp_path):
    rdkit, data = molecules
    results = evaluation.ResultFile(tmp_path / "runs.jsonl")
    records = evaluation.evaluate(data, ["mean"], folds="scaffold", results=results)
    assert len(records) == 10
    folds = evaluation.split(data, "scaffold", 0)
    scaffolds = np.array(rdkit.murcko_scaffolds(data.graphs))
    for train, test in folds:
        shared = set(scaffolds[train]) & set(scaffolds[test])
        assert shared <= {""}
    assert sorted(np.concatenate([test for _, test in folds])) == [*range(len(MOLECULES))]
    assert len({record.configuration["fold_indices"] for record in records}) == 1
    assert all("rdkit" in record.versions for record in records)


def test_other_names_raise(molecules):
    _, data = molecules
    numbered = data.graphs.with_graph_names(range(len(MOLECULES)))
    named = data.graphs.with_graph_names(["benzene"] * len(MOLECULES))
    for graphs in (numbered, named, datasets.rings(4).graphs[np.zeros(32, int)]):
        other = datasets.Dataset("other", graphs, data.y)
        with pytest.raises(InputError, match="not named by their SMILES"):
            evaluation.evaluate(other, ["mean"], folds="scaffold")
