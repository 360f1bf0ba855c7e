"""Claims and examples of the README."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gskn import datasets
from gskn.cli import app
from tests.reference.walks import pattern_counts

README = (Path(__file__).parents[1] / "README.md").read_text()
# In vertex-transitive graphs the walks from one node are enough.
CLAIMS = {
    "a ring of 6 / two triangles": (lambda: datasets.rings(3), 4, [0]),
    "a ring of 8 / two squares": (lambda: datasets.rings(4), 5, [0]),
    "decalin / bicyclopentyl": (datasets.decalin_bicyclopentyl, 6, None),
    "4x4 rook graph / Shrikhande graph": (datasets.rook_shrikhande, 8, [0]),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_pairs_differ_first_at_the_documented_length(claim):
    make, length, starts = CLAIMS[claim]
    first, second = (make().graphs.to_networkx(number) for number in (0, 1))
    row = next(line for line in README.splitlines() if line.startswith(f"| {claim}"))
    assert int(re.search(r"(\d+) \|$", row).group(1)) == length
    for shorter in range(1, length):
        assert pattern_counts(first, shorter, starts) == pattern_counts(
            second, shorter, starts
        )
    assert pattern_counts(first, length, starts) != pattern_counts(second, length, starts)


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-graphs").mkdir()
    (tmp_path / "my-graphs" / "g.csv").write_text("0,1\n")
    main, stages = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    scope = {}
    exec(main, scope)
    assert scope["model"].transform(scope["data"].graphs).shape[0] == 188
    exec(stages, scope)
    assert scope["features"].shape == (3371, 8)
    assert scope["gram"].shape == (188, 188)


def test_embedding_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("my-graphs", "new-graphs"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "g.csv").write_text("0,1\n1,2\n")
    section = README.partition("## Embed")[2].partition("```sh\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].split()[1:] for line in section.splitlines()]
    assert len(commands) == 4
    for arguments in commands:
        assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
        assert (tmp_path / arguments[arguments.index("-o") + 1]).is_file()
