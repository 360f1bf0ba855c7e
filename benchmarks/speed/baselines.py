"""Measure the baselines against the best public implementations that pip can install.

GNTK, RetGK, hash graph kernels, AWE and GCKN are published as programs, not as packages, so
there is no installable implementation to compare with.
"""

import time
import warnings

import numpy as np
import ot
from embedding import grakel_graphs
from gensim.models.doc2vec import Doc2Vec, TaggedDocument
from grakel.kernels import (
    GraphletSampling,
    RandomWalk,
    RandomWalkLabeled,
    ShortestPath,
    VertexHistogram,
    WeisfeilerLehman,
    WeisfeilerLehmanOptimalAssignment,
)

from gskn import GraphBatch, datasets
from gskn.baselines import (
    Graph2Vec,
    GraphletKernel,
    RandomWalkKernel,
    ShortestPathKernel,
    WLKernel,
    WLOAKernel,
    WWLKernel,
)


def seconds(work, repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def transport(model: WWLKernel, graphs: GraphBatch) -> None:
    """Solve the transport problem of every pair with POT's public function."""
    clouds = model.fit(graphs).trained_
    points = [clouds.points_of_graph(number) for number in range(clouds.n_graphs)]
    for number, one in enumerate(points):
        for other in points[number:]:
            costs = np.sqrt(((one[:, None] - other) ** 2).sum(axis=2))
            ot.emd2([], [], costs)


def doc2vec(model: Graph2Vec, graphs: GraphBatch) -> None:
    """Train gensim's Doc2Vec on the same words as Graph2Vec, with one thread."""
    corpus = model._read(graphs, np.uint64(0))  # noqa: SLF001 - use the same words for both
    words = corpus.words.astype(str).tolist()
    ends = zip(corpus.graph_ptr[:-1], corpus.graph_ptr[1:], strict=True)
    documents = [TaggedDocument(words[a:b], [n]) for n, (a, b) in enumerate(ends)]
    Doc2Vec(
        documents,
        vector_size=128,
        window=0,
        min_count=5,
        dm=0,
        workers=1,
        epochs=10,
        seed=0,
    )


def against_grakel(name: str, n_graphs: int) -> None:
    graphs = datasets.load(name).graphs
    graphs = graphs[:: max(1, graphs.n_graphs // n_graphs)]
    listed = grakel_graphs(graphs)
    labelled = graphs.node_labels is not None
    walks = RandomWalkLabeled if labelled else RandomWalk
    wl = WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram)
    pairs = {
        "WL": (WLKernel(5), wl),
        "WL-OA": (WLOAKernel(5), WeisfeilerLehmanOptimalAssignment(n_iter=5)),
        "shortest path": (ShortestPathKernel(), ShortestPath(with_labels=labelled)),
        "random walk": (RandomWalkKernel(), walks(lamda=0.01, method_type="baseline")),
        "graphlet, 4": (GraphletKernel(4), GraphletSampling(k=4)),
    }
    for system, (ours, theirs) in pairs.items():
        slow = system in {"random walk", "graphlet, 4"}
        batch, few = (graphs[:40], listed[:40]) if slow else (graphs, listed)
        mine = seconds(lambda k=ours, g=batch: k.fit_transform(g))
        with warnings.catch_warnings(action="ignore"):
            peer = seconds(lambda k=theirs, g=few: k.fit_transform(g), 1)
        show(f"{system}, {name}", len(few), mine, "GraKeL", peer)


def show(what: str, n_graphs: int, mine: float, peer: str, theirs: float) -> None:
    ratio = f"{mine / theirs:6.3f} x {peer}"
    print(
        f"{what:28s}{n_graphs:6d} graphs{mine:9.3f} s{theirs:9.3f} s  {ratio}", flush=True
    )


def main() -> None:
    print(" " * 41 + "     ours      peer  target: at most 2 x the peer")
    for batch in (datasets.load("MUTAG").graphs, datasets.load("structure").graphs):
        for model in (WLOAKernel(), GraphletKernel(), RandomWalkKernel(), Graph2Vec()):
            model.fit_transform(batch[:20])  # compile before measuring
    against_grakel("MUTAG", 188)
    against_grakel("IMDB-BINARY", 500)
    graphs = datasets.load("BZR").graphs[:60]
    model = WWLKernel(2)
    mine = seconds(lambda: model.fit_transform(graphs))
    show("WWL, attributes, BZR", 60, mine, "POT", seconds(lambda: transport(model, graphs)))
    for name in ("MUTAG", "IMDB-BINARY"):
        graphs, vectors = datasets.load(name).graphs, Graph2Vec(random_state=0)
        mine = seconds(lambda m=vectors, g=graphs: m.fit_transform(g))
        theirs = seconds(lambda m=vectors, g=graphs: doc2vec(m, g))
        show(f"Graph2Vec, {name}", graphs.n_graphs, mine, "gensim", theirs)


if __name__ == "__main__":
    main()
