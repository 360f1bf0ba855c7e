import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from gskn import GSKN, as_batch, datasets
from gskn.estimators import _gskn, _progress, _sample
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.layers import BRANCHES, Branch, FeatureViews, NodeFeatures, Stack


def labelled(n_nodes, labels):
    graph = nx.path_graph(n_nodes)
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


def test_graph_embeddings_are_sums_of_node_embeddings():
    graphs = datasets.load("structure").graphs[:5]
    model = GSKN(pooling="sum", random_state=0).fit(graphs)
    nodes, rows = model.transform_nodes(graphs), model.transform(graphs)
    assert nodes.shape == (graphs.n_nodes, model.n_node_features_out_)
    for number in range(5):
        inside = slice(graphs.graph_ptr[number], graphs.graph_ptr[number + 1])
        np.testing.assert_allclose(nodes[inside].sum(axis=0), rows[number])
    means = GSKN(random_state=0, pooling="mean").fit_transform(graphs)
    np.testing.assert_allclose(means * graphs.graph_sizes[:, None], rows)


def test_several_poolings_are_concatenated():
    graphs = datasets.load("structure").graphs[:5]
    model = GSKN(pooling=("mean", "log"), random_state=0).fit(graphs)
    parts = [
        GSKN(pooling=name, random_state=0).fit_transform(graphs) for name in ("mean", "log")
    ]
    embeddings = model.transform(graphs)
    np.testing.assert_array_equal(embeddings, np.hstack(parts))
    np.testing.assert_array_equal(model.fit_transform(graphs), embeddings)
    n_columns = model.n_node_features_out_
    assert model.transform_nodes(graphs).shape == (graphs.n_nodes, n_columns)
    assert model.n_features_out_ == 2 * n_columns == embeddings.shape[1]
    names = model.get_feature_names_out().tolist()
    single = GSKN(pooling="mean", random_state=0).fit(graphs).get_feature_names_out()
    assert names == [f"{pooling}_{name}" for pooling in ("mean", "log") for name in single]
    assert single[0] == "walk_1_0"
    assert model.get_node_feature_names_out().tolist() == single.tolist()
    assert model.transform(as_batch([])).shape == (0, 2 * n_columns)


def test_embeddings_do_not_depend_on_chunks(monkeypatch):
    graphs = datasets.load("structure").graphs[:30]
    model = GSKN(("walk", "anonymous", "joint"), random_state=0).fit(graphs)
    whole = model.transform(graphs)
    monkeypatch.setattr(_gskn, "EMBEDDING_CHUNK_CELLS", 100 * whole.shape[1])
    assert len(_gskn._chunks(graphs, whole.shape[1])) > 5
    np.testing.assert_allclose(model.transform(graphs), whole, rtol=1e-10, atol=1e-12)
    monkeypatch.setattr(_gskn, "EMBEDDING_CHUNK_CELLS", 1)
    assert len(_gskn._chunks(graphs, whole.shape[1])) == 30
    np.testing.assert_allclose(model.transform(graphs), whole, rtol=1e-10, atol=1e-12)


def test_landmarks_of_a_large_set_come_from_a_sample_of_graphs(monkeypatch):
    graphs = datasets.load("structure").graphs
    monkeypatch.setattr(_sample, "FIT_NODES", 200)
    model = GSKN(random_state=0)
    rows = model.fit_transform(graphs)
    np.testing.assert_array_equal(rows, model.transform(graphs))
    assert np.isfinite(rows).all()


def test_unseen_labels_degrees_and_sizes_are_embedded():
    model = GSKN(random_state=0).fit([labelled(3, "CNC"), labelled(4, "CCNO")])
    rows = model.transform([labelled(3, "CXC"), labelled(3, "CYC"), labelled(3, "CNC")])
    np.testing.assert_array_equal(rows[0], rows[1])  # all unseen labels are equal
    assert np.abs(rows[0] - rows[2]).max() > 0.01
    by_degree = GSKN(random_state=0).fit([nx.path_graph(4)])
    assert np.isfinite(by_degree.transform([nx.star_graph(50)])).all()


def test_empty_graphs_have_zero_embeddings():
    model = GSKN(random_state=0).fit([nx.path_graph(4), nx.empty_graph(0)])
    rows = model.transform([nx.empty_graph(0), nx.empty_graph(2)])
    np.testing.assert_array_equal(rows[0], 0)
    assert np.abs(rows[1]).max() > 0
    assert model.transform(as_batch([])).shape == (0, model.n_features_out_)


