import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gskn
from gskn import exceptions
from gskn._optional import require
from gskn.exceptions import FileFormatError, GsknError, MissingExtraError

ROOT = Path(__file__).parents[1]


def test_public_names_exist_and_are_documented():
    stages = (gskn.graphs, gskn.walks, gskn.kernels, gskn.estimators, gskn.evaluation)
    for module in (gskn, gskn.datasets, *stages):
        assert len(set(module.__all__)) == len(module.__all__)
        for name in module.__all__:
            assert getattr(module, name).__doc__ or name in {
                "PAIRS",
                "BRANCHES",
                "MODELS",
                "__version__",
            }
    assert dir(gskn) == sorted(gskn.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = gskn.nothing


def test_version_is_the_version_of_the_project():
    text = (ROOT / "pyproject.toml").read_text()
    assert gskn.__version__ == re.search(r'^version = "(.*?)"', text, re.MULTILINE).group(1)


def test_every_error_is_a_gskn_error_and_a_builtin_one():
    errors = {
        name: kind
        for name, kind in vars(exceptions).items()
        if isinstance(kind, type) and issubclass(kind, GsknError) and kind is not GsknError
    }
    assert errors.keys() >= {"FileFormatError", "InputError", "MissingExtraError"}
    for name, kind in errors.items():
        assert name in exceptions.__doc__
        assert any(base.__module__ == "builtins" for base in kind.__mro__[1:-3])


@pytest.mark.parametrize(
    "error",
    [FileFormatError("a.txt", "wrong", line=3), MissingExtraError("rdkit", "rdkit")],
)
def test_errors_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_missing_extra_names_the_command_to_install_it():
    with pytest.raises(MissingExtraError, match=r"pip install 'gskn\[graphs\]'"):
        require("no_such_package.part", extra="graphs")


def test_broken_extra_raises_its_own_error(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import no_such_dependency\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        require("half_there", extra="half")


def test_ci_runs_the_test_command_of_the_readme():
    commands = re.findall(
        r"```(?:sh|bash)\n(.*?)\n```", (ROOT / "README.md").read_text(), re.S
    )
    (test,) = [command for command in commands if "pytest" in command]
    (main,) = [command for command in commands if "gskn evaluate" in command]
    assert test in (ROOT / ".ci" / "run").read_text()
    assert all("venv" in command and "pip install" in command for command in (test, main))


def test_core_does_not_import_extras():
    """Optional packages are not imported with the package."""
    code = (
        "import sys\n"
        "import gskn.graphs, gskn.datasets, gskn.walks, gskn.estimators, gskn.evaluation\n"
        "extra = {'networkx', 'igraph', 'grakel', 'rdkit', 'torch', 'matplotlib'}\n"
        "extra &= {*sys.modules}\n"
        "sys.exit(str(extra) if extra else 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
