"""The catalog of data sets: their contents and sources."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

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
_KARATECLUB = f"{_RAW}/benedekrozemberczki/karateclub"
_LASTFM = "daed288cd54f46d7dd3decfaa25c41dff1cd230e/dataset/node_level/lastfm"
_FACEBOOK = "efbd6505472b0a94ea659ccfe42f28a9dbcff95f/dataset/node_level/facebook"
_MOLECULE_NET = "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets"


@dataclass(frozen=True)
class SetInfo:
    """One data set of the catalog.

    Attributes
    ----------
    name : str
        Name of the set.
    task : {"graph", "node"}
        Whether graphs or nodes have classes.
    n_graphs, n_nodes, n_edges : int
        Numbers of graphs, nodes and edges; an undirected edge counts once.
    n_classes : int
        Number of classes, 0 if targets are real values.
    n_labels : int
        Number of distinct node labels, 0 without labels.
    n_attributes : int
        Number of node attributes.
    description : str
        Content of the set.
    file : str
        Name of the file in the data folder; empty for a generated set.
    urls : tuple of str
        Addresses of the published files.
    form : str
        Format of the published files.
    generate : callable or None
        Function that generates the set.
    target : str
        Column of targets in a table of molecules.
    columns : mapping of str to str
        Columns of the published table of molecules, and their names in the data folder.
    """

    name: str
    task: Literal["graph", "node"]
    n_graphs: int
    n_nodes: int
    n_edges: int
    n_classes: int
    n_labels: int
    n_attributes: int
    description: str
    file: str = ""
    urls: tuple[str, ...] = ()
    form: Literal[
        "tu", "gspan", "neighbors", "planetoid", "graphsage", "tables", "molecules", ""
    ] = ""
    generate: Callable[[], Dataset] | None = None
    target: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def _tu(name: str, description: str, **counts: Any) -> SetInfo:
    """Describe a set of the TU collection."""
    return SetInfo(
        name=name,
        task="graph",
        description=description,
        file=f"{name}.zip",
        urls=(f"{_TU_HOME}/{name}.zip",),
        form="tu",
        **counts,
    )


def _molecules(
    name: str,
    description: str,
    target: str,
    *counts: int,
    published: str = "",
    columns: Mapping[str, str] | None = None,
) -> SetInfo:
    """Describe a table of molecules; counts are in the order of `SetInfo`."""
    n_graphs, n_nodes, n_edges, n_classes, n_labels = counts
    return SetInfo(
        name=name,
        task="graph",
        n_graphs=n_graphs,
        n_nodes=n_nodes,
        n_edges=n_edges,
        n_classes=n_classes,
        n_labels=n_labels,
        n_attributes=0,
        description=description,
        file=f"molecules/{name.partition('-')[0]}.csv",
        urls=(f"{_MOLECULE_NET}/{published}",) if published else (),
        form="molecules",
        target=target,
        columns=columns or {},
    )


_BACE = {"mol": "smiles", "Class": "inhibitor", "pIC50": "pIC50"}

_SETS = (
    _tu(
        "MUTAG",
        "Nitroaromatic compounds, mutagenic or not.",
        n_graphs=188,
        n_nodes=3371,
        n_edges=3721,
        n_classes=2,
        n_labels=7,
        n_attributes=0,
    ),
    SetInfo(
        name="PTC",
        task="graph",
        n_graphs=344,
        n_nodes=8792,
        n_edges=8931,
        n_classes=2,
        n_labels=19,
        n_attributes=0,
        description=(
            "Compounds, carcinogenic for male rats or not, with hydrogen atoms (the graphs "
            "are larger than in the set PTC_MR of the TU collection)."
        ),
        file="PTC.zip",
        urls=(
            f"{_RAW}/{_PTC_GRAPHS}/ptc_graph.txt",
            f"{_RAW}/{_PTC_CLASSES}/ptc_label.txt",
        ),
        form="gspan",
    ),
    _tu(
        "PROTEINS",
        "Proteins as graphs of secondary structure elements, enzymes or not.",
        n_graphs=1113,
        n_nodes=43471,
        n_edges=81044,
        n_classes=2,
        n_labels=3,
        n_attributes=1,
    ),
    _tu(
        "IMDB-BINARY",
        "Ego networks of actors with common movies, action or romance.",
        n_graphs=1000,
        n_nodes=19773,
        n_edges=96531,
        n_classes=2,
        n_labels=0,
        n_attributes=0,
    ),
    _tu(
        "IMDB-MULTI",
        "Ego networks of actors with common movies, comedy, romance or science fiction.",
        n_graphs=1500,
        n_nodes=19502,
        n_edges=98903,
        n_classes=3,
        n_labels=0,
        n_attributes=0,
    ),
    _tu(
        "COLLAB",
        "Ego networks of researchers with common papers, in three fields of physics.",
        n_graphs=5000,
        n_nodes=372474,
        n_edges=12288916,
        n_classes=3,
        n_labels=0,
        n_attributes=0,
    ),
    _tu(
        "BZR",
        "Ligands of the benzodiazepine receptor, active or not, with coordinates.",
        n_graphs=405,
        n_nodes=14479,
        n_edges=15535,
        n_classes=2,
        n_labels=10,
        n_attributes=3,
    ),
    _tu(
        "COX2",
        "Inhibitors of cyclooxygenase-2, active or not, with coordinates.",
        n_graphs=467,
        n_nodes=19252,
        n_edges=20289,
        n_classes=2,
        n_labels=8,
        n_attributes=3,
    ),
    _tu(
        "PROTEINS_full",
        "PROTEINS with all physical and chemical measurements.",
        n_graphs=1113,
        n_nodes=43471,
        n_edges=81044,
        n_classes=2,
        n_labels=3,
        n_attributes=29,
    ),
    SetInfo(
        name="EXP",
        task="graph",
        n_graphs=1200,
        n_nodes=58442,
        n_edges=72530,
        n_classes=2,
        n_labels=2,
        n_attributes=0,
        description=(
            "Formulas, satisfiable or not; graphs 2i and 2i+1 are a pair that 1-WL cannot "
            "distinguish."
        ),
        file="EXP.zip",
        urls=(f"{_RAW}/{_EXP}/GRAPHSAT.txt",),
        form="neighbors",
    ),
    SetInfo(
        name="CSL",
        task="graph",
        n_graphs=150,
        n_nodes=6150,
        n_edges=12300,
        n_classes=10,
        n_labels=0,
        n_attributes=0,
        description=(
            "Circular skip links: 4-regular graphs of 41 nodes that 1-WL cannot "
            "distinguish. The published file is a pickle, which may execute code; without "
            "CSL.zip, the same graphs are generated with other node orders."
        ),
        file="CSL.zip",
        generate=csl,
    ),
    SetInfo(
        name="cora",
        task="node",
        n_graphs=1,
        n_nodes=2708,
        n_edges=5278,
        n_classes=7,
        n_labels=0,
        n_attributes=1433,
        description="Papers on machine learning that cite each other, by subject.",
        file="cora.npz",
        urls=tuple(f"{_PLANETOID}/ind.cora.{part}" for part in PLANETOID_PARTS),
        form="planetoid",
    ),
    SetInfo(
        name="pubmed",
        task="node",
        n_graphs=1,
        n_nodes=19717,
        n_edges=44324,
        n_classes=3,
        n_labels=0,
        n_attributes=500,
        description="Papers on diabetes that cite each other, by subject.",
        file="pubmed.npz",
        urls=tuple(f"{_PLANETOID}/ind.pubmed.{part}" for part in PLANETOID_PARTS),
        form="planetoid",
    ),
    SetInfo(
        name="ppi",
        task="node",
        n_graphs=1,
        n_nodes=14755,
        n_edges=228431,
        n_classes=121,
        n_labels=0,
        n_attributes=50,
        description="Interactions of proteins in five tissues; classes are functions.",
        file="ppi.npz",
        urls=tuple(f"{_GRAPHSAGE}/toy-ppi-{part}" for part in GRAPHSAGE_PARTS),
        form="graphsage",
    ),
    SetInfo(
        name="lastfm",
        task="node",
        n_graphs=1,
        n_nodes=7624,
        n_edges=27806,
        n_classes=18,
        n_labels=0,
        n_attributes=0,
        description="Users of LastFM in Asia who follow each other, by country.",
        file="lastfm.npz",
        urls=tuple(f"{_KARATECLUB}/{_LASTFM}/{part}.csv" for part in ("edges", "target")),
        form="tables",
    ),
    SetInfo(
        name="facebook",
        task="node",
        n_graphs=1,
        n_nodes=22470,
        n_edges=171002,
        n_classes=4,
        n_labels=0,
        n_attributes=0,
        description="Pages on Facebook that like each other, by category.",
        file="facebook.npz",
        urls=tuple(
            f"{_KARATECLUB}/{_FACEBOOK}/{part}.csv" for part in ("edges", "new_target")
        ),
        form="tables",
    ),
    SetInfo(
        name="structure",
        task="graph",
        n_graphs=400,
        n_nodes=19508,
        n_edges=28742,
        n_classes=4,
        n_labels=0,
        n_attributes=0,
        description="Cycles, paths, wheels and ladders of 20 to 80 nodes, with noise.",
        generate=structure,
    ),
    SetInfo(
        name="regular",
        task="graph",
        n_graphs=100,
        n_nodes=2000,
        n_edges=5000,
        n_classes=2,
        n_labels=0,
        n_attributes=0,
        description="5-regular graphs of 20 nodes, or pairs of such graphs of 10 nodes.",
        generate=regular,
    ),
    _molecules(
        "esol",
        "Organic molecules with the logarithm of their solubility in water.",
        "log_solubility",
        *(1128, 14991, 15428, 0, 9),
        published="delaney-processed.csv",
        columns={
            "smiles": "smiles",
            "measured log solubility in mols per litre": "log_solubility",
        },
    ),
    _molecules(
        "freesolv",
        "Small molecules with their hydration free energy in water.",
        "hydration_free_energy",
        *(642, 5600, 5385, 0, 9),
        published="SAMPL.csv",
        columns={"smiles": "smiles", "expt": "hydration_free_energy"},
    ),
    _molecules(
        "lipophilicity",
        "Drug-like molecules with their octanol/water distribution coefficient.",
        "log_d",
        *(4200, 113568, 123899, 0, 12),
        published="Lipophilicity.csv",
        columns={"smiles": "smiles", "exp": "log_d"},
    ),
    _molecules(
        "bbbp",
        "Molecules that penetrate the blood-brain barrier or not.",
        "permeable",
        *(2039, 49068, 52921, 2, 13),
        published="BBBP.csv",
        columns={"smiles": "smiles", "p_np": "permeable"},
    ),
    _molecules(
        "bace",
        "Molecules that inhibit human beta-secretase 1 or not.",
        "inhibitor",
        *(1513, 51577, 55768, 2, 8),
        published="bace.csv",
        columns=_BACE,
    ),
    _molecules(
        "bace-pic50",
        "The molecules of bace with the negative logarithm of their IC50.",
        "pIC50",
        *(1513, 51577, 55768, 0, 8),
        published="bace.csv",
        columns=_BACE,
    ),
    _molecules(
        "hiv",
        "Molecules that inhibit the replication of HIV or not.",
        "active",
        *(41119, 1048891, 1129379, 2, 54),
    ),
    _molecules(
        "zinc",
        "Molecules of ZINC with their penalized logarithm of the partition coefficient. "
        "Test and validation molecules are the same as in ZINC-12k.",
        "penalized_log_p",
        *(12000, 277725, 298704, 0, 9),
    ),
    _molecules(
        "benzene",
        "Molecules that contain a benzene ring or not, with the atoms of the rings.",
        "label",
        *(12000, 246993, 261921, 2, 9),
    ),
    _molecules(
        "alkane_carbonyl",
        "Molecules that contain an alkane and a carbonyl group or not, with their atoms.",
        "label",
        *(8671, 185198, 196684, 2, 9),
    ),
)

_ALIASES = {
    "imdbb": "IMDB-BINARY",
    "imdbm": "IMDB-MULTI",
    "proteinfull": "PROTEINS_full",
}


def known_sets() -> tuple[SetInfo, ...]:
    """Return all entries of the catalog, in a fixed order.

    Returns
    -------
    sets : tuple of SetInfo
        One entry per data set.
    """
    return _SETS


def find_set(name: str) -> SetInfo:
    """Return the catalog entry of a set.

    Parameters
    ----------
    name : str
        Name of the set; case, dashes and underscores are ignored.

    Returns
    -------
    info : SetInfo
        Catalog entry.

    Raises
    ------
    UnknownDatasetError
        If the catalog has no set of this name. The message suggests a similar name.
    """
    by_key = {_key(info.name): info for info in _SETS}
    by_key |= {alias: by_key[_key(target)] for alias, target in _ALIASES.items()}
    key = _key(str(name))
    if key in by_key:
        return by_key[key]
    near = get_close_matches(key, by_key, n=1)
    hint = f"did you mean {by_key[near[0]].name!r}?" if near else ""
    listed = ", ".join(info.name for info in _SETS)
    raise UnknownDatasetError(
        f"There is no data set {name!r}; {hint or f'available: {listed}.'}"
    )


def _key(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
