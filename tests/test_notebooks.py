"""Notebooks display plots, tables and progress; all examples run as notebooks."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gskn import datasets

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# The kernel is a child process of this one, so warnings of Jupyter are not errors here.
RUN = """
import json, sys
import nbclient, nbformat
cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
json.dump([cell["outputs"] for cell in notebook.cells], sys.stdout)
"""

pytestmark = pytest.mark.skipif(
    find_spec("nbclient") is None or find_spec("ipykernel") is None,
    reason="needs nbclient and ipykernel",
)


def run_cells(cells, folder):
    """Run cells in a new kernel and return the outputs of each cell."""
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def displays(outputs):
    """Return the displayed objects of a cell: mappings of type to content."""
    return [output["data"] for output in outputs if "data" in output]


def texts(outputs):
    return "".join(output.get("text", "") for output in outputs)


@pytest.mark.slow
def test_last_value_of_a_cell_is_displayed(tmp_path):
    cells = [
        "from gskn import *; from gskn import evaluation; data = datasets.structure(10)",
        "data.graphs",
        "embeddings = GSKN(random_state=0).fit_transform(data.graphs)",
        "evaluation.plot_embedding(embeddings, data.y)",
        "records = evaluation.evaluate(data, ['majority']); records",
        "evaluation.plot_scores(records)",
        "model = GSKNClassifier(GSKN(('walk',), n_landmarks=4), random_state=0, verbose=1)",
        "model.fit(data.graphs, data.y)",
        "import sys; 'matplotlib.pyplot' in sys.modules, 'ipywidgets' in sys.modules",
    ]
    outputs = run_cells(cells, tmp_path)
    batch, points, table, scores, model, modules = (outputs[n] for n in (1, 3, 4, 5, 7, 8))
    assert not outputs[0]  # no warnings
    assert "<td" in displays(batch)[0]["text/html"]
    assert len(displays(points)[0]["image/png"]) > 1000
    assert "majority" in displays(table)[0]["text/html"]
    assert len(displays(scores)[0]["image/png"]) > 1000
    assert "Selected: " in displays(model)[0]["text/html"]
    assert "100%" in texts(model)  # progress as text
    assert displays(modules)[0]["text/plain"] == "(False, False)"


def missing_package(example):
    """Return a package that an example needs and that is not installed."""
    text = example.read_text()
    names = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    names += ["rdkit"] if "smiles" in text.lower() or "rdkit" in text else []
    return next((name for name in names if find_spec(name) is None), None)


def needs_download(example):
    """Return whether an example loads a data set that is not built in."""
    names = re.findall(r"datasets\.load\(\"(\w+)\"\)", example.read_text())
    sets = map(datasets.find_set, names)
    return any(
        s.file and datasets.find_files(s, datasets.data_home()) is None for s in sets
    )


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_as_a_notebook(example, tmp_path, request, monkeypatch):
    if package := missing_package(example):
        pytest.skip(f"needs {package}")
    if needs_download(example):
        monkeypatch.setenv("GSKN_DATA", str(request.getfixturevalue("real_data")))
    cells = re.split(r"^# %%.*$", example.read_text(), flags=re.MULTILINE)
    outputs = run_cells(cells, tmp_path)
    assert any("image/png" in data for cell in outputs for data in displays(cell))
    assert "Traceback" not in "".join(map(texts, outputs))
