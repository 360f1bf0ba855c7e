import os
import subprocess
import sys

import pytest

# Each child has its own watchdog: a child that waits for a lock is killed by the alarm.
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_child_forked_while_other_threads_transform_finishes(n_jobs):
    command = [sys.executable, "-c", FORK, str(n_jobs)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == f"{[0] * 8}\n", result.stderr
