import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from gskn import as_batch, datasets
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch
from gskn.kernels import (
    _enumeration,
    _inputs,
    _terms,
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
    """Build a graph without using gskn."""
    graph = nx.DiGraph() if spec.directed else nx.Graph()
    for node in range(min(spec.n_nodes, max_nodes)):
        graph.add_node(node)
        if spec.labels is not None:
            graph.nodes[node]["label"] = spec.labels[node]
        if spec.attributes is not None:
            graph.nodes[node]["attributes"] = spec.attributes[node]
    weights = spec.weights or [1.0] * len(spec.edges)
    for number, (u, v) in enumerate(spec.edges):
        if max(u, v) < max_nodes and weights[number]:
            graph.add_edge(u, v, weight=weights[number])
            if spec.edge_labels is not None:
                graph.edges[u, v]["label"] = spec.edge_labels[number]
            if spec.edge_attributes is not None:
                graph.edges[u, v]["attributes"] = spec.edge_attributes[number]
    return graph


@st.composite
def graph_lists(draw, max_nodes=4):
    """Draw graphs of all kinds whose data agree."""
    options = {
        "edge_labelled": draw(st.booleans()),
        "n_edge_attributes": draw(st.integers(0, 1)),
    }
    specs = draw(spec_lists(min_size=1, **options))
    return [as_networkx(spec, max_nodes) for spec in specs]


option_values = st.fixed_dictionaries(
    {
        "base": st.sampled_from(["gaussian", "dirac"]),
        "weighting": st.sampled_from(["count", "probability"]),
    }
)


def path(*labels):
    graph = nx.path_graph(len(labels))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


# Values computed by hand


def test_bandwidth_zero_counts_pairs_of_walks_and_paths():
    """An edge and a triangle have 2 and 3 * 2 * 2 walks of length 3."""
    K = walk_kernel([EDGE, TRIANGLE], length=3, alpha=0)
    np.testing.assert_array_equal(K, np.outer([2, 12], [2, 12]))
    P = path_kernel([EDGE, TRIANGLE], length=3, alpha=0)
    np.testing.assert_array_equal(P, np.outer([0, 6], [0, 6]))


def test_nodes_without_labels_are_compared_by_degree():
    """All 2 * 6 pairs of walks of length 2 differ at both positions."""
    K = walk_kernel([EDGE, TRIANGLE], length=2, alpha=0.5)
    np.testing.assert_allclose(K, [[4, 12 * math.exp(-1)], [12 * math.exp(-1), 36]])
    K = walk_kernel([EDGE, TRIANGLE], length=2, base="dirac")
    np.testing.assert_array_equal(K, [[4, 0], [0, 36]])


def test_walk_kernel_of_labeled_path():
    """Walks of length 2 in a - b - a, by start: ab; ba, ba; ab."""
    K = walk_kernel(path("a", "b", "a"), length=2, level="node", base="dirac")
    np.testing.assert_array_equal(K, [[1, 0, 1], [0, 4, 0], [1, 0, 1]])
    e = math.exp(-2 * 1.5)  # two positions differ
    K = walk_kernel(path("a", "b", "a"), length=2, level="node")
    np.testing.assert_allclose(K, [[1, 2 * e, 1], [2 * e, 4, 2 * e], [1, 2 * e, 1]])
    K = walk_kernel(path("a", "b", "a"), length=2, weighting="probability", base="dirac")
    np.testing.assert_allclose(K, [[1 + 1 + 1 + 1 + 1]])  # 2 x 2 pairs "ab", 1 pair "ba"


def test_labels_of_both_sides_are_compared_by_value():
    """Codes differ: "b" is 1 on the left and 0 on the right."""
    K = walk_kernel(path("a", "b"), path("b", "c"), length=1, level="node", base="dirac")
    np.testing.assert_array_equal(K, [[0, 0], [1, 0]])
    K = subtree_kernel(path("a", "b"), path("b", "c"), depth=1, level="node")
    np.testing.assert_array_equal(K, [[0, 0], [1, 0]])


def bonds(*labels):
    """Return a path whose edges have labels."""
    graph = nx.path_graph(len(labels) + 1)
    nx.set_edge_attributes(graph, dict(zip(graph.edges, labels, strict=True)), "label")
    return graph


def test_steps_are_compared_by_edge_labels():
    """Walks of length 2 in 0 - 1 = 2: one along each edge in both directions."""
    single, double = bonds("-"), bonds("=")
    np.testing.assert_array_equal(
        subtree_kernel([single, double], depth=1), [[8, 4], [4, 8]]
    )
    for kernel in (walk_kernel, path_kernel, joint_kernel):
        K = kernel([single, double], length=2, base="dirac")
        np.testing.assert_array_equal(K, [[4, 0], [0, 4]])
        K = kernel([single, double], length=2, base="dirac", edge_features="none")
        np.testing.assert_array_equal(K, [[4, 4], [4, 4]])
        K = kernel([single, double], length=2, alpha=0.5)
        e = math.exp(-0.5)
        np.testing.assert_allclose(K, [[4, 4 * e], [4 * e, 4]])


def test_steps_are_compared_by_edge_attributes():
    left, right = nx.path_graph(2), nx.path_graph(2)
    left.edges[0, 1]["attributes"], right.edges[0, 1]["attributes"] = [0.0, 1.0], [3.0, 1.0]
    for kernel in (walk_kernel, path_kernel, joint_kernel):
        K = kernel(left, right, length=2, alpha=0.5)
        np.testing.assert_allclose(K, [[4 * math.exp(-0.25 * 9)]])


def test_edge_labels_of_both_sides_are_compared_by_value():
    """Codes differ: "=" is 1 on the left and 0 on the right."""
    K = walk_kernel(bonds("-", "="), bonds("=", "~"), length=2, base="dirac", level="node")
    np.testing.assert_array_equal(K, [[0, 0, 0], [0, 1, 0], [1, 0, 0]])


def test_attributes_and_labels_add_their_distances():
    left, right = nx.empty_graph(1), nx.empty_graph(1)
    left.add_node(0, label="a", attributes=[0.0, 1.0])
    right.add_node(0, label="b", attributes=[3.0, 1.0])
    K = walk_kernel(left, right, length=1, alpha=0.5)
    np.testing.assert_allclose(K, [[math.exp(-0.25 * (2 + 9))]])


def test_positive_and_negative_zero_are_equal_attributes():
    left, right = nx.empty_graph(1), nx.empty_graph(1)
    left.add_node(0, attributes=[0.0])
    right.add_node(0, attributes=[-0.0])
    assert walk_kernel(left, right, base="dirac") == [[1.0]]


def test_probabilities_depend_on_edge_weights():
    """From "c" the walk goes to "a" with probability 1/4 and to "b" with 3/4."""
    star = path("a", "c", "b")
    star.edges[0, 1]["weight"], star.edges[1, 2]["weight"] = 1.0, 3.0
    K = walk_kernel(star, length=2, level="node", base="dirac", weighting="probability")
    np.testing.assert_allclose(K, np.diag([1, 1 / 16 + 9 / 16, 1]))
    K = walk_kernel(star, length=2, level="node", base="dirac", weighting="count")
    np.testing.assert_allclose(K, np.diag([1, 2, 1]))


def test_walks_stay_at_dead_ends_and_paths_end():
    arc = nx.DiGraph([(0, 1)])
    K = walk_kernel(arc, length=3, level="node", alpha=0)
    np.testing.assert_array_equal(K, np.ones((2, 2)))
    K = path_kernel(arc, length=2, level="node", alpha=0)
    np.testing.assert_array_equal(K, [[1, 0], [0, 0]])


def test_anonymous_walk_kernel_of_edge_and_triangle():
    """The edge has 0-1-0 twice; the triangle has 0-1-0 and 0-1-2 six times each."""
    K = anonymous_walk_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4, 12], [12, 72]])
    e = math.exp(-0.5)  # they differ in one position
    K = anonymous_walk_kernel([EDGE, TRIANGLE], length=3, beta=0.5)
    expected = [[4, 12 + 12 * e], [12 + 12 * e, 72 + 72 * e]]
    np.testing.assert_allclose(K, expected)


