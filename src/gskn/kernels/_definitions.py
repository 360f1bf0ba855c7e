"""Exact graph kernels, as their definitions say.

They are the truth that faster code is tested against, and serve by themselves as
``SVC(kernel="precomputed")``: every function returns the matrix of all pairs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from scipy.sparse import csr_array, hstack, issparse
from scipy.spatial.distance import cdist

from gskn._types import AnyArray, FloatArray, IndexArray
from gskn._validation import check_choice, check_int, check_number
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.graphs._batch import ranges
from gskn.kernels._subtree import label_codes, node_colours, subtree_colours
from gskn.walks import PatternTable, anonymize, pattern_counts
from gskn.walks._exact import MAX_EXACT_LENGTH, StepGraphs

Level: TypeAlias = Literal["graph", "node"]
Base: TypeAlias = Literal["gaussian", "dirac"]
Weighting: TypeAlias = Literal["count", "probability"]

# Graphs of so many nodes are taken together: blocks of 2 MB stay in the cache, and are
# seven times as fast as blocks of 2**24 cells (measured on PROTEINS).
_BLOCK_NODES = 2**9
_CHUNK_CELLS = 2**22  # pairs of walks, or of rows, compared at once
_MAX_CELLS = 2**27  # of one dense matrix: 1 GB, and a few of them exist at a time
_MAX_WALKS = 2**24
_MAX_WALK_PAIRS = 2**34


def walk_kernel(  # noqa: PLR0913 - every one has a sensible default
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    r"""Compare graphs, or nodes, by what lies along all their walks.

    Parameters
    ----------
    A : anything `as_batch` reads
        Nodes are compared by their labels (equal or not) and attributes (real vectors),
        by their degrees where they have neither. At a dead end a walk stays.
    B : anything `as_batch` reads, default=None
        The other side, with labels and attributes like those of ``A``; None is ``A``.
    length : int, default=3
        Nodes visited by a walk, its start included.
    level : {"graph", "node"}, default="graph"
        Whether to compare graphs, all nodes of one with all of the other, or nodes.
    base : {"gaussian", "dirac"}, default="gaussian"
        How two walks are compared: by the formula below, or equal (1) or not (0).
    alpha : float, default=1.5
        Bandwidth of the Gaussian.
    weighting : {"count", "probability"}, default="count"
        Every walk weighs 1, whatever the edge weights; or the probability that a random
        walk, whose steps follow the edge weights, is this one.
    normalize : bool, default=False
        Whether to divide by the root of both self-similarities, so that these are 1. A
        similarity with something that has no walk stays 0.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)

    Notes
    -----
    For nodes u and v (Eq. 3 of the paper), with walks w from u and w' from v,

    .. math:: k(u, v) = \sum_{w, w'} p(w) p(w')
              \prod_j \exp(-\tfrac{\alpha}{2} |x_{w_j} - x_{w'_j}|^2)

    where two different labels are at squared distance 2, as if they were one-hot. The
    product runs along positions, so no walk is enumerated: with M the similarities of
    single nodes and S the steps, ``K_1 = M`` and ``K_{j+1} = M * (S_A K_j S_B')``. Time
    grows with ``length`` and with edges of A times nodes of B.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> walk_kernel([edge, triangle], length=3, alpha=0.0)
    array([[  4.,  24.],
           [ 24., 144.]])
    """
    inputs = _Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1)
    return inputs.total(_walk_part(inputs, length, base, alpha, weighting))


def path_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by what lies along their walks that repeat no node.

    Parameters and result are those of `walk_kernel`. A path weighs what it weighs among
    all walks, so probabilities of paths add up to less than one.

    Notes
    -----
    Paths are enumerated, and every path of A is compared with every path of B. More than
    2^24 paths on a side, or 2^34 pairs, are refused.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> path_kernel([edge, triangle], length=3, alpha=0.0)
    array([[ 0.,  0.],
           [ 0., 36.]])
    """
    inputs = _Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1)
    left, right = _walked(inputs.sides(base, weighting), length, simple=True)
    block = partial(_enumerated_block, unlike=_unlike(base, alpha, "alpha"), alpha=alpha)
    return inputs.total(_BlockPart(left, right, block, level))


def subtree_kernel(
    A: Any,
    B: Any = None,
    *,
    depth: int = 3,
    level: Level = "graph",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by their Weisfeiler-Lehman subtrees.

    Parameters
    ----------
    A, B, level, normalize
        As in `walk_kernel`. Colours begin as labels and attributes, or as degrees.
    depth : int, default=3
        Rounds of refinement. A round sees the (out-)neighbours, not the edge weights.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
        For two nodes, the number of rounds, 0 to ``depth``, in which they have one
        colour.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1)
    >>> subtree_kernel(path, depth=1, level="node")
    array([[2., 0., 2.],
           [0., 2., 0.],
           [2., 0., 2.]])
    """
    inputs = _Inputs.of(A, B, level, normalize)
    union = inputs.union()
    rounds = subtree_colours(union, check_int(depth, "depth", minimum=0))
    rows = hstack([_one_hot(colours) for colours in rounds], format="csr")
    left, right = inputs.split(rows)
    if level == "graph":
        left = _pool(inputs.left.graph_ptr) @ left
        right = _pool(inputs.right.graph_ptr) @ right
    return inputs.total(_RowPart(left, right, None))


def anonymous_walk_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 6,
    level: Level = "graph",
    base: Base = "gaussian",
    beta: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by the patterns of all their walks.

    Parameters
    ----------
    A, B, level, weighting, normalize
        As in `walk_kernel`; labels and attributes are not looked at.
    length : int, default=6
        Nodes visited by a walk, at most 8.
    base : {"gaussian", "dirac"}, default="gaussian"
        Two patterns count ``exp(-beta * d)``, where d is the number of positions at
        which they differ; or 1 if they are equal, else 0.
    beta : float, default=1.5
        Bandwidth of the Gaussian.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)

    Notes
    -----
    Eqs. 5 and 6 of the paper: a position is a one-hot row, and two different ones are at
    squared distance 2. No walk is enumerated, see `gskn.walks.pattern_counts`.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> anonymous_walk_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4., 12.],
           [12., 72.]])
    """
    inputs = _Inputs.of(A, B, level, normalize)
    length = _check_pattern_length(length, "length")
    return inputs.total(_pattern_part(inputs, length, base, beta, weighting))


def anonymous_random_walk_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    anonymous_length: int | None = None,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    beta: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Add the walk kernel and the anonymous walk kernel (Eq. 7 of the paper).

    Parameters
    ----------
    A, B, length, level, base, alpha, beta, weighting, normalize
        As in `walk_kernel` and `anonymous_walk_kernel`. The sum is normalized, not its
        two parts.
    anonymous_length : int or None, default=None
        Nodes visited by an anonymous walk, at most 8; None is ``length``.

    Returns
    -------
    K : ndarray of shape (n_graphs_A, n_graphs_B) or (n_nodes_A, n_nodes_B)
    """
    inputs = _Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1)
    name = "length" if anonymous_length is None else "anonymous_length"
    pattern_length = _check_pattern_length(
        length if anonymous_length is None else anonymous_length, name
    )
    return inputs.total(
        _walk_part(inputs, length, base, alpha, weighting),
        _pattern_part(inputs, pattern_length, base, beta, weighting),
    )


def joint_kernel(  # noqa: PLR0913 - as walk_kernel
    A: Any,
    B: Any = None,
    *,
    length: int = 3,
    level: Level = "graph",
    base: Base = "gaussian",
    alpha: float = 1.5,
    beta: float = 1.5,
    weighting: Weighting = "count",
    normalize: bool = False,
) -> FloatArray:
    """Compare graphs, or nodes, by what lies along walks and by their patterns at once.

    Two walks count the product of what they count in `walk_kernel` and their patterns in
    `anonymous_walk_kernel`: "a ring of six carbons", where the sum of both kernels knows
    only "carbons" and "a ring of six". Parameters and result are those of these two.

    Notes
    -----
    Walks are enumerated, and every walk of A is compared with every walk of B. More than
    2^24 walks on a side, or 2^34 pairs, are refused.

    Examples
    --------
    >>> import numpy as np
    >>> edge, triangle = np.ones((2, 2)) - np.eye(2), np.ones((3, 3)) - np.eye(3)
    >>> joint_kernel([edge, triangle], length=3, base="dirac")
    array([[ 4.,  0.],
           [ 0., 72.]])
    """
    inputs = _Inputs.of(A, B, level, normalize)
    length = check_int(length, "length", minimum=1)
    left, right = _walked(inputs.sides(base, weighting), length, simple=False)
    block = partial(
        _enumerated_block,
        unlike=_unlike(base, alpha, "alpha"),
        alpha=alpha,
        other_symbol=_unlike(base, beta, "beta"),
    )
    return inputs.total(_BlockPart(left, right, block, level))


@dataclass(frozen=True)
class _Side:
    """One of the two inputs, as far as walks are concerned."""

    graph_ptr: IndexArray
    steps: csr_array
    codes: IndexArray  # equal where labels are, on both sides
    attributes: FloatArray | None
    walks: IndexArray  # by start; nothing but the starts until they are enumerated
    weights: FloatArray  # of these walks

    def part(self, first: int, last: int) -> "_Side":
        """Return some consecutive graphs."""
        low, high = self.graph_ptr[first], self.graph_ptr[last]
        begin, end = np.searchsorted(self.walks[:, 0], (low, high))
        return _Side(
            self.graph_ptr[first : last + 1] - low,
            self.steps[low:high, low:high],
            self.codes[low:high],
            None if self.attributes is None else self.attributes[low:high],
            self.walks[begin:end] - low,
            self.weights[begin:end],
        )

    def parts(self) -> Iterator[tuple[slice, slice, "_Side"]]:
        """Yield parts of a bounded number of nodes, with their graphs and their nodes."""
        first, n_graphs = 0, len(self.graph_ptr) - 1
        while first < n_graphs:
            bound = self.graph_ptr[first] + _BLOCK_NODES
            fitting = int(np.searchsorted(self.graph_ptr, bound, side="right")) - 1
            last = max(fitting, first + 1)
            nodes = slice(int(self.graph_ptr[first]), int(self.graph_ptr[last]))
            yield slice(first, last), nodes, self.part(first, last)
            first = last


Block: TypeAlias = Callable[[_Side, _Side], FloatArray]


class _Part(Protocol):
    """A summand of a kernel."""

    def values(self) -> FloatArray: ...
    def selves(self) -> tuple[FloatArray, FloatArray]: ...


@dataclass(frozen=True)
class _Inputs:
    """Both batches, and what is to be returned about them."""

    left: GraphBatch
    right: GraphBatch  # the same object where B is None
    level: Level
    normalize: bool

    @staticmethod
    def of(A: Any, B: Any, level: Level, normalize: object) -> "_Inputs":
        """Read and check what all kernels have in common."""
        check_choice(level, "level", choices=["graph", "node"])
        if not isinstance(normalize, bool | np.bool_):
            raise InputError(f"normalize must be True or False, got {normalize!r}.")
        left = as_batch(A)
        right = left if B is None else as_batch(B)
        inputs = _Inputs(left, right, level, bool(normalize))
        _check_cells(inputs.left, inputs.right, level)
        return inputs

    def union(self) -> GraphBatch:
        """Return all graphs of both sides, whose labels and attributes must agree."""
        if self.right is self.left:
            return self.left
        _check_agreement(self.left, self.right)
        return GraphBatch.concat([self.left, self.right])

    def split(self, values: Any) -> tuple[Any, Any]:
        """Cut what belongs to the nodes of the union into that of both sides."""
        if self.right is self.left:
            return values, values
        return values[: self.left.n_nodes], values[self.left.n_nodes :]

    def sides(self, base: Base, weighting: Weighting) -> tuple[_Side, _Side]:
        """Prepare both sides for walks; one object where they are the same."""
        check_choice(base, "base", choices=["gaussian", "dirac"])
        check_choice(weighting, "weighting", choices=["count", "probability"])
        union = self.union()
        # For Dirac it only matters whether two nodes are equal in everything.
        colours = node_colours(union) if base == "dirac" else label_codes(union)
        measured = union.n_attributes and base == "gaussian"
        attributes = union.node_attributes if measured else None
        codes = self.split(colours)
        rows = (None, None) if attributes is None else self.split(attributes)
        left = _side(self.left, weighting, codes[0], rows[0])
        if self.right is self.left:
            return left, left
        return left, _side(self.right, weighting, codes[1], rows[1])

    def total(self, *parts: _Part) -> FloatArray:
        """Add up the parts of a kernel, and normalize the sum if so wished."""
        # What overflows is found by the check, and said in words that help.
        with np.errstate(over="ignore", invalid="ignore"):
            values = parts[0].values()
            for part in parts[1:]:
                values += part.values()
            if not self.normalize:
                return _check_finite(values)
            selves = zip(*(part.selves() for part in parts), strict=True)
            left, right = (_check_finite(np.sum(pair, axis=0)) for pair in selves)
        scale = np.sqrt(left)[:, None] * np.sqrt(right)
        np.divide(_check_finite(values), scale, out=values, where=scale > 0)
        return values


@dataclass(frozen=True)
class _BlockPart:
    """A kernel between nodes that is computed for some graphs at a time."""

    left: _Side
    right: _Side
    block: Block
    level: Level

    def values(self) -> FloatArray:
        shape = [
            int(side.graph_ptr[-1]) if self.level == "node" else len(side.graph_ptr) - 1
            for side in (self.left, self.right)
        ]
        values = np.zeros(shape)
        symmetric = self.left is self.right
        right_parts = list(self._parts(self.right))
        for rows, above in self._parts(self.left):
            for columns, beside in right_parts:
                if symmetric and columns.start < rows.start:
                    continue  # has been mirrored
                block = self.block(above, beside)
                if self.level == "graph":
                    block = _pooled(above, beside, block)
                values[rows, columns] = block
                if symmetric:
                    values[columns, rows] = block.T
        return _mirrored(values) if symmetric else values

    def _parts(self, side: _Side) -> Iterator[tuple[slice, _Side]]:
        for graphs, nodes, part in side.parts():
            yield (graphs if self.level == "graph" else nodes), part

    def selves(self) -> tuple[FloatArray, FloatArray]:
        left = self._selves_of(self.left)
        return left, left if self.right is self.left else self._selves_of(self.right)

    def _selves_of(self, side: _Side) -> FloatArray:
        graphs = (
            side.part(number, number + 1) for number in range(len(side.graph_ptr) - 1)
        )
        blocks = (self.block(graph, graph) for graph in graphs)
        if self.level == "graph":
            return np.array([block.sum() for block in blocks])
        return np.concatenate([np.empty(0), *(block.diagonal() for block in blocks)])


@dataclass(frozen=True)
class _RowPart:
    """A kernel that is a product of rows, or of rows and a matrix between them."""

    left: csr_array
    right: csr_array
    between: FloatArray | None  # None: the identity

    def values(self) -> FloatArray:
        values = np.empty((self.left.shape[0], self.right.shape[0]))
        at_once = max(1, _CHUNK_CELLS // max(1, *self.right.shape))
        for first in range(0, len(values), at_once):
            some = slice(first, first + at_once)
            product = self._through(self.left[some]) @ self.right.T
            values[some] = product.toarray() if issparse(product) else product
        return _mirrored(values) if self.left is self.right else values

    def selves(self) -> tuple[FloatArray, FloatArray]:
        return self._selves_of(self.left), self._selves_of(self.right)

    def _selves_of(self, rows: csr_array) -> FloatArray:
        found = np.empty(rows.shape[0])
        at_once = max(1, _CHUNK_CELLS // max(1, rows.shape[1]))
        for first in range(0, len(found), at_once):
            some = slice(first, first + at_once)
            found[some] = rows[some].multiply(self._through(rows[some])).sum(axis=1)
        return found

    def _through(self, rows: csr_array) -> Any:
        return rows if self.between is None else rows @ self.between


def _walk_part(
    inputs: _Inputs, length: int, base: Base, alpha: float, weighting: Weighting
) -> _Part:
    left, right = inputs.sides(base, weighting)
    unlike = _unlike(base, alpha, "alpha")
    block = partial(_walk_block, length=length, unlike=unlike, alpha=alpha)
    return _BlockPart(left, right, block, inputs.level)


def _walk_block(
    left: _Side, right: _Side, *, length: int, unlike: float, alpha: float
) -> FloatArray:
    """Sum over all pairs of walks, the last step first."""
    alike = _node_similarity(left, right, unlike, alpha)
    values = alike
    for _ in range(length - 1):
        values = alike * (right.steps @ (left.steps @ values).T).T
    return values


def _node_similarity(left: _Side, right: _Side, unlike: float, alpha: float) -> FloatArray:
    alike = np.where(left.codes[:, None] == right.codes, 1.0, unlike)
    if left.attributes is not None and alike.size:
        alike *= np.exp(
            -alpha / 2 * cdist(left.attributes, right.attributes, "sqeuclidean")
        )
    return alike


def _enumerated_block(
    left: _Side,
    right: _Side,
    *,
    unlike: float,
    alpha: float,
    other_symbol: float | None = None,
) -> FloatArray:
    """Sum over all pairs of enumerated walks, some of the left ones at a time."""
    alike = _node_similarity(left, right, unlike, alpha)
    values = np.zeros_like(alike)
    own_patterns, other_patterns = anonymize(left.walks), anonymize(right.walks)
    from_left, from_right = _by_start(left), _by_start(right)
    at_once = max(1, _CHUNK_CELLS // max(1, len(right.walks)))
    for first in range(0, len(left.walks), at_once):
        some = slice(first, first + at_once)
        similarity = np.ones((len(left.walks[some]), len(right.walks)))
        if other_symbol is not None:
            similarity = _pattern_similarity(
                own_patterns[some], other_patterns, other_symbol
            )
        for own, other in zip(left.walks[some].T, right.walks.T, strict=True):
            similarity *= alike[own].take(other, axis=1)
        values += from_left[:, some] @ (from_right @ similarity.T).T
    return values


def _by_start(side: _Side) -> csr_array:
    """Return the matrix that adds up, by their starts, what weighted walks have."""
    n_walks = len(side.walks)
    entries = (side.weights, (side.walks[:, 0], np.arange(n_walks)))
    return csr_array(entries, shape=(len(side.codes), n_walks))


def _walked(
    sides: tuple[_Side, _Side], length: int, *, simple: bool
) -> tuple[_Side, _Side]:
    """Enumerate the walks of both sides, or those that repeat no node."""
    left = _enumerate(sides[0], length, simple=simple)
    right = left if sides[1] is sides[0] else _enumerate(sides[1], length, simple=simple)
    n_pairs = len(left.walks) * len(right.walks)
    if n_pairs > _MAX_WALK_PAIRS:
        raise InputError(
            f"{len(left.walks)} walks against {len(right.walks)} are {n_pairs:.1e} pairs, "
            f"more than the {_MAX_WALK_PAIRS:.1e} to be compared; use a smaller length, or "
            "give fewer graphs at a time."
        )
    return left, right


def _enumerate(side: _Side, length: int, *, simple: bool) -> _Side:
    walks, weights = side.walks, side.weights
    indptr = side.steps.indptr.astype(np.int64)
    for n_visits in range(2, length + 1):
        begin = indptr[walks[:, -1]]
        n_ways = indptr[walks[:, -1] + 1] - begin
        if n_ways.sum() > _MAX_WALKS:
            raise InputError(
                f"{n_ways.sum()} walks visit {n_visits} nodes, more than the {_MAX_WALKS} "
                "to be enumerated; use a smaller length, or give fewer graphs at a time."
            )
        entries = ranges(begin, n_ways)
        before = np.repeat(np.arange(len(walks)), n_ways)
        nodes = side.steps.indices[entries].astype(np.int64)
        weights = weights[before] * side.steps.data[entries]
        walks = np.column_stack((walks[before], nodes))
        if simple:
            kept = (walks[:, :-1] != nodes[:, None]).all(axis=1)
            walks, weights = walks[kept], weights[kept]
    return replace(side, walks=walks, weights=weights)


def _pattern_part(
    inputs: _Inputs, length: int, base: Base, beta: float, weighting: Weighting
) -> _Part:
    check_choice(base, "base", choices=["gaussian", "dirac"])
    other_symbol = _unlike(base, beta, "beta")
    left = pattern_counts(inputs.left, length, weighting=weighting, method="exact")
    right = left
    if inputs.right is not inputs.left:
        right = pattern_counts(inputs.right, length, weighting=weighting, method="exact")
    rows = _rows_of(left, inputs.level)
    others = rows if right is left else _rows_of(right, inputs.level)
    if base == "dirac":
        return _RowPart(rows, others, None)
    # Most patterns of a long length occur nowhere.
    found = np.union1d(rows.indices, others.indices)
    between = _pattern_similarity(left.patterns[found], left.patterns[found], other_symbol)
    kept = rows[:, found]
    return _RowPart(kept, kept if right is left else others[:, found], between)


def _rows_of(table: PatternTable, level: Level) -> csr_array:
    return table.graph_rows() if level == "graph" else table.rows


def _pattern_similarity(
    patterns: AnyArray, others: AnyArray, other_symbol: float
) -> FloatArray:
    """Multiply, along the positions, 1 where symbols are equal and a factor where not."""
    similarity = np.ones((len(patterns), len(others)))
    for own, other in zip(patterns.T, others.T, strict=True):
        similarity *= np.where(own[:, None] == other, 1.0, other_symbol)
    return similarity


def _unlike(base: Base, bandwidth: float, name: str) -> float:
    """Return the similarity of different labels, or symbols: squared distance 2."""
    bandwidth = check_number(bandwidth, name, minimum=0)
    if not np.isfinite(bandwidth):
        raise InputError(f"{name} must be finite, got {bandwidth}; use base='dirac'.")
    return 0.0 if base == "dirac" else float(np.exp(-bandwidth))


def _side(
    batch: GraphBatch, weighting: Weighting, codes: IndexArray, rows: FloatArray | None
) -> _Side:
    starts = np.arange(batch.n_nodes)[:, None]
    weights = np.ones(batch.n_nodes)
    return _Side(batch.graph_ptr, _steps(batch, weighting), codes, rows, starts, weights)


def _steps(batch: GraphBatch, weighting: Weighting) -> csr_array:
    """Return the matrix of steps, dead ends stepping to themselves."""
    probability = weighting == "probability"
    steps = StepGraphs.of(batch, use_weights=probability).steps
    if not probability:
        return steps
    n_ways = np.diff(steps.indptr)
    chances = steps.data / np.repeat(np.asarray(steps.sum(axis=1)), n_ways)
    return csr_array((chances, steps.indices, steps.indptr), shape=steps.shape)


def _one_hot(colours: IndexArray) -> csr_array:
    n_nodes = len(colours)
    entries = (np.ones(n_nodes), colours, np.arange(n_nodes + 1))
    return csr_array(entries, shape=(n_nodes, int(colours.max(initial=-1)) + 1))


def _pool(graph_ptr: IndexArray) -> csr_array:
    """Return the matrix that adds up the nodes of every graph."""
    n_nodes = int(graph_ptr[-1])
    entries = (np.ones(n_nodes), np.arange(n_nodes), graph_ptr)
    return csr_array(entries, shape=(len(graph_ptr) - 1, n_nodes))


def _pooled(left: _Side, right: _Side, block: FloatArray) -> FloatArray:
    pooled: FloatArray = (_pool(right.graph_ptr) @ (_pool(left.graph_ptr) @ block).T).T
    return pooled


def _mirrored(values: FloatArray) -> FloatArray:
    """Overwrite the upper half: rounding must not make a kernel asymmetric."""
    for row in range(len(values)):
        values[row, row:] = values[row:, row]
    return values


def _check_pattern_length(length: object, name: str) -> int:
    checked = check_int(length, name, minimum=1)
    if checked > MAX_EXACT_LENGTH:
        raise InputError(
            f"{name} must be at most {MAX_EXACT_LENGTH}, where exact patterns end, "
            f"got {checked}."
        )
    return checked


def _check_cells(left: GraphBatch, right: GraphBatch, level: Level) -> None:
    """Refuse dense matrices that would not fit into memory."""
    sizes = [
        batch.n_nodes if level == "node" else int(batch.graph_sizes.max(initial=0))
        for batch in (left, right)
    ]
    if sizes[0] * sizes[1] > _MAX_CELLS:
        whose = "of the batches" if level == "node" else "of two graphs"
        raise InputError(
            f"{sizes[0]} nodes against {sizes[1]} {whose} need a matrix of "
            f"{sizes[0] * sizes[1]:.1e} cells, more than {_MAX_CELLS:.1e}; take fewer "
            "nodes, or a feature map with landmarks."
        )


def _check_finite(values: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        raise InputError(
            "The kernel is larger than a float can be; use a smaller length, or "
            "weighting='probability'."
        )
    return values


def _check_agreement(left: GraphBatch, right: GraphBatch) -> None:
    """Refuse sides whose nodes cannot be compared; one without nodes is no hindrance."""
    if not left.n_nodes or not right.n_nodes:
        return
    for what, has in (
        ("node labels", [side.node_labels is not None for side in (left, right)]),
        ("node attributes", [side.n_attributes > 0 for side in (left, right)]),
    ):
        if has[0] != has[1]:
            having, lacking = ("A", "B") if has[0] else ("B", "A")
            raise InputError(
                f"{having} has {what} and {lacking} has none; give them to both or to "
                "neither."
            )
    if left.n_attributes != right.n_attributes:
        raise InputError(
            f"The nodes of A have {left.n_attributes} attributes and those of B "
            f"{right.n_attributes}; give both the same."
        )
