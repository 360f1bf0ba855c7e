import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdkit import Chem
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from gskn import GSKN, as_batch
from gskn.exceptions import InputError
from gskn.integrations.rdkit import (
    MoleculeFeaturizer,
    ScaffoldKFold,
    murcko_scaffolds,
    scaffold_split,
)
from tests.reference.graphs import check_same

SMILES = ["CCO", "CCC", "c1ccccc1", "Cc1ccccc1", "C1CC1", "CC1CC1", "CCN", "OC1CC1", "C=C"]
Y = np.arange(9.0)


def pipeline(**options):
    model = GSKN(("walk",), n_landmarks=4, random_state=0)
    return make_pipeline(MoleculeFeaturizer(**options), model, Ridge())


def test_featurizer_gives_the_batch_of_as_batch():
    features = ("element", "hydrogens")
    for molecules in (SMILES, np.array(SMILES), list(map(Chem.MolFromSmiles, SMILES))):
        batch = MoleculeFeaturizer(atom_features=features).fit_transform(molecules)
        check_same(batch, as_batch(SMILES, atom_features=features))


def test_featurizer_works_in_searches():
    for molecules in (SMILES, np.array(SMILES), pd.Series(SMILES, index=list("abcdefghi"))):
        scores = cross_val_score(pipeline(), molecules, Y, cv=3)
        assert np.isfinite(scores).all()
    grid = {
        "moleculefeaturizer__atom_features": [("element",), ("element", "ring")],
        "moleculefeaturizer__atom_encoding": ["joint", "columns"],
    }
    search = GridSearchCV(pipeline(), grid, cv=2).fit(SMILES, Y)
    assert len(search.cv_results_["params"]) == 4
    by_scaffold = cross_val_score(pipeline(), SMILES, Y, cv=ScaffoldKFold(2))
    assert np.isfinite(by_scaffold).all()


def test_pandas_output_keeps_the_index():
    molecules = pd.Series(SMILES, index=[f"m{n}" for n in range(9)])
    transformers = pipeline()[:-1].set_output(transform="pandas")
    frame = transformers.fit_transform(molecules)
    assert frame.index.tolist() == molecules.index.tolist()
    plain = pipeline()[:-1].fit_transform(molecules)
    np.testing.assert_array_equal(frame.to_numpy(), plain)
    assert clone(transformers).fit_transform(molecules).index.tolist() == [*molecules.index]


def test_rows_stay_aligned():
    kept = MoleculeFeaturizer(on_invalid="keep").fit_transform(["CC", "C(", "CO"])
    assert kept.graph_sizes.tolist() == [2, 0, 2]
    with pytest.raises(InputError, match="Graph 1: RDKit cannot read"):
        MoleculeFeaturizer().fit_transform(["CC", "C(", "CO"])
    with pytest.raises(InputError, match="'keep' or 'raise'"):
        MoleculeFeaturizer(on_invalid="skip").fit_transform(["CC"])


def test_scaffolds_of_every_input(capfd):
    expected = ["", "", "c1ccccc1", "c1ccccc1", "C1CC1", "C1CC1", "", "C1CC1", ""]
    assert murcko_scaffolds(SMILES) == expected
    assert murcko_scaffolds([Chem.MolFromSmiles(text) for text in SMILES]) == expected
    assert murcko_scaffolds(as_batch(SMILES)) == expected
    names = [Chem.MolToInchi(Chem.MolFromSmiles(text)) for text in SMILES]
    assert murcko_scaffolds(names) == expected
    frame = pd.DataFrame({"y": 0, "smiles": SMILES})
    for table in (frame, frame["smiles"], pa.table(dict(frame)), pa.array(SMILES)):
        assert murcko_scaffolds(table) == expected
    assert murcko_scaffolds("C1CC1C") == ["C1CC1"]
    assert murcko_scaffolds(["C(", None, "", "C1CC1" * 20_000]) == ["", "", "", ""]
    assert capfd.readouterr().err == ""


def test_large_molecules_are_their_own_scaffold():
    ring = f"C1{'C' * 1_500}C1C[C@H](F)Cl"
    same = f"Cl[C@H](F)CC1{'C' * 1_500}C1"
    chain, first, second = murcko_scaffolds(["C" * 1_500, ring, same])
    assert chain == ""
    assert first == second
    assert as_batch(first).n_nodes == as_batch(ring).n_nodes
    assert "@" not in first


def test_molecules_without_scaffolds_raise():
    frame = pd.DataFrame({"y": 0, "smiles": SMILES})
    with pytest.raises(InputError, match="have no names"):
        murcko_scaffolds(as_batch([np.eye(2)]))
    with pytest.raises(InputError, match="Molecule 1 must be SMILES or an RDKit molecule"):
        murcko_scaffolds(["CC", np.eye(2)])
    with pytest.raises(InputError, match="no column of SMILES"):
        murcko_scaffolds(frame[["y"]])


@pytest.mark.parametrize("acyclic", ["together", "separate"])
def test_folds_do_not_share_scaffolds(acyclic):
    scaffolds = np.array(murcko_scaffolds(SMILES))
    splitter = ScaffoldKFold(3, acyclic=acyclic)
    tests = [test for _, test in splitter.split(SMILES)]
    assert splitter.get_n_splits() == len(tests) == 3
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(9))
    for train, test in splitter.split(SMILES):
        shared = {*scaffolds[train]} & {*scaffolds[test]}
        assert shared <= ({""} if acyclic == "separate" else set())
    again = [test for _, test in splitter.split(SMILES)]
    assert [a.tolist() for a in again] == [a.tolist() for a in tests]
    if acyclic == "separate":
        assert sorted(map(len, tests)) == [3, 3, 3]


def test_scaffold_split_trains_on_frequent_scaffolds():
    train, test = scaffold_split(SMILES, test_size=0.25)
    assert train.tolist() == [0, 1, 4, 5, 6, 7, 8]
    assert test.tolist() == [2, 3]


def test_scaffold_split_does_not_depend_on_the_order_of_the_file():
    rings = [f"C1{'C' * n}{atom}1" for n in range(1, 9) for atom in "CNOS"]
    test = scaffold_split(rings, test_size=0.25)[1]
    elements = {rings[number][-2] for number in test}
    assert len(test) == 8
    assert len(elements) > 2
    shuffled = np.random.default_rng(0).permutation(rings)
    expected = {rings[number] for number in test}
    assert {*shuffled[scaffold_split([*shuffled], test_size=0.25)[1]]} == expected
    ordered = sorted(rings, key=lambda smiles: smiles[-2])  # as a file that is sorted
    by_element = {ordered[number] for number in scaffold_split(ordered, test_size=0.25)[1]}
    assert by_element == expected


def test_invalid_splits_raise():
    with pytest.raises(InputError, match="test_size must be"):
        scaffold_split(SMILES, test_size=2)
    with pytest.raises(InputError, match="cannot be split"):
        scaffold_split(["CC", "CO"])
    with pytest.raises(InputError, match="fewer than n_splits=5"):
        list(ScaffoldKFold().split(SMILES))
    with pytest.raises(InputError, match="acyclic must be"):
        list(ScaffoldKFold(acyclic="no").split(SMILES))