def test_sum_and_joint_kernel_differ():
    """Walks of both graphs share patterns but no degrees: 0 jointly, 12 in the sum."""
    K = joint_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4, 0], [0, 72]])
    K = anonymous_random_walk_kernel([EDGE, TRIANGLE], length=3, base="dirac")
    np.testing.assert_array_equal(K, [[4 + 4, 12], [12, 144 + 72]])


def test_subtree_kernel_of_path():
    """Degrees are 1 2 2 1; one round separates neither the ends nor the middle nodes."""
    K = subtree_kernel(nx.path_graph(4), depth=1)
    assert K == [[2 * 2 * 2 + 2 * 2 * 2]]
    K = subtree_kernel([path("a", "a"), path("a", "b")], depth=1)
    np.testing.assert_array_equal(K, [[4 + 4, 2], [2, 2 + 2]])


def test_subtree_kernel_follows_directed_edges():
    """Initial colors are out-degrees 1, 1, 0; only node 1 is followed by a dead end."""
    K = subtree_kernel(nx.DiGraph([(0, 1), (1, 2)]), depth=2, level="node")
    np.testing.assert_array_equal(K, [[3, 1, 0], [1, 3, 0], [0, 0, 3]])


def test_only_joint_kernel_distinguishes_labels_of_rings():
    """A ring of six "a" and two rings of three "b", and the same with labels swapped."""
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


