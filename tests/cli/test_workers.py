import logging
import os
import signal
import sys

import pyarrow.parquet
import pytest

from gskn import GSKN, GSKNClassifier, datasets
from gskn.cli._workers import open_workers
from tests.cli.processes import run_until
from tests.cli.test_embed import write_rings

dask = pytest.importorskip("dask", reason="needs the dask extra")
pytest.importorskip("distributed", reason="needs the dask extra")


@pytest.fixture(autouse=True)
def _environment():
    """Restore the environment of this process, which Dask changes for its workers."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.dask
def test_workers_write_the_same_files(tmp_path, call):
    table = write_rings(tmp_path / "rings.parquet", 4000)
    expected = tmp_path / "serial.parquet"
    assert call("embed", table, "-o", expected, "--n-landmarks", 4).returncode == 0
    out = tmp_path / "workers.parquet"
    result = call("embed", table, "-o", out, "--n-landmarks", 4, "--workers", 2)
    assert result.returncode == 0, result.stderr
    assert "dashboard: http" in result.stderr
    assert pyarrow.parquet.read_table(out).equals(pyarrow.parquet.read_table(expected))


@pytest.mark.dask
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
def test_ctrl_c_stops_workers_and_leaves_no_file(tmp_path):
    table, folder = write_rings(tmp_path / "rings.parquet", 4000), tmp_path / "out"
    folder.mkdir()
    result = run_until(
        ("distributed", "Client", "submit"),
        2,
        signal.SIGINT,
        "embed",
        table,
        "-o",
        folder / "rows.parquet",
        "--workers",
        1,
        to_group=True,
    )
    assert result.returncode == 130
    assert result.stderr.splitlines()[-1] == "error: interrupted"
    assert "Traceback" not in result.stderr
    assert not list(folder.iterdir())


@pytest.mark.dask
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_worker_does_not_change_the_file(tmp_path, call):
    """The only worker is killed while chunks are waiting, and a new one is started."""
    table = write_rings(tmp_path / "rings.parquet", 12000)
    expected, out = tmp_path / "serial.parquet", tmp_path / "workers.parquet"
    assert call("embed", table, "-o", expected, "--n-landmarks", 4).returncode == 0
    options = ("embed", table, "-o", out, "--n-landmarks", 4, "--workers", 1)
    submit = ("distributed", "Client", "submit")
    result = run_until(submit, 3, signal.SIGKILL, *options, to_children=True)
    assert result.returncode == 0, result.stderr
    assert "Restarting worker" in result.stderr
    assert out.read_bytes() == expected.read_bytes()


@pytest.mark.dask
def test_workers_without_enough_memory_end_in_an_error(tmp_path, call):
    """Importing gskn takes more memory than a worker has."""
    distributed = pytest.importorskip("distributed")
    table, folder = write_rings(tmp_path / "rings.parquet", 100), tmp_path / "out"
    folder.mkdir()
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            memory_limit="200MB",
            dashboard_address=":0",
        ) as cluster,
    ):
        options = ("-o", folder / "rows.csv", "--scheduler", cluster.scheduler_address)
        result = call("embed", table, *options)
    assert result.returncode == 1
    assert "needs more memory than a worker has" in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not list(folder.iterdir())


@pytest.mark.dask
def test_a_running_scheduler_is_used(tmp_path, call):
    distributed = pytest.importorskip("distributed")
    labels = tmp_path / "predictions.csv"
    model, other = tmp_path / "model.gskn", tmp_path / "workers.csv"
    data = datasets.load("MUTAG")
    embedding = GSKN(("walk",), n_landmarks=4)
    GSKNClassifier(embedding, selection="none").fit(data.graphs, data.y).save(model)
    assert call("predict", model, "MUTAG", "-o", labels).returncode == 0
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        address = cluster.scheduler_address
        result = call("predict", model, "MUTAG", "-o", other, "--scheduler", address)
    assert result.returncode == 0, result.stderr
    assert other.read_bytes() == labels.read_bytes()


@pytest.mark.dask
def test_workers_keep_freed_memory(monkeypatch):
    """A setting of Dask that costs a third of the time is not used."""
    # Clusters of other tests have changed the environment of this process.
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    with open_workers(1, None) as map_chunks:
        (value,) = map_chunks(os.environ.get, ["MALLOC_TRIM_THRESHOLD_"])
    assert value is None


def test_workers_and_scheduler_exclude_each_other(tmp_path, call):
    options = ("--workers", 1, "--scheduler", "tcp://localhost:1")
    result = call("embed", "MUTAG", "-o", tmp_path / "rows.csv", *options)
    assert result.returncode == 2
    assert "use one of --workers and --scheduler" in " ".join(result.stderr.split())
    assert not (tmp_path / "rows.csv").exists()


@pytest.mark.dask
def test_workers_log_nothing_while_they_are_closed():
    """Their exceptions are raised here; a failed heartbeat would be a traceback."""
    with open_workers(1, None) as map_chunks:
        logger = logging.getLogger("distributed.worker")  # is looked up by its name
        levels = list(map_chunks(logging.Logger.getEffectiveLevel, [logger]))
    assert levels == [logging.CRITICAL]
    assert logger.getEffectiveLevel() < logging.CRITICAL