def test_degree_walk_is_walk_on_labels_and_degrees():
    graphs = datasets.load("MUTAG").graphs[:30]
    model = GSKN(("degree-walk",), random_state=0).fit(graphs)
    assert model.encoder_.node_features_ == ("labels",)
    assert model.degree_encoder_.node_features_ == ("labels", "degrees")
    walk = GSKN(("walk",), node_features=("labels", "degrees"), random_state=0)
    walk_embeddings = _with_stream("degree-walk", walk, graphs)
    np.testing.assert_array_equal(model.transform(graphs), walk_embeddings)
    assert model.get_node_feature_names_out()[0] == "degree-walk_1_0"


def _with_stream(name, model, graphs):
    """Embed graphs by the branch "walk" with the random stream of another branch."""
    with pytest.MonkeyPatch.context() as patch:
        streams = Stack.streams
        patch.setattr(
            Stack,
            "streams",
            lambda stack, generator: streams(
                Stack([Branch(name, stack.branches[0].layers)], {}), generator
            ),
        )
        return model.fit_transform(graphs)


@pytest.mark.parametrize("node_features", ["auto", "degrees", ("degrees", "labels")])
def test_degree_walk_that_repeats_walk_is_left_out(node_features):
    graphs = datasets.load("MUTAG").graphs[:20]
    if node_features == "auto":
        graphs = datasets.load("structure").graphs[:20]
    branches = ("walk", "degree-walk", "anonymous")
    model = GSKN(branches, node_features=node_features, random_state=0).fit(graphs)
    assert model.branches_ == ("walk", "anonymous")
    assert model.degree_encoder_ is None
    expected = GSKN(("walk", "anonymous"), node_features=node_features, random_state=0)
    np.testing.assert_array_equal(
        model.transform(graphs), expected.fit(graphs).transform(graphs)
    )
    alone = GSKN(("degree-walk",), node_features=node_features, random_state=0).fit(graphs)
    assert alone.branches_ == ("degree-walk",)


def test_label_path_is_left_out_of_graphs_without_node_data():
    molecules = datasets.load("MUTAG").graphs[:20]
    shapes = datasets.load("structure").graphs[:20]
    branches = ("walk", "label-path")
    assert GSKN(branches, random_state=0).fit(molecules).branches_ == branches
    degrees = GSKN(branches, node_features=("degrees", "labels"), random_state=0)
    assert degrees.fit(molecules).branches_ == branches
    model = GSKN(branches, random_state=0).fit(shapes)
    assert model.branches_ == ("walk",)
    expected = GSKN(("walk",), random_state=0).fit_transform(shapes)
    np.testing.assert_array_equal(model.transform(shapes), expected)
    alone = GSKN(("label-path",), random_state=0).fit(shapes)
    assert alone.branches_ == ("label-path",)


@pytest.mark.parametrize("name", ["MUTAG", "structure"])
@pytest.mark.parametrize("branches", [*((name,) for name in BRANCHES), tuple(BRANCHES)])
def test_precomputation_equals_fit(name, branches):
    graphs = datasets.load(name).graphs[:24]
    train, test = np.arange(0, 24, 2), np.arange(1, 24, 2)
    model = GSKN(branches, anonymous_length=4, pooling=("mean", "log"), random_state=0)
    split = GSKN.precompute(graphs).split(train, test).embed(model)
    model.fit(graphs[train])
    for embeddings, part in zip(split, (train, test), strict=True):
        np.testing.assert_allclose(embeddings, model.transform(graphs[part]), 1e-9, 1e-11)


@pytest.mark.parametrize("branch", BRANCHES)
def test_relabeling_nodes_permutes_embeddings(branch):
    graphs = datasets.load("MUTAG").graphs[:10]
    model = GSKN((branch,), anonymous_length=4, random_state=0).fit(graphs)
    graph = graphs[3]
    order = np.random.default_rng(0).permutation(graph.n_nodes)
    matrix = graph.adjacency
    codes = csr_array((graph.edge_labels + 1, matrix.indices, matrix.indptr), matrix.shape)
    adjacency, codes = (part[order][:, order] for part in (matrix, codes))
    adjacency.sort_indices()
    codes.sort_indices()
    permuted = GraphBatch(
        adjacency,
        graph.graph_ptr,
        node_labels=graph.node_labels[order],
        label_values=graph.label_values,
        edge_labels=codes.data - 1,
        edge_label_values=graph.edge_label_values,
    )
    np.testing.assert_allclose(
        model.transform_nodes(permuted), model.transform_nodes(graph)[order], 1e-9, 1e-11
    )


