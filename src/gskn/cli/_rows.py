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
    from gskn._types import FloatArray, NameArray
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
) -> int:
    """Write the ids and numbers of all chunks and return the number of rows.

    None writes csv to stdout. A file is written completely or not at all.
    """
    from gskn.exceptions import InputError

    n_rows = 0
    with _open_rows(out, columns, metadata) as write:
        for chunk in chunks:
            ids, values = make_rows(chunk)
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
    """Yield chunks; warn at the end about node labels that no training graph has."""
    import numpy as np

    from gskn._validation import shorten
    from gskn.exceptions import GsknWarning

    known_labels = set(getattr(model.encoder_, "label_values_", ()))
    n_nodes = n_unseen = 0
    examples: dict[Hashable, None] = {}
    for chunk in chunks:
        yield chunk
        n_nodes += chunk.n_nodes
        if chunk.node_labels is not None and known_labels:
            is_unseen = np.array([v not in known_labels for v in chunk.label_values])
            unseen = chunk.node_labels[is_unseen[chunk.node_labels]]
            n_unseen += len(unseen)
            if len(examples) < _MAX_LABELS:
                examples |= dict.fromkeys(chunk.label_values[n] for n in np.unique(unseen))
    if n_unseen:
        listed = ", ".join(shorten(label) for label in list(examples)[:_MAX_LABELS])
        warnings.warn(
            f"{n_unseen:,} of {n_nodes:,} nodes have labels that no training graph has, "
            f"for instance {listed}. They are treated as one unknown label.",
            GsknWarning,
            stacklevel=1,
        )


def metadata_of(model: "GSKN") -> dict[str, str]:
    """Return the version and the parameters of an embedding, for parquet files."""
    from gskn import __version__

    parameters = json.dumps(model.get_params(deep=False))
    return {"gskn_version": __version__, "gskn_parameters": parameters}
