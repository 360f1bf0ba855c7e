import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.kernels import _enumeration, _pairs
from gskn.kernels._definitions import (
    anonymous_random_walk_kernel,
    anonymous_walk_kernel,
    joint_kernel,
    path_kernel,
    subtree_kernel,
    walk_kernel,
)
from tests.reference import kernels as reference
from tests.strategies import spec_lists

KERNELS = {
    "walk": walk_kernel,
    "path": path_kernel,
    "subtree": subtree_kernel,
    "anonymous": anonymous_walk_kernel,
    "sum": anonymous_random_walk_kernel,
    "joint": joint_kernel,
}
LENGTHS = {name: {"length": 3} for name in KERNELS} | {"subtree": {"depth": 2}}
EDGE, TRIANGLE = nx.complete_graph(2), nx.complete_graph(3)


def as_networkx(spec, max_nodes):
    """Build a graph node by node, so that nothing of gskn is used."""
    graph = nx.DiGraph() if spec.directed else nx.Graph()
    for node in range(min(spec.n_nodes, max_nodes)):
        graph.add_node(node)
        if spec.labels is not None:
            graph.nodes[node]["label"] = spec.labels[node]
        if spec.attributes is not None:
            graph.nodes[node]["attributes"] = spec.attributes[node]
    weights = spec.weights or [1.0] * len(spec.edges)
    for (u, v), weight in zip(spec.edges, weights, strict=True):
        if max(u, v) < max_nodes and weight:
            graph.add_edge(u, v, weight=weight)
    return graph


@st.composite
def graph_lists(draw, max_nodes=4):
    """Draw graphs of every kind that agree on labels and attributes."""
    drawn = draw(spec_lists(min_size=1))
    return [as_networkx(spec, max_nodes) for spec in drawn]


options = st.fixed_dictionaries(
    {
        "base": st.sampled_from(["gaussian", "dirac"]),
        "weighting": st.sampled_from(["count", "probability"]),
    }
)


def path(*labels):
    graph = nx.path_graph(len(labels))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


# --- worked by hand --------------------------------------------------------------------


def test_walks_of_an_edge_and_a_triangle_are_counted():
    """With alpha = 0 all walks are alike: 2 and 3 * 2 * 2 walks of length 3."""
    K = walk_kernel([EDGE, TRIANGLE], length=3, alpha=0)
    np.testing.assert_array_equal(K, np.outer([2, 12], [2, 12]))
    P = path_kernel([EDGE, TRIANGLE], length=3, alpha=0)
    np.testing.assert_array_equal(P, np.outer([0, 6], [0, 6]))


def test_degrees_serve_as_labels():
    """All 2 * 6 pairs of walks of length 2 differ twice: degree 1 against degree 2."""
    K = walk_kernel([EDGE, TRIANGLE], length=2, alpha=0.5)
    np.testing.assert_allclose(K, [[4, 12 * math.exp(-1)], [12 * math.exp(-1), 36]])
    K = walk_kernel([EDGE, TRIANGLE], length=2, base="dirac")
    np.testing.assert_array_equal(K, [[4, 0], [0, 36]])


def test_a_labelled_path():
    """Walks of length 2 in a - b - a, by start: ab; ba, ba; ab."""
    K = walk_kernel(path("a", "b", "a"), length=2, level="node", base="dirac")
    np.testing.assert_array_equal(K, [[1, 0, 1], [0, 4, 0], [1, 0, 1]])
    e = math.exp(-2 * 1.5)  # two positions differ
    K = walk_kernel(path("a", "b", "a"), length=2, level="node")
    np.testing.assert_allclose(K, [[1, 2 * e, 1], [2 * e, 4, 2 * e], [1, 2 * e, 1]])
    K = walk_kernel(path("a", "b", "a"), length=2, weighting="probability", base="dirac")
    np.testing.assert_allclose(K, [[1 + 1 + 1 + 1 + 1]])  # 2 x 2 pairs "ab", 1 pair "ba"


def test_labels_are_compared_by_value_between_the_sides():
    """Codes differ: "b" is 1 on the left and 0 on the right."""
    K = walk_kernel(path("a", "b"), path("b", "c"), length=1, level="node", base="dirac")
    np.testing.assert_array_equal(K, [[0, 0], [1, 0]])
    K = subtree_kernel(path("a", "b"), path("b", "c"), depth=1, level="node")
    np.testing.assert_array_equal(K, [[0, 0], [1, 0]])


