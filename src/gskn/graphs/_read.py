"""read_graphs: files and folders of graphs."""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gskn._files import check_regular
from gskn._optional import require
from gskn._validation import shorten
from gskn.exceptions import (
    FileFormatError,
    GsknError,
    GsknWarning,
    InputError,
    MissingFileError,
    UnsupportedInputError,
    describe_error,
    one_line,
)
from gskn.graphs._assemble import GraphParts, assemble
from gskn.graphs._batch import GraphBatch
from gskn.graphs._csr import is_csr_folder, read_csr_folder, read_sparse_npz
from gskn.graphs._edgelist import read_edge_list
from gskn.graphs._folder import Folder
from gskn.graphs._graph6 import read_graph6
from gskn.graphs._graphml import FOREIGN_ERRORS, read_graphml
from gskn.graphs._keyed import from_named_data
from gskn.graphs._molecules import read_sdf, read_smiles
from gskn.graphs._networkx import from_networkx
from gskn.graphs._options import ReadOptions
from gskn.graphs._parquet import read_parquet, read_parquet_columns
from gskn.graphs._smiles_tables import read_csv, read_csv_columns
from gskn.graphs._text import read_text, stem
from gskn.graphs._text import suffix as suffix_of
from gskn.graphs._tu import find_tu_name, read_tu

# In a folder, these files contain the classes of its graphs, not edges.
CLASS_FILES = ("labels.csv", "classes.csv", "graph_labels.csv")


def read_graphs(path: str | Path, *, options: ReadOptions | None = None) -> GraphBatch:
    r"""Read the graphs of a file, or of all files of a folder, into one batch.

    Parameters
    ----------
    path : str or Path
        The suffix selects the format:

        - ``.graphml`` and ``.gml``, with the networkx extra, and ``.json`` (node-link).
          In GML, ``label`` names the nodes unless two nodes share one;
        - ``.csv``, ``.tsv``, ``.edgelist``, ``.edges``, ``.txt`` and ``.parquet``: one
          edge per line, with a header (``source``, ``target``, optionally ``graph``,
          ``weight``, ``edge_label``) or without (source, target, optionally weight);
        - ``.g6`` and ``.graph6``: one graph per line;
        - ``.npz``: one adjacency matrix in CSR format, written by
          ``scipy.sparse.save_npz``; or a folder with the CSR arrays ``indptr.npy``,
          ``indices.npy`` and optionally ``weights.npy`` of one large graph, which are
          mapped into memory;
        - ``.smi``, ``.smiles`` and ``.sdf``: molecules, with the rdkit extra; also
          ``.csv``, ``.tsv`` and ``.parquet`` with a column ``smiles`` or, for instance,
          ``canonical_smiles`` (in any case) and without source and target, or with the
          column in ``smiles``. Graphs are named by a column ``name`` or ``id``, else by
          their SMILES;
        - ``.csv.gz``, ``.tsv.gz``, ``.smi.gz`` and ``.sdf.gz``: the same, compressed;
        - a folder or ``.zip`` with ``NAME_A.txt``: the TU format;
        - any other folder: all such files in it and its subfolders, in the order of their
          names, except ``labels.csv``, ``classes.csv`` and ``graph_labels.csv``, which
          contain classes.
    options : ReadOptions, default=None
        The options of `as_batch`. To read other labels, attributes or weights, pass the
        path to `as_batch`.

    Returns
    -------
    batch : GraphBatch
        Graphs without a name are named after their file, and numbered if a file contains
        several.

    Raises
    ------
    MissingFileError
        If the path does not exist, or a folder contains no graphs.
    FileFormatError
        If a file is malformed. The message contains the file and, if possible, the line.

    Notes
    -----
    Text files are UTF-8; lines end in LF, CR LF or CR. In the header of a text file,
    column names match in any case (``Weight`` is the weight). In a parquet file they
    match exactly; a column ``Weight`` is not read, and a warning is issued.

    In GraphML and JSON, every node needs a unique id, and edges must refer to these ids.
    XML entities are not supported.

    Only regular files are read. In a folder, pipes, devices and files with other suffixes
    are skipped with a warning.

    Sizes are checked before memory is allocated. A parquet file may have 3.3 million rows
    plus 0.8 rows per byte, and a molecule 10,000 atoms and 1,000 rings. The elements of
    GraphML may be nested up to 200 levels deep.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "triangle.csv"
    ...     _ = path.write_text("source,target\na,b\nb,c\nc,a\n")
    ...     read_graphs(path)
    GraphBatch(n_graphs=1, n_nodes=3, n_edges=3, undirected)
    """
    path = as_path(path)
    options = options or ReadOptions()
    is_several = path.is_dir() and not is_csr_folder(path)
    return read_folder(path, options=options) if is_several else read_one(path, options)


