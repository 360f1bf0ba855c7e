"""The sets known by name: what they hold, and where they are at home."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from gskn.datasets._dataset import Dataset
from gskn.datasets._foreign_nodes import GRAPHSAGE_PARTS, PLANETOID_PARTS
from gskn.datasets._synthetic import csl, regular, structure
from gskn.exceptions import UnknownDatasetError

_TU_HOME = "https://www.chrsmrrs.com/graphkerneldatasets"
_RAW = "https://raw.githubusercontent.com"
_PTC_GRAPHS = "nphdang/GE-FSG/e486bb1b8cdc7b6026010e33c327bd5473317c34/data/ptc"
_PTC_CLASSES = "nphdang/GE-FSG/2e93669f59bc00bd917cb9aa0cf6611ac8477c25/For_Linux/data/ptc"
_EXP = "JiaruiFeng/KP-GNN/0f7a1839b72751f2716664775714708189cf35a4/data/EXP"

_PLANETOID = f"{_RAW}/kimiyoung/planetoid/master/data"
_GRAPHSAGE = f"{_RAW}/williamleif/GraphSAGE/master/example_data"


@dataclass(frozen=True)
class SetInfo:
    """One known set. Edges are counted once, self-loops included."""

    name: str
    task: Literal["graph", "node"]
    n_graphs: int
    n_nodes: int
    n_edges: int
    n_classes: int
    n_labels: int  # of nodes; 0 where they have none
    n_attributes: int
    description: str
    file: str = ""  # what to put into the data folder; "" for a generated set
    urls: tuple[str, ...] = ()
    form: Literal["tu", "gspan", "neighbours", "planetoid", "graphsage", ""] = ""
    generate: Callable[[], Dataset] | None = None


def _tu(name: str, counts: tuple[int, int, int, int, int, int], text: str) -> SetInfo:
    urls = (f"{_TU_HOME}/{name}.zip",)
    return SetInfo(name, "graph", *counts, text, f"{name}.zip", urls, "tu")


_SETS = (
    _tu(
        "MUTAG",
        (188, 3371, 3721, 2, 7, 0),
        "Nitroaromatic compounds, mutagenic or not.",
    ),
    SetInfo(
        *("PTC", "graph", 344, 8792, 8931, 2, 19, 0),
        "Compounds that cause cancer in male rats or do not, with hydrogen atoms "
        "(larger graphs than the set PTC_MR of the TU collection).",
        "PTC.zip",
        (f"{_RAW}/{_PTC_GRAPHS}/ptc_graph.txt", f"{_RAW}/{_PTC_CLASSES}/ptc_label.txt"),
        "gspan",
    ),
    _tu(
        *("PROTEINS", (1113, 43471, 81044, 2, 3, 1)),
        "Proteins as graphs of secondary structure elements, enzymes or not.",
    ),
    _tu(
        *("IMDB-BINARY", (1000, 19773, 96531, 2, 0, 0)),
        "Ego networks of actors who played together, action or romance.",
    ),
    _tu(
        *("IMDB-MULTI", (1500, 19502, 98903, 3, 0, 0)),
        "Ego networks of actors who played together, comedy, romance or science fiction.",
    ),
    _tu(
        *("COLLAB", (5000, 372474, 12288916, 3, 0, 0)),
        "Ego networks of researchers who wrote together, of three fields of physics.",
    ),
    _tu(
        *("BZR", (405, 14479, 15535, 2, 10, 3)),
        "Ligands of the benzodiazepine receptor, active or not, with coordinates.",
    ),
    _tu(
        *("COX2", (467, 19252, 20289, 2, 8, 3)),
        "Inhibitors of cyclooxygenase-2, active or not, with coordinates.",
    ),
    _tu(
        *("PROTEINS_full", (1113, 43471, 81044, 2, 3, 29)),
        "PROTEINS with all physical and chemical measurements.",
    ),
    SetInfo(
        *("EXP", "graph", 1200, 58442, 72530, 2, 2, 0),
        "Formulas, satisfiable or not; graphs 2i and 2i+1 are a pair that 1-WL "
        "cannot tell apart.",
        "EXP.zip",
        (f"{_RAW}/{_EXP}/GRAPHSAT.txt",),
        "neighbours",
    ),
    SetInfo(
        *("CSL", "graph", 150, 6150, 12300, 10, 0, 0),
        "Circular skip links: 4-regular graphs of 41 nodes that 1-WL cannot tell apart. "
        "Its public file is a pickle, which runs code; where no CSL.zip is at hand, the "
        "same graphs are generated, under other node orders.",
        "CSL.zip",
        generate=csl,
    ),
    SetInfo(
        *("cora", "node", 1, 2708, 5278, 7, 0, 1433),
        "Papers on machine learning that cite each other, by subject.",
        "cora.npz",
        tuple(f"{_PLANETOID}/ind.cora.{part}" for part in PLANETOID_PARTS),
        "planetoid",
    ),
    SetInfo(
        *("pubmed", "node", 1, 19717, 44324, 3, 0, 500),
        "Papers on diabetes that cite each other, by subject.",
        "pubmed.npz",
        tuple(f"{_PLANETOID}/ind.pubmed.{part}" for part in PLANETOID_PARTS),
        "planetoid",
    ),
    SetInfo(
        *("ppi", "node", 1, 14755, 228431, 121, 0, 50),
        "Interactions of proteins in five tissues; a protein may have several functions.",
        "ppi.npz",
        tuple(f"{_GRAPHSAGE}/toy-ppi-{part}" for part in GRAPHSAGE_PARTS),
        "graphsage",
    ),
    SetInfo(
        *("structure", "graph", 400, 19508, 28742, 4, 0, 0),
        "Cycles, paths, wheels and ladders of 20 to 80 nodes with a tenth more edges.",
        generate=structure,
    ),
    SetInfo(
        *("regular", "graph", 100, 2000, 5000, 2, 0, 0),
        "Connected 5-regular graphs of 20 nodes against two of 10 nodes each.",
        generate=regular,
    ),
)

_ALIASES = {
    "imdbb": "IMDB-BINARY",
    "imdbm": "IMDB-MULTI",
    "proteinfull": "PROTEINS_full",
}


def known_sets() -> tuple[SetInfo, ...]:
    """Return what is known of every set, in a fixed order."""
    return _SETS


def find_set(name: str) -> SetInfo:
    """Return the set of that name; case, dashes and underscores do not matter."""
    by_key = {_key(info.name): info for info in _SETS}
    by_key |= {alias: by_key[_key(target)] for alias, target in _ALIASES.items()}
    key = _key(str(name))
    if key in by_key:
        return by_key[key]
    near = get_close_matches(key, by_key, n=1)
    hint = f"did you mean {by_key[near[0]].name!r}?" if near else ""
    listed = ", ".join(info.name for info in _SETS)
    raise UnknownDatasetError(
        f"There is no data set {name!r}; {hint or f'known are {listed}.'}"
    )


def _key(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
