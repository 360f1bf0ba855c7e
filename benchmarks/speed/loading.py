"""Measure first and cached loads of COLLAB against pandas reading the edge file only."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from gskn import datasets


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_over_arrays(name: str, home: Path) -> tuple[float, float]:
    """Return the peak memory of a first load, without imports, and the array size."""
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from gskn import datasets\n"
        "def peak():\n"
        "    text = Path('/proc/self/status').read_text()\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', text).group(1)) * 1024\n"
        "datasets.load('regular')\n"
        "before = peak()\n"
        "graphs = datasets.load(sys.argv[1], sys.argv[2]).graphs\n"
        "print(peak() - before, graphs.nbytes)"
    )
    output = subprocess.check_output(
        [sys.executable, "-c", code, name, str(home)], text=True
    )
    peak, arrays = map(int, output.split())
    return peak, arrays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="COLLAB")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    source = datasets.data_home() / f"{options.set}.zip"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / source.name).symlink_to(source.resolve())
        os.environ["XDG_CACHE_HOME"] = folder  # an empty cache that is removed again
        with zipfile.ZipFile(source) as archive:
            edges = archive.extract(f"{options.set}/{options.set}_A.txt", home / "text")
        first, cached, pandas = [], [], []
        for _ in range(options.repeats):
            pandas.append(seconds(lambda: pd.read_csv(edges, header=None)))
            for cache in home.rglob("*.npz"):
                cache.unlink()
            first.append(seconds(lambda: datasets.load(options.set, home)))
            cached += [seconds(lambda: datasets.load(options.set, home)) for _ in range(3)]
        for cache in home.rglob("*.npz"):
            cache.unlink()
        peak, arrays = peak_over_arrays(options.set, home)
    a, b, c = (float(np.median(times)) for times in (pandas, first, cached))
    print(f"{options.set}, medians of {options.repeats} rounds")
    print(f"  pandas.read_csv of the edge file  {a:8.3f} s")
    print(
        f"  first load (unpack, parse, cache) {b:8.3f} s   {b / a:6.2f} x pandas (target 3)"
    )
    print(
        f"  cached load                       {c:8.3f} s   "
        f"{b / c:6.1f} x faster (target 20)"
    )
    print(f"  peak memory of a first load       {peak / 2**20:8.0f} MiB", end="")
    print(f" {peak / arrays:6.2f} x arrays (target 6)")


if __name__ == "__main__":
    main()
