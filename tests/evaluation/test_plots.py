import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree as ET

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
from matplotlib.quiver import Quiver
from matplotlib.text import Text
from PIL import Image

from gskn import as_batch, datasets, pattern_counts
from gskn.evaluation import (
    Curve,
    Record,
    Timing,
    plot_embedding,
    plot_parameters,
    plot_scores,
    plot_times,
    save_figure,
    summarize_records,
)
from gskn.evaluation.plots import check_figure_path, plot_witness
from gskn.evaluation.plots._witness import _find_walk, _layout
from gskn.exceptions import InputError, MissingExtraError
from gskn.walks import anonymize, distinguish

GENERATOR = np.random.default_rng(0)
LONG = "a name that is far too long for any table of a paper"


def make_records(sets=("MUTAG",), models=("rw", "aw"), repeats=1, **changes):
    content = {"protocol": "nested", "seed": 0, "configuration": {}}
    return [
        Record(
            data=data,
            model=model,
            repeat=repeat,
            fold=fold,
            **{
                **content,
                "scores": {"accuracy": float(GENERATOR.uniform(0.5, 1))},
                **changes,
            },
        )
        for data in sets
        for model in models
        for repeat in range(repeats)
        for fold in range(10)
    ]


def make_curve(parameter="alpha", data="PTC", values=(0.1, 1, 1.5, 2, 10), **changes):
    means = GENERATOR.uniform(0.5, 0.9, len(values))
    return Curve(parameter, data, values, means, np.full(len(values), 0.03), **changes)


def make_embeddings(n_samples=60, n_classes=3):
    y = np.arange(n_samples) % n_classes
    return GENERATOR.normal(size=(n_samples, 5)) + 3 * y[:, None], y


NINE = [f"PROTEINS_full-{number}" for number in range(9)]
FOUR = ("anonymous_length", "n_walks", "alpha", "embedding_size")
HARD = {
    "one score": lambda: plot_scores(make_records(models=["gskn"])),
    "nine sets": lambda: plot_scores(
        make_records(NINE, [f"model-{n}" for n in range(8)], repeats=2),
        chance=dict.fromkeys(NINE, 0.4),
    ),
    "seven sets, the paper's protocol": lambda: plot_scores(
        make_records(NINE[:7], protocol="paper")
    ),
    "long names of sets and models": lambda: plot_scores(
        make_records([LONG, LONG[2:]], ["rw", LONG]), title=3 * LONG, chance={LONG: 0.5}
    ),
    "undefined scores": lambda: plot_scores(make_records(scores={"accuracy": np.nan})),
    "perfect scores": lambda: plot_scores(make_records(scores={"accuracy": 1.0})),
    "four parameters": lambda: plot_parameters(
        [
            make_curve(p, d, (3, 4, 5, 6, 7, 8, 16, 100, 128), reference=0.7)
            for p in FOUR
            for d in ("PTC", "PROTEINS")
        ]
    ),
    "many values and long names": lambda: plot_parameters(
        [make_curve("n_walks", f"{LONG} {n}", np.arange(1, 200)) for n in range(8)]
    ),
    "one value": lambda: plot_parameters([make_curve(values=[1.5])]),
    "components": lambda: plot_embedding(*make_embeddings(), title="MUTAG"),
    "ten classes by t-SNE": lambda: plot_embedding(
        *make_embeddings(100, 10), method="tsne"
    ),
    "forty classes": lambda: plot_embedding(
        *make_embeddings(200, 40), names=[f"class {n}" for n in range(40)]
    ),
    "long names of classes": lambda: plot_embedding(*make_embeddings(), names=[LONG] * 3),
    "equal embeddings": lambda: plot_embedding(np.full((9, 4), 0.1), np.arange(9) % 2),
    "two embeddings by t-SNE": lambda: plot_embedding(
        [[0.0], [1.0]], [0, 1], method="tsne"
    ),
    "twenty lines that end together": lambda: plot_times(
        [Timing(f"system {n}", [10, 100, 10**5], [0.1, 1, 10 + n / 100]) for n in range(20)]
    ),
    "a narrow range": lambda: plot_times([Timing("gskn", [20, 40, 80], [0.2, 0.3, 0.4])]),
    "one time": lambda: plot_times([Timing(f"${LONG}$", [5000], [0.2])]),
}

