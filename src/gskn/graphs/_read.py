"""read_graphs: files and folders of graphs."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from gskn._optional import require
from gskn.exceptions import (
    FileFormatError,
    GsknWarning,
    InputError,
    MissingFileError,
)
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._edgelist import read_edge_list, read_parquet
from gskn.graphs._folder import Folder
from gskn.graphs._graph6 import read_graph6
from gskn.graphs._molecules import read_sdf, read_smiles
from gskn.graphs._networkx import from_networkx
from gskn.graphs._options import ReadOptions
from gskn.graphs._tu import find_tu_name, read_tu


def read_graphs(path: str | Path, *, options: ReadOptions | None = None) -> GraphBatch:
    """Read the graphs of a file, or of all files of a folder, into one batch.

    Parameters
    ----------
    path : str or Path
        The format follows from the name:

        - ``.graphml``, ``.gml`` and ``.json`` (node-link), with the networkx extra;
        - ``.csv``, ``.tsv``, ``.edgelist``, ``.edges``, ``.txt`` and ``.parquet``: one
          edge a line, with a header (``source``, ``target``, maybe ``graph``,
          ``weight``) or without (source, target, maybe weight);
        - ``.g6`` and ``.graph6``: one graph a line;
        - ``.smi``, ``.smiles`` and ``.sdf``: molecules, with the rdkit extra;
        - a folder or ``.zip`` with ``NAME_A.txt``: the TU format;
        - any other folder: all of these in it, in the order of their names.
    options : ReadOptions, default=None
        What `as_batch` was told; call that to name labels, attributes and weights.

    Returns
    -------
    batch : GraphBatch
        Graphs are named after their file, and numbered where a file holds several.

    Raises
    ------
    FileFormatError
        A malformed file; names it and, where one is at fault, the line.
    """
    path = Path(path)
    options = options or ReadOptions()
    if not path.exists():
        raise MissingFileError(f"There is no file or folder {str(path)!r}.")
    if path.is_dir() or path.suffix.lower() == ".zip":
        name = find_tu_name(Folder(path))
        if name is not None:
            return read_tu(path).graphs
        if path.is_dir():
            return _read_folder(path, options)
        raise FileFormatError(path, "the archive holds no file NAME_A.txt of the TU format")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FileFormatError(
            path,
            f"no graphs are known by the suffix {path.suffix!r}; known: {_known()}",
        )
    return _read_file(path, reader, options)


def _read_file(path: Path, reader: "_Reader", options: ReadOptions) -> GraphBatch:
    try:
        parts = reader(path, options)
        batch = assemble(parts)
    except InputError as error:
        raise FileFormatError(path, str(error)) from error
    except (UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise FileFormatError(path, f"not readable as {path.suffix}: {error}") from error
    return _named(batch, path.stem)


def _read_folder(path: Path, options: ReadOptions) -> GraphBatch:
    batches, unknown = [], []
    for child in sorted(path.iterdir(), key=_natural):
        if child.name.startswith("."):
            continue
        if child.is_dir() or child.suffix.lower() in {*_READERS, ".zip"}:
            batches.append(read_graphs(child, options=options))
        else:
            unknown.append(child.name)
    if not batches:
        raise MissingFileError(
            f"The folder {str(path)!r} holds no file of graphs; known suffixes: {_known()}."
        )
    if unknown:
        warnings.warn(
            f"Not read, for their suffix says no graph: {', '.join(unknown)}",
            GsknWarning,
            stacklevel=3,
        )
    try:
        return GraphBatch.concat(batches)
    except InputError as error:
        raise InputError(
            f"The files of {str(path)!r} do not fit together: {error}"
        ) from error


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Sort g2 before g10."""
    runs: list[tuple[int, int, str]] = []
    digits = ""
    for character in [*path.name, ""]:
        if character.isdecimal():
            digits += character
            continue
        if digits:
            runs.append((0, int(digits), ""))
            digits = ""
        runs.append((1, 0, character))
    return runs


def _named(batch: GraphBatch, stem: str) -> GraphBatch:
    """Name graphs that have no name yet after their file."""
    if batch.graph_names is not None:
        return batch
    one = batch.n_graphs == 1
    names = [stem if one else f"{stem}:{number}" for number in range(batch.n_graphs)]
    return batch.with_graph_names(names)


def _read_graphml(path: Path, options: ReadOptions) -> list[GraphParts]:
    networkx = require("networkx", extra="networkx")
    try:
        graph = networkx.read_graphml(path)
    except ParseError as error:
        raise FileFormatError(
            path, f"broken XML: {error}", line=error.position[0]
        ) from error
    except (networkx.NetworkXError, KeyError, ValueError, TypeError) as error:
        raise FileFormatError(path, f"not GraphML: {error}") from error
    return [from_networkx(graph, options)]


def _read_gml(path: Path, options: ReadOptions) -> list[GraphParts]:
    networkx = require("networkx", extra="networkx")
    try:
        # label="id" keeps `label` as what it says, instead of taking it as the name.
        graph = networkx.read_gml(path, label="id")
    except (
        networkx.NetworkXError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
    ) as error:
        raise FileFormatError(path, f"not GML: {error}") from error
    return [from_networkx(graph, options)]


def _read_json(path: Path, options: ReadOptions) -> list[GraphParts]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FileFormatError(
            path, f"broken JSON: {error.msg}", line=error.lineno
        ) from error
    graphs = content if isinstance(content, list) else [content]
    return [
        from_networkx(_from_node_link(path, graph, number), options, number)
        for number, graph in enumerate(graphs)
    ]


def _from_node_link(path: Path, content: Any, number: int) -> Any:
    networkx = require("networkx", extra="networkx")
    edges = "links" if isinstance(content, dict) and "links" in content else "edges"
    try:
        return networkx.node_link_graph(content, edges=edges)
    except (networkx.NetworkXError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            path,
            f"graph {number} is no node-link graph ({error!r}); it needs 'nodes' with "
            "'id', and 'edges' or 'links' with 'source' and 'target'",
        ) from error


def _known() -> str:
    return ", ".join(sorted(_READERS))


_Reader = Callable[[Path, ReadOptions], list[GraphParts]]
_READERS: dict[str, _Reader] = {
    ".csv": read_edge_list,
    ".edgelist": read_edge_list,
    ".edges": read_edge_list,
    ".g6": read_graph6,
    ".gml": _read_gml,
    ".graph6": read_graph6,
    ".graphml": _read_graphml,
    ".json": _read_json,
    ".parquet": read_parquet,
    ".sdf": read_sdf,
    ".smi": read_smiles,
    ".smiles": read_smiles,
    ".tsv": read_edge_list,
    ".txt": read_edge_list,
}
