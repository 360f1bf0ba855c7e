"""Throughput of embedding many molecules with Dask, against one plain process.

The molecules are those of the package molsets, whose wheel is downloaded with
``pip download molsets --no-deps``; without it, random graphs of the size of molecules. The
work is counted in CPU seconds of all processes, because other programs may be running;
starting the workers, imports and compiling are not counted.

    python benchmarks/scale/molecules.py --wheel molsets-0.3.1-py3-none-any.whl --n 100000
"""

import argparse
import gzip
import io
import os
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.dataframe import from_pandas, read_parquet
from distributed import Client, LocalCluster
from processes import Timer, measure, peak_gigabytes

from gskn import GSKN
from gskn.integrations import dask as gskn_dask
from gskn.integrations.arrow import EmbedTable

MEMORY_LIMIT = "2GB"


def write_partitions(folder: Path, wheel: Path | None, n: int, n_parts: int) -> None:
    """Write molecules as SMILES, or random graphs as edges, to parquet files."""
    table = _smiles(wheel, n) if wheel is not None else _random_edges(n)
    keys = table[table.column_names[0]].to_numpy()
    for number, part in enumerate(np.array_split(np.unique(keys), n_parts)):
        begin, end = np.searchsorted(keys, [part[0], part[-1] + 1])
        pq.write_table(table.slice(begin, end - begin), folder / f"{number:04d}.parquet")


def _smiles(wheel: Path, n: int) -> pa.Table:
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read("moses/dataset/data/train.csv.gz")
    with gzip.open(io.BytesIO(content), "rt") as file:
        _, *lines = [file.readline().split(",")[0].strip() for _ in range(n + 1)]
    return pa.table({"id": np.arange(len(lines)), "smiles": lines})


def _random_edges(n: int) -> pa.Table:
    """Return random trees of 15 to 25 nodes with two more edges each."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(15, 26, n)
    node = np.concatenate([np.arange(1, size) for size in sizes])
    before = np.maximum(node - rng.integers(1, 4, len(node)), 0)
    tree = np.repeat(np.arange(n), sizes - 1)
    rings = rng.integers(0, 15, (2, 2 * n))
    graph = np.concatenate([tree, np.repeat(np.arange(n), 2)])
    source, target = np.concatenate([[before, node], rings], axis=1)
    order = np.argsort(graph, kind="stable")
    columns = {"graph": graph, "source": source, "target": target}
    return pa.table({name: column[order] for name, column in columns.items()})


def run_plain(folder: str) -> dict[str, Any]:
    """Embed all partitions one after the other."""
    files = sorted(Path(folder).glob("0*.parquet"))
    embed = EmbedTable(GSKN.load(Path(folder) / "model.gskn"))
    embed(pq.read_table(files[0]).slice(0, 500))  # compile before measuring
    with Timer() as timer:
        for number, file in enumerate(files):
            pq.write_table(
                embed(pq.read_table(file)), f"{folder}/plain-{number:04d}.parquet"
            )
    return {"wall": timer.wall, "cpu": timer.cpu}


def run_dask(folder: str, n_workers: int) -> dict[str, Any]:
    """Embed all partitions on worker processes; the scheduler is in this process."""
    trim = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
    # As in gskn embed --workers: returning freed memory at once takes a third of the time.
    dask.config.set({"distributed.admin.log-length": 0, trim: None})
    cluster = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        memory_limit=MEMORY_LIMIT,
        dashboard_address=None,
    )
    with cluster, Client(cluster) as client:
        model = GSKN.load(Path(folder) / "model.gskn")
        frame = read_parquet(f"{folder}/0*.parquet")
        first = pq.read_table(f"{folder}/0000.parquet").slice(0, 1000).to_pandas()
        first = from_pandas(first, npartitions=4 * n_workers)
        gskn_dask.transform(model, first).to_parquet(
            f"{folder}/first-{n_workers}", write_index=False
        )
        before = client.run(time.process_time)
        with Timer() as timer:
            gskn_dask.transform(model, frame).to_parquet(
                f"{folder}/rows-{n_workers}", write_index=False
            )
        after = client.run(time.process_time)
        of_workers = [round(after[key] - before[key], 2) for key in before]
        peaks = client.run(peak_gigabytes)
    return {
        "wall": timer.wall,
        "cpu": round(timer.cpu + sum(of_workers), 2),
        "cpu_of_workers": of_workers,
        "worker_peaks_gb": list(peaks.values()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="of molsets")
    parser.add_argument("--n", type=int, default=100_000, help="number of molecules")
    parser.add_argument("--size", type=int, default=8_000, help="molecules per partition")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        n_parts = max(1, round(options.n / options.size))
        write_partitions(Path(folder), options.wheel, options.n, n_parts)
        sample = pq.read_table(f"{folder}/0000.parquet")
        model = GSKN(random_state=0).fit(sample)
        model.save(Path(folder) / "model.gskn")
        size = (Path(folder) / "model.gskn").stat().st_size
        print(f"model: {size / 1e6:.2f} MB", flush=True)
        plain = measure(run_plain, folder)
        print(f"plain process: {plain}", flush=True)
        for n_workers in options.workers:
            result = measure(run_dask, folder, n_workers)
            overhead = result["cpu"] / plain["cpu"] - 1
            rate = options.n / result["wall"]
            print(f"{n_workers} workers: {result}", flush=True)
            print(f"  {rate:,.0f} molecules per second, overhead {overhead:+.0%} CPU")


if __name__ == "__main__":
    main()