WITHOUT_NUMBERS = {
    "one value",
    "equal embeddings",
    "ten classes by t-SNE",
    "two embeddings by t-SNE",
}


def shown_texts(figure):
    """Return the visible texts of a figure, without ticks beyond the ends of axes."""
    figure.draw_without_rendering()
    hidden = set()
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high:
                    hidden |= {tick.label1, tick.label2}
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]


def words(figure):
    return {text.get_text().replace("\n", " ") for text in shown_texts(figure)}


@pytest.mark.parametrize("name", HARD)
def test_texts_do_not_overlap_and_are_inside_the_figure(name):
    figure = HARD[name]()
    renderer, shown = figure.canvas.get_renderer(), shown_texts(figure)
    boxes = [(text.get_text(), Text.get_window_extent(text, renderer)) for text in shown]
    assert len(boxes) >= 4
    if name not in WITHOUT_NUMBERS:
        for panel in figure.axes:
            assert len([text for text in panel.get_xticklabels() if text in shown]) >= 2
    for text, box in boxes:
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1, text
        assert box.y1 <= figure.bbox.y1 + 1, text
    for (one, first), (other, second) in combinations(boxes, 2):
        # Boxes include the space below the baseline, so they may touch.
        width = min(first.x1, second.x1) - max(first.x0, second.x0)
        height = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert min(width, height) < 1.5, (one, other)


def test_points_and_intervals_are_means_and_standard_deviations():
    records = make_records(("MUTAG", "PTC"), ("rw", "aw", "gskn"), repeats=3)
    figure = plot_scores(records, chance={"PTC": 0.56})
    expected, texts = summarize_records(records), words(figure)
    assert [panel.get_title("left") for panel in figure.axes] == ["MUTAG", "PTC"]
    for panel, summaries in zip(figure.axes, expected.values(), strict=True):
        assert [c.get_label() for c in panel.containers] == ["rw", "aw", "gskn"]
        styles = set()
        for row, container in enumerate(panel.containers):
            summary = summaries[container.get_label()]
            line, _, (bar,) = container.lines
            assert line.get_ydata() == row
            assert line.get_xdata() == pytest.approx(100 * summary.mean)
            ends = bar.get_segments()[0][:, 0]
            spread = 100 * summary.std_folds
            assert np.ptp(ends) / 2 == pytest.approx(spread)
            assert ends.mean() == pytest.approx(100 * summary.mean)
            styles.add((line.get_color(), line.get_marker()))
            assert f"{100 * summary.mean:.1f}" in texts
        assert len({c for c, _ in styles}) == len({m for _, m in styles}) == 3
    assert {"rw", "aw", "gskn", "Accuracy in percent"} <= texts
    assert {"Accuracy, nested protocol", "Fraction of the largest class"} <= texts
    assert "Mean and standard deviation over folds, 3 repeats" in texts
    lines = [line for line in figure.axes[1].lines if len(line.get_xdata()) == 2]
    assert [line.get_xdata()[0] for line in lines] == [pytest.approx(56)]


@pytest.mark.parametrize(
    ("metric", "label"), [("rmse", "RMSE (lower is better)"), ("r2", "R²")]
)
@pytest.mark.parametrize("values", [(120.0, 150.0), (0.5, 0.5)])
def test_scores_of_values_are_not_in_percent(metric, label, values):
    records = [
        Record("freesolv", "mean", "nested", 0, fold, 0, {}, {metric: value})
        for fold, value in enumerate(values)
    ]
    figure = plot_scores(records, metric=metric)
    (panel,) = figure.axes
    assert panel.get_xlabel() == label
    (container,) = panel.containers
    assert container.lines[0].get_xdata() == pytest.approx(np.mean(values))
    low, high = panel.get_xlim()
    assert low < min(values) <= max(values) < high
    assert f"{np.mean(values):.3g}" in words(figure)


def test_title_of_the_paper_protocol_has_a_remark():
    texts = words(plot_scores(make_records(protocol="paper")))
    assert any("selected on the test folds" in text for text in texts)


