"""Measure what structural encodings add to graph neural networks.

Three studies, which `docs/results/index.md` describes with the claims that they test:

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
the rest of the network is the same. All networks of a study are trained for the same number
of epochs, during which the learning rate decreases to zero along a cosine. Reported is the
test score of the epoch with the best validation score.

Networks are stored in the folder ``--out`` while they are trained; the same command resumes
an interrupted run. With ``--records``, nothing is trained, and the records of finished
networks are written, of seeds and folds that are finished for all encodings.

    python benchmarks/accuracy/encodings.py --out build/encodings     # 20 CPU minutes
    python benchmarks/accuracy/encodings.py --out build/encodings \\
        --records docs/results/encodings.jsonl

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
from torch_geometric.nn import MLP, GINConv, GINEConv, global_add_pool
from torch_geometric.transforms import AddRandomWalkPE

from gskn import GraphBatch, as_batch, datasets
from gskn.integrations.pyg import AddAnonymousWalkPE, encode_dataset
from gskn.walks import pattern_counts

WIDTH = 64
SECONDS_BETWEEN_SAVES = 30


@dataclass(frozen=True)
class Plan:
    """How the networks of a study are trained, the same for all encodings."""

    layers: int
    batch_size: int
    rate: float
    epochs: int
    seeds: int


PLANS = {
    "CSL": Plan(layers=3, batch_size=16, rate=2e-3, epochs=60, seeds=1),
    "EXP": Plan(layers=3, batch_size=32, rate=2e-3, epochs=15, seeds=1),
    "counting": Plan(layers=3, batch_size=128, rate=2e-3, epochs=20, seeds=3),
    "zinc": Plan(layers=4, batch_size=128, rate=1e-3, epochs=24, seeds=3),
}
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
    fold: int
    n_epochs: int

    @property
    def name(self) -> str:
        return "-".join(map(str, asdict(self).values())).replace(" ", "")


@dataclass(frozen=True)
class Graphs:
    """Graphs without encoding, one after another in every tensor."""

    node_types: torch.Tensor
    ends: torch.Tensor
    edge_types: torch.Tensor | None
    node_ptr: torch.Tensor
    edge_ptr: torch.Tensor

    @classmethod
    def from_batch(cls, batch: GraphBatch) -> "Graphs":
        entries = batch.adjacency.tocoo()
        nodes, edges = batch.node_labels, batch.edge_labels
        nodes = np.zeros(batch.n_nodes) if nodes is None else nodes
        return cls(
            torch.tensor(nodes, dtype=torch.int64),
            torch.tensor(np.array([entries.row, entries.col]), dtype=torch.int64),
            None if edges is None else torch.tensor(edges, dtype=torch.int64),
            torch.tensor(batch.graph_ptr),
            torch.tensor(batch.adjacency.indptr[batch.graph_ptr], dtype=torch.int64),
        )

    def take(self, numbers: torch.Tensor, encoding: torch.Tensor) -> Data:
        """Return some graphs as one, like a `DataLoader`, which takes twice the time."""
        nodes, sizes = _ranges(self.node_ptr, numbers)
        edges, edge_sizes = _ranges(self.edge_ptr, numbers)
        shifts = sizes.cumsum(0) - sizes - self.node_ptr[numbers]
        return Data(
            node_type=self.node_types[nodes],
            pe=encoding[nodes],
            edge_index=self.ends[:, edges] + shifts.repeat_interleave(edge_sizes),
            edge_type=None if self.edge_types is None else self.edge_types[edges],
            nodes=nodes,
            batch=torch.arange(len(numbers)).repeat_interleave(sizes),
        )

    def as_list(self) -> list[Data]:
        numbers = torch.arange(len(self.node_ptr) - 1)
        return [
            Data(
                edge_index=self.ends[:, begin:end] - first,
                num_nodes=int(last - first),
            )
            for begin, end, first, last in zip(
                self.edge_ptr[numbers],
                self.edge_ptr[numbers + 1],
                self.node_ptr[numbers],
                self.node_ptr[numbers + 1],
                strict=True,
            )
        ]


def _ranges(ptr: torch.Tensor, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return all places that belong to some graphs, and how many each has."""
    sizes = ptr[numbers + 1] - ptr[numbers]
    shifts = ptr[numbers] - sizes.cumsum(0) + sizes
    return torch.arange(int(sizes.sum())) + shifts.repeat_interleave(sizes), sizes


@dataclass(frozen=True)
class Task:
    """Graphs, targets of graphs or of nodes, and the parts for every fold."""

    graphs: Graphs
    y: torch.Tensor
    folds: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    n_outputs: int
    is_class: bool = False
    is_per_node: bool = False


