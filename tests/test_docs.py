"""Every example in ``docs/`` is run and must print the documented output."""

import doctest
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GENERATED = {"gallery", "generated", "reference"}  # by the build
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if not GENERATED & {*page.parts}]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page, language):
    """Return the code blocks of a language with their first lines."""
    text = page.read_text(encoding="utf-8")
    matches = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], text[: match.start()].count("\n") + 1) for match in matches]


def page_id(page):
    return str(page.relative_to(ROOT / "docs"))


def pages_with_examples():
    """Return all pages; pages whose examples import torch need the marker."""
    return [
        pytest.param(page, marks=[pytest.mark.torch] if needs_torch(page) else [])
        for page in sorted(PAGES)
    ]


def needs_torch(page):
    return any("import torch" in text for text, _ in blocks(page, "python"))


@pytest.mark.parametrize("page", pages_with_examples(), ids=page_id)
def test_python_examples_print_the_documented_output(page, tmp_path, monkeypatch):
    """The blocks of a page share their variables."""
    monkeypatch.chdir(tmp_path)
    if needs_torch(page):  # imported by this function, because PyG warns during its import
        for module in ("torch", "torch_geometric.transforms"):
            pytest.importorskip(module, reason="needs the pyg extra")
    names = {}
    for text, line in blocks(page, "python"):
        example = doctest.DocTestParser().get_doctest(text, names, page.name, page, line)
        assert example.examples, f"{page.name}, line {line}: nothing to check"
        report = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(example, out=report.append, clear_globs=False)
        assert not runner.failures, "".join(report)
        names = example.globs


def command_examples():
    return [
        pytest.param(text, id=f"{page_id(page)}:{line}")
        for page in sorted(PAGES)
        for text, line in blocks(page, "console")
    ]


@pytest.mark.parametrize("text", command_examples())
def test_commands_print_the_documented_output(text, tmp_path, copy_of_reproduced):
    copy_of_reproduced(tmp_path / "reproduction")  # the default folder of `reproduce`
    command, _, expected = text.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "gskn"
    done = subprocess.run(
        [sys.executable, "-m", "gskn", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    checker = doctest.OutputChecker()
    assert checker.check_output(expected, done.stdout, FLAGS), done.stdout


def test_shell_commands_are_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [text for page in PAGES for text, _ in blocks(page, "sh")]
    assert len(commands) == 2
    assert all(command in readme for command in commands)


def test_start_page_lists_all_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    extras = {*project["optional-dependencies"]} - {"test", "docs", "lint"}
    table = (
        (ROOT / "docs" / "start.md").read_text(encoding="utf-8").partition("| extra |")[2]
    )
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == extras


def test_every_example_has_a_tested_language():
    for page in PAGES:
        languages = re.findall(r"^```(\S+)$", page.read_text(encoding="utf-8"), re.M)
        code = {language for language in languages if not language.startswith("{")}
        assert code <= {"python", "console", "sh", "text"}, page


def test_tests_named_on_pages_exist():
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
    )
    names = {
        name
        for page in PAGES
        for name in re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8"))
    }
    assert len(names) > 10
    assert not {name for name in names if f"def {name}(" not in tests}
