"""read_graphs: files and folders of graphs."""

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError, parse

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
from gskn.graphs._keyed import from_named_data
from gskn.graphs._molecules import read_sdf, read_smiles
from gskn.graphs._networkx import from_networkx
from gskn.graphs._options import ReadOptions
from gskn.graphs._tu import find_tu_name, read_tu

# In a folder, these hold the classes of its graphs and are no lists of edges.
CLASS_FILES = ("labels.csv", "classes.csv", "graph_labels.csv")
# What the parsers of other libraries raise on malformed files.
_FOREIGN_ERRORS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


def read_graphs(path: str | Path, *, options: ReadOptions | None = None) -> GraphBatch:
    """Read the graphs of a file, or of all files of a folder, into one batch.

    Parameters
    ----------
    path : str or Path
        The format follows from the name:

        - ``.graphml`` and ``.gml``, with the networkx extra, and ``.json`` (node-link).
          In GML, ``label`` names the nodes unless two nodes share one;
        - ``.csv``, ``.tsv``, ``.edgelist``, ``.edges``, ``.txt`` and ``.parquet``: one
          edge a line, with a header (``source``, ``target``, maybe ``graph``,
          ``weight``) or without (source, target, maybe weight);
        - ``.g6`` and ``.graph6``: one graph a line;
        - ``.smi``, ``.smiles`` and ``.sdf``: molecules, with the rdkit extra;
        - a folder or ``.zip`` with ``NAME_A.txt``: the TU format;
        - any other folder: all of these in it, in the order of their names, but for
          ``labels.csv``, ``classes.csv`` and ``graph_labels.csv``, which hold classes.
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
    return read_folder(path, options=options) if path.is_dir() else read_one(path, options)


def read_folder(
    path: Path, skipped: Sequence[Path] = (), *, options: ReadOptions | None = None
) -> GraphBatch:
    """Read all graphs of a folder but those of files that are known to hold none."""
    options = options or ReadOptions()
    batches = [read_one(file, options) for file in find_graph_files(path, skipped)]
    try:
        return GraphBatch.concat(batches)
    except InputError as error:
        raise InputError(
            f"The files of {str(path)!r} do not fit together: {error}"
        ) from error


def read_one(path: Path, options: ReadOptions) -> GraphBatch:
    """Read one file, or one folder in the TU format."""
    return read_tu(path, options).graphs if path.is_dir() else _read_file(path, options)


def find_graph_files(path: Path, skipped: Sequence[Path] = ()) -> list[Path]:
    """Return the files of a folder that hold graphs, in order; a TU set is one folder.

    What is ``skipped`` is known to hold something else.
    """
    seen = {file.resolve() for file in skipped}
    found, unknown = _search(path, seen)
    if unknown:
        warnings.warn(
            f"Not read, for their names say no graph: {', '.join(unknown)}",
            GsknWarning,
            stacklevel=4,  # who called read_graphs, iter_graphs or datasets.read
        )
    if not found:
        raise MissingFileError(
            f"The folder {str(path)!r} holds no file of graphs; known: {_known()}."
        )
    return found


def _read_file(path: Path, options: ReadOptions) -> GraphBatch:
    suffix = path.suffix.lower()
    if suffix not in _READERS and suffix != ".zip":
        raise FileFormatError(
            path, f"no graphs are known by the suffix {path.suffix!r}; known: {_known()}"
        )
    try:
        if suffix == ".zip":
            return read_tu(path, options).graphs
        return _named(assemble(_READERS[suffix](path, options)), path.stem)
    except InputError as error:
        raise FileFormatError(path, str(error)) from error
    except PermissionError as error:
        raise FileFormatError(path, "cannot be read: permission denied") from error
    except (UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise FileFormatError(path, f"not readable as {suffix}: {error}") from error


def _search(path: Path, seen: set[Path]) -> tuple[list[Path], list[str]]:
    """List graph files, and names of others; links are not followed in circles."""
    if path.resolve() in seen:
        return [], []
    seen.add(path.resolve())
    if find_tu_name(Folder(path)) is not None:
        return [path], []
    found, unknown = [], []
    for child in sorted(path.iterdir(), key=_natural):
        if child.name.startswith((".", "__")) or not child.exists():
            continue
        if child.is_dir():
            below = _search(child, seen)
            found += below[0]
            unknown += below[1]
        elif is_graph_file(child):
            found += [] if child.resolve() in seen else [child]
        elif child.name.lower() not in CLASS_FILES:
            unknown.append(child.name)
    return found, unknown


def is_graph_file(path: Path) -> bool:
    """Tell by its name whether a file of a folder is read as graphs."""
    is_note = path.stem.lower() in {"readme", "license", "licence", "notes"}
    is_classes = path.name.lower() in CLASS_FILES
    return path.suffix.lower() in {*_READERS, ".zip"} and not is_note and not is_classes


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
        _check_graphml(path)
        graphs = list(networkx.GraphMLReader()(path=path))
    except ParseError as error:
        raise FileFormatError(
            path, f"broken XML: {error}", line=error.position[0]
        ) from error
    except (networkx.NetworkXError, *_FOREIGN_ERRORS) as error:
        raise FileFormatError(path, f"not GraphML: {_one_line(error)}") from error
    if not graphs:
        raise FileFormatError(path, "not GraphML: there is no graph in it")
    return [from_networkx(graph, options, number) for number, graph in enumerate(graphs)]


def _check_graphml(path: Path) -> None:
    """Refuse edges to nodes that are not declared; networkx would invent the nodes."""
    for graph in parse(path).getroot().iterfind("{*}graph"):
        declared = {node.get("id") for node in graph.iter() if node.tag.endswith("}node")}
        for edge in graph.iter():
            ends = (edge.get("source"), edge.get("target"))
            if edge.tag.endswith("}edge") and not declared.issuperset(ends):
                raise InputError(
                    f"the edge from {ends[0]!r} to {ends[1]!r} has no such node"
                )


def _read_gml(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read GML, whose ``label`` names the nodes unless two nodes share one."""
    networkx = require("networkx", extra="networkx")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        graph = networkx.parse_gml(lines, label="id")
    except (networkx.NetworkXError, *_FOREIGN_ERRORS) as error:
        raise FileFormatError(path, f"not GML: {_one_line(error)}") from error
    labels = [data.pop("label", None) for data in graph.nodes.values()]
    if None not in labels and len(set(labels)) == len(labels):
        graph = networkx.relabel_nodes(graph, dict(zip(graph, labels, strict=True)))
    else:
        for data, label in zip(graph.nodes.values(), labels, strict=True):
            data["label"] = label
    return [from_networkx(graph, options)]


