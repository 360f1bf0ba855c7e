"""Baselines that do not compare edges name themselves in a warning."""

import warnings

import networkx as nx
import pytest

from gskn import as_batch
from gskn.baselines import BASELINES, WLKernel, WLOAKernel
from gskn.estimators import ColorHistogram
from gskn.exceptions import UnusedDataWarning


def bonds():
    """Return rings of atoms with labels and attributes, whose bonds have labels."""
    graphs = [nx.cycle_graph(size) for size in (4, 5, 6)]
    for graph in graphs:
        nx.set_node_attributes(graph, "C", "label")
        nx.set_node_attributes(graph, {node: [node / 2] for node in graph}, "attributes")
        nx.set_edge_attributes(graph, "single", "label")
    return as_batch(graphs)


@pytest.mark.parametrize("baseline", BASELINES)
def test_unused_edge_labels_are_reported(baseline):
    if baseline.extra is not None:
        pytest.importorskip({"baselines": "ot"}.get(baseline.extra, baseline.extra))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        baseline().fit(bonds())
    messages = [str(w.message) for w in caught if w.category is UnusedDataWarning]
    expected = f"Edge labels are not used by {baseline.__name__}."
    assert [message.split(". ")[0] + "." for message in messages] == (
        [] if baseline.uses_edges else [expected]
    )


@pytest.mark.parametrize("kind", [WLKernel, WLOAKernel, ColorHistogram])
def test_unused_edge_attributes_are_reported(kind):
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(
        graph, {edge: {"label": "-", "attributes": [1.0]} for edge in graph.edges}
    )
    message = f"Edge attributes are not used by {kind.__name__}.*with edge_attributes=None"
    with pytest.warns(UnusedDataWarning, match=message):
        kind().fit([graph])
    kind().fit(as_batch([graph], edge_attributes=None))


def test_excluded_edge_data_is_not_reported():
    WLKernel(edge_features="none").fit(bonds())
    ColorHistogram(labels=False).fit(bonds())


@pytest.mark.parametrize("baseline", BASELINES)
def test_graphs_without_edge_data_are_not_reported(baseline):
    if baseline.extra is not None:
        pytest.importorskip({"baselines": "ot"}.get(baseline.extra, baseline.extra))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnusedDataWarning)
        baseline().fit(bonds().without_edge_data())
