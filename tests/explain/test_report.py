import copy
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from rdkit import Chem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from gskn import GSKN, GSKNClassifier, GSKNRegressor, as_batch, datasets
from gskn.exceptions import InputError
from gskn.explain import (
    Pattern,
    draw,
    draw_pattern,
    explain,
    explain_html,
    write_molecules,
)
from gskn.explain._layout import draw_graph
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
    assert html.count(f"<dt>training mean</dt><dd>{y.mean():.4g}</dd>") == 3


def test_report_of_classes_has_probabilities_and_distances(classes):
    check_page(classes)
    assert classes.count("<article") == 8
    assert "<title>Mutagens</title>" in classes
    for word in ("probability", "remainder", "distance", "nearest training graph"):
        assert word in classes
    assert "label or the degree of a node" in classes
    assert "not a sum over walks because of its laplacian kernel" in classes


def test_report_shows_the_baseline_rate_of_the_explained_class():
    batch = as_batch(SMILES, smiles=True)
    y = np.array(["a", "a", "a", "b", "b", "c", "c", "c"])
    model = GSKNClassifier(GSKN(random_state=0), kernel="linear", selection="none")
    model.fit(batch, y)
    for target, rate in (("a", "0.375"), ("b", "0.250")):
        html = explain_html(model, batch[:2], target)
        check_page(html)
        rates = re.findall(r"<dt>baseline rate</dt><dd>(.*?)</dd>", html)
        assert rates == [rate] * 2
    predicted = model.predict(batch)
    rates = re.findall(r"<dt>baseline rate</dt><dd>(.*?)</dd>", explain_html(model, batch))
    assert rates == [f"{np.mean(y == name):.3f}" for name in predicted]
    model.class_frequencies_ = None  # as in files that do not contain them
    assert "baseline rate" not in explain_html(model, batch[:2])


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


def test_report_falls_back_only_for_graphs_with_too_many_walks():
    batch = as_batch([nx.complete_graph(40), nx.path_graph(5), nx.cycle_graph(6)])
    embedding = GSKN(("walk", "induced"), anonymous_length=6, pooling="sum", random_state=0)
    model = GSKNRegressor(embedding, kernel="linear", selection="none")
    model.fit(batch, [1.0, 0.0, 0.5])
    html = explain_html(model, batch)
    check_page(html)
    assert "Walks of 1 graphs are sampled or too many to list" in html
    cards = html.split("<article")[1:]
    assert [card.count("<title>edge ") for card in cards] == [0, 4, 6]
    edges = explain(model, batch[1:], by="edges")
    assert f"edge 0-1: {edges.contributions[0]:+.3g}" in cards[1]


def test_report_names_the_nearest_training_graph(molecules):
    model, batch, _ = molecules
    html = explain_html(model, batch[[6, 0]], reference=batch)
    check_page(html)
    facts = re.findall(
        r"<dt>distance</dt><dd>(.*?)</dd>.*?<dt>nearest</dt><dd>(.*?)</dd>", html
    )
    assert facts == [("0.00", SMILES[6]), ("0.00", SMILES[0])]
    other = explain_html(model, "OCCO", reference=batch)
    assert "nearest of 8 training graphs" in other
    pipeline = make_pipeline(GSKN(random_state=0, pooling="sum"), Ridge())
    pipeline.fit(batch, np.arange(8.0))
    assert "<dt>nearest</dt>" in explain_html(pipeline, batch[:1], reference=batch)
    with pytest.raises(InputError, match="no training graphs"):
        explain_html(model, batch, reference=batch[:0])


def test_linear_models_know_the_distance_to_training_graphs(molecules):
    model, batch, _ = molecules
    new = as_batch(["CCO", "FC(F)(F)C(F)(F)F", "CCCCCCCCCCCC"], smiles=True)
    html = explain_html(model, new)
    assert "nearest of 8 training graphs whose embeddings the model stores" in html
    found = re.findall(r"<dt>distance</dt><dd>(.*?)</dd>", html)
    rows, points = (
        model.machine_.scaling.apply(model.embedding_.transform(graphs))
        for graphs in (new, batch)
    )
    expected = np.linalg.norm(rows[:, None] - points, axis=2).min(axis=1)
    assert [text[:4] for text in found] == [f"{value:.2f}" for value in expected]
    assert found[0] == "0.00"
    assert found[2].endswith("(unusual)")
    old = copy.copy(model)  # as from a file that contains no sample
    old.machine_ = replace(model.machine_, sample=None)
    assert "Distance to the mean of the training graphs" in explain_html(old, new)


def test_names_of_graphs_nodes_and_classes_are_escaped():
    evil = '<script>alert("1")</script>&'
    graph = nx.Graph([(f"{evil}a", f"{evil}b")])
    nx.set_node_attributes(graph, f"<i>{evil}", "label")
    other = nx.path_graph(4)
    nx.set_node_attributes(other, "C", "label")
    batch = as_batch([graph, nx.relabel_nodes(other, str), graph, other])
    batch = batch.with_graph_names([f"{evil}{number}" for number in range(4)])
    y = np.array([f"<b>{evil}", "no", f"<b>{evil}", "no"])
    model = GSKNClassifier(kernel="linear", C=1.0, selection="none", random_state=0)
    model.fit(batch, y)
    html = explain_html(model, batch, y=y, title=evil, reference=batch)
    check_page(html)
    assert html.count("<script>") == 1
    assert "<script>alert" not in html
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;alert" in html
    for by in ("nodes", "edges", "patterns", "landmarks"):
        assert evil not in explain(model, batch[0], by=by)._repr_html_()