# Comparison with the definitions


def check(kernel, compare, graphs, n_left, **options):
    """Compare a kernel with its reference for both levels, with one and two inputs."""
    for A, B in ((graphs, None), (graphs[:n_left], graphs[n_left:])):
        others = graphs if B is None else B
        for level, matrix in (
            ("node", reference.node_matrix),
            ("graph", reference.graph_matrix),
        ):
            expected = np.array(matrix(A, others, compare), dtype=float)
            K = kernel(A, B, level=level, **options)
            np.testing.assert_allclose(K, expected.reshape(K.shape), rtol=1e-9, atol=1e-12)


@pytest.mark.reference
@pytest.mark.parametrize("name", ["walk", "path", "anonymous", "sum", "joint"])
@settings(max_examples=25)
@given(
    graphs=graph_lists(),
    length=st.integers(1, 3),
    n_left=st.integers(0, 4),
    options=option_values,
)
def test_kernel_is_sum_over_pairs_of_walks(name, graphs, length, n_left, options):
    alpha, beta, base = 0.7, 0.4, options["base"]

    def compare_nodes(g, u, h, v):
        def along(w, z):
            return reference.along(g, w, h, z, base, alpha)

        def pattern(w, z):
            return reference.pattern(w, z, base, beta)

        compare_walks = {
            "walk": along,
            "path": along,
            "anonymous": pattern,
            "sum": lambda w, z: along(w, z) + pattern(w, z),
            "joint": lambda w, z: along(w, z) * pattern(w, z),
        }[name]
        weighting, simple = options["weighting"], name == "path"
        return reference.walk_sum(
            g, u, h, v, length, weighting, compare_walks, simple=simple
        )

    bandwidths = {"alpha": alpha, "beta": beta}
    if name in {"walk", "path"}:
        del bandwidths["beta"]
    if name == "anonymous":
        del bandwidths["alpha"]
    check(
        KERNELS[name],
        compare_nodes,
        graphs,
        n_left,
        length=length,
        **bandwidths,
        **options,
    )


@pytest.mark.reference
@given(graphs=graph_lists(max_nodes=6), depth=st.integers(0, 3), n_left=st.integers(0, 4))
def test_subtree_kernel_compares_unfoldings(graphs, depth, n_left):
    def compare_nodes(g, u, h, v):
        return reference.subtree(g, u, h, v, depth)

    check(subtree_kernel, compare_nodes, graphs, n_left, depth=depth)


@pytest.mark.reference
def test_kernel_of_long_walks_is_sum_over_pairs():
    graph = nx.lollipop_graph(3, 2)
    for kernel, simple in ((walk_kernel, False), (path_kernel, True)):
        expected = reference.walk_sum(
            graph,
            0,
            graph,
            4,
            5,
            "probability",
            lambda w, z: reference.along(graph, w, graph, z, "gaussian", 0.3),
            simple=simple,
        )
        K = kernel(graph, length=5, level="node", alpha=0.3, weighting="probability")
        np.testing.assert_allclose(K[0, 4], expected)
        assert K[0, 4] > 0


# Laws


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@settings(max_examples=15)
@given(graphs=graph_lists())
def test_kernel_is_symmetric_and_positive_semidefinite(name, level, graphs):
    K = KERNELS[name](graphs, level=level, **LENGTHS[name])
    np.testing.assert_array_equal(K, K.T)
    if len(K):
        values = np.linalg.eigvalsh(K)
        assert values[0] > -1e-9 * max(1.0, values[-1])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@settings(max_examples=15)
