"""Measure the first call of all compiled loops, without and with a cache on disk."""

import os
import subprocess
import sys
import tempfile

CODE = """
import time
import numpy as np
import gskn.walks
from gskn import as_batch
from gskn.walks import anonymize, pattern_counts, sample_walks
graph = as_batch([np.ones((4, 4)) - np.eye(4), np.eye(5, k=1) + np.eye(5, k=-1)])
begin = time.perf_counter()
anonymize(sample_walks(graph, 4, 2))
pattern_counts(graph, 8)
pattern_counts(graph, 4, method="sampled")
pattern_counts(graph, 4, induced=True)
first = time.perf_counter() - begin
begin = time.perf_counter()
anonymize(sample_walks(graph, 4, 2))
pattern_counts(graph, 8)
pattern_counts(graph, 4, method="sampled")
pattern_counts(graph, 4, induced=True)
print(first - (time.perf_counter() - begin))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for label in ("compiled in the first process", "read from the cache in a second"):
            result = subprocess.run(
                [sys.executable, "-c", CODE],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            print(f"{label:34s} {float(result.stdout):6.2f} s")


if __name__ == "__main__":
    main()
