"""Damaged files of every format are read or raise, with limited memory and time."""

import math
import sys

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs resource and signal"),
]
FORMATS = (
    "csv",
    "edge list",
    "tsv",
    "graphml",
    "gml",
    "json",
    "graph6",
    "smiles",
    "sdf",
    "parquet",
    "tu zip",
    "tu folder",
    "node set",
    "cache",
    "model",
    "folds",
    "classes",
    "records",
)


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_read_or_raise(name):
    from tests.fuzz.run import run_format  # noqa: PLC0415 - needs Unix

    # No limit on time: the same cases run on a slow machine.
    outcome = run_format(name, cases=400, seed=0, budget=math.inf)
    assert outcome.failures == []
    assert outcome.n_cases == 400
    assert outcome.n_raised > 0 or name == "cache"  # an invalid cache is ignored


def test_every_format_is_tested():
    from tests.fuzz import seeds  # noqa: PLC0415

    assert set(FORMATS) == set(seeds.FORMATS)