def test_models_without_records_are_marked():
    records = make_records(("MUTAG",), ("rw", "aw")) + make_records(("PTC",), ("aw",))
    figure = plot_scores(records)
    assert "not run" in words(figure)
    assert [c.get_label() for c in figure.axes[1].containers] == ["aw"]
    assert figure.axes[1].containers[0].lines[0].get_ydata() == 1
    undefined = plot_scores(make_records(scores={"accuracy": np.nan}))
    assert "undefined" in words(undefined)


def test_records_are_summarized_by_data_set_and_model():
    records = make_records(("MUTAG", "PTC"), repeats=2)
    summaries = summarize_records([*records, records[0]])
    assert list(summaries) == ["MUTAG", "PTC"]
    scores = [r.scores["accuracy"] for r in records if (r.data, r.model) == ("PTC", "aw")]
    by_repeat = np.reshape(scores, (2, 10))
    assert summaries["PTC"]["aw"].mean == pytest.approx(by_repeat.mean())
    assert summaries["PTC"]["aw"].std_folds == pytest.approx(by_repeat.std(axis=1).mean())


def test_curves_show_means_deviations_and_references():
    curves = [
        Curve("n_walks", "PTC", [30, 10], [0.6, 0.5], [0.02, 0.01], reference=0.65),
        Curve("n_walks", "PROTEINS", [10, 30], [0.7, 0.75], [0.03, 0.03]),
        Curve("embedding_size", "PTC", [16, 64], [0.5, 0.6], [0.01, 0.02]),
    ]
    figure = plot_parameters(curves, metric="ROC-AUC")
    walks, size = figure.axes
    line, exact, other = walks.lines
    np.testing.assert_allclose(line.get_xydata(), [[10, 50], [30, 60]])
    np.testing.assert_allclose(exact.get_ydata(), 65)
    np.testing.assert_allclose(other.get_xydata(), [[10, 70], [30, 75]])
    assert line.get_color() != other.get_color()
    assert line.get_marker() != other.get_marker()
    area = walks.collections[0].get_paths()[0].vertices
    for corner in ([10, 49], [10, 51], [30, 58], [30, 62]):
        assert np.isclose(area, corner).all(axis=1).any()
    assert (walks.get_xscale(), size.get_xscale()) == ("log", "log")
    assert size.xaxis.get_transform().base == 2
    assert size.lines[0].get_color() == line.get_color()
    assert {
        "Walks per node",
        "Embedding size",
        "ROC-AUC in percent",
        "PTC",
        "PROTEINS",
        "Exact",
        "Standard deviation over folds",
        "16",
        "64",
    } <= words(figure)


def test_embedding_plot_has_one_color_and_marker_per_class():
    embeddings, y = make_embeddings(100, 10)
    figure = plot_embedding(embeddings, y)
    groups = figure.axes[0].collections
    assert [len(group.get_offsets()) for group in groups] == [10] * 10
    styles = {
        (tuple(g.get_facecolor()[0]), g.get_paths()[0].vertices.tobytes()) for g in groups
    }
    assert len(styles) == 10
    points = np.concatenate([group.get_offsets() for group in groups])
    centered = (embeddings - embeddings.mean(axis=0)) / embeddings.std(axis=0)
    spread = np.linalg.svd(centered, compute_uv=False) ** 2
    np.testing.assert_allclose((points**2).sum(axis=0), spread[:2])
    share = round(100 * spread[0] / spread.sum())
    assert f"Component 1 ({share}% of variance)" in words(figure)
    assert {"PCA of standardized embeddings", "3 (10)"} <= words(figure)


def test_embedding_plot_does_not_depend_on_the_scale_of_columns():
    embeddings, y = make_embeddings()
    one = plot_embedding(embeddings, y).axes[0].collections
    other = plot_embedding(embeddings * [1, 10, 100, 1000, 1], y).axes[0].collections
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first.get_offsets(), second.get_offsets(), atol=1e-8)


