"""Claims and examples of the README."""

import itertools
import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

import gskn
from gskn import datasets
from gskn.baselines import BASELINES
from gskn.cli import app
from gskn.evaluation import ResultFile
from gskn.reproduce import EXPERIMENTS
from tests.reference.walks import pattern_counts

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECORDS = ROOT / "docs" / "results" / "records.jsonl"
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
    assert int(re.search(r"patterns of (\d+) nodes \|$", row).group(1)) == length
    for shorter in range(1, length):
        assert pattern_counts(first, shorter, starts) == pattern_counts(
            second, shorter, starts
        )
    assert pattern_counts(first, length, starts) != pattern_counts(second, length, starts)


@pytest.mark.parametrize(
    ("start", "text", "pair", "method", "length"),
    [
        (
            *("two generalized quadrangles", "induced patterns of 6 nodes"),
            *("quadrangles", "induced patterns", 6),
        ),
        (
            *("circular skip links of 9 and 12", "pairs of nodes (SSWL)"),
            *("csl", "SSWL from patterns", None),
        ),
        (
            *("graphs of Cai,", "one node individualized, then 2-FWL"),
            *("cfi", "individualization", None),
        ),
    ],
)
def test_pairs_are_distinguished_by_the_documented_method(
    start, text, pair, method, length
):
    row = next(line for line in README.splitlines() if line.startswith(f"| {start}"))
    assert row.endswith(f"| {text} |")
    result = CliRunner().invoke(app, ["distinguish", "--pair", pair, "--json"])
    *weaker, first = json.loads(result.stdout)["comparisons"]
    assert not any(comparison["distinguishes"] for comparison in weaker)
    assert (first["method"], first["length"]) == (method, length)
    assert first["distinguishes"]


def test_example_prints_the_documented_accuracy(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    statements = [line for line in example.splitlines() if line]
    assert len(statements) == 6
    scope = {}
    exec(example, scope)
    accuracy = float(re.search(r"# accuracy (\S+)$", example, re.MULTILINE)[1])
    assert round(scope["model"].score(scope["new_graphs"], scope["new_y"]), 2) == accuracy
    assert capsys.readouterr().out


def test_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("my-graphs", "new-graphs"):
        (tmp_path / folder).mkdir()
    for number in range(12):
        graph = nx.cycle_graph(5 + number) if number % 2 else nx.path_graph(5 + number)
        edges = "".join(f"{first},{second}\n" for first, second in graph.edges)
        (tmp_path / "my-graphs" / f"{number:02}.csv").write_text(edges)
        (tmp_path / "new-graphs" / f"{number:02}.csv").write_text(edges)
    classes = "".join(
        f"{number:02},{['path', 'ring'][number % 2]}\n" for number in range(12)
    )
    (tmp_path / "my-graphs" / "labels.csv").write_text(f"graph,class\n{classes}")
    section = README.partition("## Tasks")[2].partition("```sh\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].split()[1:] for line in section.splitlines()]
    assert len(commands) == 5
    for arguments in commands:
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert (tmp_path / arguments[arguments.index("-o") + 1]).is_file()


def test_linked_files_exist():
    targets = re.findall(r"\]\(([^)#]+)", README)
    files = [target for target in targets if not target.startswith("https:")]
    assert len(files) > 10
    assert not [file for file in files if not (ROOT / file).exists()]


def test_commands_and_names_in_the_table_of_tasks_exist():
    tasks = README.partition("## Tasks")[2].partition("\n\nThe same")[0]
    for command in re.findall(r"`gskn (\w+)", tasks):
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
    for name in re.findall(r"`(GSKN\w*|NearestGraphs)", tasks):
        assert hasattr(gskn, name)
    assert f"{len(BASELINES)} kernels and embeddings" in tasks


@pytest.mark.skipif(not RECORDS.exists(), reason="needs the stored results")
def test_leak_has_the_documented_accuracy():
    records = list(ResultFile(RECORDS).read().values())
    (row,) = [
        row
        for row in EXPERIMENTS["leak"].rows(records)
        if row["data"] == "PTC" and "consecutive" in row["embeddings"]
    ]
    sentence = " ".join(README.partition("is sorted by class")[2].split())
    documented = re.match(r"gives (\d+) on PTC, but (\d+) when", sentence).groups()
    means = [float(row[name].split()[0]) for name in ("file sorted", "file shuffled")]
    assert [f"{mean:.0f}" for mean in means] == list(documented)


@pytest.mark.slow
def test_first_command_prints_the_documented_table():
    """The means of small sets may differ by one graph of a fold on other machines."""
    lines = README[README.index("| accuracy |") :].splitlines()
    header, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in itertools.takewhile(len, lines)
    )
    documented = {
        (data, re.search(r"`(.*)`", name)[1]): float(cell.split()[0])
        for name, *cells in rows
        for data, cell in zip(header[1:], cells, strict=True)
    }
    result = CliRunner().invoke(app, ["evaluate", "--json"], catch_exceptions=False)
    table = json.loads(result.stdout)
    measured = {(row["data"], row["model"]): 100 * row["mean"] for row in table}
    assert measured == pytest.approx(documented, abs=0.6)


@pytest.mark.parametrize("narrow", [False, True])
def test_picture_shows_the_pattern_that_differs(narrow):
    """The text of the picture is generated; drawing it again gives the same lines."""
    name = "two_graphs_narrow.svg" if narrow else "two_graphs.svg"
    picture = (ROOT / "docs" / "pictures" / name).read_text(encoding="utf-8")
    spec = spec_from_file_location("picture", ROOT / "docs" / "pictures" / "two_graphs.py")
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    (texts,) = [
        axis.texts for axis in script.draw(narrow=narrow).axes if len(axis.texts) == 13
    ]
    lines = [text.get_text() for text in texts]
    assert lines[-3:] == ["walks 0-1-2-3-4-0", "0", "20"]
    assert lines.count("equal") == 2
    assert re.findall(r">([^<>\n]+)</text>", picture)[-13:] == lines


def test_citation_file_names_the_paper_of_the_readme():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    names = re.findall(r"family-names: (\w+)\n +given-names: (\w+)", citation)
    authors = [f"{given} {family}" for family, given in names]
    text = " ".join(README.replace(">", " ").split())
    assert f"{', '.join(authors[:-1])} and {authors[-1]}." in text
    assert re.search(r"doi: (\S+)", citation)[1] in text
    paper = citation.partition("preferred-citation")[2]
    assert re.search(r'title: "(.*)"', paper)[1] in text


def test_a_package_index_shows_paths_instead_of_relative_links():
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.without_relative_links(README)
    targets = re.findall(r"\]\(([^)]*)\)", README)
    assert {target for target in targets if target.startswith("https:")} == set(
        re.findall(r"\]\(([^)]*)\)", text)
    )
    assert "graphs (`docs/guide/graphs.md`)" in text
    paths = [target.partition("#")[0] for target in targets if "://" not in target]
    for path in paths:
        assert (ROOT / path).is_file()
        assert path.endswith(".svg") or f"(`{path}`)" in text