def test_embeddings_of_a_branch_do_not_depend_on_other_branches():
    graphs = datasets.load("structure").graphs[:10]
    alone = GSKN(("anonymous",), random_state=5).fit(graphs).transform_nodes(graphs)
    both = GSKN(("walk", "anonymous"), random_state=5).fit(graphs).transform_nodes(graphs)
    np.testing.assert_array_equal(alone, both[:, -alone.shape[1] :])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"branches": ()}, "branches must be some of"),
        ({"branches": ("walk", "walk")}, "names one twice"),
        ({"branches": ("walks",)}, "branches must be one of .*'walks'"),
        ({"walk_length": 0}, "walk_length must be at least 1, got 0"),
        ({"n_landmarks": 2.5}, "n_landmarks must be an integer"),
        ({"alpha": -1}, "alpha must be at least"),
        ({"alpha": float("inf")}, "alpha must be at most 1e\\+06"),
        ({"beta": "wide"}, "beta must be a number"),
        ({"aggregate": "yes"}, "aggregate must be True or False"),
        ({"weighting": "mean"}, "weighting must be one of"),
        ({"method": "fast"}, "method must be one of"),
        ({"pooling": "max"}, "pooling must be one of"),
        ({"pooling": ("mean", "max")}, "pooling must be one of"),
        ({"pooling": ()}, "pooling must not be empty"),
        ({"pooling": ("log", "log")}, "pooling contains a name twice"),
        ({"max_degree": -1}, "max_degree must be at least 0"),
        ({"max_degree": 3.5}, "max_degree must be an integer"),
        ({"branches": ("induced",), "anonymous_length": 9}, "at most 8 for .*'induced'"),
        ({"branches": ("joint",), "walk_length": 11}, "walk_length must be at most 10"),
        ({"anonymous_length": 9, "weighting": "count"}, "at most 8 for counts"),
        ({"method": "sampled", "weighting": "count"}, "Counts cannot be sampled"),
        ({"node_features": "color"}, "node_features must be 'auto' or some of"),
        ({"n_jobs": 0}, "n_jobs must be None, a number of threads, or negative .* got 0"),
        ({"random_state": -1}, "random_state must not be negative"),
        ({"n_jobs": 1.5}, "n_jobs"),
    ],
)
def test_invalid_parameters_raise(options, message):
    with pytest.raises(InputError, match=message):
        GSKN(**options).fit([nx.path_graph(3)])


def test_fitting_to_no_nodes_raises():
    for graphs in ([], [nx.empty_graph(0)]):
        with pytest.raises(InputError, match=f"no nodes to fit to in {len(graphs)} graphs"):
            GSKN().fit(graphs)


def test_progress_is_shown_if_verbose(capsys):
    GSKN(verbose=1, random_state=0).fit([nx.path_graph(3)]).transform([nx.path_graph(3)])
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert shown.out == ""
    assert [line.split()[0] for line in lines] == ["landmarks", "graphs"]
    assert all("100%" in line for line in lines)
    GSKN(random_state=0).fit([nx.path_graph(3)])
    assert capsys.readouterr() == ("", "")


def test_progress_is_redrawn_on_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(_progress, "_INTERVAL_SECONDS", 0)
    GSKN(verbose=1, random_state=0).fit([nx.path_graph(3)])
    drawn = capsys.readouterr().err
    assert drawn.count("\r") > 2
    assert drawn.count("\n") == 1
    assert drawn.index("  11%") < drawn.index("100%")


def test_edge_weights_change_probabilities_but_not_counts():
    light, heavy = nx.path_graph(4), nx.path_graph(4)
    heavy.edges[0, 1]["weight"] = 5.0
    for weighting, differs in (("probability", True), ("count", False)):
        model = GSKN(("walk", "path", "joint", "anonymous"), weighting=weighting)
        rows = model.set_params(random_state=0).fit_transform([light, heavy])
        assert (np.abs(rows[0] - rows[1]).max() > 1e-3) == differs


@pytest.mark.parametrize("branch", BRANCHES)
def test_every_branch_embeds_graphs_without_nodes(branch):
    model = GSKN((branch,), anonymous_length=4, n_layers=2, random_state=0)
    model.fit([nx.cycle_graph(5)])
    np.testing.assert_array_equal(model.transform([nx.empty_graph(0)]), 0)


def test_counts_beyond_floating_point_raise():
    model = GSKN(("walk",), walk_length=700, aggregate=False, weighting="count")
    with pytest.raises(InputError, match="too many walks .*weighting='probability'"):
        model.fit_transform([nx.complete_graph(20)])


def test_n_jobs_may_be_set_after_fit():
    graphs = datasets.load("structure").graphs[:10]
    model = GSKN(random_state=0, n_jobs="junk")
    with pytest.raises(InputError, match="n_jobs"):
        model.fit(graphs)
    model.set_params(n_jobs=1).fit(graphs).set_params(n_jobs=0)
    with pytest.raises(InputError, match="n_jobs"):
        model.transform(graphs)


