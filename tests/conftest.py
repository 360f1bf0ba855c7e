"""Isolation from the machine, and the folder of real data where it is there."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Compilation and first imports would be blamed on the first example.
settings.register_profile(
    "gskn", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.load_profile("gskn")

REAL_DATA = os.environ.get("GSKN_DATA")


@pytest.fixture(autouse=True)
def _isolated(tmp_path, monkeypatch):
    """Keep every test away from the user's data and cache."""
    monkeypatch.delenv("GSKN_DATA", raising=False)
    # Test runners set the width of their own screen; tables would wrap at it.
    monkeypatch.delenv("COLUMNS", raising=False)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "user"))


@pytest.fixture(scope="session")
def grakel():
    """Return GraKeL, with which kernels are compared where it can be installed."""
    return pytest.importorskip("grakel", reason="GraKeL has no wheel for this Python")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of benchmark files, named by GSKN_DATA when the run began."""
    folder = Path(REAL_DATA or "").resolve()
    if not REAL_DATA or not (folder / "MUTAG.zip").is_file():
        pytest.skip("GSKN_DATA names no folder with the benchmark files")
    return folder