def test_oxygen_is_colored_where_oxygen_is_counted(molecules):
    model, batch, _ = molecules
    explanation = explain(model, batch[0])
    assert explanation.contributions.argmax() == 2
    svg = draw(explanation)
    ET.fromstring(svg)
    titles = re.findall(r"<title>(.*?)</title>", svg)
    assert len(titles) == 3 + 2
    circles = re.findall(r'<circle (cx="\S+" cy="\S+") r="\S+" fill="(#\w{6})"/>', svg)
    places = re.findall(r'<circle (cx="\S+" cy="\S+") r="\S+" [^>]*><title>atom', svg)
    assert dict(circles)[places[2]] == "#e26a2c"
    lightness = [sum(bytes.fromhex(color[1:])) for _, color in circles]
    assert lightness == sorted(lightness, reverse=True)  # strong colors lie on top
    edges = draw(explain(model, batch[0], by="edges"))
    assert len(re.findall(r"<title>bond \d-\d: [+-]", edges)) == 2


def test_explanations_draw_themselves(molecules):
    model, batch, _ = molecules
    explanation = explain(model, batch[0])
    assert explanation.draw(scale=2.0) == draw(explanation, scale=2.0)
    assert draw(explanation) in explanation._repr_html_()
    assert "<svg" not in explain(model, batch[0], by="patterns")._repr_html_()
    with pytest.raises(InputError, match="8 graphs, but a picture shows one"):
        draw(explain(model, batch))


def test_values_of_atoms_are_properties_of_molecules(molecules, tmp_path):
    model, batch, _ = molecules
    explanation = explain(model, batch)
    write_molecules(explanation.to_molecules(), tmp_path / "out.sdf")
    supplier = Chem.SDMolSupplier(str(tmp_path / "out.sdf"))
    assert [Chem.MolToSmiles(m) for m in supplier] == [
        Chem.CanonSmiles(smiles) for smiles in SMILES
    ]
    for molecule, one in zip(supplier, explanation, strict=True):
        assert molecule.GetProp("_Name") == str(one.graphs.graph_names[0])
        values = [a.GetDoubleProp("gskn_contribution") for a in molecule.GetAtoms()]
        np.testing.assert_allclose(values, one.contributions)
        total = sum(values) + molecule.GetDoubleProp("gskn_baseline")
        assert total == pytest.approx(molecule.GetDoubleProp("gskn_prediction"))
        assert molecule.GetDoubleProp("gskn_remainder") == 0
    others = [nx.path_graph(3), nx.cycle_graph(4)]
    model = GSKNRegressor(GSKN(("walk",)), kernel="linear", selection="none")
    with pytest.raises(InputError, match="Graph 0 is not a molecule"):
        explain(model.fit(others, [0.0, 1.0]), others).to_molecules()


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
    bottoms = np.double(re.findall(r'cy="(\S+)" r="(\S+)"', large)).sum(axis=1)
    assert bottoms.max() < 360 - 18  # above the note
    small = draw(explain(model, batch[1]), size=(200, 100))
    assert small.count("<circle") == 5
    apart = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4))
    assert draw(explain(model, apart)).count("<circle") == 7


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(30),
        nx.karate_club_graph(),
        nx.disjoint_union_all([nx.cycle_graph(n) for n in (3, 4, 5, 9)]),
        nx.empty_graph(6),
        nx.barabasi_albert_graph(2000, 3, seed=1),
    ],
)
def test_few_nodes_of_a_picture_overlap(graph):
    batch = as_batch(nx.Graph(graph.edges) if graph.edges else graph)
    svg = draw_graph(batch, np.arange(batch.n_nodes), {}, 1.0, (560, 360))
    circles = np.double(re.findall(r'<circle cx="(.*?)" cy="(.*?)" r="(.*?)"', svg))
    places, radius = circles[:, :2], circles[0, 2]
    assert (places > radius).all()
    assert (places < np.array([560, 360]) - radius).all()
    pairs = combinations(places, 2)
    n_overlaps = sum(np.hypot(*(a - b)) < 2 * radius for a, b in pairs)
    assert n_overlaps <= 0.15 * len(circles)


