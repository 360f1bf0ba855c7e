"""Fixtures of all tests: isolation from the machine, data sets and shared results."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

# Every core has a worker process. More threads of BLAS and OpenMP than cores wait for each
# other: the tests of estimators and plots took twice the processor time.
# This must be set before numpy is imported.
if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

# A slow machine must not add lines of progress to the output of a command.
os.environ["GSKN_PROGRESS_SECONDS"] = "1e6"

# No deadline: the first example includes the time to import and compile.
settings.register_profile(
    "gskn", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.load_profile("gskn")

REAL_DATA = os.environ.get("GSKN_DATA")
USER_FOLDERS = ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")


def pytest_collection_modifyitems(items):
    """Mark the examples of networks, which need torch, and skip them without it."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and "gskn.networks" in item.name:
            item.add_marker(pytest.mark.torch)
            if find_spec("torch") is None:
                item.add_marker(pytest.mark.skip(reason="needs the torch extra"))


@pytest.fixture(autouse=True)
def _isolated(tmp_path, monkeypatch):
    """Hide the user's data and cache from every test."""
    monkeypatch.delenv("GSKN_DATA", raising=False)
    # Some test runners set it to the width of their screen, and tables would wrap.
    monkeypatch.delenv("COLUMNS", raising=False)
    for variable in USER_FOLDERS:
        monkeypatch.setenv(variable, str(tmp_path / "user"))


@pytest.fixture(scope="session")
def grakel():
    """Return GraKeL, or skip the test if it cannot be installed."""
    return pytest.importorskip("grakel", reason="GraKeL has no wheel for this Python")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of benchmark files in GSKN_DATA, or skip the test."""
    folder = Path(REAL_DATA or "").resolve()
    if not REAL_DATA or not (folder / "MUTAG.zip").is_file():
        pytest.skip("GSKN_DATA is not a folder with the benchmark files")
    return folder


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory):
    """Run ``gskn reproduce regular`` once for all worker processes; return its folder."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "reproduced"
    with FileLock(shared / "reproduced.lock"):
        if not folder.exists():
            running = tmp_path_factory.mktemp("running")
            command = [sys.executable, "-m", "gskn", "reproduce", "regular"]
            home = dict.fromkeys(USER_FOLDERS, str(running / "user"))
            environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
            done = subprocess.run(
                [*command, "--jobs", "1", "--out", str(running / "results")],
                env={**environment, **home},
                capture_output=True,
                text=True,
                check=True,
            )
            (running / "results" / "stdout").write_text(done.stdout, encoding="utf-8")
            (running / "results" / "stderr").write_text(done.stderr, encoding="utf-8")
            (running / "results").rename(folder)
    return folder


@pytest.fixture
def copy_of_reproduced(reproduced):
    """Return a function that copies the results of ``gskn reproduce regular``."""

    def copy(folder):
        folder.mkdir(exist_ok=True)
        shutil.copy(reproduced / "records.jsonl", folder)
        return folder

    return copy
