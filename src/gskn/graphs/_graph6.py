"""graph6: one undirected graph a line, its adjacency bits in printable bytes."""

from pathlib import Path

import numpy as np

from gskn._types import AnyArray
from gskn.exceptions import FileFormatError
from gskn.graphs._assemble import GraphParts
from gskn.graphs._options import ReadOptions

_HEADER = b">>graph6<<"


def read_graph6(path: Path, options: ReadOptions) -> list[GraphParts]:
    """Read a file of graph6 lines; blank lines are skipped."""
    parts = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        code = line.strip().removeprefix(_HEADER)
        if not code:
            continue
        try:
            parts.append(_decode(code, options))
        except ValueError as error:
            raise FileFormatError(path, str(error), line=number) from error
    return parts


def _decode(code: bytes, options: ReadOptions) -> GraphParts:
    if code[:1] in b":;&":
        kind = "digraph6" if code[:1] == b"&" else "sparse6"
        raise ValueError(f"this is {kind}, not graph6; convert it first")
    values = np.frombuffer(code, dtype=np.uint8).astype(np.int64) - 63
    if values.min() < 0 or values.max() > 63:
        raise ValueError(f"{code[:40]!r} has bytes that graph6 does not use")
    n_nodes, values = _read_size(values)
    n_bits = n_nodes * (n_nodes - 1) // 2
    if len(values) != -(-n_bits // 6):
        raise ValueError(
            f"{n_nodes} nodes need {-(-n_bits // 6)} bytes of edges, got {len(values)}"
        )
    bits = np.unpackbits(values.astype(np.uint8)[:, None], axis=1)[:, 2:].ravel()[:n_bits]
    # Bits run down the columns of the upper triangle: (0,1), (0,2), (1,2), (0,3), ...
    positions = np.flatnonzero(bits)
    target = ((1 + np.sqrt(1 + 8 * positions.astype(np.float64))) // 2).astype(np.int64)
    source = positions - target * (target - 1) // 2
    return GraphParts([n_nodes], source, target, directed=options.is_directed(custom=False))


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