def test_perplexity_depends_on_the_number_of_samples():
    embeddings, y = make_embeddings(31)
    assert "t-SNE, perplexity 10" in words(plot_embedding(embeddings, y, method="tsne"))
    embeddings, y = make_embeddings(120)
    first, again = (plot_embedding(embeddings, y, method="tsne", seed=3) for _ in range(2))
    assert "t-SNE, perplexity 30" in words(first)
    np.testing.assert_array_equal(
        *(figure.axes[0].collections[0].get_offsets() for figure in (first, again))
    )


def test_embeddings_that_differ_by_rounding_are_one_point():
    embeddings = 1e3 + 1e-13 * GENERATOR.normal(size=(20, 4))
    for method in ("pca", "tsne"):
        figure = plot_embedding(embeddings, np.arange(20) % 2, method=method)
        assert any("all embeddings are equal" in text for text in words(figure))
        assert not figure.axes[0].collections[0].get_offsets().any()


def test_slopes_are_shown_at_the_ends_of_lines():
    sizes = np.array([100, 10, 1000])
    figure = plot_times(
        [
            Timing("linear", sizes, 0.01 * sizes),
            Timing("square", sizes, 1e-4 * sizes**2.0),
            Timing("once", [50], [2.0]),
        ],
        size="Nodes",
    )
    (panel,) = figure.axes
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
    np.testing.assert_allclose(panel.lines[0].get_xdata(), [10, 100, 1000])
    np.testing.assert_allclose(panel.lines[0].get_ydata(), [0.1, 1, 10])
    labels = {text.get_text(): text.xy for text in panel.texts}
    assert labels["linear, slope 1.00"] == (1000, pytest.approx(10))
    assert labels["square, slope 2.00"] == (1000, pytest.approx(100))
    assert labels["once"] == (50, 2.0)
    assert {"Nodes", "Time", "Time by number of nodes"} <= words(figure)


def test_png_can_be_read_as_an_image(tmp_path):
    figure = plot_scores(make_records())
    save_figure(figure, tmp_path / "new" / "scores.png")
    with Image.open(tmp_path / "new" / "scores.png") as image:
        image.load()
        assert image.size == tuple(int(200 * side) for side in figure.get_size_inches())
        colors = {
            tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in ("#0072B2", "#D55E00")
        }
        assert colors <= {color for _, color in image.convert("RGB").getcolors(10**6)}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["scores.png"]


def test_svg_contains_its_texts_and_is_reproducible(tmp_path):
    records = make_records(("MUTAG", "P$T$C & <co>"))
    for name in ("one.svg", "two.SVG"):
        save_figure(plot_scores(records), tmp_path / name)
    written = (tmp_path / "one.svg").read_bytes()
    assert written == (tmp_path / "two.SVG").read_bytes()
    root = ET.fromstring(written)
    texts = {
        "".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"MUTAG", "P$T$C & <co>", "rw", "Accuracy in percent"} <= texts


