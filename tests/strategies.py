"""Graphs of every awkward kind: empty, looped, repeated, weighted, labelled, directed."""

from hypothesis import strategies as st

from tests.reference.graphs import Spec

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0])
LABELS = st.sampled_from([0, 7, -1, "C", "N", ("a", 1), 2.5])
NUMBERS = st.integers(-8, 8).map(lambda value: value / 4)


@st.composite
def specs(
    draw,
    *,
    labelled=False,
    n_attributes=0,
    weighted=None,
    directed=None,
    edge_labelled=False,
    n_edge_attributes=0,
):
    """Draw one graph; None leaves weights or direction to chance."""
    n_nodes = draw(st.integers(0, 6))
    directed = draw(st.booleans()) if directed is None else directed
    weighted = draw(st.booleans()) if weighted is None else weighted
    edges = []
    if n_nodes:
        node = st.integers(0, n_nodes - 1)
        edges = draw(st.lists(st.tuples(node, node), max_size=12))
    if not directed:
        edges = [(min(edge), max(edge)) for edge in edges]
    row = st.lists(NUMBERS, min_size=n_attributes, max_size=n_attributes)
    return Spec(
        n_nodes,
        edges,
        draw(_exactly(len(edges), WEIGHTS)) if weighted else None,
        draw(_exactly(n_nodes, LABELS)) if labelled else None,
        draw(_exactly(n_nodes, row)) if n_attributes else None,
        directed,
        _by_pair(draw, edges, LABELS) if edge_labelled else None,
        _by_pair(draw, edges, _row(n_edge_attributes)) if n_edge_attributes else None,
    )


def _by_pair(draw, edges, elements):
    """Draw one value per pair of nodes, because equal edges must have equal values."""
    values = {pair: draw(elements) for pair in sorted(set(edges))}
    return [values[pair] for pair in edges]


def _row(n_columns):
    return st.lists(NUMBERS, min_size=n_columns, max_size=n_columns)


@st.composite
def spec_lists(draw, min_size=0, **options):
    """Draw graphs that agree on whether nodes have labels and attributes."""
    options.setdefault("labelled", draw(st.booleans()))
    options.setdefault("n_attributes", draw(st.integers(0, 2)))
    return draw(st.lists(specs(**options), min_size=min_size, max_size=4))


def edge_spec_lists(**options):
    """Draw graphs with labels and attributes of edges, both or one of them."""
    kinds = st.sampled_from([(True, 0), (False, 2), (True, 1)])
    return kinds.flatmap(
        lambda kind: spec_lists(edge_labelled=kind[0], n_edge_attributes=kind[1], **options)
    )


def _exactly(count, elements):
    return st.lists(elements, min_size=count, max_size=count)
