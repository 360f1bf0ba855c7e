"""Measure the time of ``import gskn`` and ``gskn --help``."""

import subprocess
import sys
import time

import numpy as np

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import gskn": ["-c", "import gskn"],
    "gskn --help": ["-m", "gskn", "--help"],
    "import gskn.graphs": ["-c", "import gskn.graphs"],
    "gskn datasets": ["-m", "gskn", "datasets"],
}


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    times = {name: [] for name in COMMANDS}
    for _ in range(7):  # in turns, so that load on the machine affects all equally
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    bare = float(np.median(times["python -c pass"]))
    print("median of 7 runs, in total and without the bare interpreter")
    for name, values in times.items():
        middle = float(np.median(values))
        print(f"  {name:20} {middle * 1000:7.0f} ms {(middle - bare) * 1000:7.0f} ms")


if __name__ == "__main__":
    main()