def test_attributes_and_labels_add_their_distances():
    left, right = nx.empty_graph(1), nx.empty_graph(1)
    left.add_node(0, label="a", attributes=[0.0, 1.0])
    right.add_node(0, label="b", attributes=[3.0, 1.0])
    K = walk_kernel(left, right, length=1, alpha=0.5)
    np.testing.assert_allclose(K, [[math.exp(-0.25 * (2 + 9))]])


def test_equal_attributes_are_equal_whatever_their_sign_of_zero():
    left, right = nx.empty_graph(1), nx.empty_graph(1)
    left.add_node(0, attributes=[0.0])
    right.add_node(0, attributes=[-0.0])
    assert walk_kernel(left, right, base="dirac") == [[1.0]]


def test_random_walks_follow_the_weights():
    """From node 0 the walk goes to "a" with chance 1/4 and to "b" with 3/4."""
    star = path("a", "c", "b")
    star.edges[0, 1]["weight"], star.edges[1, 2]["weight"] = 1.0, 3.0
    K = walk_kernel(star, length=2, level="node", base="dirac", weighting="probability")
    np.testing.assert_allclose(K, np.diag([1, 1 / 16 + 9 / 16, 1]))
    K = walk_kernel(star, length=2, level="node", base="dirac", weighting="count")
    np.testing.assert_allclose(K, np.diag([1, 2, 1]))


def test_walks_stay_at_dead_ends_and_paths_end_there():
    arc = nx.DiGraph([(0, 1)])
    K = walk_kernel(arc, length=3, level="node", alpha=0)
    np.testing.assert_array_equal(K, np.ones((2, 2)))
    K = path_kernel(arc, length=2, level="node", alpha=0)
    np.testing.assert_array_equal(K, [[1, 0], [0, 0]])


def test_patterns_of_an_edge_and_a_triangle():
    """Length 3: 0-1-0 twice in the edge; 0-1-0 and 0-1-2 six times each in the triangle."""
    K = anonymous_walk_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4, 12], [12, 72]])
    e = math.exp(-0.5)  # they differ in one position
    K = anonymous_walk_kernel([EDGE, TRIANGLE], length=3, beta=0.5)
    expected = [[4, 12 + 12 * e], [12 + 12 * e, 72 + 72 * e]]
    np.testing.assert_allclose(K, expected)


def test_the_sum_and_the_joint_kernel_differ():
    """Walks of both share patterns and no degrees: 0 jointly, 12 in the sum."""
    K = joint_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4, 0], [0, 72]])
    K = anonymous_random_walk_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4 + 4, 12], [12, 144 + 72]])


def test_colours_of_a_path():
    """Degrees 1 2 2 1; one round leaves the ends alike and the middle alike."""
    K = subtree_kernel(nx.path_graph(4), depth=1)
    assert K == [[2 * 2 * 2 + 2 * 2 * 2]]
    K = subtree_kernel([path("a", "a"), path("a", "b")], depth=1)
    np.testing.assert_array_equal(K, [[4 + 4, 2], [2, 2 + 2]])


def test_subtrees_follow_arcs():
    """Start colours are out-degrees 1, 1, 0; then node 1 sees a dead end, node 0 not."""
    K = subtree_kernel(nx.DiGraph([(0, 1), (1, 2)]), depth=2, level="node")
    np.testing.assert_array_equal(K, [[3, 1, 0], [1, 3, 0], [0, 0, 3]])


def test_only_the_joint_kernel_knows_the_label_of_a_ring():
    """A ring of six "a" beside two of three "b", and the same with labels swapped."""
    pair = []
    for six, three in ("ab", "ba"):
        graph = nx.disjoint_union_all(map(nx.cycle_graph, (6, 3, 3)))
        labels = {node: six if node < 6 else three for node in graph}
        nx.set_node_attributes(graph, labels, "label")
        pair.append(graph)
    K = anonymous_random_walk_kernel(pair, length=4, normalize=True)
    np.testing.assert_allclose(K, np.ones((2, 2)))
    np.testing.assert_allclose(joint_kernel(pair, length=3, normalize=True), 1)
    assert joint_kernel(pair, length=4, normalize=True)[0, 1] < 1 - 1e-3


