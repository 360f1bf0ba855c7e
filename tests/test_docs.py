"""What the pages of ``docs/`` show: every example is run, and must give what it says."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MADE = {"gallery", "generated", "reference"}  # by the build, from what is tested elsewhere
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if not MADE & {*page.parts}]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page, language):
    """Return the blocks of a language, each with the line it begins at."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], text[: match.start()].count("\n") + 1) for match in found]


def named(page):
    return str(page.relative_to(ROOT / "docs"))


@pytest.mark.parametrize("page", sorted(PAGES), ids=named)
def test_python_examples_give_what_the_page_says(page, tmp_path, monkeypatch):
    """Blocks of a page share their names, as if typed one after another."""
    monkeypatch.chdir(tmp_path)
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
        pytest.param(text, id=f"{named(page)}:{line}")
        for page in sorted(PAGES)
        for text, line in blocks(page, "console")
    ]


@pytest.mark.parametrize("text", command_examples())
def test_commands_print_the_documented_output(text, tmp_path, copy_of_reproduced):
    copy_of_reproduced(tmp_path / "reproduction")  # the default folder of `reproduce`
    command, _, wanted = text.partition("\n")
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
    assert checker.check_output(wanted, done.stdout, FLAGS), done.stdout


def test_commands_of_the_shell_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [text for page in PAGES for text, _ in blocks(page, "sh")]
    assert len(commands) == 2
    assert all(command in readme for command in commands)


def test_no_example_goes_unchecked():
    for page in PAGES:
        languages = re.findall(r"^```(\S+)$", page.read_text(encoding="utf-8"), re.M)
        code = {language for language in languages if not language.startswith("{")}
        assert code <= {"python", "console", "sh", "text"}, page


def test_tests_that_pages_refer_to_exist():
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
    )
    named = {
        name
        for page in PAGES
        for name in re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert not {name for name in named if f"def {name}(" not in tests}
