import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gskn import as_batch
from gskn.baselines import HashGraphKernel, ShortestPathKernel, WLKernel
from gskn.exceptions import InputError
from tests.baselines.test_shortest_path import slow_counts
from tests.baselines.test_wl import as_given, random_graphs
from tests.baselines.test_wl import slow_kernel as slow_wl
from tests.baselines.test_wwl import with_attributes, with_reversed_nodes


def as_both(graphs, **options):
    return as_batch(graphs, node_attributes="x", **options)


def with_bins(graphs, model, number, with_labels):
    """Return copies of the graphs whose labels are the bins of one hash function."""
    rows = np.array([g.nodes[v]["x"] for g in graphs for v in g])
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    projected = rows @ model.directions_[:, number] + model.offsets_[number]
    bins = iter(np.floor(projected / model.width).astype(int).tolist())
    result = []
    for graph in graphs:
        copied = nx.Graph(graph.edges)
        for node in graph:
            label = (graph.nodes[node]["label"],) if with_labels else ()
            copied.add_node(node, label=(*label, next(bins)))
        result.append(copied)
    return result


def paired_wl(graphs, n_iterations):
    """Refine labels and bins separately and compare pairs of both colors."""
    total = np.zeros((len(graphs), len(graphs)))
    colors = [
        [{v: g.nodes[v]["label"][part] for v in g} for part in (0, 1)] for g in graphs
    ]
    for _ in range(n_iterations + 1):
        counts = [
            Counter((repr(one[v]), repr(two[v])) for v in g)
            for g, (one, two) in zip(graphs, colors, strict=True)
        ]
        total += [[sum(a[k] * b[k] for k in a) for b in counts] for a in counts]
        colors = [
            [
                {v: (part[v], sorted((part[w] for w in g[v]), key=repr)) for v in g}
                for part in both
            ]
            for g, both in zip(graphs, colors, strict=True)
        ]
    return total


@settings(max_examples=15)
@given(st.integers(0, 2**20), st.booleans(), st.sampled_from([0.5, 1.0, 3.0]))
def test_wl_kernel_is_mean_over_hashes(seed, with_labels, width):
    graphs = with_attributes(seed)
    model = HashGraphKernel(
        "wl",
        n_hashes=3,
        width=width,
        n_iterations=2,
        node_features="auto" if with_labels else "attributes",
        normalize=False,
        random_state=seed,
    )
    found = model.fit_transform(as_both(graphs))
    hashed = [with_bins(graphs, model, number, with_labels) for number in range(3)]
    slow = paired_wl if with_labels else slow_wl
    np.testing.assert_allclose(
        found, np.mean([slow(copies, 2) for copies in hashed], axis=0)
    )


@settings(max_examples=15)
@given(st.integers(0, 2**20), st.booleans())
def test_shortest_path_kernel_is_mean_over_hashes(seed, with_labels):
    graphs = with_attributes(seed)
    model = HashGraphKernel(
        "sp",
        n_hashes=3,
        node_features="auto" if with_labels else "attributes",
        normalize=False,
        random_state=seed,
    )
    found = model.fit_transform(as_both(graphs))
    expected = np.zeros_like(found)
    for number in range(3):
        counts = [slow_counts(g) for g in with_bins(graphs, model, number, with_labels)]
        expected += [[sum(a[k] * b[k] for k in a) for b in counts] for a in counts]
    np.testing.assert_allclose(found, expected / 3)


@pytest.mark.parametrize(
    ("base", "plain"), [("wl", WLKernel(3)), ("sp", ShortestPathKernel())]
)
def test_constant_attributes_give_kernel_of_labels(base, plain):
    graphs = random_graphs(4)
    for graph in graphs:
        nx.set_node_attributes(graph, 2.5, "x")
    found = HashGraphKernel(base, random_state=0).fit_transform(as_both(graphs))
    np.testing.assert_allclose(found, plain.fit_transform(as_given(graphs)), atol=1e-12)


def test_collision_probability_equals_theory():
    """2-stable hashing (Datar et al., 2004) with distance c, bins of width w, r = w / c:
    1 - 2 Phi(-r) - 2 / (sqrt(2 pi) r) (1 - exp(-r^2 / 2))."""
    graphs = [nx.empty_graph(1), nx.empty_graph(1)]
    for graph, value in zip(graphs, (0.0, 5.0), strict=True):
        graph.nodes[0]["x"] = value  # standardized: -1 and 1, a distance of 2
    model = HashGraphKernel(n_hashes=4_000, width=3.0, n_iterations=0, random_state=0)
    found = model.fit_transform(as_both(graphs))[0, 1]
    ratio = 3.0 / 2
    normal = 0.5 * math.erfc(ratio / math.sqrt(2))
    correction = 2 / (math.sqrt(2 * math.pi) * ratio) * (1 - math.exp(-(ratio**2) / 2))
    assert found == pytest.approx(
        1 - 2 * normal - correction, abs=0.03
    )  # four standard deviations


@pytest.mark.parametrize("base", ["wl", "sp"])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**20))
def test_kernel_is_symmetric_and_consistent(base, seed):
    graphs = with_attributes(seed, 8)
    batch = as_both(graphs)
    model = HashGraphKernel(base, n_hashes=4, random_state=1)
    whole = model.fit_transform(batch)
    np.testing.assert_array_equal(whole, whole.T)
    assert np.linalg.eigvalsh(whole).min() > -1e-9
    np.testing.assert_allclose(model.transform(batch[5:]), whole[5:], atol=1e-12)
    reversed_batch = as_both([with_reversed_nodes(graph) for graph in graphs])
    np.testing.assert_allclose(model.transform(reversed_batch), whole, atol=1e-12)
    np.testing.assert_array_equal(model.fit_transform(batch), whole)  # same seed


def test_attributes_far_outside_training_range_are_accepted():
    graphs = with_attributes(2)
    model = HashGraphKernel(random_state=0).fit(as_both(graphs))
    nx.set_node_attributes(graphs[0], [1e30, -1e30], "x")
    assert model.transform(as_both(graphs[:1])).max() == 0


def test_unsupported_input_raises():
    with pytest.raises(InputError, match="hash graph kernel compares node attributes"):
        HashGraphKernel().fit(as_given(random_graphs(0)))
    with pytest.raises(InputError, match="width must be above 0"):
        HashGraphKernel(width=0).fit(as_both(with_attributes(0)))
    supported = r"\('attributes',\), \('labels', 'attributes'\), got 'labels'"
    with pytest.raises(
        InputError, match=f"node_features must be one of 'auto', {supported}"
    ):
        HashGraphKernel(node_features="labels").fit(as_both(with_attributes(0)))