@given(graphs=graph_lists())
def test_normalized_kernel_has_diagonal_of_ones_or_zeros(name, level, graphs):
    raw = KERNELS[name](graphs, level=level, **LENGTHS[name])
    K = KERNELS[name](graphs, level=level, normalize=True, **LENGTHS[name])
    np.testing.assert_allclose(K.diagonal(), raw.diagonal() > 0)
    roots = np.sqrt(raw.diagonal())
    np.testing.assert_allclose(K * np.outer(roots, roots), raw, atol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@pytest.mark.parametrize("normalize", [False, True])
@settings(max_examples=15)
@given(graphs=graph_lists(), n_left=st.integers(0, 4))
def test_kernel_of_two_inputs_is_block_of_kernel_of_union(
    name, level, normalize, graphs, n_left
):
    A, B = graphs[:n_left], graphs[n_left:]
    options = {"level": level, "normalize": normalize, **LENGTHS[name]}
    union = KERNELS[name](graphs, **options)
    n_rows = len(A) if level == "graph" else sum(map(len, A))
    np.testing.assert_allclose(
        KERNELS[name](A, B, **options), union[:n_rows, n_rows:], rtol=1e-9, atol=1e-12
    )


def with_edge_data(batch, seed):
    """Give every arc a label and an attribute."""
    n_entries, generator = batch.adjacency.nnz, np.random.default_rng(seed)
    return replace(
        batch,
        edge_labels=generator.integers(0, 2, n_entries),
        edge_label_values=("-", "="),
        edge_attributes=generator.integers(0, 3, (n_entries, 1)).astype(float),
    )


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("level", ["graph", "node"])
@pytest.mark.parametrize("has_edge_data", [False, True])
def test_kernel_does_not_depend_on_block_and_chunk_size(
    name, level, has_edge_data, monkeypatch
):
    batch = datasets.load("structure").graphs[:12]
    if has_edge_data:
        batch = with_edge_data(batch, 0)
    batch = GraphBatch.concat([batch[:5], as_batch([nx.empty_graph(0)]), batch[5:]])
    options = {"level": level, "normalize": True, **LENGTHS[name]}

    def compute():
        return [KERNELS[name](batch, other, **options) for other in (None, batch[3:7])]

    expected = compute()
    monkeypatch.setattr(_inputs, "KERNEL_BLOCK_NODES", 50)
    monkeypatch.setattr(_terms, "KERNEL_CHUNK_CELLS", 2**10)
    for one, other in zip(expected, compute(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
    assert (expected[0][batch.node_graphs != 5 if level == "node" else 6] > 0).any()


def test_graph_without_nodes_has_similarity_zero():
    graphs = [nx.empty_graph(0), EDGE]
    for name, kernel in KERNELS.items():
        for normalize in (False, True):
            K = kernel(graphs, normalize=normalize, **LENGTHS[name])
            assert K.shape == (2, 2)
            assert not K[0].any()
            assert not K[:, 0].any()
            assert kernel([], graphs, **LENGTHS[name]).shape == (0, 2)
            assert kernel([], level="node", normalize=normalize).shape == (0, 0)


def test_input_without_nodes_needs_no_labels():
    K = walk_kernel([nx.empty_graph(0)], path("a", "b"))
    np.testing.assert_array_equal(K, [[0]])


# Comparison with other libraries


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_subtree_kernel_equals_grakel(grakel, depth):
    """GraKeL compares h + 1 rounds for n_iter=h."""
    rng = np.random.default_rng(depth)
    graphs = [
        nx.gnp_random_graph(9, 0.35, seed=int(seed)) for seed in rng.integers(99, size=8)
    ]
    for graph in graphs:
        # GraKeL does not support graphs without edges and isolated nodes.
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


def test_kernel_works_with_precomputed_svc():
    graphs = as_batch(
        [nx.cycle_graph(n) for n in range(3, 9)] + [nx.path_graph(n) for n in range(3, 9)]
    )
    y = np.repeat([0, 1], 6)
    train = np.arange(12) % 3 != 0
    model = SVC(kernel="precomputed", C=1000)
    model.fit(walk_kernel(graphs[train], normalize=True), y[train])
    K = walk_kernel(graphs[~train], graphs[train], normalize=True)
    np.testing.assert_array_equal(model.predict(K), y[~train])


# Expressive power


@pytest.mark.parametrize("k", [3, 4])
def test_only_anonymous_walk_kernel_distinguishes_rings(k):
    rings = datasets.rings(k).graphs
    for K in (
        walk_kernel(rings, length=k + 2, normalize=True),
        subtree_kernel(rings, depth=k + 1, normalize=True),
        anonymous_walk_kernel(rings, length=k, normalize=True),
    ):
        np.testing.assert_allclose(K, np.ones((2, 2)))
    K = anonymous_walk_kernel(rings, length=k + 1, normalize=True)
    assert K[0, 1] < 1 - 1e-6


def test_joint_kernel_with_bandwidth_zero_is_walk_or_anonymous_kernel():
    graphs = [path("a", "b", "b"), path("b", "a", "a", "b")]
    K = joint_kernel(graphs, length=4, beta=0, alpha=0.8)
    np.testing.assert_allclose(K, walk_kernel(graphs, length=4, alpha=0.8))
    K = joint_kernel(graphs, length=4, alpha=0, beta=0.8)
    np.testing.assert_allclose(K, anonymous_walk_kernel(graphs, length=4, beta=0.8))


def test_anonymous_walks_can_have_different_length():
    K = anonymous_random_walk_kernel([EDGE, TRIANGLE], length=2, anonymous_length=4)
    expected = walk_kernel([EDGE, TRIANGLE], length=2)
    expected += anonymous_walk_kernel([EDGE, TRIANGLE], length=4)
    np.testing.assert_allclose(K, expected)


# Errors


def with_attributes(*attributes):
    graph = nx.path_graph(len(attributes))
    nx.set_node_attributes(graph, dict(enumerate(map(list, attributes))), "attributes")
    return graph


def edge_attributes(*values):
    graph = nx.path_graph(2)
    graph.edges[0, 1]["attributes"] = list(values)
    return graph


@pytest.mark.parametrize("name", ["walk", "path", "subtree", "sum", "joint"])
@pytest.mark.parametrize(
    ("A", "B", "message"),
    [
        (path("a", "b"), EDGE, "A has node labels and B has none"),
        (EDGE, path("a", "b"), "B has node labels and A has none"),
        (with_attributes([1.0]), EDGE, "A has node attributes and B has none"),
        (with_attributes([1.0]), with_attributes([1.0, 2.0]), "1 attributes .* have 2;"),
        (bonds("-"), EDGE, "A has edge labels and B has none"),
        (EDGE, edge_attributes(1.0), "B has edge attributes and A has none"),
        (edge_attributes(1.0), edge_attributes(1.0, 2.0), "edges of A have 1 attributes"),
    ],
)
def test_different_node_data_of_inputs_raise(name, A, B, message):
    with pytest.raises(InputError, match=message):
        KERNELS[name](A, B)


INVALID = [
    {"length": 0},
    {"depth": -1},
    {"level": "edge"},
    {"base": "linear"},
    {"weighting": "sum"},
    {"edge_features": "bonds"},
    {"edge_features": "labels"},
    {"alpha": -1.0},
    {"alpha": math.inf},
    {"beta": "wide"},
    {"normalize": 2},
    {"anonymous_length": 9},
]


@pytest.mark.parametrize(
    ("name", "invalid"),
    [
        (name, invalid)
        for name, kernel in KERNELS.items()
        for invalid in INVALID
        if invalid.keys() <= kernel.__kwdefaults__.keys()
    ],
)
def test_invalid_option_raises(name, invalid):
    (option,) = invalid
    with pytest.raises(InputError, match=option):
        KERNELS[name](EDGE, **invalid)


def test_pattern_length_above_exact_limit_raises():
    with pytest.raises(InputError, match="^length must be at most 8.*got 9"):
        anonymous_random_walk_kernel(EDGE, length=9)


def test_too_many_walks_raise(monkeypatch):
    monkeypatch.setattr(_enumeration, "MAX_ENUMERATED_WALKS", 10_000)
    with pytest.raises(InputError, match="15972 walks of 4 nodes.*10000.*length"):
        joint_kernel(nx.complete_graph(12), length=5)
    monkeypatch.setattr(_enumeration, "MAX_WALK_PAIRS", 100)
    with pytest.raises(InputError, match="12 walks with 12 needs 1.4e\\+02 pairs"):
        joint_kernel(TRIANGLE, length=3)
    assert path_kernel(TRIANGLE, length=3, alpha=0) == [
        [36]
    ]  # 6 x 6 paths are below the limit


def test_too_large_matrix_raises(monkeypatch):
    monkeypatch.setattr(_inputs, "MAX_KERNEL_CELLS", 24)
    graphs = [nx.path_graph(4), nx.path_graph(3)]
    assert walk_kernel(graphs).shape == (2, 2)
    with pytest.raises(InputError, match="7 nodes with 7 in the batches"):
        walk_kernel(graphs, level="node")
    with pytest.raises(InputError, match="5 nodes with 5 in two graphs"):
        walk_kernel(nx.path_graph(5))


@pytest.mark.parametrize("normalize", [False, True])
def test_overflow_raises(normalize):
    clique = nx.complete_graph(30)
    with pytest.raises(InputError, match="larger than the largest float.*probability"):
        walk_kernel(clique, length=200, normalize=normalize)
    K = walk_kernel(clique, length=200, weighting="probability")
    np.testing.assert_allclose(K, [[900]])