@dataclass(frozen=True)
class Encoding:
    """The rows of all nodes, and the CPU seconds to compute them."""

    rows: torch.Tensor
    seconds: float


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.records:
        write_records(options)
        return
    for study in options.studies:
        units = plan(study, options)
        if all(load_state(unit, options.out).get("is_complete") for unit in units):
            continue
        task = TASKS[study]()
        listed = task.graphs.as_list()
        encodings = {name: encode(listed, name) for name in ENCODINGS.get(study, ALL)}
        for unit in units:
            training = Training(unit, task, encodings[unit.encoding], options.out)
            training.run()
            print(json.dumps(training.record()), flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", default=list(PLANS), metavar="STUDY")
    parser.add_argument("--out", type=Path, required=True, help="folder of networks")
    parser.add_argument("--records", type=Path, help="file to write records to")
    parser.add_argument("--epochs", type=int, help="default: of the plan")
    parser.add_argument("--seeds", type=int, help="default: of the plan")
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    if unknown := set(options.studies) - set(PLANS):
        parser.error(f"unknown studies: {', '.join(sorted(unknown))}")
    return options


def plan(study: str, options: argparse.Namespace) -> list[Unit]:
    """Return the networks of a study, all encodings of a seed and a fold together."""
    default = PLANS[study]
    n_folds = min(10, options.folds) if study in {"EXP", "CSL"} else 1
    return [
        Unit(study, encoding, seed, fold, options.epochs or default.epochs)
        for seed in range(options.seeds or default.seeds)
        for fold in range(n_folds)
        for encoding in ENCODINGS.get(study, ALL)
    ]


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
    return Task(
        Graphs.from_batch(data.graphs),
        torch.tensor(labels),
        folds,
        n_outputs=int(labels.max()) + 1,
        is_class=True,
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
    order = generator.permutation(N_RANDOM)  # 30, 20 and 50 percent
    return Task(
        Graphs.from_batch(batch),
        torch.tensor(counts, dtype=torch.float32),
        [(order[:1500], order[1500:2500], order[2500:])],
        n_outputs=len(TARGETS),
        is_per_node=True,
    )


def zinc() -> Task:
    """Return the molecules of ZINC with the fixed split."""
    data = datasets.load("zinc")
    split = data.columns["split"]
    parts = tuple(np.flatnonzero(split == part) for part in ("train", "validation", "test"))
    y = torch.tensor(data.y, dtype=torch.float32)[:, None]
    return Task(Graphs.from_batch(data.graphs), y, [parts], n_outputs=1)


TASKS: dict[str, Callable[[], Task]] = {
    "EXP": lambda: classes("EXP"),
    "CSL": lambda: classes("CSL"),
    "counting": counting,
    "zinc": zinc,
}


def encode(graphs: list[Data], name: str) -> Encoding:
    """Return one encoding of all graphs, or several next to each other."""
    names = name.split(" + ")
    for part in names:  # compile loops before measuring
        _encode(graphs[:3], part)
    begin = time.process_time()
    parts = [_encode(graphs, part) for part in names]
    return Encoding(torch.cat(parts, dim=1), time.process_time() - begin)


def _encode(graphs: list[Data], name: str) -> torch.Tensor:
    if name == "none":
        return torch.zeros(sum(graph.num_nodes for graph in graphs), 0)
    kind, _, length = name.rpartition(" ")
    if kind == "random walk":
        transform = AddRandomWalkPE(int(length), attr_name="pe")
        return torch.cat([transform(graph).pe for graph in graphs])
    weighting = "count" if kind.endswith(" counts") else "probability"
    transform = AddAnonymousWalkPE(
        int(length), kind=kind.split()[0], weighting=weighting, attr_name="pe"
    )
    return torch.cat([graph.pe for graph in encode_dataset(graphs, transform)])


class Network(nn.Module):
    """GIN, or GINE with types of edges; the encoding is added to the first embedding."""

    def __init__(self, task: Task, n_features: int, n_layers: int) -> None:
        super().__init__()
        edge_types = task.graphs.edge_types
        self.nodes = nn.Embedding(int(task.graphs.node_types.max()) + 1, WIDTH)
        self.norm = nn.BatchNorm1d(n_features) if n_features else None
        self.project = nn.Linear(n_features, WIDTH) if n_features else None
        self.edges = None
        if edge_types is not None:
            self.edges = nn.Embedding(int(edge_types.max()) + 1, WIDTH)
        kind = GINConv if edge_types is None else GINEConv
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
    """A network that is trained, with its state in a file."""

    def __init__(self, unit: Unit, task: Task, encoding: Encoding, folder: Path) -> None:
        self.unit, self.task, self.encoding, self.folder = unit, task, encoding, folder
        self.plan = PLANS[unit.study]
        self.parts = [torch.from_numpy(part) for part in task.folds[unit.fold]]
        torch.manual_seed(unit.seed)
        self.network = Network(task, encoding.rows.shape[1], self.plan.layers)
        self.optimizer = torch.optim.Adam(self.network.parameters(), self.plan.rate)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
            self.optimizer, unit.n_epochs
        )
        self.losses: list[float] = []
        self.scores: list[tuple[list[float], list[float]]] = []  # validation and test
        self.seconds = 0.0
        if state := load_state(unit, folder):
            self._restore(state)

    def run(self) -> None:
        """Train to the end."""
        saved = self.seconds
        while not self.is_complete:
            begin = time.process_time()
            self._run_epoch()
            self.seconds += time.process_time() - begin
            if self.is_complete or self.seconds > saved + SECONDS_BETWEEN_SAVES:
                self._save()
                saved = self.seconds

    @property
    def is_complete(self) -> bool:
        """Whether all epochs are done, or the classes are learned and do not change."""
        is_learned = self.task.is_class and bool(self.losses) and self.losses[-1] < 0.005
        return len(self.losses) == self.unit.n_epochs or is_learned

    def record(self) -> dict[str, object]:
        return {
            **asdict(self.unit),
            "n_features": self.encoding.rows.shape[1],
            **summarize(self.scores),
            "encoding_seconds": round(self.encoding.seconds, 2),
            "seconds": round(self.seconds, 1),
            "day": datetime.now(UTC).date().isoformat(),
            "versions": {
                name: version(name) for name in ("gskn", "torch", "torch-geometric")
            },
        }

    def _run_epoch(self) -> None:
        # Keyed by epoch, so that resumed runs see the same batches.
        generator = torch.Generator().manual_seed(1000 * self.unit.seed + len(self.losses))
        order = torch.randperm(len(self.parts[0]), generator=generator)
        self.network.train()
        total = 0.0
        for data, y in self._batches(self.parts[0][order], self.plan.batch_size):
            self.optimizer.zero_grad()
            loss = self._loss(self._outputs(data), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(y)
        self.losses.append(total / self._n_targets(self.parts[0]))
        self.scores.append((self._errors(self.parts[1]), self._errors(self.parts[2])))
        self.schedule.step()

    def _batches(
        self, numbers: torch.Tensor, size: int
    ) -> Iterator[tuple[Data, torch.Tensor]]:
        for part in numbers.split(size):
            data = self.task.graphs.take(part, self.encoding.rows)
            yield data, self.task.y[data.nodes if self.task.is_per_node else part]

    def _n_targets(self, numbers: torch.Tensor) -> int:
        sizes = self.task.graphs.node_ptr.diff()[numbers]
        return int(sizes.sum()) if self.task.is_per_node else len(numbers)

    def _outputs(self, data: Data) -> torch.Tensor:
        return self.network(data, pools=not self.task.is_per_node)

    def _loss(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if self.task.is_class:
            return nn.functional.cross_entropy(outputs, y)
        return (outputs - y).abs().mean()

    @torch.no_grad()
    def _errors(self, numbers: torch.Tensor) -> list[float]:
        """Return the rate of errors, or the mean absolute error of every output."""
        self.network.eval()
        errors = []
        for data, y in self._batches(numbers, 500):
            outputs = self._outputs(data)
            if self.task.is_class:
                errors.append((outputs.argmax(dim=1) != y).float()[:, None])
            else:
                errors.append((outputs - y).abs())
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
            "is_complete": self.is_complete,
        }
        path = state_path(self.unit, self.folder)
        temporary = path.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(path)

    def _restore(self, state: dict) -> None:
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.losses, self.seconds = state["losses"], state["seconds"]
        self.scores = [tuple(pair) for pair in state["scores"]]


def state_path(unit: Unit, folder: Path) -> Path:
    return folder / f"{unit.name}.pt"


def load_state(unit: Unit, folder: Path) -> dict:
    """Return the stored state of a network; empty if its training has not begun."""
    path = state_path(unit, folder)
    return torch.load(path, weights_only=True) if path.exists() else {}


def write_records(options: argparse.Namespace) -> None:
    """Write one line per finished network."""
    lines = []
    for study in options.studies:
        groups: dict[tuple[int, int], list[dict]] = {}
        for unit in plan(study, options):
            state = load_state(unit, options.out)
            groups.setdefault((unit.seed, unit.fold), []).append(state)
        for states in groups.values():
            if all(state.get("is_complete") for state in states):
                lines += [json.dumps(state["record"]) for state in states]
    options.records.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


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
