"""Readable names of node features, and the patterns of walks with them."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain, product, zip_longest

import numpy as np

from gskn._types import IndexArray
from gskn.explain._blocks import Block
from gskn.graphs import AttributeEncoder, GraphBatch
from gskn.layers import InducedLayer, JointLayer
from gskn.walks import quotient

_N_ATTRIBUTES = 3  # that a name contains


@dataclass(frozen=True)
class Pattern:
    """A kind of walk: node features along it, its anonymous pattern, or both.

    Attributes
    ----------
    branch : str
        Branch of the model.
    length : int
        Number of nodes that the walk visits.
    labels : tuple of str or None
        Names of the node features along the walk; None if the branch does not use them.
    symbols : tuple of int or None
        For every visit, the rank of the first visit of its node; None if the branch does
        not use it.
    arcs : tuple of (int, int) or None
        For induced patterns, the pairs of symbols with an edge, the smaller one first.
    landmark : int or None
        Number of the landmark of the branch and length that the pattern is nearest to.
    bonds : tuple of str or None
        Names of the edge features along the walk; None if edges are not compared.

    Examples
    --------
    >>> Pattern("walk", 3, labels=("C", "C", "O")).name
    'walk C-C-O'
    >>> Pattern("anonymous", 4, symbols=(0, 1, 2, 0)).name
    'anonymous 0-1-2-0'
    >>> Pattern("walk", 3, labels=("C", "C", "O"), bonds=("single", "double")).name
    'walk C-[single]-C-[double]-O'
    """

    branch: str
    length: int
    labels: tuple[str, ...] | None = None
    symbols: tuple[int, ...] | None = None
    arcs: tuple[tuple[int, int], ...] | None = None
    landmark: int | None = None
    bonds: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """Branch, node features and symbols."""
        parts = [self.branch]
        if self.labels is not None:
            steps = [f"-[{bond}]-" for bond in self.bonds or ()]
            pairs = zip_longest(
                self.labels, steps or ["-"] * (self.length - 1), fillvalue=""
            )
            parts.append("".join(chain.from_iterable(pairs)))
        if self.symbols is not None:
            parts.append("-".join(map(str, self.symbols)))
        extra = [f"{a}-{b}" for a, b in self.arcs or () if (a, b) not in self.steps]
        if extra:
            parts.append(f"{{{','.join(extra)}}}")
        if self.landmark is not None:
            parts.append(f"(length {self.length}, landmark {self.landmark})")
        return " ".join(parts)

    @property
    def steps(self) -> list[tuple[int, int]]:
        """Pairs of nodes of the drawn pattern that the walk crosses, without loops."""
        symbols = range(self.length) if self.symbols is None else self.symbols
        return [(a, b) for a, b in quotient(np.array(symbols)) if a != b]


def node_texts(batch: GraphBatch, encoder: AttributeEncoder) -> list[str]:
    """Return a short text of the features of every node that an encoder uses."""
    parts: list[list[str]] = []
    used = encoder.node_features_
    if "labels" in used and batch.node_labels is not None:
        texts = [_label_text(value) for value in batch.label_values]
        parts.append([texts[code] for code in batch.node_labels.tolist()])
    if "attributes" in used and batch.node_attributes is not None:
        parts.append([_row_text(row) for row in batch.node_attributes.tolist()])
    if "degrees" in used:
        parts.append([str(degree) for degree in batch.degrees.tolist()])
    return [":".join(texts) for texts in zip(*parts, strict=True)]


def _label_text(label: Hashable) -> str:
    if isinstance(label, tuple):
        return "/".join(_label_text(part) for part in label)
    if isinstance(label, bool | np.bool_):
        return "yes" if label else "no"
    return str(label)


def _row_text(row: list[float]) -> str:
    numbers = [f"{value:.3g}" for value in row[:_N_ATTRIBUTES]]
    return f"({', '.join(numbers)}{', ...' if len(row) > _N_ATTRIBUTES else ''})"


def edge_texts(block: Block) -> dict[int, str]:
    """Return the text of the features of every code of edges."""
    batch, edges = block.batch, block.features.edges
    if edges is None:
        return {}
    parts: list[list[str]] = []
    if batch.edge_labels is not None:
        texts = [_label_text(value) for value in batch.edge_label_values]
        parts.append([texts[code] for code in batch.edge_labels.tolist()])
    if batch.edge_attributes is not None:
        parts.append([_row_text(row) for row in batch.edge_attributes.tolist()])
    joined = (":".join(texts) for texts in zip(*parts, strict=True))
    names = dict(zip(edges.codes.tolist(), joined, strict=False))
    return {**names, edges.staying: "stays"}


def key_patterns(block: Block, keys: IndexArray, texts: dict[int, str]) -> list[Pattern]:
    """Return the patterns of keys of walks; ``texts`` are names of feature codes."""
    of_edges = edge_texts(block) if block.uses_features else {}
    length, branch = block.length, block.branch
    patterns = []
    for key in keys.tolist():
        labels, symbols, bonds = None, None, None
        if block.uses_features:
            labels = tuple(texts[code] for code in key[:length])
            if of_edges:
                bonds = tuple(of_edges[code] for code in key[length : 2 * length - 1])
        if not block.uses_features:
            symbols = tuple(key[:length])
        elif isinstance(block.layer, JointLayer):
            symbols = tuple(key[-length:])
        arcs = None
        if isinstance(block.layer, InducedLayer):
            arcs = _key_arcs(symbols or (), key[length:])
        pattern = Pattern(branch, length, labels, symbols, arcs, bonds=bonds)
        patterns.append(pattern)
    return patterns


def code_texts(block: Block) -> dict[int, str]:
    """Return the text of the features of every code, from a node that has it."""
    if not block.uses_features:
        return {}
    texts = node_texts(block.batch, block.encoder)
    return dict(zip(block.features.codes.tolist(), texts, strict=True))


def _key_arcs(symbols: tuple[int, ...], adjacent: list[int]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of symbols that are adjacent in a key of an induced walk."""
    pairs = product(symbols, repeat=2)
    edges = {
        (min(p), max(p)) for p, is_edge in zip(pairs, adjacent, strict=True) if is_edge
    }
    return tuple(sorted(edges))
