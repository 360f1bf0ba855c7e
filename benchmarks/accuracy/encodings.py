"""Measure what structural encodings add to graph neural networks.

Three studies, which `docs/guide/encodings.md` describes with the claims that they test:

expressivity
    A GIN of three layers on EXP and CSL, whose graphs message passing cannot distinguish.
    Ten stratified folds: one is the test part, the next one the validation part.
counting
    A GIN of three layers predicts for every node of random graphs how many triangles,
    cycles of 4, 5 and 6 nodes and tailed triangles (ending at the node) contain it. The
    error is the mean absolute error divided by the standard deviation of the target.
zinc
    GINE with four layers of 64 columns and bond types predicts the penalized log P of
    molecules; fixed split of 10,000, 1,000 and 1,000 molecules, mean absolute error.

All encodings are normalized per column and projected to the width of the network, so that
the rest of the network is the same. Reported is the test score of the epoch with the best
validation score. Training advances in rounds of ``--step`` epochs, one for every encoding,
so that all have the same number of epochs when a run is interrupted. Networks are stored in
the folder ``--out``, and the same command with more epochs or seeds resumes them. The
records of ``docs/results/encodings.jsonl`` are written by ``--records``.

    python benchmarks/accuracy/encodings.py --out build/encodings     # all: 3 seeds

"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import networkx as nx
import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MLP, GINConv, GINEConv, global_add_pool
from torch_geometric.transforms import AddRandomWalkPE

from gskn import GraphBatch, as_batch, datasets
from gskn.integrations.pyg import AddAnonymousWalkPE, encode_dataset
from gskn.walks import pattern_counts

WIDTH = 64
EPOCHS = {"EXP": 60, "CSL": 60, "counting": 200, "zinc": 300}
BATCH_SIZES = {"EXP": 32, "CSL": 16, "counting": 128, "zinc": 128}
LAYERS = {"EXP": 3, "CSL": 3, "counting": 3, "zinc": 4}
RATES = {"EXP": 2e-3, "CSL": 2e-3, "counting": 2e-3, "zinc": 1e-3}
ALL = [
    "none",
    "random walk 20",
    "anonymous 6",
    "anonymous 7",
    "induced 5",
    "random walk 20 + anonymous 6",
]
ENCODINGS = {
    "EXP": ["none", "random walk 20", "anonymous 5", "anonymous 6", "induced 5"],
    "CSL": ["none", "random walk 20", "anonymous 7", "anonymous 8", "induced 6"],
    "counting": [*ALL, "anonymous counts 7"],
}
TARGETS = {  # pattern of a walk from the node, and number of such walks per subgraph
    "triangles": ("0-1-2-0", 2),
    "4-cycles": ("0-1-2-3-0", 2),
    "5-cycles": ("0-1-2-3-4-0", 2),
    "6-cycles": ("0-1-2-3-4-5-0", 2),
    "tailed triangles": ("0-1-2-3-1", 2),
}
REGULAR = [(10, 6), (15, 6), (20, 5), (30, 5)]  # nodes and degrees of the random graphs
N_RANDOM = 5000


@dataclass(frozen=True)
class Unit:
    """One network to train."""

    study: str
    encoding: str
    seed: int
    fold: int = 0

    @property
    def name(self) -> str:
        text = f"{self.study}-{self.encoding}-{self.seed}-{self.fold}"
        return text.replace(" ", "")


@dataclass(frozen=True)
class Task:
    """Graphs without encoding, their parts for every fold, and the kind of output."""

    graphs: list[Data]
    folds: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    n_outputs: int
    is_class: bool = False
    n_node_types: int = 1
    n_edge_types: int = 0


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    for study in options.studies:
        task = TASKS[study]()
        graphs = {}
        for encoding in ENCODINGS.get(study, ALL):
            begin = time.process_time()
            graphs[encoding] = encode(task.graphs, encoding)
            seconds = time.process_time() - begin
            print(f"{study}, {encoding}: encoded in {seconds:.1f} s", flush=True)
        units = [
            Unit(study, encoding, seed, fold)
            for seed in range(options.seeds)
            for fold in range(min(len(task.folds), options.folds))
            for encoding in graphs
        ]
        n_epochs = options.epochs or EPOCHS[study]
        step = options.step or n_epochs
        for target in range(step, n_epochs + 1, step):
            for unit in units:
                record = Training(unit, task, graphs[unit.encoding], options).run(target)
                print(json.dumps(record), flush=True)
    if options.records:
        write_records(options.out, options.records)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", default=list(TASKS), metavar="STUDY")
    parser.add_argument("--out", type=Path, required=True, help="folder of networks")
    parser.add_argument("--records", type=Path, help="file of all records in the folder")
    parser.add_argument("--epochs", type=int, help="default: of the full plan")
    parser.add_argument("--step", type=int, help="epochs of a round; default: all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    if unknown := set(options.studies) - set(TASKS):
        parser.error(f"unknown studies: {', '.join(sorted(unknown))}")
    return options


def classes(name: str) -> Task:
    """Return EXP or CSL with ten folds."""
    data = datasets.load(name)
    labels = np.unique(data.y, return_inverse=True)[1]
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    tests = [test for _, test in splitter.split(labels, labels)]
    folds = [
        (np.concatenate([t for n, t in enumerate(tests) if n not in {k, (k + 1) % 10}]),
         tests[(k + 1) % 10], tests[k])
        for k in range(10)
    ]  # fmt: skip
    types = data.graphs.node_labels
    return Task(
        as_list(data.graphs, torch.tensor(labels)),
        folds,
        n_outputs=int(labels.max()) + 1,
        is_class=True,
        n_node_types=1 if types is None else int(types.max()) + 1,
    )


def counting() -> Task:
    """Return random regular graphs from which some edges are removed."""
    generator = np.random.default_rng(0)
    graphs = []
    for number in range(N_RANDOM):
        n_nodes, degree = REGULAR[number % len(REGULAR)]
        graph = nx.random_regular_graph(degree, n_nodes, seed=number)
        edges = [*graph.edges]
        removed = generator.choice(len(edges), n_nodes, replace=False)
        graph.remove_edges_from(edges[edge] for edge in removed)
        graphs.append(graph)
    batch = as_batch(graphs)
    columns = []
    for pattern, n_walks in TARGETS.values():
        table = pattern_counts(batch, pattern.count("-") + 1, weighting="count")
        columns.append(table.rows[:, [table.names.index(pattern)]].toarray() / n_walks)
    counts = np.concatenate(columns, axis=1)
    counts = (counts - counts.mean(axis=0)) / counts.std(axis=0)
    listed = as_list(batch, None)
    parts = np.split(counts, batch.graph_ptr[1:-1])
    for graph, part in zip(listed, parts, strict=True):
        graph.y = torch.tensor(part, dtype=torch.float32)
    order = generator.permutation(N_RANDOM)  # 30, 20 and 50 percent
    return Task(listed, [(order[:1500], order[1500:2500], order[2500:])], len(TARGETS))


def zinc() -> Task:
    """Return the molecules of ZINC with the fixed split."""
    data = datasets.load("zinc")
    graphs = as_list(data.graphs, torch.tensor(data.y, dtype=torch.float32)[:, None])
    split = data.columns["split"]
    parts = tuple(np.flatnonzero(split == part) for part in ("train", "validation", "test"))
    return Task(
        graphs,
        [parts],
        n_outputs=1,
        n_node_types=len(data.graphs.label_values),
        n_edge_types=len(data.graphs.edge_label_values),
    )


TASKS: dict[str, Callable[[], Task]] = {
    "EXP": lambda: classes("EXP"),
    "CSL": lambda: classes("CSL"),
    "counting": counting,
    "zinc": zinc,
}


def as_list(batch: GraphBatch, y: torch.Tensor | None) -> list[Data]:
    graphs = []
    for number, graph in enumerate(batch):
        entries = graph.adjacency.tocoo()
        ends = torch.from_numpy(np.array([entries.row, entries.col], dtype=np.int64))
        types = np.zeros(graph.n_nodes, np.int64)
        types = types if graph.node_labels is None else np.array(graph.node_labels)
        data = Data(node_type=torch.from_numpy(types), edge_index=ends)
        if graph.edge_labels is not None:
            data.edge_type = torch.from_numpy(np.array(graph.edge_labels))
        if y is not None:
            data.y = y[[number]]
        data.num_nodes = graph.n_nodes
        graphs.append(data)
    return graphs


def encode(graphs: list[Data], encoding: str) -> list[Data]:
    """Return the graphs with the encoding as ``pe``."""
    parts = [_encode(graphs, name) for name in encoding.split(" + ")]
    encoded = []
    for rows in zip(graphs, *parts, strict=True):
        data = rows[0].clone()
        data.pe = torch.cat([part.pe for part in rows[1:]], dim=1)
        encoded.append(data)
    return encoded


def _encode(graphs: list[Data], name: str) -> list[Data]:
    if name == "none":
        return [Data(pe=torch.zeros(graph.num_nodes, 0)) for graph in graphs]
    kind, _, length = name.rpartition(" ")
    if kind == "random walk":
        return list(map(AddRandomWalkPE(int(length), attr_name="pe"), graphs))
    weighting = "count" if kind.endswith(" counts") else "probability"
    transform = AddAnonymousWalkPE(
        int(length), kind=kind.split()[0], weighting=weighting, attr_name="pe"
    )
    return encode_dataset(graphs, transform)


class Network(nn.Module):
    """GIN, or GINE with types of edges; the encoding is added to the first embedding."""

    def __init__(self, task: Task, n_features: int, n_layers: int) -> None:
        super().__init__()
        self.nodes = nn.Embedding(task.n_node_types, WIDTH)
        self.norm = nn.BatchNorm1d(n_features) if n_features else None
        self.project = nn.Linear(n_features, WIDTH) if n_features else None
        self.edges = nn.Embedding(task.n_edge_types, WIDTH) if task.n_edge_types else None
        kind = GINEConv if task.n_edge_types else GINConv
        self.layers = nn.ModuleList(
            kind(MLP([WIDTH, WIDTH, WIDTH], norm=None), train_eps=True)
            for _ in range(n_layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(WIDTH) for _ in range(n_layers))
        self.output = MLP([WIDTH, WIDTH, task.n_outputs], norm=None)

    def forward(self, data: Data, *, pools: bool) -> torch.Tensor:
        x = self.nodes(data.node_type)
        if self.norm is not None:
            x = x + self.project(self.norm(data.pe))
        edges = () if self.edges is None else (self.edges(data.edge_type),)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = x + norm(layer(x, data.edge_index, *edges)).relu()
        return self.output(global_add_pool(x, data.batch) if pools else x)


class Training:
    """A network that is trained in rounds, with its state in a file."""

    def __init__(
        self, unit: Unit, task: Task, graphs: list[Data], options: argparse.Namespace
    ) -> None:
        self.unit, self.task, self.graphs = unit, task, graphs
        self.path = options.out / f"{unit.name}.pt"
        self.parts = task.folds[unit.fold]
        torch.manual_seed(unit.seed)
        self.network = Network(task, graphs[0].pe.shape[1], LAYERS[unit.study])
        self.optimizer = torch.optim.Adam(self.network.parameters(), RATES[unit.study])
        self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.optimizer, factor=0.5, patience=10
        )
        self.pools = task.is_class or unit.study == "zinc"
        self.losses: list[float] = []
        self.scores: list[tuple[list[float], list[float]]] = []  # validation and test
        self.seconds = 0.0
        if self.path.exists():
            self._load()

    def run(self, n_epochs: int) -> dict[str, object]:
        """Train up to a number of epochs, and return the record."""
        n_before = len(self.losses)
        while len(self.losses) < n_epochs and not self.has_converged:
            begin = time.process_time()
            self._run_epoch()
            self.seconds += time.process_time() - begin
        if len(self.losses) > n_before:
            self._save()
        return self.record()

    @property
    def has_converged(self) -> bool:
        """Whether the training classes are learned, so that more epochs change nothing."""
        return self.task.is_class and bool(self.losses) and self.losses[-1] < 0.005

    def record(self) -> dict[str, object]:
        return {
            **asdict(self.unit),
            "n_features": self.graphs[0].pe.shape[1],
            **summarize(self.scores),
            "seconds": round(self.seconds, 1),
            "day": datetime.now(UTC).date().isoformat(),
            "versions": {name: version(name) for name in ("torch", "torch-geometric")},
        }

    def _run_epoch(self) -> None:
        # Keyed by epoch, so that resumed runs see the same batches.
        generator = torch.Generator().manual_seed(1000 * self.unit.seed + len(self.losses))
        self.network.train()
        total = 0.0
        for batch in self._batches(0, generator):
            self.optimizer.zero_grad()
            loss = self._loss(self.network(batch, pools=self.pools), batch.y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * batch.num_graphs
        self.losses.append(total / len(self.parts[0]))
        validation, test = self._errors(1), self._errors(2)
        self.scores.append((validation, test))
        self.schedule.step(float(np.mean(validation)))

    def _batches(self, part: int, generator: torch.Generator | None) -> Iterator[Data]:
        graphs = [self.graphs[number] for number in self.parts[part]]
        size = BATCH_SIZES[self.unit.study] * (1 if generator else 4)
        return iter(
            DataLoader(graphs, size, shuffle=generator is not None, generator=generator)
        )

    def _loss(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if self.task.is_class:
            return nn.functional.cross_entropy(outputs, y)
        return (outputs - y).abs().mean()

    @torch.no_grad()
    def _errors(self, part: int) -> list[float]:
        """Return the rate of errors, or the mean absolute error of every output."""
        self.network.eval()
        errors = []
        for batch in self._batches(part, None):
            outputs = self.network(batch, pools=self.pools)
            if self.task.is_class:
                errors.append((outputs.argmax(dim=1) != batch.y).float()[:, None])
            else:
                errors.append((outputs - batch.y).abs())
        return torch.cat(errors).mean(dim=0).tolist()

    def _save(self) -> None:
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "losses": self.losses,
            "scores": self.scores,
            "seconds": self.seconds,
            "record": self.record(),
        }
        temporary = self.path.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(self.path)

    def _load(self) -> None:
        state = torch.load(self.path, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.losses, self.seconds = state["losses"], state["seconds"]
        self.scores = [tuple(pair) for pair in state["scores"]]


def write_records(folder: Path, path: Path) -> None:
    """Write one line per network, of seeds and folds with all encodings of the study.

    If a round was interrupted, epochs that not all encodings have reached are left out.
    """
    states = [torch.load(file, weights_only=True) for file in sorted(folder.glob("*.pt"))]
    lines = []
    for study in TASKS:
        chosen = [state for state in states if state["record"]["study"] == study]
        encodings = {state["record"]["encoding"] for state in chosen}
        for group in _group(chosen, "seed", "fold"):
            if len(group) == len(encodings):
                lines += [json.dumps(record) for record in _cut(group, study)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _group(states: list[dict], *keys: str) -> list[list[dict]]:
    groups: dict[tuple, list[dict]] = {}
    for state in states:
        key = tuple(state["record"][key] for key in keys)
        groups.setdefault(key, []).append(state)
    return list(groups.values())


def _cut(group: list[dict], study: str) -> list[dict]:
    """Return the records after as many epochs as all networks have."""
    if study in {"EXP", "CSL"}:  # training stops when the classes are learned
        return [state["record"] for state in group]
    n_epochs = min(len(state["scores"]) for state in group)
    return [
        state["record"]
        | summarize(state["scores"][:n_epochs])
        | {"seconds": round(state["seconds"] * n_epochs / len(state["scores"]), 1)}
        for state in group
    ]


def summarize(scores: list) -> dict[str, object]:
    """Return the scores of the epoch with the best mean validation score."""
    best = int(np.argmin([np.mean(validation) for validation, _ in scores]))
    return {
        "epochs": len(scores),
        "best_epoch": best + 1,
        "validation": [round(value, 6) for value in scores[best][0]],
        "test": [round(value, 6) for value in scores[best][1]],
    }


if __name__ == "__main__":
    main()
