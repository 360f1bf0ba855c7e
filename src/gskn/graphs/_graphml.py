"""GraphML files, validated and then read by networkx."""

from pathlib import Path
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError, ParserCreate

from gskn._files import check_regular
from gskn._optional import require
from gskn._validation import shorten
from gskn.exceptions import FileFormatError, describe_error
from gskn.graphs._assemble import GraphParts
from gskn.graphs._networkx import from_networkx
from gskn.graphs._options import ReadOptions

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_MAX_DEPTH = 200  # yEd nests two elements for every group of nodes
# Errors of networkx for malformed files, besides NetworkXError.
FOREIGN_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


def read_graphml(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read the graphs of a GraphML file.

    Raises
    ------
    FileFormatError
        If the file is malformed; also for a node without an id, a node that is declared
        twice and an edge with an undeclared node, which networkx would add or merge.
    """
    networkx = require("networkx", extra="networkx")
    check_regular(path)
    try:
        _Checker(path).run()
        graphs = list(networkx.GraphMLReader()(path=path))
    except FileFormatError:
        raise
    except (ExpatError, ParseError) as error:
        line = error.lineno if isinstance(error, ExpatError) else error.position[0]
        raise FileFormatError(path, f"broken XML: {error}", line=line) from error
    except (networkx.NetworkXError, *FOREIGN_ERRORS) as error:
        raise FileFormatError(path, f"not GraphML: {describe_error(error)}") from error
    if not graphs:
        raise FileFormatError(path, "not GraphML: the file contains no graph")
    return [from_networkx(graph, options, number) for number, graph in enumerate(graphs)]


class _Checker:
    """Validation of nodes and edges in one pass over the XML."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._depth = 0
        self._declared: set[str] = set()
        self._ends: dict[tuple[str | None, str | None], int] = {}
        self._parser = ParserCreate(namespace_separator="}")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._reject_entity

    def run(self) -> None:
        with self._path.open("rb") as file:
            self._parser.ParseFile(file)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"elements are nested more than {_MAX_DEPTH} deep")
        if tag == f"{_NAMESPACE}}}node":
            name = attributes.get("id")
            if name is None:
                raise self._error("a node has no id")
            if name in self._declared:
                raise self._error(f"the node {shorten(name)} is declared twice")
            self._declared.add(name)
        elif tag == f"{_NAMESPACE}}}edge":
            ends = (attributes.get("source"), attributes.get("target"))
            self._ends.setdefault(ends, self._parser.CurrentLineNumber)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag != f"{_NAMESPACE}}}graph" or self._depth != 1:
            return
        for (source, target), line in self._ends.items():
            if source not in self._declared or target not in self._declared:
                raise FileFormatError(
                    self._path,
                    f"the edge from {shorten(source)} to {shorten(target)} has an "
                    "undeclared node",
                    line=line,
                )
        self._declared.clear()
        self._ends.clear()

    # Nested entities can expand a small file to gigabytes.
    def _reject_entity(self, name: str, *_details: object) -> None:
        raise self._error(
            f"the entity {shorten(name)} is not supported; use its text instead"
        )

    def _error(self, reason: str) -> FileFormatError:
        return FileFormatError(self._path, reason, line=self._parser.CurrentLineNumber)
