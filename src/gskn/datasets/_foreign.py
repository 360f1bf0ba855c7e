"""Public text forms of PTC and EXP, rewritten as the files of the TU format."""

from itertools import pairwise

import numpy as np

from gskn._types import AnyArray, IndexArray
from gskn.exceptions import FileFormatError

# The public file of PTC numbers atom types by rank; the TU files by type.
_PTC_LABELS = np.array([*range(1, 10), 11, *range(13, 22)])


def tu_texts_from_gspan(graphs: str, classes: str) -> dict[str, str]:
    """Convert ``t # g``, ``v node label``, ``e node node bond`` and ``class graph``."""
    rows = [line.split() for line in graphs.splitlines() if line.strip()]
    try:
        starts = [number for number, row in enumerate(rows) if row[0] == "t"]
        nodes = [
            [int(row[2]) for row in rows[a:b] if row[0] == "v"]
            for a, b in pairwise([*starts, len(rows)])
        ]
        edges = [
            [(int(row[1]), int(row[2])) for row in rows[a:b] if row[0] == "e"]
            for a, b in pairwise([*starts, len(rows)])
        ]
        listed = sorted(
            (int(graph), int(kind)) for kind, graph in map(str.split, classes.splitlines())
        )
        labels = _PTC_LABELS[np.concatenate(nodes)]
    except (ValueError, IndexError) as error:
        raise FileFormatError("the download", f"not in gSpan form: {error}") from error
    return _tu_texts(
        [len(graph) for graph in nodes],
        [np.array(graph).reshape(-1, 2) for graph in edges],
        labels,
        np.array([kind for _, kind in listed]),
    )


def tu_texts_from_neighbours(text: str) -> dict[str, str]:
    """Convert ``n class``, then a line ``label n_neighbours neighbours...`` per node."""
    try:
        rows = [list(map(int, line.split())) for line in text.splitlines() if line.strip()]
        sizes, classes, labels, edges = [], [], [], []
        position = 1
        for _ in range(rows[0][0]):
            n_nodes, kind = rows[position]
            nodes = rows[position + 1 : position + 1 + n_nodes]
            sizes.append(n_nodes)
            classes.append(kind)
            labels += [row[0] for row in nodes]
            pairs = [(node, other) for node, row in enumerate(nodes) for other in row[2:]]
            edges.append(np.array(pairs).reshape(-1, 2))
            position += 1 + n_nodes
    except (ValueError, IndexError) as error:
        raise FileFormatError(
            "the download", f"not lists of neighbours: {error}"
        ) from error
    return _tu_texts(sizes, edges, np.array(labels), np.array(classes))


def _tu_texts(
    sizes: list[int], edges: list[IndexArray], labels: AnyArray, classes: AnyArray
) -> dict[str, str]:
    first = np.concatenate(([0], np.cumsum(sizes)))
    joined = np.concatenate(
        [pairs + start + 1 for pairs, start in zip(edges, first, strict=False)]
    )
    both = np.unique(np.concatenate([joined, joined[:, ::-1]]), axis=0)
    indicator = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return {
        "A": "".join(f"{a}, {b}\n" for a, b in both.tolist()),
        "graph_indicator": _lines(indicator),
        "graph_labels": _lines(classes),
        "node_labels": _lines(labels),
    }


def _lines(values: AnyArray) -> str:
    return "".join(f"{value}\n" for value in values.tolist())