# --- against the plain definitions -----------------------------------------------------


def check(kernel, of_nodes, graphs, number, **given):
    """Compare both levels, with itself and between two sides."""
    for A, B in ((graphs, None), (graphs[:number], graphs[number:])):
        others = graphs if B is None else B
        for level, matrix in (
            ("node", reference.node_matrix),
            ("graph", reference.graph_matrix),
        ):
            expected = np.array(matrix(A, others, of_nodes), dtype=float)
            found = kernel(A, B, level=level, **given)
            np.testing.assert_allclose(
                found, expected.reshape(found.shape), rtol=1e-9, atol=1e-12
            )


@pytest.mark.reference
@pytest.mark.parametrize("name", ["walk", "path", "anonymous", "sum", "joint"])
@settings(max_examples=25)
@given(
    graphs=graph_lists(), length=st.integers(1, 3), number=st.integers(0, 4), chosen=options
)
def test_kernels_of_walks_are_sums_over_pairs_of_walks(
    name, graphs, length, number, chosen
):
    alpha, beta, base = 0.7, 0.4, chosen["base"]

    def of_nodes(g, u, h, v):
        def along(w, z):
            return reference.along(g, w, h, z, base, alpha)

        def pattern(w, z):
            return reference.pattern(w, z, base, beta)

        compared = {
            "walk": along,
            "path": along,
            "anonymous": pattern,
            "sum": lambda w, z: along(w, z) + pattern(w, z),
            "joint": lambda w, z: along(w, z) * pattern(w, z),
        }[name]
        return reference.walk_sum(
            *(g, u, h, v, length, chosen["weighting"], compared), simple=name == "path"
        )

    bandwidths = {"alpha": alpha, "beta": beta}
    if name in {"walk", "path"}:
        del bandwidths["beta"]
    if name == "anonymous":
        del bandwidths["alpha"]
    check(KERNELS[name], of_nodes, graphs, number, length=length, **bandwidths, **chosen)


@pytest.mark.reference
@given(graphs=graph_lists(max_nodes=6), depth=st.integers(0, 3), number=st.integers(0, 4))
def test_subtrees_are_unfoldings(graphs, depth, number):
    def of_nodes(g, u, h, v):
        return reference.subtree(g, u, h, v, depth)

    check(subtree_kernel, of_nodes, graphs, number, depth=depth)


@pytest.mark.reference
def test_long_walks_on_one_graph():
    graph = nx.lollipop_graph(3, 2)
    for kernel, simple in ((walk_kernel, False), (path_kernel, True)):
        expected = reference.walk_sum(
            *(graph, 0, graph, 4, 5, "probability"),
            lambda w, z: reference.along(graph, w, graph, z, "gaussian", 0.3),
            simple=simple,
        )
        K = kernel(graph, length=5, level="node", alpha=0.3, weighting="probability")
        np.testing.assert_allclose(K[0, 4], expected)
        assert K[0, 4] > 0


# --- laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@settings(max_examples=15)
@given(graphs=graph_lists())
def test_kernels_are_symmetric_and_positive_semidefinite(name, level, graphs):
    K = KERNELS[name](graphs, level=level, **LENGTHS[name])
    np.testing.assert_array_equal(K, K.T)
    if len(K):
        values = np.linalg.eigvalsh(K)
        assert values[0] > -1e-9 * max(1.0, values[-1])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@settings(max_examples=15)
