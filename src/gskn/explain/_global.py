"""Patterns that matter most over many graphs, and where a pattern occurs."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gskn._html import html_paragraph, html_table
from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, check_int, shorten
from gskn.exceptions import InputError
from gskn.explain._additive import Additive
from gskn.explain._blocks import make_chunk
from gskn.explain._explain import explain
from gskn.explain._explanation import Explanation
from gskn.explain._names import Pattern
from gskn.explain._patterns import matching_walks

_N_EXAMPLES = 3


@dataclass(frozen=True, eq=False, repr=False)
class GlobalPatterns:
    """Patterns or landmarks ordered by their total absolute contribution.

    Attributes
    ----------
    patterns : tuple of Pattern
        Patterns, the most important one first.
    contributions : ndarray of shape (n_patterns,)
        Sum of the contributions in all graphs.
    magnitudes : ndarray of shape (n_patterns,)
        Sum of the absolute contributions in all graphs.
    n_graphs : ndarray of shape (n_patterns,)
        Number of graphs in which the pattern occurs.
    examples : tuple of ndarray
        Indices of the graphs in which the pattern has the largest absolute contributions.
    """

    patterns: tuple[Pattern, ...]
    contributions: FloatArray
    magnitudes: FloatArray
    n_graphs: IndexArray
    examples: tuple[IndexArray, ...]

    def __len__(self) -> int:
        return len(self.patterns)

    def to_frame(self) -> Any:
        """Return one row per pattern as a pandas DataFrame (extra ``pandas``).

        Returns
        -------
        frame : DataFrame
            Name, contributions, number of graphs and examples.
        """
        pandas = require("pandas", extra="pandas")
        return pandas.DataFrame(self._rows(), columns=_COLUMNS)

    def _rows(self) -> list[list[Any]]:
        return [
            [p.name, float(c), float(m), int(n), " ".join(map(str, e.tolist()))]
            for p, c, m, n, e in zip(
                self.patterns,
                self.contributions,
                self.magnitudes,
                self.n_graphs,
                self.examples,
                strict=True,
            )
        ]

    def __repr__(self) -> str:
        return f"GlobalPatterns(n_patterns={len(self)})"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_paragraph(repr(self)) + html_table(_COLUMNS, self._rows())


_COLUMNS = ["pattern", "contribution", "magnitude", "graphs", "examples"]


def global_patterns(
    model: Any,
    graphs: Any,
    top: int = 20,
    *,
    target: object = None,
    by: Literal["patterns", "landmarks"] = "patterns",
) -> GlobalPatterns:
    """Return the patterns or landmarks with the largest contributions over many graphs.

    Parameters
    ----------
    model : GSKNClassifier, GSKNRegressor or Pipeline
        Fitted model, as in `explain`.
    graphs : graphs
        Anything that `as_batch` accepts.
    top : int, default=20
        Largest number of patterns.
    target : object, default=None
        Class to explain, as in `explain`.
    by : {"patterns", "landmarks"}, default="patterns"
        Whether to return patterns or landmarks.

    Returns
    -------
    patterns : GlobalPatterns
        Patterns with their contributions, frequencies and example graphs.

    Examples
    --------
    >>> from gskn import GSKN, GSKNClassifier, datasets
    >>> from gskn.explain import global_patterns
    >>> rings = datasets.rings(3).graphs  # a ring of six, and two triangles
    >>> embedding = GSKN(branches=("anonymous",), anonymous_length=4, pooling="mean")
    >>> model = GSKNClassifier(embedding, kernel="linear", C=1.0, selection="none")
    >>> model = model.set_params(random_state=0).fit(rings, [0, 1])
    >>> best = global_patterns(model, rings, top=2)
    >>> [pattern.name for pattern in best.patterns]
    ['anonymous 0-1-2-3', 'anonymous 0-1-2-0']
    """
    check_choice(by, "by", choices=("patterns", "landmarks"))
    top = check_int(top, "top", minimum=1)
    return summarize_patterns(explain(model, graphs, target, by=by), top)


def summarize_patterns(explanation: Explanation, top: int) -> GlobalPatterns:
    """Return the patterns with the largest contributions in an explanation."""
    patterns = explanation.patterns or ()
    number_of: dict[Pattern, int] = {}
    numbers = np.array(
        [number_of.setdefault(pattern, len(number_of)) for pattern in patterns],
        dtype=np.int64,
    )
    values = explanation.contributions
    totals = np.bincount(numbers, values, len(number_of)).astype(np.float64)
    magnitudes = np.bincount(numbers, np.abs(values), len(number_of)).astype(np.float64)
    present = np.zeros(len(values)) if explanation.amounts is None else explanation.amounts
    counts = np.bincount(numbers, present > 0, len(number_of)).astype(np.int64)
    owners = np.repeat(np.arange(len(explanation)), np.diff(explanation.entry_ptr))
    best = np.argsort(-magnitudes, kind="stable")[:top]
    listed = list(number_of)
    examples = []
    for number in best:
        entries = np.flatnonzero(numbers == number)
        largest = np.argsort(-np.abs(values[entries]), kind="stable")[:_N_EXAMPLES]
        examples.append(owners[entries[largest]])
    return GlobalPatterns(
        patterns=tuple(listed[number] for number in best),
        contributions=totals[best],
        magnitudes=magnitudes[best],
        n_graphs=counts[best],
        examples=tuple(examples),
    )


def occurrences(model: Any, graph: Any, pattern: Pattern) -> IndexArray:
    """Return all walks of a graph that have a pattern.

    Parameters
    ----------
    model : GSKNClassifier, GSKNRegressor or Pipeline
        Fitted model, as in `explain`.
    graph : graph
        One graph, or anything that `as_batch` accepts with one graph.
    pattern : Pattern
        Pattern of an explanation.

    Returns
    -------
    walks : ndarray of shape (n_walks, length)
        Visited nodes.

    Examples
    --------
    >>> from gskn import GSKN, GSKNRegressor, datasets
    >>> from gskn.explain import Pattern, occurrences
    >>> rings = datasets.rings(3).graphs  # a ring of six, and two triangles
    >>> embedding = GSKN(branches=("anonymous",), anonymous_length=4, pooling="mean")
    >>> model = GSKNRegressor(embedding, kernel="linear", selection="none")
    >>> model = model.set_params(random_state=0).fit(rings, [0, 1])
    >>> triangle = Pattern("anonymous", 4, symbols=(0, 1, 2, 0))
    >>> occurrences(model, rings[1], triangle)[:2]
    array([[0, 1, 2, 0],
           [0, 2, 1, 0]])
    """
    if not isinstance(pattern, Pattern):
        raise InputError(f"pattern must be a Pattern, got {shorten(pattern)}.")
    additive = Additive.from_model(model)
    batch = additive.read(graph)
    if batch.n_graphs != 1:
        raise InputError(f"occurrences needs one graph, got {batch.n_graphs}.")
    targets = np.zeros(1, dtype=np.int64)
    chunk = make_chunk(additive, batch, targets, along_path=False)
    return matching_walks(chunk, pattern)
