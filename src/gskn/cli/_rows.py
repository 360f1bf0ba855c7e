"""Write one row per graph or node, computed chunk by chunk."""

import json
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gskn import GSKN
    from gskn._row_files import Write
    from gskn._types import FloatArray, IndexArray, NameArray
    from gskn.cli._workers import MapChunks
    from gskn.graphs import GraphBatch

MakeRows: TypeAlias = "Callable[[GraphBatch], tuple[dict[str, NameArray], FloatArray]]"

_MAX_LABELS = 3  # in a warning


def write_rows(
    chunks: "Iterable[GraphBatch]",
    out: Path | None,
    columns: Sequence[str],
    metadata: dict[str, str],
    make_rows: MakeRows,
    *,
    level: str = "graph",
    map_chunks: "MapChunks" = map,
) -> int:
    """Write the ids and numbers of all chunks and return the number of rows.

    None writes csv to stdout. A file is written completely or not at all.
    """
    from gskn.exceptions import InputError

    n_rows = 0
    with _open_rows(out, columns, metadata) as write:
        for ids, values in map_chunks(make_rows, chunks):
            write(ids, values)
            n_rows += len(values)
        if not n_rows:
            raise InputError(f"There are no {level}s in the input.")
    return n_rows


def _open_rows(
    out: Path | None, columns: Sequence[str], metadata: dict[str, str]
) -> "AbstractContextManager[Write]":
    from gskn._row_files import open_row_file, open_row_stream
    from gskn.exceptions import InputError

    if out is not None:
        return open_row_file(out, columns, metadata)
    if sys.stdout is None:
        raise InputError("The standard output is closed; give a file with -o.")
    return open_row_stream(sys.stdout.buffer, columns)


def graph_names(chunk: "GraphBatch") -> "NameArray":
    """Return the names of the graphs as valid UTF-8."""
    if chunk.graph_names is None:
        raise AssertionError("iter_graphs sets all names")
    return as_utf8(chunk.graph_names)


def as_utf8(names: "NameArray") -> "NameArray":
    """Escape names that are not valid UTF-8, as file names may be."""
    if names.dtype.kind == "i":
        return names
    try:
        "".join(map(str, names)).encode()
    except UnicodeEncodeError:
        names = names.copy()
        names[:] = [str(name).encode(errors="backslashreplace").decode() for name in names]
    return names


def watch_labels(chunks: "Iterable[GraphBatch]", model: "GSKN") -> "Iterator[GraphBatch]":
    """Yield chunks; warn at the end about labels that no training graph has."""
    edges = model.edge_encoder_
    nodes = _Unseen("nodes", getattr(model.encoder_, "label_values_", ()))
    steps = _Unseen("edges", () if edges is None else edges.label_values)
    for chunk in chunks:
        yield chunk
        nodes.count(chunk.node_labels, chunk.label_values)
        steps.count(_label_per_edge(chunk), chunk.edge_label_values)
    nodes.warn()
    steps.warn()


def _label_per_edge(chunk: "GraphBatch") -> "IndexArray | None":
    """Return one label for every edge; an undirected edge has two entries."""
    import numpy as np

    if chunk.edge_labels is None:
        return None
    sources = np.repeat(np.arange(chunk.n_nodes), chunk.degrees)
    is_first = sources <= chunk.adjacency.indices
    labels: IndexArray = chunk.edge_labels[
        is_first | chunk.directed[chunk.node_graphs[sources]]
    ]
    return labels


class _Unseen:
    """Labels that no training graph has."""

    def __init__(self, kind: str, known: Sequence[Hashable]) -> None:
        self._kind = kind
        self._known = set(known)
        self._n_labels = self._n_unseen = 0
        self._examples: dict[Hashable, None] = {}

    def count(self, labels: "IndexArray | None", values: Sequence[Hashable]) -> None:
        """Count the labels of a chunk, given as indices into ``values``."""
        import numpy as np

        if labels is None or not self._known:
            return
        is_unseen = np.array([value not in self._known for value in values], dtype=bool)
        unseen = labels[is_unseen[labels]]
        self._n_labels += len(labels)
        self._n_unseen += len(unseen)
        if len(self._examples) < _MAX_LABELS:
            self._examples |= dict.fromkeys(values[n] for n in np.unique(unseen))

    def warn(self) -> None:
        """Warn if there were any."""
        from gskn._validation import shorten
        from gskn.exceptions import GsknWarning

        if not self._n_unseen:
            return
        listed = ", ".join(shorten(label) for label in list(self._examples)[:_MAX_LABELS])
        warnings.warn(
            f"{self._n_unseen:,} of {self._n_labels:,} {self._kind} have labels that no "
            f"training graph has, for instance {listed}. They are treated as one unknown "
            "label.",
            GsknWarning,
            stacklevel=1,
        )


def metadata_of(model: "GSKN") -> dict[str, str]:
    """Return the version and the parameters of an embedding, for parquet files."""
    from gskn import __version__

    parameters = json.dumps(model.get_params(deep=False))
    return {"gskn_version": __version__, "gskn_parameters": parameters}