@given(graphs=graph_lists())
def test_normalized_kernels_have_a_diagonal_of_ones_or_zeros(name, level, graphs):
    raw = KERNELS[name](graphs, level=level, **LENGTHS[name])
    K = KERNELS[name](graphs, level=level, normalize=True, **LENGTHS[name])
    np.testing.assert_allclose(K.diagonal(), raw.diagonal() > 0)
    roots = np.sqrt(raw.diagonal())
    np.testing.assert_allclose(K * np.outer(roots, roots), raw, atol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@pytest.mark.parametrize("normalize", [False, True])
@settings(max_examples=15)
@given(graphs=graph_lists(), number=st.integers(0, 4))
def test_two_sides_are_a_block_of_their_union(name, level, normalize, graphs, number):
    A, B = graphs[:number], graphs[number:]
    given = {"level": level, "normalize": normalize, **LENGTHS[name]}
    whole = KERNELS[name](graphs, **given)
    n_rows = len(A) if level == "graph" else sum(map(len, A))
    np.testing.assert_allclose(
        KERNELS[name](A, B, **given), whole[:n_rows, n_rows:], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
def test_results_do_not_depend_on_blocks_and_chunks(name, level, monkeypatch):
    batch = datasets.load("structure").graphs[:12]
    batch = GraphBatch.concat([batch[:5], as_batch([nx.empty_graph(0)]), batch[5:]])
    given = {"level": level, "normalize": True, **LENGTHS[name]}
    whole = KERNELS[name](batch, **given), KERNELS[name](batch, batch[3:7], **given)
    monkeypatch.setattr(_pairs, "_BLOCK_NODES", 50)
    monkeypatch.setattr(_pairs, "_CHUNK_CELLS", 2**10)
    parts = KERNELS[name](batch, **given), KERNELS[name](batch, batch[3:7], **given)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
    assert (whole[0][batch.node_graphs != 5 if level == "node" else 6] > 0).any()


def test_graphs_without_nodes_have_rows_of_zeros():
    graphs = [nx.empty_graph(0), EDGE]
    for name, kernel in KERNELS.items():
        for normalize in (False, True):
            K = kernel(graphs, normalize=normalize, **LENGTHS[name])
            assert K.shape == (2, 2)
            assert not K[0].any()
            assert not K[:, 0].any()
            assert kernel([], graphs, **LENGTHS[name]).shape == (0, 2)
            assert kernel([], level="node", normalize=normalize).shape == (0, 0)


def test_a_side_without_nodes_needs_no_labels():
    K = walk_kernel([nx.empty_graph(0)], path("a", "b"))
    np.testing.assert_array_equal(K, [[0]])


# --- against another library -----------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_subtrees_are_those_of_grakel(grakel, depth):
    """GraKeL counts the start as well: n_iter=h compares h + 1 rounds."""
    rng = np.random.default_rng(depth)
    graphs = [
        nx.gnp_random_graph(9, 0.35, seed=int(seed)) for seed in rng.integers(99, size=8)
    ]
    for graph in graphs:
        # GraKeL refuses graphs without edges, and nodes that appear in no edge.
        graph.remove_nodes_from(list(nx.isolates(graph)))
        labels = dict(
            zip(graph, rng.choice(["C", "N", "O"], len(graph)).tolist(), strict=True)
        )
        nx.set_node_attributes(graph, labels, "label")
    read = grakel.graph_from_networkx(graphs, node_labels_tag="label")
    expected = grakel.WeisfeilerLehman(n_iter=depth).fit_transform(list(read))
    np.testing.assert_array_equal(subtree_kernel(graphs, depth=depth), expected)
    read = grakel.graph_from_networkx(graphs, node_labels_tag="label")
    expected = grakel.WeisfeilerLehman(n_iter=depth, normalize=True).fit_transform(
        list(read)
    )
    np.testing.assert_allclose(
        subtree_kernel(graphs, depth=depth, normalize=True), expected, rtol=1e-12
    )


def test_a_support_vector_machine_takes_them():
    graphs = as_batch(
        [nx.cycle_graph(n) for n in range(3, 9)] + [nx.path_graph(n) for n in range(3, 9)]
    )
    y = np.repeat([0, 1], 6)
    train = np.arange(12) % 3 != 0
    model = SVC(kernel="precomputed", C=1000)
    model.fit(walk_kernel(graphs[train], normalize=True), y[train])
    K = walk_kernel(graphs[~train], graphs[train], normalize=True)
    np.testing.assert_array_equal(model.predict(K), y[~train])


# --- facts -----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [3, 4])
def test_patterns_tell_rings_apart_where_walks_and_subtrees_do_not(k):
    rings = datasets.rings(k).graphs
    for K in (
        walk_kernel(rings, length=k + 2, normalize=True),
        subtree_kernel(rings, depth=k + 1, normalize=True),
        anonymous_walk_kernel(rings, length=k, normalize=True),
    ):
        np.testing.assert_allclose(K, np.ones((2, 2)))
    K = anonymous_walk_kernel(rings, length=k + 1, normalize=True)
    assert K[0, 1] < 1 - 1e-6


def test_bandwidth_zero_of_the_joint_kernel_gives_its_two_limits():
    graphs = [path("a", "b", "b"), path("b", "a", "a", "b")]
    K = joint_kernel(graphs, length=4, beta=0, alpha=0.8)
    np.testing.assert_allclose(K, walk_kernel(graphs, length=4, alpha=0.8))
    K = joint_kernel(graphs, length=4, alpha=0, beta=0.8)
    np.testing.assert_allclose(K, anonymous_walk_kernel(graphs, length=4, beta=0.8))


def test_anonymous_walks_may_have_another_length():
    K = anonymous_random_walk_kernel([EDGE, TRIANGLE], length=2, anonymous_length=4)
    expected = walk_kernel([EDGE, TRIANGLE], length=2)
    expected += anonymous_walk_kernel([EDGE, TRIANGLE], length=4)
    np.testing.assert_allclose(K, expected)


# --- what is refused -------------------------------------------------------------------


def with_attributes(*rows):
    graph = nx.path_graph(len(rows))
    nx.set_node_attributes(graph, dict(enumerate(map(list, rows))), "attributes")
    return graph


@pytest.mark.parametrize("name", ["walk", "path", "subtree", "sum", "joint"])
@pytest.mark.parametrize(
    ("A", "B", "message"),
    [
        (path("a", "b"), EDGE, "A has node labels and B has none"),
        (EDGE, path("a", "b"), "B has node labels and A has none"),
        (with_attributes([1.0]), EDGE, "A has node attributes and B has none"),
        (with_attributes([1.0]), with_attributes([1.0, 2.0]), "1 attributes .* 2; give"),
    ],
)
def test_sides_that_do_not_agree_are_refused(name, A, B, message):
    with pytest.raises(InputError, match=message):
        KERNELS[name](A, B)


WRONG = [
    {"length": 0},
    {"depth": -1},
    {"level": "edge"},
    {"base": "linear"},
    {"weighting": "sum"},
    {"alpha": -1.0},
    {"alpha": math.inf},
    {"beta": "wide"},
    {"normalize": 2},
    {"anonymous_length": 9},
]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (name, wrong)
        for name, kernel in KERNELS.items()
        for wrong in WRONG
        if wrong.keys() <= kernel.__kwdefaults__.keys()
    ],
)
def test_wrong_options_are_refused(name, wrong):
    (option,) = wrong
    with pytest.raises(InputError, match=option):
        KERNELS[name](EDGE, **wrong)