def as_path(path: str | Path) -> Path:
    """Return a path; raise if it does not exist or is invalid."""
    if path == "":  # Path("") is the current folder
        raise MissingFileError("The path is empty; '.' is the current folder.")
    try:
        path = Path(path)
        path.stat()
    except TypeError:
        raise UnsupportedInputError(
            f"A path must be a str or Path, got {shorten(path)} of type "
            f"{type(path).__name__}."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError(f"There is no file or folder {str(path)!r}.") from None
    except (OSError, ValueError) as error:  # a name that is too long or contains NUL
        raise InputError(
            f"{shorten(str(path))} cannot be opened: {describe_error(error)}."
        ) from error
    return path


def read_folder(
    path: Path, skipped: Sequence[Path] = (), *, options: ReadOptions | None = None
) -> GraphBatch:
    """Read all graphs of a folder, except the files in ``skipped``."""
    options = options or ReadOptions()
    batches = [read_one(file, options) for file in find_graph_files(path, skipped)]
    try:
        return GraphBatch.concat(batches)
    except InputError as error:
        raise InputError(f"The files of {str(path)!r} cannot be joined: {error}") from error


def read_one(path: Path, options: ReadOptions) -> GraphBatch:
    """Read one file, or one folder in the TU format or with CSR arrays."""
    if path.is_dir() and is_csr_folder(path):
        return _named(read_csr_folder(path), path.name)
    return read_tu(path, options).graphs if path.is_dir() else _read_file(path, options)


def find_graph_files(path: Path, skipped: Sequence[Path] = ()) -> list[Path]:
    """Return the graph files of a folder, sorted, and the folders in TU format."""
    seen = {file.resolve() for file in skipped}
    contents = _search(path, seen)
    for names, reason in (
        (contents.unsupported, "with an unsupported suffix"),
        (contents.special, "of a special type (pipe, socket or device)"),
    ):
        if names:
            warnings.warn(
                f"Skipped {len(names)} file{'s' * (len(names) > 1)} {reason}: "
                f"{one_line(', '.join(names))}",
                GsknWarning,
                stacklevel=4,  # the caller of read_graphs, iter_graphs or datasets.read
            )
    if not contents.files:
        raise MissingFileError(
            f"The folder {str(path)!r} has no graph files. Supported: {_suffixes()}."
        )
    return contents.files


def _read_file(path: Path, options: ReadOptions) -> GraphBatch:
    suffix = suffix_of(path)
    if suffix not in _READERS and suffix != ".zip":
        raise FileFormatError(
            path,
            f"the suffix {path.suffix!r} is not supported. Supported: {_suffixes()}",
        )
    check_regular(path)
    with _file_errors(path):
        if suffix == ".zip":
            return read_tu(path, options).graphs
        return _named(assemble(_READERS[suffix](path, options)), stem(path))


def read_molecule_columns(path: Path, options: ReadOptions) -> Mapping[str, Any] | None:
    """Return the columns of a table with a column of SMILES; None for other paths."""
    reader = _COLUMN_READERS.get(suffix_of(path))
    if reader is None or path.is_dir():
        return None
    check_regular(path)
    with _file_errors(path):
        return reader(path, options)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Add the path to errors of a file."""
    try:
        yield
    except InputError as error:
        raise FileFormatError(path, str(error)) from error
    except GsknError:
        raise
    except (OSError, UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise FileFormatError(
            path, f"cannot be read as {suffix_of(path)}: {describe_error(error)}"
        ) from error


@dataclass
class _Contents:
    """Graph files of a folder, and the names of unsupported and special files."""

    files: list[Path] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)  # pipes, sockets and devices


def _search(folder: Path, seen: set[Path]) -> _Contents:
    """List the files of a folder and its subfolders; links may form a cycle."""
    contents = _Contents()
    pending = [folder]
    while pending:
        path = pending.pop()
        if path.resolve() in seen:
            continue
        if path.is_dir():
            seen.add(path.resolve())
            pending += reversed(_visit(path, contents))
        else:
            contents.files.append(path)
    return contents


def _visit(folder: Path, contents: _Contents) -> list[Path]:
    """Return the subfolders and graph files of a folder, sorted; record other files."""
    children: list[Path] = []
    try:
        if find_tu_name(Folder(folder)) is not None or is_csr_folder(folder):
            contents.files.append(folder)
            return []
        for child in _children(folder):
            if child.is_dir() or (child.is_file() and is_graph_file(child)):
                children.append(child)
            elif not child.is_file():
                contents.special.append(child.name)
            elif child.name.lower() not in CLASS_FILES:
                contents.unsupported.append(child.name)
    except GsknError:
        raise
    except OSError as error:
        raise FileFormatError(folder, f"cannot be read: {describe_error(error)}") from error
    return children


def _children(folder: Path) -> list[Path]:
    """Return the content of a folder, sorted, without hidden files and broken links."""
    return [
        child
        for child in sorted(folder.iterdir(), key=_natural)
        if not child.name.startswith((".", "__")) and child.exists()
    ]


def is_graph_file(path: Path) -> bool:
    """Return whether the name of a file in a folder is the name of a graph file."""
    is_note = path.stem.lower() in {"readme", "license", "licence", "notes"}
    is_classes = path.name.lower() in CLASS_FILES
    is_array = suffix_of(path) == ".npz"  # may contain embeddings
    return has_graph_suffix(path) and not (is_note or is_classes or is_array)


def has_graph_suffix(path: Path) -> bool:
    """Return whether the suffix of a path is the suffix of a supported format."""
    return suffix_of(path) in {*_READERS, ".zip"}


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Return a key that sorts g2 before g10."""
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
    """Name graphs without a name after their file."""
    if batch.graph_names is not None:
        return batch
    if batch.n_graphs == 1:
        return batch.with_graph_names([stem])
    return batch.with_graph_names([f"{stem}:{n}" for n in range(batch.n_graphs)])


def _read_gml(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read GML; labels are names of nodes, or node labels if two nodes have the same."""
    networkx = require("networkx", extra="networkx")
    try:
        graph = networkx.parse_gml(read_text(path).split("\n"), label="id")
    except GsknError:
        raise
    except (networkx.NetworkXError, *FOREIGN_ERRORS) as error:
        raise FileFormatError(path, f"not GML: {describe_error(error)}") from error
    labels = [data.pop("label", None) for data in graph.nodes.values()]
    for node, label in zip(graph, labels, strict=True):
        if isinstance(label, list | dict):
            raise InputError(
                f"Node {shorten(node)} has several labels: {shorten(label)}; keep one."
            )
    if None not in labels and len(set(labels)) == len(labels):
        graph = networkx.relabel_nodes(graph, dict(zip(graph, labels, strict=True)))
    else:
        for data, label in zip(graph.nodes.values(), labels, strict=True):
            data["label"] = label
    return [from_networkx(graph, options)]


def _read_json(path: Path, options: ReadOptions) -> list[GraphParts]:
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FileFormatError(
            path, f"broken JSON: {error.msg}", line=error.lineno
        ) from error
    except GsknError:
        raise
    except ValueError as error:
        raise FileFormatError(path, f"broken JSON: {describe_error(error)}") from error
    graphs = content if isinstance(content, list) else [content]
    return [
        _from_node_link(path, graph, number, options) for number, graph in enumerate(graphs)
    ]


def _from_node_link(
    path: Path, content: Any, number: int, options: ReadOptions
) -> GraphParts:
    """Read a graph in the node-link format of networkx and d3."""
    try:
        links = content["links"] if "links" in content else content["edges"]
        nodes = {_as_id(node["id"]): node for node in content["nodes"]}
        edges = [(_as_id(link["source"]), _as_id(link["target"]), link) for link in links]
        n_listed = len(content["nodes"])
        directed = bool(content.get("directed", False))
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            path,
            f"graph {number} is not a node-link graph ({shorten(error)}); it must have "
            "'nodes' with 'id', and 'edges' or 'links' with 'source' and 'target'",
        ) from error
    if len(nodes) < n_listed:
        raise InputError(f"Graph {number} has two nodes with the same id; use unique ids.")
    for source, target, _ in edges:
        if source not in nodes or target not in nodes:
            raise InputError(
                f"Graph {number} has an edge from {shorten(source)} to {shorten(target)}, "
                "but one of these nodes is missing; add the node or remove the edge."
            )
    return from_named_data(nodes, edges, options, number, directed=directed)


def _as_id(value: Any) -> Any:
    """Return a hashable id; raise TypeError for a JSON object."""
    if isinstance(value, dict):
        raise TypeError("an id is a JSON object; use a number or a string")
    return tuple(map(_as_id, value)) if isinstance(value, list) else value


def _suffixes() -> str:
    return ", ".join(sorted(_READERS))


_Reader = Callable[[Path, ReadOptions], list[GraphParts]]
_READERS: dict[str, _Reader] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".edgelist": read_edge_list,
    ".edges": read_edge_list,
    ".g6": read_graph6,
    ".gml": _read_gml,
    ".graph6": read_graph6,
    ".graphml": read_graphml,
    ".json": _read_json,
    ".npz": read_sparse_npz,
    ".parquet": read_parquet,
    ".sdf": read_sdf,
    ".sdf.gz": read_sdf,
    ".smi": read_smiles,
    ".smi.gz": read_smiles,
    ".smiles": read_smiles,
    ".tsv": read_csv,
    ".tsv.gz": read_csv,
    ".txt": read_edge_list,
}
_COLUMN_READERS: dict[str, Callable[[Path, ReadOptions], Mapping[str, Any] | None]] = {
    ".csv": read_csv_columns,
    ".csv.gz": read_csv_columns,
    ".parquet": read_parquet_columns,
    ".tsv": read_csv_columns,
    ".tsv.gz": read_csv_columns,
}
