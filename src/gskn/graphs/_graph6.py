"""graph6 files: one undirected graph per line, its adjacency bits as printable bytes."""

from pathlib import Path

import numpy as np

from gskn._files import check_regular
from gskn._types import AnyArray, IndexArray
from gskn.exceptions import FileFormatError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import ReadOptions

_HEADER = b">>graph6<<"


def read_graph6(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read a file of graph6 lines; blank lines are skipped."""
    check_regular(path)
    sizes: list[int] = []
    edges: list[tuple[IndexArray, IndexArray]] = []
    n_nodes = 0
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        code = line.strip().removeprefix(_HEADER)
        if not code:
            continue
        try:
            size, source, target = _decode(code)
        except ValueError as error:
            raise FileFormatError(path, str(error), line=number) from error
        if len(source):
            edges.append((source + n_nodes, target + n_nodes))
        sizes.append(size)
        n_nodes += size
    empty = np.empty(0, dtype=np.int64)
    return [
        # One part for all lines: a part takes 1 kB, but a line may have only 2 bytes.
        GraphParts(
            sizes,
            np.concatenate([empty, *(source for source, _ in edges)]),
            np.concatenate([empty, *(target for _, target in edges)]),
            directed=options.is_directed(default=False),
        )
    ]


def _decode(code: bytes) -> tuple[int, IndexArray, IndexArray]:
    """Return the number of nodes, and the sources and targets of the edges."""
    if code[:1] in b":;&":
        encoding = "digraph6" if code[:1] == b"&" else "sparse6"
        raise ValueError(f"the line is {encoding}, not graph6; convert it first")
    values = np.frombuffer(code, dtype=np.uint8)
    if values.min() < 63 or values.max() > 126:
        raise ValueError(f"{code[:40]!r} contains bytes that are invalid in graph6")
    n_nodes, values = _read_size(values - 63)
    n_bits = n_nodes * (n_nodes - 1) // 2
    if len(values) != -(-n_bits // 6):
        raise ValueError(
            f"{n_nodes} nodes require {-(-n_bits // 6)} bytes of edges, got {len(values)}"
        )
    bits = np.unpackbits(values[:, None], axis=1)[:, 2:].ravel()[:n_bits]
    # Bits are ordered by columns of the upper triangle: (0,1), (0,2), (1,2), (0,3), ...
    positions = np.flatnonzero(bits)
    target = ((1 + np.sqrt(1 + 8 * positions.astype(np.float64))) // 2).astype(np.int64)
    source = positions - target * (target - 1) // 2
    return n_nodes, source, target


def _read_size(values: AnyArray) -> tuple[int, AnyArray]:
    """Read the number of nodes: 1, 4 or 8 bytes."""
    if values[0] < 63:
        return int(values[0]), values[1:]
    start, n_bytes = (1, 3) if len(values) > 1 and values[1] < 63 else (2, 6)
    digits = values[start : start + n_bytes].tolist()
    if len(digits) < n_bytes:
        raise ValueError("the line ends within the number of nodes")
    size = 0
    for digit in digits:
        size = size * 64 + digit
    return size, values[start + n_bytes :]
