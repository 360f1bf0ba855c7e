"""Pictures of molecules, drawn by RDKit over colored atoms and bonds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from gskn._optional import require
from gskn._types import FloatArray
from gskn.exceptions import MissingExtraError
from gskn.explain._colors import color_of
from gskn.graphs import GraphBatch, quiet

EdgeValues = Mapping[tuple[int, int], float]

_ORDERS = {"single": 1, "double": 2, "triple": 3, "aromatic": 12}
_RADIUS = 0.42  # of the colored circle of an atom, in bond lengths


def molecule_of(graph: GraphBatch) -> Any:
    """Return the molecule of a graph, or None if it is not one or RDKit is missing.

    Graphs of SMILES are named by them. Otherwise the molecule is built from elements and
    bonds, if the labels are names of these.
    """
    try:
        chem = require("rdkit.Chem", extra="rdkit")
    except MissingExtraError:
        return None
    with quiet():
        molecule = _from_name(chem, graph)
        if molecule is None:
            molecule = _from_labels(chem, graph)
    return molecule


def set_values(
    molecule: Any, name: str, values: FloatArray, totals: Mapping[str, float]
) -> Any:
    """Return a copy of a molecule with values of atoms and of the whole as properties."""
    chem = require("rdkit.Chem", extra="rdkit")
    molecule = chem.Mol(molecule)
    molecule.SetProp("_Name", name.splitlines()[0] if name else "")
    for atom, value in zip(molecule.GetAtoms(), values.tolist(), strict=True):
        atom.SetDoubleProp("gskn_contribution", value)
    chem.CreateAtomDoublePropertyList(molecule, "gskn_contribution")
    for key, total in totals.items():
        molecule.SetDoubleProp(key, total)
    return molecule


def write_molecules(molecules: Sequence[Any], path: Path) -> None:
    """Write molecules with their properties to an SDF file, with flat coordinates."""
    chem = require("rdkit.Chem", extra="rdkit")
    coordinates = require("rdkit.Chem.rdDepictor", extra="rdkit")
    with chem.SDWriter(str(path)) as writer:
        writer.SetKekulize(False)
        for molecule in molecules:
            # Molecules from labels may have no Kekule structure.
            with suppress(chem.KekulizeException):
                chem.Kekulize(molecule, clearAromaticFlags=True)
            coordinates.Compute2DCoords(molecule)
            writer.write(molecule)


def draw_molecule(
    molecule: Any,
    node_values: FloatArray,
    edge_values: EdgeValues,
    scale: float,
    size: tuple[int, int],
) -> str:
    """Return an SVG picture with atoms and bonds colored by their values."""
    drawing = require("rdkit.Chem.Draw.rdMolDraw2D", extra="rdkit")
    width, height = size
    drawer = drawing.MolDraw2DSVG(width, height)
    options = drawer.drawOptions()
    options.clearBackground = False
    options.bondLineWidth = 1.6
    options.padding = 0.09
    options.maxFontSize = 20
    options.fixedBondLength = 34
    options.useBWAtomPalette()
    drawer.DrawMolecule(drawing.PrepareMolForDrawing(molecule, addChiralHs=False))
    points = [drawer.GetDrawCoords(atom) for atom in range(molecule.GetNumAtoms())]
    drawer.FinishDrawing()
    text = drawer.GetDrawingText()
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]
    places = np.array([[point.x, point.y] for point in points])
    lengths = [float(np.hypot(*(places[a] - places[b]))) for a, b in bonds]
    radius = _RADIUS * (float(np.median(lengths)) if lengths else 34.0)
    names = [f"atom {atom.GetIdx()} ({atom.GetSymbol()})" for atom in molecule.GetAtoms()]
    halos, titles = _shapes(places, bonds, names, node_values, edge_values, scale, radius)
    # Colors lie under the lines of the picture, and titles for the mouse above them.
    start = text.index("<!-- END OF HEADER -->") + len("<!-- END OF HEADER -->")
    svg = text[text.index("<svg") : start] + halos + text[start:]
    end = svg.rindex("</svg>")
    svg = svg[:end] + titles + svg[end:]
    fixed = f"width='{width}px' height='{height}px'"
    return str(svg.replace(fixed, f"width='{width}' height='{height}' role='img'"))


def _shapes(
    places: FloatArray,
    bonds: list[tuple[int, int]],
    names: list[str],
    node_values: FloatArray,
    edge_values: EdgeValues,
    scale: float,
    radius: float,
) -> tuple[str, str]:
    """Return colored shapes, and transparent shapes with titles."""
    halos, titles = [], []
    for first, second in bonds:
        value = edge_values.get((min(first, second), max(first, second)), 0.0)
        (x1, y1), (x2, y2) = places[first], places[second]
        line = f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        halo = f'{line} stroke="{color_of(value, scale)}" stroke-width="{radius:.1f}"/>'
        halos.append((abs(value), halo))
        title = escape(f"bond {first}-{second}: {value:+.3g}")
        titles.append(
            f'{line} stroke="#fff" stroke-opacity="0" stroke-width="{radius:.1f}" '
            f'pointer-events="stroke"><title>{title}</title></line>'
        )
    for (x, y), name, value in zip(places, names, node_values.tolist(), strict=True):
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
        halos.append((abs(value), f'{circle} fill="{color_of(value, scale)}"/>'))
        titles.append(
            f'{circle} fill="#fff" fill-opacity="0">'
            f"<title>{escape(name)}: {value:+.3g}</title></circle>"
        )
    # Pale colors do not hide strong ones.
    halos.sort(key=lambda pair: pair[0])
    return "".join(halo for _, halo in halos), "".join(titles)


def _from_name(chem: Any, graph: GraphBatch) -> Any:
    if graph.graph_names is None or not isinstance(graph.graph_names[0], str):
        return None
    try:
        molecule = chem.MolFromSmiles(str(graph.graph_names[0]))
    except (RuntimeError, ValueError):
        return None
    if molecule is None or molecule.GetNumAtoms() != graph.n_nodes:
        return None
    bonds = {
        tuple(sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())))
        for bond in molecule.GetBonds()
    }
    return molecule if bonds == set(_pairs(graph)) else None


def _from_labels(chem: Any, graph: GraphBatch) -> Any:
    """Build a molecule from labels that are elements, or tuples that start with one."""
    if graph.node_labels is None or graph.is_directed:
        return None
    labels = [graph.label_values[code] for code in graph.node_labels.tolist()]
    symbols = [label[0] if isinstance(label, tuple) else label for label in labels]
    table = chem.GetPeriodicTable()
    editable = chem.RWMol()
    try:
        for symbol in symbols:
            if not isinstance(symbol, str) or table.GetAtomicNumber(symbol) < 1:
                return None
            editable.AddAtom(chem.Atom(symbol))
        for (first, second), order in _bond_orders(graph).items():
            editable.AddBond(first, second, chem.BondType.values[order])
    except (RuntimeError, ValueError):
        return None
    molecule = editable.GetMol()
    molecule.UpdatePropertyCache(strict=False)
    chem.FastFindRings(molecule)
    return molecule


def _bond_orders(graph: GraphBatch) -> dict[tuple[int, int], int]:
    """Return the order of every bond, single if the labels do not name it."""
    entries = graph.adjacency.tocoo()
    orders = {}
    for number, pair in enumerate(
        zip(entries.row.tolist(), entries.col.tolist(), strict=True)
    ):
        if pair[0] < pair[1]:
            label: Any = "single"
            if graph.edge_labels is not None:
                label = graph.edge_label_values[graph.edge_labels[number]]
                label = label[0] if isinstance(label, tuple) else label
            orders[pair] = _ORDERS.get(label, 1)
    return orders


def _pairs(graph: GraphBatch) -> list[tuple[int, int]]:
    """Return the edges of a graph, the smaller node first."""
    entries = graph.adjacency.tocoo()
    pairs = zip(entries.row.tolist(), entries.col.tolist(), strict=True)
    return [pair for pair in pairs if pair[0] <= pair[1]]
