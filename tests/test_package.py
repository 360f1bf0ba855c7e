import ast
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gskn
from gskn import colors, exceptions
from gskn._optional import require
from gskn.exceptions import FileFormatError, GsknError, MissingExtraError

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "gskn"
FOLDERS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def test_public_names_exist_and_are_documented():
    stages = (
        gskn.graphs,
        colors,  # not imported by name from gskn
        gskn.walks,
        gskn.kernels,
        gskn.estimators,
        gskn.baselines,
    )
    others = (gskn.networks, gskn.explain, gskn.evaluation)
    for module in (gskn, gskn.datasets, *stages, *others):
        assert len(set(module.__all__)) == len(module.__all__)
        for name in module.__all__:
            assert getattr(module, name).__doc__ or name in {
                "PAIRS",
                "BASELINES",
                "BRANCHES",
                "MODELS",
                "__version__",
            }
    assert dir(gskn) == sorted(gskn.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = gskn.nothing


def test_version_equals_project_version():
    text = (ROOT / "pyproject.toml").read_text()
    assert gskn.__version__ == re.search(r'^version = "(.*?)"', text, re.MULTILINE).group(1)


def test_every_error_has_builtin_base_class():
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
    restored = pickle.loads(pickle.dumps(error))
    assert str(restored) == str(error)
    assert vars(restored) == vars(error)


def test_missing_extra_raises_with_install_command():
    with pytest.raises(MissingExtraError, match=r"install .*\[graphs\]'"):
        require("no_such_package.part", extra="graphs")


def test_broken_extra_raises_original_error(tmp_path, monkeypatch):
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


def modules_imported_by(code):
    """Return the names of all modules that a fresh process has imported."""
    code = f"import sys\n{code}\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_library_does_not_import_extras():
    extras = {"networkx", "igraph", "grakel", "rdkit", "torch", "matplotlib"}
    code = "import gskn.graphs, gskn.datasets, gskn.walks, gskn.estimators, gskn.evaluation"
    assert not extras & modules_imported_by(code)


def test_library_works_without_packages_of_command_line():
    """scikit-learn imports rich if it is installed, so its import is made to fail."""
    modules_imported_by(
        "sys.modules.update(dict.fromkeys(['rich', 'typer', 'click']))\n"
        "import gskn.estimators, gskn.evaluation, gskn.networks, gskn.reproduce\n"
        "from gskn import GSKN, datasets\n"
        "GSKN(verbose=1, random_state=0).fit(datasets.rings(3).graphs)"
    )


def imported_modules(tree):
    """Yield the line and the full name of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def private_package(module):
    """Return the package of gskn that has the private module of a name, or None."""
    parts = module.split(".") if module.startswith("gskn.") else []
    private = [n for n, part in enumerate(parts) if re.match("_[^_]", part)]
    return ".".join(parts[: private[0]]) if private else None


@pytest.mark.parametrize("folder", FOLDERS)
def test_folder_imports_no_private_modules_of_other_folders(folder):
    offending = []
    for path in sorted((SOURCE / folder).rglob("*.py")):
        importer = ".".join(("gskn", *path.relative_to(SOURCE).with_suffix("").parts))
        for line, module in imported_modules(ast.parse(path.read_text("utf-8"))):
            package = private_package(module)
            if package is not None and not importer.startswith(f"{package}."):
                offending.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not offending, "\n".join(offending)
