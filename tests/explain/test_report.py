import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from gskn import GSKN, GSKNClassifier, GSKNRegressor, as_batch, datasets
from gskn.exceptions import InputError
from gskn.explain import Pattern, draw, draw_pattern, explain, explain_html
from tests.explain.browser import needs_browser, run, widths

SMILES = ["CCO", "c1ccccc1O", "CC(=O)N", "CCCC", "CN", "c1ccncc1", "CC(C)O", "C1CC1"]
VOID = {"meta", "br", "hr", "img", "input", "link"}


@pytest.fixture(scope="module")
def molecules():
    batch = as_batch(SMILES, smiles=True)
    embedding = GSKN(pooling="sum", anonymous_length=4, random_state=0)
    model = GSKNRegressor(embedding, kernel="linear", alpha=0.1, selection="none")
    y = np.array([smiles.count("O") for smiles in SMILES], dtype=float)
    return model.fit(batch, y), batch, y


@pytest.fixture(scope="module")
def classes():
    data = datasets.load("MUTAG")
    model = GSKNClassifier(selection="none", random_state=0)
    model.fit(data.graphs[::4], data.y[::4])
    return explain_html(model, data.graphs[1:30:4], y=data.y[1:30:4], title="Mutagens")


class Balance(HTMLParser):
    """Check that every element is closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        del attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        del tag, attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_page(html):
    parser = Balance()
    parser.feed(html)
    assert parser.open == []
    # The only addresses are names of the format of SVG.
    addresses = set(re.findall(r"(?:https?:)?//[\w./]+", html))
    assert all("www.w3.org" in address or "rdkit.org" in address for address in addresses)
    assert not re.search(r"<(link|img|iframe)|src=|@import|url\(", html)
    for svg in re.findall(r"<svg.*?</svg>", html, re.S):
        ET.fromstring(svg)


def test_report_of_molecules_is_one_complete_page(molecules):
    model, batch, y = molecules
    html = explain_html(model, batch, y=y, max_graphs=3)
    check_page(html)
    assert html.count("<article") == 3
    assert all(smiles in html for smiles in SMILES)
    assert "add up to the prediction exactly" in html
    assert "atom 2 (O): +" in html
    assert "<dt>known</dt>" in html
    assert "remainder" not in html


def test_report_of_classes_has_probabilities_and_distances(classes):
    check_page(classes)
    assert classes.count("<article") == 8
    assert "<title>Mutagens</title>" in classes
    for word in ("probability", "remainder", "distance", "nearest training graph"):
        assert word in classes


def test_report_of_one_graph_and_of_sampled_walks():
    batch = as_batch([nx.gnp_random_graph(12, 0.5, seed=1), nx.path_graph(5)])
    embedding = GSKN(("anonymous",), method="sampled", pooling="sum", random_state=0)
    model = GSKNRegressor(embedding, kernel="linear", selection="none")
    model.fit(batch, [1.0, 0.0])
    html = explain_html(model, batch[0])
    check_page(html)
    assert "assigned to their starts" in html
    with pytest.raises(InputError, match="y has 1 entries for 2 graphs"):
        explain_html(model, batch, y=[1])


def test_oxygen_is_colored_where_oxygen_is_counted(molecules):
    model, batch, _ = molecules
    explanation = explain(model, batch[0])
    assert explanation.contributions.argmax() == 2
    svg = draw(explanation)
    ET.fromstring(svg)
    titles = re.findall(r"<title>(.*?)</title>", svg)
    assert len(titles) == 3 + 2
    colors = re.findall(r'<circle [^>]*fill="(#\w{6})"/>', svg)
    assert colors[2] == "#c84614"
    edges = draw(explain(model, batch[0], by="edges"))
    assert len(re.findall(r"<title>bond \d-\d: [+-]", edges)) == 2


def test_molecules_are_recognized_by_elements_without_a_name(molecules):
    model, batch, _ = molecules
    unnamed = batch.with_graph_names([f"molecule {n}" for n in range(len(batch))])
    svg = draw(explain(model, unnamed[1]))
    assert "atom 6 (O)" in svg
    other = draw(explain(model, batch.with_graph_names(["C"] * len(batch))[1]))
    assert "atom 6 (O)" in other


def test_other_graphs_are_drawn_with_their_largest_contributions():
    batch = as_batch([nx.path_graph(200), nx.star_graph(4)])
    embedding = GSKN(("walk",), pooling="sum", random_state=0)
    model = GSKNRegressor(embedding, kernel="linear", selection="none").fit(batch, [1, 0])
    large = draw(explain(model, batch[0]))
    ET.fromstring(large)
    assert "60 of 200 nodes" in large
    assert large.count("<circle") == 60
    small = draw(explain(model, batch[1]), size=(200, 100))
    assert small.count("<circle") == 5
    apart = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4))
    assert draw(explain(model, apart)).count("<circle") == 7


@pytest.mark.parametrize(
    "pattern",
    [
        Pattern("walk", 1, labels=("C",)),
        Pattern("walk", 3, labels=("C", "<O>", "chlorine")),
        Pattern("anonymous", 4, symbols=(0, 1, 2, 0)),
        Pattern("anonymous", 5, symbols=(0, 0, 1, 0, 2)),
        Pattern("joint", 3, labels=("C", "O", "C"), symbols=(0, 1, 0)),
        Pattern("induced", 4, None, (0, 1, 2, 3), ((0, 1), (0, 3), (1, 2), (2, 3))),
    ],
)
def test_patterns_are_drawn_with_the_order_of_visits(pattern):
    svg = draw_pattern(pattern)
    ET.fromstring(svg)
    n_nodes = pattern.length if pattern.symbols is None else max(pattern.symbols) + 1
    assert svg.count("<circle") == n_nodes
    assert ("stroke-dasharray" in svg) == (pattern.branch == "induced")


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("width", [1300, 400])
def test_pages_fit_the_window_of_a_browser(molecules, classes, tmp_path, width):
    model, batch, y = molecules
    for html in (classes, explain_html(model, batch, y=y)):
        window, content = widths(html, tmp_path, width)
        assert window == width
        assert content <= window


@pytest.mark.slow
@needs_browser
def test_pages_are_complete_without_scripts_and_sortable_with_them(classes, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(classes, encoding="utf-8")
    click = (
        "<script>document.querySelectorAll('table.sortable th')[3].click();</script></body>"
    )
    page.write_text(classes.replace("</body>", click), encoding="utf-8")
    dom = run(tmp_path, "--dump-dom", f"file://{page}")
    overview = dom[dom.index("<h2>Overview") : dom.index("<h2>Patterns")]
    assert 'aria-sort="descending"' in overview
    rows = re.findall(r"<tr><td.*?</tr>", overview)
    values = [float(re.search(r'data-value="(.*?)"', row)[1]) for row in rows]
    assert values == sorted(values, reverse=True)
    without = re.sub(r"<script>.*?</script>", "", classes, flags=re.S)
    page.write_text(without, encoding="utf-8")
    assert run(tmp_path, "--dump-dom", f"file://{page}").count("<article") == 8


@pytest.mark.slow
@needs_browser
def test_pages_can_be_printed(classes, tmp_path):
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(classes, encoding="utf-8")
    run(tmp_path, f"--print-to-pdf={printed}", f"file://{page}")
    assert printed.read_bytes().startswith(b"%PDF")
