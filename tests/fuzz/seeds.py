"""Valid files of every format, as seeds for mutations."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet

from gskn import GSKN, datasets
from gskn.datasets import read
from gskn.datasets._cache import cache_path, read_tu_cached
from gskn.datasets._load import _read_folds
from gskn.datasets._npz import read_npz
from gskn.evaluation import ResultFile
from gskn.graphs import iter_graphs, read_graphs, read_tu

_EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]
_TU_FILES = {
    "A": "".join(f"{u + 1}, {v + 1}\n{v + 1}, {u + 1}\n" for u, v in _EDGES),
    "graph_indicator": "1\n" * 5 + "2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n2\n0\n1\n3\n",
    "node_attributes": "".join(f"{0.5 * i}, {-i}e-1\n" for i in range(6)),
}
_SDF = """benzene-like
  test

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    1.5000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    2.5000    1.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0
  1  2  1  0
  2  3  1  0
M  END
$$$$
"""


class Format:
    """A file format: functions that write a valid file and read any file."""

    def __init__(
        self,
        suffix: str,
        write: Callable[[Path], None],
        read: Callable[[Path], object],
        kind: str = "text",
    ) -> None:
        self.suffix = suffix
        self.write = write
        self.read = read
        self.kind = kind  # of mutations: text, zip, npz, json or parquet


def read_everything(path: Path) -> None:
    """Read graphs at once and in chunks."""
    read_graphs(path)
    for _ in iter_graphs(path, chunk_edges=4):
        pass


def read_model(path: Path) -> None:
    GSKN.load(path).transform(datasets.rings(3).graphs)


def read_records(path: Path) -> None:
    ResultFile(path).read()


def read_cache(path: Path) -> None:
    """Read a TU set after its cache was replaced."""
    folder = path.parent / "cached"
    folder.mkdir(exist_ok=True)
    source = folder / "SET.zip"
    write_tu_zip(source)
    cache = cache_path(source)
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(path.read_bytes())
    parsed = read_tu_cached(source)
    # An accepted cache must contain valid graphs.
    GSKN(random_state=0, anonymous_length=3).fit(parsed.graphs)


def read_classes(path: Path) -> None:
    folder = path.parent / "classes"
    folder.mkdir(exist_ok=True)
    for number in range(3):
        (folder / f"g{number}.csv").write_text("0,1\n1,2\n", encoding="utf-8")
    read(folder, classes=path)


def read_folder(path: Path) -> None:
    """Split a mutated file into the files of a TU folder, and read the folder."""
    folder = path.parent / "tu"
    folder.mkdir(exist_ok=True)
    parts = path.read_bytes().split(b"=====\n")
    for suffix, content in zip(_TU_FILES, parts, strict=False):
        (folder / f"SET_{suffix}.txt").write_bytes(content)
    read_tu(folder)


def write_graph(writer: Callable[..., None]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        graph = nx.Graph(_EDGES, name="seed")
        for node in graph:
            graph.nodes[node].update(label="ab"[node % 2], size=float(node))
        for number, (u, v) in enumerate(graph.edges):
            graph.edges[u, v]["weight"] = 0.5 + number
        writer(graph, path)

    return write


def write_json(graph: nx.Graph, path: Path) -> None:
    path.write_text(json.dumps(nx.node_link_data(graph, edges="links")), encoding="utf-8")


def write_text(text: str) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(text.encode())


def write_tu_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix, content in _TU_FILES.items():
            info = zipfile.ZipInfo(f"SET/SET_{suffix}.txt", (2020, 1, 1, 0, 0, 0))
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)


def write_parquet(path: Path) -> None:
    table = {
        "graph": ["a", "a", "a", "b", "b"],
        "source": [u for u, _ in _EDGES],
        "target": [v for _, v in _EDGES],
        "weight": [1.0, 2.0, 0.5, 1.0, 1.0],
    }
    pyarrow.parquet.write_table(pa.table(table), path)


def write_node_set(path: Path) -> None:
    np.savez_compressed(
        path,
        adj_indptr=np.array([0, 1, 3, 4], dtype=np.int16),
        adj_indices=np.array([1, 0, 2, 1], dtype=np.int16),
        adj_shape=np.array([3, 3]),
        attr_indptr=np.array([0, 1, 1, 2]),
        attr_indices=np.array([0, 3]),
        attr_data=np.array([1.0, 0.5]),
        attr_shape=np.array([3, 4]),
        labels=np.array([0, 1, 1]),
    )


def write_cache(path: Path) -> None:
    folder = path.parent / "cached"
    folder.mkdir(exist_ok=True)
    source = folder / "SET.zip"
    write_tu_zip(source)
    read_tu_cached(source)
    path.write_bytes(cache_path(source).read_bytes())


def write_model(path: Path) -> None:
    graphs = datasets.rings(3).graphs
    branches = ("walk", "anonymous", "joint")
    GSKN(branches, n_landmarks=3, n_layers=2, random_state=0).fit(graphs).save(path)


def write_records(path: Path) -> None:
    header = {
        "run": "0123abcd",
        "format": 1,
        "data": "MUTAG",
        "model": "gskn",
        "protocol": "nested",
        "configuration": {"digest": "0123", "embeddings": [{"alpha": 1}, {"alpha": 2}]},
        "scores": ["accuracy"],
        "chosen": {"embedding": "embeddings", "inner": None},
        "seconds": ["embed"],
        "versions": {"python": "3.11.7"},
        "day": "2026-12-31",
        "commit": None,
    }
    folds = [["0123abcd", 0, fold, 0, [0.9], [1, 0.8], [0.1], 0.0] for fold in range(3)]
    lines = [json.dumps(line, separators=(",", ":")) for line in (header, *folds)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_folds(path: Path) -> None:
    path.write_text(json.dumps({"published": [[0, 1], [2, 3]]}), encoding="utf-8")


FORMATS: dict[str, Format] = {
    "csv": Format(
        ".csv", write_text("source,target,weight\n0,1,2\n1,2,3\n"), read_everything
    ),
    "edge list": Format(
        ".edgelist", write_text("# c\n0 1 {'weight': 2}\n"), read_everything
    ),
    "tsv": Format(".tsv", write_text("a\tb\nb\tc\n"), read_everything),
    "graphml": Format(".graphml", write_graph(nx.write_graphml), read_everything),
    "gml": Format(".gml", write_graph(nx.write_gml), read_everything),
    "json": Format(".json", write_graph(write_json), read_everything, "json"),
    "graph6": Format(".g6", write_text("EhEG\n>>graph6<<Cl\n"), read_everything),
    "smiles": Format(
        ".smi", write_text("CCO ethanol\nc1ccccc1 benzene\n"), read_everything
    ),
    "sdf": Format(".sdf", write_text(_SDF), read_everything),
    "parquet": Format(".parquet", write_parquet, read_everything, "parquet"),
    "tu zip": Format(".zip", write_tu_zip, read_everything, "zip"),
    "tu folder": Format(".tu", write_text("=====\n".join(_TU_FILES.values())), read_folder),
    "node set": Format(".npz", write_node_set, read_npz, "npz"),
    "cache": Format(".npz", write_cache, read_cache, "npz"),
    "model": Format(".gskn", write_model, read_model, "npz"),
    "folds": Format(".json", write_folds, lambda path: _read_folds(path, 4), "json"),
    "classes": Format(".csv", write_text("g0,a\ng1,b\ng2,a\n"), read_classes),
    "records": Format(".jsonl", write_records, read_records),
}