def test_degrees_are_used_if_attributes_have_no_columns():
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    model = GSKN(("walk",), random_state=0).fit([(edges, np.empty((3, 0)))])
    assert model.encoder_.node_features_ == ("degrees",)


def test_missing_labels_raise():
    model = GSKN(random_state=0).fit([labelled(3, "CNC")])
    with pytest.raises(InputError, match="no node labels, but the training graphs have"):
        model.transform([nx.path_graph(3)])


@pytest.mark.parametrize("branch", ["walk", "degree-walk", "anonymous", "joint"])
@pytest.mark.parametrize("n_layers", [1, 3])
@pytest.mark.parametrize("alpha", [1.5, 1e4, 1e6])
def test_embedding_depends_on_other_graphs_only_by_rounding(branch, n_layers, alpha):
    """The bounds are documented in the docstring; distances of near points are exact."""
    graphs = datasets.load("MUTAG").graphs[:40]
    model = GSKN(
        (branch,), n_layers=n_layers, alpha=alpha, anonymous_length=4, random_state=0
    )
    together = model.fit(graphs).transform(graphs)
    for number in range(0, 40, 7):
        alone = model.transform(graphs[number])
        largest = np.abs(together[number]).max()
        bound = (1e-15 if n_layers == 1 else 1e-11) * largest
        assert np.abs(alone[0] - together[number]).max() <= bound


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("walk_length", 10**18),
        ("walk_length", 1.5),
        ("n_landmarks", 10**9),
        ("n_layers", 10**7),
        ("n_walks", 10**12),
        ("alpha", "wide"),
        ("alpha", 10**400),
        ("eps", float("nan")),
        ("anonymous_length", 10**18),
        ("n_jobs", 0),
    ],
)
def test_parameters_out_of_bounds_raise(name, value):
    with pytest.raises(InputError, match=name):
        GSKN(random_state=0, **{name: value}).fit(datasets.rings(3).graphs)


def test_progress_advances_with_every_length():
    graphs = datasets.rings(3).graphs
    model = GSKN(("walk",), walk_length=40, random_state=0).fit(graphs)
    model.transform(graphs)
    assert model.stack_.n_blocks() == 40
    calls = []
    views = FeatureViews(NodeFeatures(*model.encoder_.distinct_rows(graphs)))
    model.stack_.transform(graphs, views, None, lambda: calls.append(1))
    assert len(calls) == 40


def test_from_paper_has_fixed_settings():
    model = GSKN.from_paper(random_state=3)
    assert model.branches == ("walk", "anonymous")
    assert (model.walk_length, model.anonymous_length, model.n_landmarks) == (3, 6, 32)
    assert (model.alpha, model.beta, model.aggregate) == (1.5, 1.5, False)
    assert (model.pooling, model.max_degree, model.rare_walks) == ("sum", 32, False)
    assert model.random_state == 3
    graphs = datasets.load("MUTAG").graphs[:20]
    embeddings = model.fit_transform(graphs)
    assert embeddings.shape[1] <= 64
    assert GSKN.from_paper(n_landmarks=8).n_landmarks == 8
    with pytest.raises(TypeError, match="colour"):
        GSKN.from_paper(colour="red")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_node_embeddings_are_written_to_a_mapped_file(tmp_path, monkeypatch, dtype):
    graphs = datasets.load("structure").graphs
    model = GSKN(n_landmarks=4, random_state=0).fit(graphs)
    monkeypatch.setattr("gskn.estimators._gskn.EMBEDDING_CHUNK_CELLS", 1000)  # many runs
    expected = model.transform_nodes(graphs)
    path = tmp_path / "nodes.npy"
    result = model.transform_nodes(graphs, out=path, dtype=dtype)
    assert isinstance(result, np.memmap)
    assert not result.flags.writeable
    np.testing.assert_array_equal(result, expected.astype(dtype))
    np.testing.assert_array_equal(np.load(path), result)
    in_memory = model.transform_nodes(graphs, dtype=dtype)
    np.testing.assert_array_equal(in_memory, result)


def test_a_failed_transform_leaves_no_file(tmp_path):
    graphs = datasets.rings(3).graphs
    model = GSKN(n_landmarks=2, random_state=0, verbose=0).fit(graphs)
    with pytest.raises(InputError, match=r"must end in \.npy"):
        model.transform_nodes(graphs, out=tmp_path / "nodes.txt")
    model.encoder_ = None
    with pytest.raises(AttributeError):
        model.transform_nodes(graphs, out=tmp_path / "nodes.npy")
    assert not list(tmp_path.iterdir())
