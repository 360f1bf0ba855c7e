"""Conversion of the published text files of PTC and EXP to the TU format."""

from itertools import pairwise

import numpy as np

from gskn._types import AnyArray, IndexArray
from gskn.exceptions import FileFormatError, describe_error

# Atom types are ranks in the published file of PTC, but not in the TU format.
_PTC_LABELS = np.array([*range(1, 10), 11, *range(13, 22)])
_MALFORMED = (ValueError, TypeError, LookupError, OverflowError)


def tu_texts_from_gspan(graphs: str, classes: str) -> dict[str, str]:
    """Convert lines ``t # g``, ``v node label``, ``e node node bond``; ``class graph``."""
    try:
        return _convert_gspan(graphs, classes)
    except _MALFORMED as error:
        raise FileFormatError(
            "the download", f"not in gSpan format: {describe_error(error)}"
        ) from error


def tu_texts_from_neighbors(text: str) -> dict[str, str]:
    """Convert lines ``n class`` with n lines ``label n_neighbors neighbors...`` each."""
    try:
        return _convert_neighbors(text)
    except _MALFORMED as error:
        raise FileFormatError(
            "the download", f"not lists of neighbors: {describe_error(error)}"
        ) from error


def _convert_gspan(graphs: str, classes: str) -> dict[str, str]:
    rows = [line.split() for line in graphs.splitlines() if line.strip()]
    starts = [number for number, row in enumerate(rows) if row[0] == "t"]
    nodes = [
        [int(row[2]) for row in rows[a:b] if row[0] == "v"]
        for a, b in pairwise([*starts, len(rows)])
    ]
    edges = [
        [(int(row[1]), int(row[2])) for row in rows[a:b] if row[0] == "e"]
        for a, b in pairwise([*starts, len(rows)])
    ]
    pairs = sorted(
        (int(graph), int(value)) for value, graph in map(str.split, classes.splitlines())
    )
    return _tu_texts(
        [len(graph) for graph in nodes],
        [np.array(graph).reshape(-1, 2) for graph in edges],
        _PTC_LABELS[np.concatenate(nodes)],
        np.array([value for _, value in pairs]),
    )


def _convert_neighbors(text: str) -> dict[str, str]:
    rows = [list(map(int, line.split())) for line in text.splitlines() if line.strip()]
    sizes, classes, labels, edges = [], [], [], []
    position = 1
    for number in range(rows[0][0]):
        n_nodes, value = rows[position]
        nodes = rows[position + 1 : position + 1 + max(n_nodes, 0)]
        if len(nodes) != n_nodes:
            raise ValueError(f"graph {number} has only {len(nodes)} of {n_nodes} nodes")
        sizes.append(n_nodes)
        classes.append(value)
        labels += [row[0] for row in nodes]
        pairs = [(node, other) for node, row in enumerate(nodes) for other in row[2:]]
        edges.append(np.array(pairs).reshape(-1, 2))
        position += 1 + n_nodes
    return _tu_texts(sizes, edges, np.array(labels), np.array(classes))


def _tu_texts(
    sizes: list[int], edges: list[IndexArray], labels: AnyArray, classes: AnyArray
) -> dict[str, str]:
    for number, (pairs, size) in enumerate(zip(edges, sizes, strict=True)):
        if pairs.size and (pairs.min() < 0 or pairs.max() >= size):
            raise ValueError(f"graph {number} has an edge with a node that is out of range")
    first = np.concatenate(([0], np.cumsum(sizes)))
    joined = np.concatenate(
        [pairs + start + 1 for pairs, start in zip(edges, first, strict=False)]
    )
    both = np.unique(np.concatenate([joined, joined[:, ::-1]]), axis=0)
    indicator = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return {
        "A": "".join(f"{a}, {b}\n" for a, b in both.astype(np.int64).tolist()),
        "graph_indicator": _lines(indicator),
        "graph_labels": _lines(classes),
        "node_labels": _lines(labels),
    }


def _lines(values: AnyArray) -> str:
    return "".join(f"{value}\n" for value in values.tolist())
