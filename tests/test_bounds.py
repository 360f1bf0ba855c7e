"""Compiled loops read and write only inside their arrays, checked by numba."""

import os
import subprocess
import sys

import pytest

CODE = """
import networkx as nx
import numpy as np
from gskn import GSKN, as_batch
from gskn.walks import anonymize, pattern_counts, pattern_tables, sample_walks

heavy = nx.gnm_random_graph(9, 20, seed=1)
for number, edge in enumerate(heavy.edges):
    heavy.edges[edge]["weight"] = 1.0 + number
graphs = [
    nx.empty_graph(0),
    nx.empty_graph(3),
    nx.path_graph(2),
    nx.complete_graph(6),
    nx.star_graph(80),
    nx.gnm_random_graph(30, 200, seed=0),
    heavy,
]
batches = [
    as_batch(graphs),
    as_batch([nx.DiGraph(graph.edges) for graph in graphs]),
    as_batch([nx.empty_graph(4)]),
    as_batch([]),
]
branches = ("walk", "degree-walk", "path", "label-path", "anonymous", "joint", "induced")
for batch in batches:
    anonymize(sample_walks(batch, 5, 3, random_state=0))
    for method in ("exact", "sampled"):
        pattern_tables(batch, 8, method=method, n_walks=70, random_state=0)
        pattern_counts(batch, 4, method=method, induced=True, random_state=0)
        if batch.n_nodes:
            model = GSKN(branches, anonymous_length=4, method=method, random_state=0)
            model.fit(batch).transform(batches[0])
print("done")
"""


@pytest.mark.slow  # compiles every loop
def test_loops_stay_inside_their_arrays(tmp_path):
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),  # cached loops were compiled without checks
    }
    command = [sys.executable, "-c", CODE]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout == "done\n", result.stderr
