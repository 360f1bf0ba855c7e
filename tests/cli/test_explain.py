import csv

import numpy as np
import pytest
from rdkit import Chem

from gskn import GSKN, GSKNClassifier, GSKNRegressor, datasets


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    data = datasets.load("MUTAG")
    embedding = GSKN(pooling="mean", anonymous_length=4)
    fitted = GSKNClassifier(
        embedding, kernel="linear", C=1.0, selection="none", random_state=0
    )
    fitted.fit(data.graphs, data.y)
    path = tmp_path_factory.mktemp("models") / "model.gskn"
    fitted.save(path)
    return path


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("by", ["nodes", "edges", "patterns", "landmarks"])
def test_numbers_of_every_kind_add_up(model, tmp_path, call, by):
    out = tmp_path / "out.csv"
    result = call("explain", model, "MUTAG", "-o", out, "--by", by)
    assert result.returncode == 0, result.stderr
    assert "188 graphs" in result.stdout
    rows = read(out)
    expected = {
        "nodes": ["node", "label"],
        "edges": ["source", "target"],
        "patterns": ["pattern"],
        "landmarks": ["landmark"],
    }
    assert list(rows[0])[1 : 1 + len(expected[by])] == expected[by]
    decisions = GSKNClassifier.load(model).decision_function(datasets.load("MUTAG").graphs)
    first = [row for row in rows if row["graph"] == "0"]
    total = sum(float(row["contribution"]) for row in first) + float(first[0]["baseline"])
    assert total == pytest.approx(decisions[0])
    assert float(first[0]["prediction"]) == pytest.approx(decisions[0])
    assert {float(row["remainder"]) for row in rows} == {0.0}


def test_report_shows_known_classes_of_data_sets(model, tmp_path, call):
    out = tmp_path / "report.html"
    result = call("explain", model, "MUTAG", "-o", out, "--max-graphs", 2)
    assert result.returncode == 0, result.stderr
    html = out.read_text(encoding="utf-8")
    assert html.count("<article") == 2
    assert "<dt>known</dt>" in html
    assert "Explanations of predictions for MUTAG" in html


def test_report_of_molecules_in_a_file(tmp_path, call):
    smiles = ["CCO", "c1ccccc1O", "CC(=O)N", "CCCC", "CN", "CC(C)O", "C1CC1"]
    path = tmp_path / "molecules.smi"
    path.write_text("".join(f"{text} {n}\n" for n, text in enumerate([*smiles, "C1C"])))
    fitted = GSKNRegressor(kernel="linear", selection="none", random_state=0)
    fitted.fit(smiles, np.array([text.count("O") for text in smiles]))
    fitted.save(tmp_path / "model.gskn")
    out = tmp_path / "report.html"
    result = call("explain", tmp_path / "model.gskn", path, "-o", out)
    assert result.returncode == 0, result.stderr
    assert "Skipped 1 molecule" in result.stderr
    html = out.read_text(encoding="utf-8")
    assert html.count("<article") == 7
    assert "atom 2 (O)" in html


def test_molecules_are_written_with_values_of_atoms(tmp_path, call):
    smiles = ["CCO", "c1ccccc1O", "CC(=O)N", "CCCC"]
    fitted = GSKNRegressor(kernel="linear", selection="none", random_state=0)
    fitted.fit(smiles, [1.0, 1.0, 1.0, 0.0]).save(tmp_path / "model.gskn")
    (tmp_path / "new.smi").write_text("OCCO glycol\nc1ccccc1 benzene\n")
    out = tmp_path / "atoms.sdf"
    arguments = [tmp_path / "model.gskn", tmp_path / "new.smi", "-o", out]
    result = call("explain", *arguments)
    assert result.returncode == 0, result.stderr
    molecules = list(Chem.SDMolSupplier(str(out)))
    assert [Chem.MolToSmiles(m) for m in molecules] == ["OCCO", "c1ccccc1"]
    assert molecules[0].GetAtomWithIdx(3).HasProp("gskn_contribution")
    out.unlink()
    result = call("explain", *arguments, "--by", "patterns")
    assert result.returncode == 1
    assert "needs --by nodes or edges" in result.stderr
    assert not out.exists()


def test_reference_names_the_nearest_training_graph(model, tmp_path, call):
    out = tmp_path / "report.html"
    result = call("explain", model, "MUTAG", "-o", out, "--reference", "MUTAG")
    assert result.returncode == 0, result.stderr
    assert "nearest of 188 training graphs" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "2"], "is not a class of the model: -1, 1"),
        (["-o", "report.pdf"], "must end in .html for a report, in .csv"),
        (["-o", "empty.smi/report.html"], "'empty.smi' is not a folder"),
        (["--reference", "MUTAG"], "--reference needs a report (.html)"),
        (
            ["-o", "new.html", "--reference", "empty.smi"],
            "There are no graphs in 'empty.smi'",
        ),
        (["--by", "atoms"], "'atoms' is not one of"),
    ],
)
def test_wrong_arguments_name_the_remedy(
    model, tmp_path, monkeypatch, call, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.smi").touch()
    result = call("explain", model, "MUTAG", "-o", "out.csv", *arguments)
    assert result.returncode
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert [path.name for path in tmp_path.iterdir()] == ["empty.smi"]


def test_molecules_that_cannot_be_read_are_named(model, tmp_path, call):
    (tmp_path / "bad.smi").write_text("C1CC\n")
    result = call("explain", model, tmp_path / "bad.smi", "-o", tmp_path / "out.html")
    assert result.returncode == 1
    assert "No molecule of" in result.stderr
    assert "RDKit cannot read 'C1CC'" in result.stderr
    assert not (tmp_path / "out.html").exists()


def test_target_selects_the_class(model, tmp_path, call):
    values = []
    for target in ("-1", "1"):
        out = tmp_path / f"{target}.csv"
        result = call("explain", model, "MUTAG", "-o", out, "--target", target)
        assert result.returncode == 0, result.stderr
        values.append([float(row["contribution"]) for row in read(out)])
    np.testing.assert_allclose(values[0], -np.array(values[1]))
