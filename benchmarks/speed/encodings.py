"""Measure structural encodings of nodes against PyG's random-walk encoding.

The graphs are the 12,000 molecules of ZINC. Times are CPU times of one thread, minima over
repeats that are measured in turns. PyG has no function for a whole data set, so its
transform is applied to one graph after another, as in ``pre_transform``.
"""

import argparse
import time
from collections.abc import Callable

import torch
from threadpoolctl import threadpool_limits
from torch_geometric.data import Data
from torch_geometric.transforms import AddRandomWalkPE

from gskn import datasets
from gskn.integrations.pyg import AddAnonymousWalkPE, encode_dataset

ENCODINGS = {
    "anonymous 6": AddAnonymousWalkPE(6),
    "anonymous 6, patterns": AddAnonymousWalkPE(6, basis="patterns"),
    "anonymous 6, counts": AddAnonymousWalkPE(6, weighting="count"),
    "anonymous 7": AddAnonymousWalkPE(7),
    "anonymous 8": AddAnonymousWalkPE(8),
    "induced 5": AddAnonymousWalkPE(5, kind="induced"),
}
TARGET = "anonymous 6"


def molecules(n_graphs: int) -> list[Data]:
    """Return the first molecules of ZINC."""
    graphs = []
    for graph in datasets.load("zinc").graphs[:n_graphs]:
        entries = graph.adjacency.tocoo()
        ends = torch.tensor([entries.row.tolist(), entries.col.tolist()])
        x = torch.tensor(graph.node_labels)[:, None]
        bonds = torch.tensor(graph.edge_labels)
        graphs.append(Data(x=x, edge_index=ends, edge_attr=bonds))
    return graphs


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-graphs", type=int, default=12_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    graphs = molecules(options.n_graphs)
    random_walk = AddRandomWalkPE(20)
    works: dict[str, Callable[[], object]] = {
        "AddRandomWalkPE(20)": lambda: [random_walk(graph) for graph in graphs]
    }
    for name, encoding in ENCODINGS.items():
        works[f"{name}, {encoding.num_features} columns"] = lambda transform=encoding: (
            encode_dataset(graphs, transform)
        )
        works[f"{name}, one by one"] = lambda transform=encoding: [
            transform(graph) for graph in graphs[:100]
        ]
    with threadpool_limits(1):
        for work in works.values():  # compile loops and plan products before measuring
            work()
        rounds = [
            {name: seconds(work) for name, work in works.items()}
            for _ in range(options.repeats)
        ]
    times = {name: min(times[name] for times in rounds) for name in works}
    reference = times["AddRandomWalkPE(20)"]
    print(f"{options.n_graphs:,} molecules, milliseconds per 1,000 molecules")
    for name, value in times.items():
        n_graphs = min(100, options.n_graphs) if "one by one" in name else options.n_graphs
        scaled = value / n_graphs
        ratio = scaled / (reference / options.n_graphs)
        target = "  (target 0.50)" if name.startswith(f"{TARGET}, 3") else ""
        print(f"  {name:<40}{1e6 * scaled:8.0f}  {ratio:6.2f} x AddRandomWalkPE{target}")


if __name__ == "__main__":
    main()