def test_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "scores.png"
    save_figure(plot_scores(make_records()), path)
    before = path.read_bytes()
    figure = plot_scores(make_records())
    figure.set_size_inches(1e5, 1e5)  # too many pixels
    with pytest.raises(ValueError, match="too large"):
        save_figure(figure, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_settings_of_the_user_are_neither_used_nor_changed(tmp_path):
    records, curve = make_records(), make_curve()
    embeddings, y = make_embeddings()

    def draw(name):
        for number, figure in enumerate(
            (
                plot_scores(records),
                plot_parameters([curve]),
                plot_embedding(embeddings, y),
                plot_times([Timing("gskn", [1, 10], [1, 10])]),
            )
        ):
            save_figure(figure, tmp_path / f"{name}{number}.svg")

    draw("plain")
    with mpl.rc_context(
        {
            "text.color": "white",
            "xtick.labelsize": 30,
            "axes.grid": False,
            "svg.fonttype": "path",
        }
    ):
        before = dict(mpl.rcParams)
        draw("dark")
        labels = plot_embedding(embeddings, y).axes[0].get_xticklabels()
        assert {label.get_fontsize() for label in labels} == {9.0}
        assert dict(mpl.rcParams) == before
    for number in range(4):
        plain, dark = (tmp_path / f"{name}{number}.svg" for name in ("plain", "dark"))
        assert plain.read_bytes() == dark.read_bytes()


def test_pyplot_is_not_imported(tmp_path):
    code = (
        "import sys, numpy as np\n"
        "from gskn.evaluation import *\n"
        "assert 'matplotlib' not in sys.modules\n"
        "figure = plot_times([Timing('gskn', [1, 10], [1, 10])])\n"
        "figure = plot_embedding(np.eye(4), [0, 0, 1, 1])\n"
        "save_figure(figure, sys.argv[1])\n"
        "assert 'matplotlib' in sys.modules\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "figure.png"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_scores([]), "There are no records to summarize"),
        (
            lambda: plot_scores(make_records(), metric="luck"),
            "Unknown metric 'luck' for the record of rw on MUTAG. Known: acc",
        ),
        (
            lambda: plot_scores(make_records() + make_records(protocol="paper")),
            "nested and paper, which cannot be compared",
        ),
        (
            lambda: plot_scores(make_records() + make_records(seed=1)),
            "rw on MUTAG belong to several runs",
        ),
        (
            lambda: plot_scores(make_records(repeats=2)[:-1]),
            "repeats of aw on MUTAG have different folds",
        ),
        (
            lambda: plot_scores(make_records(), chance={"MUTAG": 66}),
            "chance of MUTAG must be",
        ),
        (
            lambda: plot_scores(make_records(models=[f"m{n}" for n in range(73)])),
            "at most 72 models, got 73",
        ),
        (lambda: plot_parameters([]), "curves is empty"),
        (
            lambda: plot_parameters([Curve("alpha", "PTC", [1], [], [0.1])]),
            "1 values, 0 means",
        ),
        (
            lambda: plot_parameters([make_curve(values=[0, 1])]),
            "alpha on PTC has the value 0",
        ),
        (lambda: plot_parameters([make_curve("x", values=[np.nan])]), "has the value nan"),
        (lambda: plot_embedding(np.eye(3), [0, 1]), "each of 3 embeddings, got shape"),
        (lambda: plot_embedding(np.ones(3), [0, 1, 1]), r"got shape \(3,\)"),
        (
            lambda: plot_embedding([[0, 1], [np.inf, 0]], [0, 1]),
            "Row 1 of embeddings has NaN or inf",
        ),
        (lambda: plot_embedding(np.eye(2), [0, 1], names=["a"]), "1 names for 2 classes"),
        (
            lambda: plot_embedding(np.eye(2), [0, 1], method="umap"),
            "'pca', 'tsne', got 'umap'",
        ),
        (lambda: plot_embedding(np.eye(99), range(99)), "classes, got 99"),
        (lambda: plot_times([]), "times is empty"),
        (lambda: plot_times([Timing("gskn", [1, 2], [1])]), "2 sizes and 1 times"),
        (lambda: plot_times([Timing("gskn", [1], [0])]), "size or time of 0"),
        (lambda: plot_times([Timing("gskn", [1], [1])] * 2), "the same system"),
        (lambda: check_figure_path("scores.pdf"), r"suffix .png or .svg, got 'scores.pdf'"),
        (lambda: check_figure_path("scores"), "suffix .png or .svg"),
        (
            lambda: save_figure(plot_scores(make_records()), "scores.jpeg"),
            "suffix .png or .svg",
        ),
    ],
)
def test_errors_are_one_line_with_the_value(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_folder_is_not_a_figure_path(tmp_path):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        check_figure_path(tmp_path / "folder.png")


def test_error_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: check_figure_path("a.png"), lambda: plot_scores(make_records())):
        with pytest.raises(MissingExtraError, match=r"install .*\[plots\]'"):
            call()


def test_samples_at_the_same_position_are_one_larger_point():
    embeddings = np.array([[0.0, 0], [0, 0], [0, 0], [1, 0], [0, 1]])
    figure = plot_embedding(embeddings, [0, 0, 1, 0, 1])
    first, second = figure.axes[0].collections
    assert len(first.get_offsets()) == 2  # three samples of the first class
    assert len(second.get_offsets()) == 2
    # At the shared position, the point of the second class is drawn inside the first.
    assert first.get_sizes().max() > second.get_sizes().max()
    assert second.get_sizes().min() == second.get_sizes().max()
    title = figure.axes[0].get_legend().get_title().get_text()
    assert "several samples" in title


