import inspect
import os
import subprocess
import sys
from threading import Barrier, current_thread

import joblib
import numpy as np
import pytest

from gskn import as_batch, baselines, datasets, estimators
from gskn._threads import run_threads
from gskn.evaluation import Model, evaluate, evaluate_nodes
from gskn.exceptions import InputError
from gskn.walks import pattern_counts, sample_walks

VALID = (None, 1, 2, -1, -2)
INVALID = {
    0: r"n_jobs must be None, a number of threads, or negative \(.*\), got 0\.",
    1.5: r"n_jobs must be None or an integer, got 1\.5\.",
    "2": r"n_jobs must be None or an integer, got '2'\.",
    True: r"n_jobs must be None or an integer, got True\.",
}
WAIT_SECONDS = 300  # only a failing test waits this long

ESTIMATORS = {
    name: estimator
    for module in (estimators, baselines)
    for name, estimator in vars(module).items()
    if name in module.__all__
    and inspect.isclass(estimator)
    and "n_jobs" in inspect.signature(estimator).parameters
}
MODEL = Model("small", "short walks", ({"branches": ("walk",), "walk_length": 2},))
FUNCTIONS = {
    "pattern_counts": lambda data, n_jobs: pattern_counts(data.graphs, 3, n_jobs=n_jobs),
    "sampled pattern_counts": lambda data, n_jobs: pattern_counts(
        data.graphs, 3, method="sampled", random_state=0, n_jobs=n_jobs
    ),
    "induced pattern_counts": lambda data, n_jobs: pattern_counts(
        data.graphs, 3, induced=True, n_jobs=n_jobs
    ),
    "sample_walks": lambda data, n_jobs: sample_walks(
        data.graphs, 3, random_state=0, n_jobs=n_jobs
    ),
    "evaluate": lambda data, n_jobs: evaluate(data, [MODEL], n_jobs=n_jobs),
    "evaluate by paper": lambda data, n_jobs: evaluate(
        data, [MODEL], protocol="paper", n_jobs=n_jobs
    ),
    "evaluate_nodes": lambda data, n_jobs: evaluate_nodes(
        as_node_data(data), [MODEL], repeats=1, n_jobs=n_jobs
    ),
}


def as_node_data(data):
    """Return one graph whose nodes have the classes of their original graphs."""
    graph = as_batch([data.graphs.adjacency.toarray()])
    return datasets.Dataset("nodes", graph, data.y[data.graphs.node_graphs], "node")


@pytest.fixture(scope="module")
def data():
    mutag = datasets.load("MUTAG")
    classes = [np.flatnonzero(mutag.y == value)[:6] for value in np.unique(mutag.y)]
    selected = np.concatenate(classes)
    graphs = mutag.graphs[selected].without_edge_data()  # most baselines ignore it
    return datasets.Dataset("small", graphs, mutag.y[selected])


def thread_names(n_items, n_jobs):
    return run_threads(lambda _: current_thread().name, range(n_items), n_jobs)


@pytest.mark.parametrize("n_jobs", VALID)
def test_results_have_the_order_of_items(n_jobs):
    assert run_threads(str, range(20), n_jobs) == list(map(str, range(20)))
    assert run_threads(str, [], n_jobs) == []


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_one_job_runs_in_the_calling_thread(n_jobs):
    assert thread_names(4, n_jobs) == [current_thread().name] * 4


@pytest.mark.parametrize("n_jobs", [2, 3, -1, -2, -99])
def test_jobs_run_at_the_same_time(n_jobs):
    n_threads = n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)
    barrier = Barrier(n_threads)  # opens when all threads wait
    run_threads(lambda _: barrier.wait(WAIT_SECONDS), range(n_threads), n_jobs)
    assert len(set(thread_names(50, n_jobs))) <= n_threads


def test_joblib_context_sets_default_number_of_threads():
    barrier = Barrier(2)
    with joblib.parallel_config(n_jobs=2):
        run_threads(lambda _: barrier.wait(WAIT_SECONDS), range(2), None)
        assert thread_names(2, 1) == [current_thread().name] * 2


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_exception_cancels_remaining_items(error, n_jobs):
    started = []

    def fail(item):
        started.append(item)
        raise error

    with pytest.raises(error):
        run_threads(fail, range(10_000), n_jobs)
    assert len(started) < 10_000


@pytest.mark.parametrize("n_jobs", VALID)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_accepts_n_jobs_of_joblib(name, n_jobs, data):
    model = ESTIMATORS[name](n_jobs=n_jobs).fit(data.graphs, data.y)
    names = ("predict", "transform", "kneighbors")
    predict = next(getattr(model, name) for name in names if hasattr(model, name))
    results = predict(data.graphs)
    results = results[0] if isinstance(results, tuple) else results
    assert len(results) == data.graphs.n_graphs


@pytest.mark.parametrize("n_jobs", INVALID)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_raises_for_invalid_n_jobs_in_fit(name, n_jobs, data):
    with pytest.raises(InputError, match=INVALID[n_jobs]):
        ESTIMATORS[name](n_jobs=n_jobs).fit(data.graphs, data.y)


@pytest.mark.parametrize("n_jobs", VALID)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_accepts_n_jobs_of_joblib(name, n_jobs, data):
    FUNCTIONS[name](data, n_jobs)


@pytest.mark.parametrize("n_jobs", INVALID)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_raises_for_invalid_n_jobs(name, n_jobs, data):
    with pytest.raises(InputError, match=INVALID[n_jobs]):
        FUNCTIONS[name](data, n_jobs)


# An alarm kills a child that waits for a lock.
FORK = """
import os, signal, sys, threading
import numpy as np
from gskn import GSKN, datasets

n_jobs = int(sys.argv[1])
graphs = datasets.load("structure").graphs[::8]
branches = ("walk", "path", "anonymous")
model = GSKN(branches, anonymous_length=5, random_state=0, n_jobs=n_jobs).fit(graphs)
expected = model.transform(graphs)
running, stop = threading.Barrier(3), threading.Event()

def transform():
    running.wait()
    while not stop.is_set():
        model.transform(graphs)

threads = [threading.Thread(target=transform) for _ in range(2)]
for thread in threads:
    thread.start()
running.wait()
states = []
for _ in range(8):
    child = os.fork()
    if not child:
        signal.alarm(300)
        same = np.allclose(model.transform(graphs), expected)
        GSKN(random_state=0, n_jobs=n_jobs).fit(graphs)
        os._exit(0 if same else 1)
    states.append(os.waitpid(child, 0)[1])
    if states[-1]:
        break
stop.set()
for thread in threads:
    thread.join()
print(states)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_process_forked_while_other_threads_transform_finishes(n_jobs):
    command = [sys.executable, "-c", FORK, str(n_jobs)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == f"{[0] * 8}\n", result.stderr