def _read_json(path: Path, options: ReadOptions) -> list[GraphParts]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise FileFormatError(
            path, f"broken JSON: {error.msg}", line=error.lineno
        ) from error
    except ValueError as error:
        raise FileFormatError(path, f"broken JSON: {_one_line(error)}") from error
    graphs = content if isinstance(content, list) else [content]
    return [
        _from_node_link(path, graph, number, options) for number, graph in enumerate(graphs)
    ]


def _from_node_link(
    path: Path, content: Any, number: int, options: ReadOptions
) -> GraphParts:
    """Read a graph as networkx, d3 and others write it: nodes with ids, and links."""
    try:
        links = content["links"] if "links" in content else content["edges"]
        nodes = {_as_id(node["id"]): node for node in content["nodes"]}
        edges = [(_as_id(link["source"]), _as_id(link["target"]), link) for link in links]
        n_listed = len(content["nodes"])
        directed = bool(content.get("directed", False))
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            path,
            f"graph {number} is no node-link graph ({error!r}); it needs 'nodes' with "
            "'id', and 'edges' or 'links' with 'source' and 'target'",
        ) from error
    if len(nodes) < n_listed:
        raise InputError(f"Graph {number} lists a node twice; give every node its own id.")
    for source, target, _ in edges:
        if source not in nodes or target not in nodes:
            raise InputError(
                f"Graph {number} has an edge from {source!r} to {target!r}, but no such "
                "node; list the node or drop the edge."
            )
    return from_named_data(nodes, edges, options, number, directed=directed)


def _as_id(value: Any) -> Any:
    return tuple(map(_as_id, value)) if isinstance(value, list) else value


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


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
