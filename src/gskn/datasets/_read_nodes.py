"""read_nodes: a graph and the classes of its nodes from files of the user."""

from pathlib import Path

import numpy as np

from gskn._files import check_exists, check_regular
from gskn._types import AnyArray, IndexArray
from gskn._validation import shorten
from gskn.datasets._dataset import Dataset
from gskn.datasets._read import ask_for_swap, name_of, read_class_lines
from gskn.datasets._targets import detect_task
from gskn.exceptions import FileFormatError, InputError
from gskn.graphs import GraphBatch, read_graphs


def read_nodes(path: str | Path, classes: str | Path) -> Dataset:
    """Read a graph and the classes of its nodes from files.

    Parameters
    ----------
    path : str or Path
        A file with one graph, for instance a table of edges; any path for `read_graphs`.
    classes : str or Path
        File with lines ``node,class``, with or without a header. Nodes of the graph that
        are not in the file have no class; they are embedded, but not used to train or
        test classifiers.

    Returns
    -------
    data : Dataset
        The graph, with ``task`` "node". ``y`` contains integers if all classes are
        integers, else text. If some nodes have no class, ``labelled`` contains the others.

    Raises
    ------
    FileFormatError
        If a file is malformed, or a node of the file of classes is not in the graph.
    InputError
        If there is not exactly one graph, or all classes are equal.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.read_nodes("edges.csv", "nodes.csv")  # doctest: +SKIP
    """
    path, file = Path(path), Path(classes)
    check_exists(path)
    check_regular(file)
    graphs = read_graphs(path)
    if graphs.n_graphs != 1:
        raise InputError(
            f"{str(path)!r} contains {graphs.n_graphs} graphs; classes of nodes need "
            "exactly one."
        )
    labelled, texts = _match(graphs, file)
    _, values = detect_task(texts, "classes")
    if len(np.unique(values)) < 2:
        raise InputError(f"All nodes in {str(file)!r} have one class; two are required.")
    # Nodes without a class get the class of the first node with one, which is not used.
    y = np.full(graphs.n_nodes, values[0], dtype=values.dtype)
    y[labelled] = values
    return Dataset(
        name_of(path),
        graphs,
        y,
        "node",
        description=f"Read from {path} and {file}.",
        labelled=None if len(labelled) == graphs.n_nodes else labelled,
    )


def _match(graphs: GraphBatch, file: Path) -> tuple[IndexArray, AnyArray]:
    """Return the nodes with a class, sorted, and their classes as text."""
    names = range(graphs.n_nodes) if graphs.node_names is None else graphs.node_names
    position = {str(name): node for node, name in enumerate(names)}
    class_of: dict[int, str] = {}
    line_of: dict[int, int] = {}
    for line, name, value in read_class_lines(file, "node"):
        node = position.get(name)
        if node is None:
            reason = (
                f"unknown node {shorten(name)}; the name of the first node of the graph "
                f"is {next(iter(position), '')!r}. Remove nodes without edges, or add "
                "them to the graph"
            )
            if value in position:
                reason = ask_for_swap("node", name, value)
            raise FileFormatError(file, reason, line=line)
        if node in class_of:
            raise FileFormatError(
                file,
                f"the node {shorten(name)} already has a class in line {line_of[node]}",
                line=line,
            )
        class_of[node], line_of[node] = value, line
    if not class_of:
        raise FileFormatError(file, "there are no lines node,class")
    nodes = np.array(sorted(class_of), dtype=np.int64)
    return nodes, np.array([class_of[node] for node in nodes.tolist()])
