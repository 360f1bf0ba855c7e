"""Large graphs within a bound on memory, each in its own process."""

import subprocess
import sys

import pytest

# Imports, compiled loops and the graph itself take about 300 MB.
PREAMBLE = """
import re, sys
from pathlib import Path
import numpy as np
from scipy.sparse import csr_array
from gskn import GraphBatch, as_batch
from gskn.walks import pattern_counts, sample_walks

def undirected(source, target):
    return as_batch((np.array([[*source, *target], [*target, *source]]), None))

def check(table, exact):
    assert bool(table.is_exact.all()) == exact, table
    np.testing.assert_allclose(table.rows.sum(axis=1), 1, atol=1e-9)
    text = Path("/proc/self/status").read_text()
    print(int(re.search(r"VmHWM:\\s+(\\d+)", text).group(1)) // 1024)

n = 10**5
"""

CASES = {
    "a star of 10^5 leaves": (
        (
            "star = undirected(np.zeros(n, int), np.arange(1, n + 1))\n"
            "check(pattern_counts(star, 6), exact=True)"
        ),
        600,
    ),
    "a star of 10^5 rays without twins": (
        (
            "hub, ray = np.zeros(n, int), np.arange(1, n + 1)\n"
            "star = undirected(np.r_[hub, ray], np.r_[ray, ray + n])\n"
            "check(pattern_counts(star, 6, random_state=0), exact=False)"
        ),
        1000,
    ),
    "preferential attachment of 10^5 nodes": (
        (
            "late = np.repeat(np.arange(1, n), 4)\n"
            "early = (np.random.default_rng(0).random(len(late)) ** 2 * late).astype(int)\n"
            "graph = undirected(early, late)\n"
            "table = pattern_counts(graph, 6, max_work=1e9, random_state=0)\n"
            "check(table, exact=False)"
        ),
        1500,
    ),
    "preferential attachment of 10^5 nodes, exact": (
        (
            "late = np.repeat(np.arange(1, n), 4)\n"
            "early = (np.random.default_rng(0).random(len(late)) ** 2 * late).astype(int)\n"
            "check(pattern_counts(undirected(early, late), 5), exact=True)"
        ),
        700,
    ),
    "a grid of 10^6 nodes": (
        (
            "i = np.arange(10**6).reshape(1000, 1000)\n"
            "a = np.concatenate([i[:, :-1].ravel(), i[:-1].ravel()])\n"
            "b = np.concatenate([i[:, 1:].ravel(), i[1:].ravel()])\n"
            "graph = as_batch((np.array([np.r_[a, b], np.r_[b, a]]), None))\n"
            "check(pattern_counts(graph, 6), exact=True)"
        ),
        4000,
    ),
    "the complete graph of 200": (
        "check(pattern_counts(np.ones((200, 200)) - np.eye(200), 8), exact=True)",
        1000,
    ),
    "8000 rings of ten, each with an isolated node, at length 8": (
        (
            "i = np.arange(8000)[:, None] * 11 + np.arange(10)\n"
            "a, b = i.ravel(), np.roll(i, -1, axis=1).ravel()\n"
            "ends = (np.r_[a, b], np.r_[b, a])\n"
            "m = csr_array((np.ones(2 * len(a)), ends), (88000, 88000))\n"
            "batch = GraphBatch(as_batch(m).adjacency, np.arange(0, 88001, 11))\n"
            "check(pattern_counts(batch, 8), exact=True)"
        ),
        1100,
    ),
    "10^5 graphs of three nodes": (
        (
            "path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])\n"
            "check(pattern_counts(np.broadcast_to(path, (n, 3, 3)), 6), exact=True)"
        ),
        1500,
    ),
}
# Three seconds and more each.
SLOW = {
    "a grid of 10^6 nodes",
    "8000 rings of ten, each with an isolated node, at length 8",
    "10^5 graphs of three nodes",
}
assert {*CASES} >= SLOW


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case in SLOW else [])
        for case in CASES
    ],
)
def test_memory_stays_below_the_bound(case):
    code, bound_mebibytes = CASES[case]
    result = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) < bound_mebibytes
