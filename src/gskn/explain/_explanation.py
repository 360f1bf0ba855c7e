"""Explanation: contributions to predictions that add up to them."""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gskn._html import html_paragraph, html_table
from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn.exceptions import InputError, MissingExtraError
from gskn.explain._blocks import sum_over
from gskn.explain._molecules import molecule_of, set_values
from gskn.explain._names import Pattern
from gskn.explain._pictures import SIZE, draw
from gskn.graphs import GraphBatch

_N_SHOWN = 10  # entries in notebooks


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Contributions of nodes, edges, patterns or landmarks to predictions of graphs.

    For one graph, ``baseline + contributions.sum() + remainder == prediction``. For several
    graphs this holds with `sums`. Indexing selects the explanation of one graph.

    Attributes
    ----------
    graphs : GraphBatch
        Explained graphs.
    by : str
        Kind of the entries: "nodes", "edges", "patterns" or "landmarks".
    view : str
        How the contribution of a walk is divided among nodes: "visited" or "start".
    targets : tuple or None
        Explained class of every graph; None for values.
    contributions : ndarray of shape (n_entries,)
        Contribution of every entry, graph by graph.
    entry_ptr : ndarray of shape (n_graphs + 1,)
        First entry of every graph.
    baseline : ndarray of shape (n_graphs,)
        Prediction for a graph without nodes.
    prediction : ndarray of shape (n_graphs,)
        Decision value of the explained class, or predicted value.
    remainder : ndarray of shape (n_graphs,)
        Part of the prediction that a linear approximation does not explain; zero if the
        explanation is exact.
    exact : bool
        Whether the model is linear in the walks of a graph.
    nodes : ndarray of shape (n_entries, 1 or 2) or None
        Node or ends of the edge of every entry, numbered within its graph. An entry of a
        node and itself holds walks that cross no edge.
    patterns : tuple of Pattern or None
        Pattern of every entry, or the pattern that is nearest to the landmark.
    amounts : ndarray of shape (n_entries,) or None
        Patterns: total weight of the walks with this pattern in the graph. Landmarks: the
        kernel with the landmark, summed over all walks.
    """

    graphs: GraphBatch
    by: str
    view: str
    targets: tuple[Any, ...] | None
    contributions: FloatArray
    entry_ptr: IndexArray
    baseline: FloatArray
    prediction: FloatArray
    remainder: FloatArray
    exact: bool
    nodes: IndexArray | None = None
    patterns: tuple[Pattern, ...] | None = None
    amounts: FloatArray | None = None

    def __len__(self) -> int:
        return self.graphs.n_graphs

    def __iter__(self) -> Iterator["Explanation"]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> "Explanation":
        """Select the explanation of one graph.

        Parameters
        ----------
        number : int
            Index of the graph.

        Returns
        -------
        explanation : Explanation
            Explanation of one graph.
        """
        graph = range(len(self))[operator.index(number)]
        part = slice(int(self.entry_ptr[graph]), int(self.entry_ptr[graph + 1]))
        one = slice(graph, graph + 1)
        return Explanation(
            graphs=self.graphs[graph],
            by=self.by,
            view=self.view,
            targets=None if self.targets is None else self.targets[one],
            contributions=self.contributions[part],
            entry_ptr=self.entry_ptr[graph : graph + 2] - self.entry_ptr[graph],
            baseline=self.baseline[one],
            prediction=self.prediction[one],
            remainder=self.remainder[one],
            exact=self.exact,
            nodes=None if self.nodes is None else self.nodes[part],
            patterns=None if self.patterns is None else self.patterns[part],
            amounts=None if self.amounts is None else self.amounts[part],
        )

    @property
    def sums(self) -> FloatArray:
        """Sum of the contributions of every graph."""
        return sum_over(self.contributions, self.entry_ptr)

    @property
    def names(self) -> list[Any]:
        """Names of the entries: of a node, of both ends of an edge, or of a pattern."""
        if self.patterns is not None:
            return [pattern.name for pattern in self.patterns]
        nodes = np.empty((0, 1), dtype=np.int64) if self.nodes is None else self.nodes
        owners = np.repeat(np.arange(len(self)), np.diff(self.entry_ptr))
        in_batch = nodes + self.graphs.graph_ptr[owners][:, None]
        named = nodes
        if self.graphs.node_names is not None:
            named = self.graphs.node_names[in_batch]
        if self.by == "nodes":
            return list(named[:, 0].tolist())
        return [tuple(pair) for pair in named.tolist()]

    @property
    def order(self) -> IndexArray:
        """Entries by decreasing absolute contribution."""
        return np.argsort(-np.abs(self.contributions), kind="stable")

    def to_frame(self) -> Any:
        """Return one row per entry as a pandas DataFrame (extra ``pandas``).

        Returns
        -------
        frame : DataFrame
            Graph, name of the entry, contribution, and the amount if there is one.
        """
        pandas = require("pandas", extra="pandas")
        owners = np.repeat(np.arange(len(self)), np.diff(self.entry_ptr))
        names: Sequence[Any] = range(len(self))
        if self.graphs.graph_names is not None:
            names = self.graphs.graph_names.tolist()
        columns: dict[str, Any] = {
            "graph": [names[owner] for owner in owners.tolist()],
            _SINGULAR[self.by]: self.names,
            "contribution": self.contributions,
        }
        if self.amounts is not None:
            columns["amount"] = self.amounts
        return pandas.DataFrame(columns)

    def node_values(self) -> FloatArray:
        """Return the contribution of every node; edges give half to each end.

        Returns
        -------
        values : ndarray of shape (n_nodes,)
            Values in node order, whose sums are the sums of all contributions.
        """
        if self.nodes is None:
            raise InputError(f"Contributions by {self.by} do not belong to nodes.")
        owners = np.repeat(np.arange(len(self)), np.diff(self.entry_ptr))
        nodes = self.nodes + self.graphs.graph_ptr[owners][:, None]
        values = np.repeat(self.contributions / nodes.shape[1], nodes.shape[1])
        summed = np.bincount(nodes.ravel(), values, self.graphs.n_nodes)
        return summed.astype(np.float64)

    def draw(self, *, scale: float | None = None, size: tuple[int, int] = SIZE) -> str:
        """Return an SVG picture of one graph, like `gskn.explain.draw`.

        Parameters
        ----------
        scale : float or None, default=None
            Value with the full color. None: the largest absolute contribution.
        size : (int, int), default=(560, 360)
            Width and height in pixels.

        Returns
        -------
        svg : str
            The picture.
        """
        return draw(self, scale=scale, size=size)

    def to_molecules(self) -> list[Any]:
        """Return the graphs as RDKit molecules with values of atoms (extra ``rdkit``).

        Atoms have the property ``gskn_contribution``, and molecules a list of all values
        with this name, which SDF files contain as ``atom.dprop.gskn_contribution``.
        Molecules have the properties ``gskn_prediction``, ``gskn_baseline`` and
        ``gskn_remainder``.

        Returns
        -------
        molecules : list of rdkit.Chem.Mol
            One molecule per graph.
        """
        values = np.split(self.node_values(), self.graphs.graph_ptr[1:-1])
        molecules = []
        for number, one in enumerate(values[: len(self)]):
            molecule = molecule_of(self.graphs[number])
            if molecule is None:
                require("rdkit.Chem", extra="rdkit")
                raise InputError(
                    f"Graph {number} is not a molecule: it is neither named by its SMILES "
                    "nor are its labels elements."
                )
            totals = {
                "gskn_prediction": float(self.prediction[number]),
                "gskn_baseline": float(self.baseline[number]),
                "gskn_remainder": float(self.remainder[number]),
            }
            names = self.graphs.graph_names
            name = str(number) if names is None else str(names[number])
            molecules.append(set_values(molecule, name, one, totals))
        return molecules

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "first order"
        return (
            f"Explanation(by={self.by!r}, n_graphs={len(self)}, "
            f"n_entries={len(self.contributions)}, {kind})"
        )

    def _repr_html_(self) -> str:
        """Return the largest contributions for notebooks."""
        html = html_paragraph(repr(self))
        if len(self) != 1:
            columns = (self.prediction, self.baseline, self.remainder)
            listed = zip(*(column.tolist() for column in columns), strict=True)
            header = ["graph", "prediction", "baseline", "remainder"]
            totals = [[number, *row] for number, row in enumerate(listed)]
            return html + html_table(header, totals[:_N_SHOWN])
        text = f"Prediction {self.prediction[0]:.4g} = baseline {self.baseline[0]:.4g}"
        text += f" + contributions {self.sums[0]:.4g}"
        if not self.exact:
            text += f" + remainder {self.remainder[0]:.4g}"
        names = self.names
        rows = [
            [str(names[entry]), float(self.contributions[entry])]
            for entry in self.order[:_N_SHOWN]
        ]
        table = html_table([_SINGULAR[self.by], "contribution"], rows)
        return html + html_paragraph(text) + self._picture() + table

    def _picture(self) -> str:
        """Return the picture for notebooks; none of patterns, or without networkx."""
        try:
            picture = "" if self.nodes is None else draw(self)
        except MissingExtraError:
            return ""
        # Colors mean values on white, also in notebooks with a dark theme.
        style = "background: #fff; width: fit-content; border-radius: 6px"
        return f'<div style="{style}">{picture}</div>' if picture else ""


_SINGULAR = {
    "nodes": "node",
    "edges": "edge",
    "patterns": "pattern",
    "landmarks": "landmark",
}