def test_several_embeddings_have_a_panel_each():
    embeddings, y = make_embeddings()
    figure = plot_embedding({"aw": embeddings, "rw": embeddings[:, :2]}, y)
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["aw", "rw"]
    with pytest.raises(InputError, match="empty"):
        plot_embedding({}, y)


def test_roc_auc_ranges_from_0_to_100_with_a_line_at_50():
    records = make_records(scores={"roc_auc": 0.9})
    figure = plot_scores(records, metric="roc_auc")
    assert figure.axes[0].get_xlim() == (0, 100)
    assert {0, 100} <= set(figure.axes[0].get_xticks())
    lines = [line.get_xdata() for line in figure.axes[0].lines]
    assert any(list(xs) == [50, 50] for xs in lines)


def test_figures_have_a_picture_for_notebooks():
    assert plot_scores(make_records())._repr_png_().startswith(b"\x89PNG")


def test_nodes_of_a_witness_plot_are_spread_and_components_are_apart():
    graph = nx.disjoint_union_all([nx.cycle_graph(3), nx.path_graph(4), nx.star_graph(4)])
    places = _layout(as_batch(graph))
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    ends = np.array(graph.edges)
    assert np.abs(gaps[ends[:, 0], ends[:, 1]] - 1).max() < 0.3
    assert gaps[~np.eye(len(graph), dtype=bool)].min() > 0.5  # leaves of the star are twins
    boxes = [places[list(nodes)] for nodes in nx.connected_components(graph)]
    for one, two in combinations(boxes, 2):
        assert (
            (one.max(axis=0) < two.min(axis=0)) | (two.max(axis=0) < one.min(axis=0))
        ).any()


def test_witness_plot_of_empty_and_large_graphs():
    empty = nx.empty_graph(0)
    assert len(plot_witness(empty, nx.empty_graph(3), None).axes) == 2
    with pytest.raises(InputError, match="1001 nodes; at most 1000"):
        plot_witness(empty, nx.empty_graph(1001), None)


@pytest.mark.parametrize(
    ("graphs", "method", "is_induced"),
    [
        (datasets.PAIRS["decalin-bicyclopentyl"]().graphs, "patterns", False),
        (datasets.PAIRS["quadrangles"]().graphs, "induced patterns", True),
        (datasets.rook_shrikhande().graphs, "induced patterns", True),
        (
            as_batch([nx.DiGraph([(0, 1), (1, 2), (0, 2)]), nx.DiGraph([(0, 1), (1, 2)])]),
            "induced patterns",
            True,
        ),
    ],
)
def test_bold_walk_of_a_witness_plot_has_its_pattern(graphs, method, is_induced):
    pair = graphs[0], graphs[1]
    witness = distinguish(*pair, methods=[method]).witness
    assert witness.is_induced == is_induced
    for graph, starts in zip(pair, witness.nodes, strict=True):
        if not starts:
            continue
        walk = _find_walk(graph, witness, starts[0])
        assert walk[0] == starts[0]
        part = graph.adjacency.toarray()[np.ix_(walk, walk)] > 0
        assert part.diagonal(1)[np.diff(walk) != 0].all()
        symbols = "-".join(map(str, anonymize(np.array([walk]))[0].tolist()))
        assert symbols == witness.pattern.split(" ")[0]
        if is_induced:
            table = pattern_counts(part, len(walk), weighting="count", induced=True)
            assert witness.pattern in table.names
    plot = plot_witness(*pair, witness)
    widths = [line.get_linewidth() for axes in plot.axes for line in axes.lines]
    assert widths.count(2.5) == sum(map(bool, witness.nodes))


def test_witness_plot_draws_directions():
    directed = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 2)])
    plot = plot_witness(directed, nx.path_graph(3), None)
    arrows = [
        [item for item in axes.collections if isinstance(item, Quiver)]
        for axes in plot.axes
    ]
    assert [len(listed) for listed in arrows] == [1, 0]
    assert arrows[0][0].N == 3  # all but the self-loop