@pytest.mark.parametrize(
    "pattern",
    [
        Pattern("walk", 1, labels=("C",)),
        Pattern("walk", 3, labels=("C", "<O>", "chlorine")),
        Pattern("anonymous", 4, symbols=(0, 1, 2, 0)),
        Pattern("anonymous", 5, symbols=(0, 0, 1, 0, 2)),
        Pattern("anonymous", 7, symbols=(0, 1, 2, 3, 2, 4, 5)),
        Pattern("joint", 3, labels=("C", "O", "C"), symbols=(0, 1, 0)),
        Pattern("induced", 4, None, (0, 1, 2, 3), ((0, 1), (0, 3), (1, 2), (2, 3))),
    ],
)
def test_patterns_are_drawn_with_the_order_of_visits(pattern):
    svg = draw_pattern(pattern)
    ET.fromstring(svg)
    places = re.findall(r'<circle cx="(.*?)" cy="(.*?)"', svg)
    gaps = [np.hypot(*np.subtract(a, b)) for a, b in combinations(np.double(places), 2)]
    assert min(gaps, default=99) > 2 * 13  # circles do not overlap
    n_nodes = pattern.length if pattern.symbols is None else max(pattern.symbols) + 1
    assert svg.count("<circle") == n_nodes
    assert ("stroke-dasharray" in svg) == (pattern.branch == "induced")


def test_edges_that_are_not_crossed_lie_beside_the_others():
    steps = ((0, 1), (0, 3), (1, 2), (2, 3))
    svg = draw_pattern(Pattern("induced", 4, None, (0, 1, 2, 3), steps))
    places = np.double(re.findall(r'<circle cx="(.*?)" cy="(.*?)"', svg))
    assert np.ptp(places, axis=0).min() > 20


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
def test_long_names_of_nearest_graphs_are_broken(tmp_path):
    names = ["C" * 60, "N" * 60, "O" * 60]
    batch = as_batch([nx.path_graph(n) for n in (3, 4, 5)]).with_graph_names(names)
    model = GSKNRegressor(GSKN(("walk",)), kernel="linear", selection="none")
    html = explain_html(model.fit(batch, [0.0, 1.0, 2.0]), batch, reference=batch)
    script = (
        "<script>document.body.dataset.edges ="
        " ['.facts div:last-child dd', '.facts'].map(function (name) {"
        "  return document.querySelector(name).getBoundingClientRect().right; }).join(' ');"
        "</script></body>"
    )
    page = tmp_path / "page.html"
    page.write_text(html.replace("main { max-width: 1180px", "main { max-width: 330px"))
    page.write_text(page.read_text().replace("</body>", script), encoding="utf-8")
    dom = run(tmp_path, "--dump-dom", f"file://{page}")
    name, card = map(float, re.search(r'data-edges="(.*?)"', dom)[1].split())
    assert name <= card


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
def test_tables_are_sorted_by_the_keyboard(classes, tmp_path):
    page = tmp_path / "page.html"
    press = (
        "<script>var head = document.querySelectorAll('table.sortable th')[3];"
        "head.focus(); head.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));"
        "document.body.dataset.focus = document.activeElement === head;</script></body>"
    )
    page.write_text(classes.replace("</body>", press), encoding="utf-8")
    dom = run(tmp_path, "--dump-dom", f"file://{page}")
    assert 'data-focus="true"' in dom
    assert re.findall(r'<th[^>]*aria-sort="descending"[^>]*>(.*?)</th>', dom) == [
        "decision value"
    ]


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(("scheme", "is_dark"), [(0, True), (1, False)])
def test_text_contrasts_with_the_ground_in_both_color_schemes(
    classes, tmp_path, scheme, is_dark
):
    page = tmp_path / "page.html"
    script = (
        "<script>function light(color) {"
        "  var parts = color.match(/[0-9.]+/g).map(Number);"
        "  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]; }"
        "function of(name) { return getComputedStyle(document.querySelector(name)); }"
        "var data = document.body.dataset;"
        "data.light = [of('body').backgroundColor, of('.card').backgroundColor,"
        "  of('h1').color, of('.facts dd').color].map(light).join(' ');"
        "data.picture = of('.picture svg').backgroundColor;</script></body>"
    )
    page.write_text(classes.replace("</body>", script), encoding="utf-8")
    flag = f"--blink-settings=preferredColorScheme={scheme}"
    dom = run(tmp_path, flag, "--dump-dom", f"file://{page}")
    ground, card, title, fact = map(float, re.search(r'data-light="(.*?)"', dom)[1].split())
    assert (ground < 60) == is_dark
    assert abs(title - ground) > 150
    assert abs(fact - card) > 150
    picture = re.search(r'data-picture="(.*?)"', dom)[1]
    assert picture == ("rgb(255, 255, 255)" if is_dark else "rgba(0, 0, 0, 0)")


@pytest.mark.slow
@needs_browser
def test_printed_pages_are_not_wider_than_paper(molecules, tmp_path):
    model, batch, y = molecules
    names = [f"{'C' * 150} {number}" for number in range(len(batch))]
    html = explain_html(model, batch.with_graph_names(names), y=y, reference=batch)
    window, content = widths(html.replace("@media print", "@media all"), tmp_path, 718)
    assert content <= window


@pytest.mark.slow
@needs_browser
def test_pages_can_be_printed(classes, tmp_path):
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(classes, encoding="utf-8")
    run(tmp_path, f"--print-to-pdf={printed}", f"file://{page}")
    assert printed.read_bytes().startswith(b"%PDF")
