"""Tables and goals of molecules on the results page."""

import re

import pytest

from gskn.evaluation import Record
from tests.extensions import load_extension

GSKN = "GSKN, elements and bonds"
ATOMS = "GSKN, atoms and bonds"
BOTH = "GSKN, atoms and bonds, with descriptors"


@pytest.fixture(scope="module")
def tables():
    return load_extension("molecule_tables")


def records(data, model, *scores, folds="stratified"):
    metric = "roc_auc" if data in {"bbbp", "bace", "hiv"} else "rmse"
    return [
        Record(
            *(data, model, "nested", 0, fold, 0, {"folds": folds}, {metric: score}),
            day="2026-11-19",
        )
        for fold, score in enumerate(scores)
    ]


def cells(text, title):
    """Return the cells of the table in the tab with a title, by system."""
    tab = text.partition(f"{{tab-item}} {title}\n")[2].partition("</table>")[0]
    rows = re.findall(r"<tr><th scope.*?</tr>", tab)
    parsed = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]
    return {
        name: [re.sub(r"<.*?>", " ", cell).strip() for cell in rest]
        for name, *rest in parsed
    }


def goals(tables, found):
    lines = tables.judge(found).splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def test_without_records_nothing_was_run(tables):
    assert tables.make_tables([]) == tables.make_ablation([]) == "Not run yet.\n"
    assert tables.judge([]) == "Not run yet."


def test_tables_have_what_was_run_and_list_the_rest(tables):
    found = records("esol", GSKN, 0.6, 0.8) + records("esol", "wl", 1.0)
    found += records("esol", "wl", 1.2, folds="scaffold")
    text = tables.make_tables(found)
    rows = cells(text, "ESOL")
    assert rows.keys() == {"WL kernel, elements and bonds", GSKN}
    assert rows[GSKN][0].startswith("0.700")
    assert "0.141" in rows[GSKN][0]
    assert rows[GSKN][1] == "\N{EN DASH}"
    assert rows["WL kernel, elements and bonds"][0].startswith("(1 of 2 folds)  1.000")
    assert "over 2 random folds, 1 scaffold fold. Run: 2026-11-19." in text
    assert "All systems: FreeSolv (random folds), FreeSolv (scaffold folds)" in text
    assert "ESOL, random folds: ECFP bits, forest; " in text
    assert "HIV (scaffold folds)." in text
    assert "HIV (random folds)" not in text
    assert "Fewer than ten folds, for the same reason: ESOL, random folds (2)" in text


def test_significant_differences_are_marked(tables):
    found = records("bace", GSKN, 0.70, 0.72, 0.71)
    found += records("bace", "ECFP bits, linear", 0.80, 0.82, 0.81)
    found += records("bace", "descriptors, forest", 0.60, 0.62, 0.61)
    rows = cells(tables.make_tables(found), "BACE, classes")
    assert "▲" in rows["ECFP bits, linear"][0]
    assert "▼" in rows["descriptors, forest"][0]
    assert rows[GSKN][0].startswith("0.710")


def test_goal_of_errors_compares_with_the_best_fingerprint(tables):
    found = records("freesolv", GSKN, 1.0, 1.1, 0.9)
    found += records("freesolv", "ECFP bits, forest", 2.0, 2.1, 1.9)
    found += records("freesolv", "ECFP counts, Tanimoto", 1.1, 1.2, 1.0)
    (line,) = goals(tables, found)
    assert "**not reached** (1.000; best of the fingerprints ECFP counts, Tanimoto" in line
    assert tables.judge(found).startswith("**GSKN, elements and bonds** (the default)")
    assert "; 3 folds, 2 of 6 models)" in line
    (line,) = goals(tables, found[:6])
    assert ": reached" in line
    assert "50% below; 3 folds, 1 of 6 models)" in line


def test_goal_of_descriptors_says_where_they_win(tables):
    ours = records("esol", GSKN, 1.0, 1.1, 0.9)
    better = records("esol", "descriptors, boosting", 0.5, 0.61, 0.4)
    (line,) = goals(tables, ours + better)
    assert "**not reached**, descriptors win" in line
    similar = records("esol", "descriptors, boosting", 0.9, 1.2, 0.8)
    (line,) = goals(tables, ours + similar)
    assert "reached, equal within the noise" in line
    worse = records("esol", "descriptors, boosting", 1.2, 1.3, 1.3)
    (line,) = goals(tables, ours + worse)
    assert "level with descriptors: reached (1.000" in line
    (line,) = goals(tables, ours[:2] + better[:2])
    assert "behind, but there are too few folds for a test" in line
    others = ("descriptors, Laplacian", "descriptors, forest")
    found = [record for name in others for record in records("esol", name, 2.0)]
    (line,) = goals(tables, ours[:1] + better[:1] + found)
    assert "boosting 0.500; 1 fold)" in line


def test_goal_of_both_requires_that_both_are_better(tables):
    found = records("esol", ATOMS, 1.0, 1.1, 1.2)
    found += records("esol", "descriptors, forest", 0.9, 0.9, 0.9)
    for scores, verdict in {
        (0.5, 0.51, 0.5): "reached (0.503; GSKN alone 1.100, descriptors, forest 0.900)",
        (0.7, 1.1, 0.7): "only within the noise (0.833",
        (0.95, 0.95, 0.95): "**not reached** (0.950",
    }.items():
        line = goals(tables, found + records("esol", BOTH, *scores))[1]
        assert f"ahead of both: {verdict}" in line
    line = goals(tables, found + records("esol", BOTH, 0.5))[1]
    assert "ahead of both: ahead, but there are too few folds for a test (0.500" in line


def test_goal_of_classes_and_undefined_scores(tables):
    nan = float("nan")
    found = records("bbbp", GSKN, 0.90, 0.92, 0.91, nan)
    found += records("bbbp", "wl", 0.95, 0.97, 0.96, nan)
    (line,) = goals(tables, found)
    assert "**not reached**, WL kernel, elements and bonds wins" in line
    rows = cells(tables.make_tables(found), "BBBP")
    assert rows[GSKN][0].startswith("0.910")


def test_kernels_of_all_pairs_are_not_planned_on_hiv(tables):
    found = records("hiv", GSKN, 0.8, folds="scaffold")
    found += records("hiv", "ECFP counts, forest", 0.81, folds="scaffold")
    (line,) = goals(tables, found)
    assert "1 fold, 1 of 6 models)" in line
    (missing,) = re.findall("HIV, scaffold folds: (.*?)\\.", tables.make_tables(found))
    assert "ECFP bits, forest; ECFP bits, linear" in missing
    assert "Tanimoto" not in missing


def test_ablation_has_a_column_per_set(tables):
    found = records("esol", "GSKN, structure", 1.5) + records("bace", GSKN, 0.8)
    found += records("bace", "GSKN, structure", 0.7)
    rows = cells(tables.make_ablation(found), "Random folds")
    assert rows["GSKN, structure"] == ["1.500", "0.700"]
    assert rows[GSKN][1] == "0.800"