def test_patterns_beyond_the_exact_length_are_refused():
    with pytest.raises(InputError, match="^length must be at most 8.*got 9"):
        anonymous_random_walk_kernel(EDGE, length=9)


def test_too_many_walks_are_refused(monkeypatch):
    monkeypatch.setattr(_enumeration, "_MAX_WALKS", 10_000)
    with pytest.raises(InputError, match="15972 walks visit 4 nodes.*10000.*length"):
        joint_kernel(nx.complete_graph(12), length=5)
    monkeypatch.setattr(_enumeration, "_MAX_WALK_PAIRS", 100)
    with pytest.raises(InputError, match="12 walks against 12 are 1.4e\\+02 pairs"):
        joint_kernel(TRIANGLE, length=3)
    assert path_kernel(TRIANGLE, length=3, alpha=0) == [[36]]  # 6 x 6 paths are fine


def test_too_large_matrices_are_refused(monkeypatch):
    monkeypatch.setattr(_pairs, "_MAX_CELLS", 24)
    graphs = [nx.path_graph(4), nx.path_graph(3)]
    assert walk_kernel(graphs).shape == (2, 2)
    with pytest.raises(InputError, match="7 nodes against 7 of the batches"):
        walk_kernel(graphs, level="node")
    with pytest.raises(InputError, match="5 nodes against 5 of two graphs"):
        walk_kernel(nx.path_graph(5))


@pytest.mark.parametrize("normalize", [False, True])
def test_what_overflows_is_refused(normalize):
    clique = nx.complete_graph(30)
    with pytest.raises(InputError, match="larger than a float.*probability"):
        walk_kernel(clique, length=200, normalize=normalize)
    K = walk_kernel(clique, length=200, weighting="probability")
    np.testing.assert_allclose(K, [[900]])
