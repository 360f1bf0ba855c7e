"""The limits of pattern lengths are the same in documentation, help and errors."""

from pathlib import Path

import numpy as np
import pytest

from gskn import GSKN
from gskn._limits import PATTERN_LENGTHS
from gskn.cli import _model
from gskn.exceptions import InputError
from gskn.walks import (
    MAX_EXACT_LENGTH,
    MAX_INDUCED_LENGTH,
    MAX_PATTERN_LENGTH,
    distinguish,
    pattern_counts,
    patterns,
)

TRIANGLE = np.ones((3, 3)) - np.eye(3)
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "walks.md"


@pytest.mark.parametrize(
    "text",
    [
        GSKN.__doc__,
        pattern_counts.__doc__,
        GUIDE.read_text(encoding="utf-8"),
        _model.AnonymousLength.__metadata__[0].help,
    ],
    ids=["GSKN", "pattern_counts", "guide", "command line"],
)
def test_texts_state_the_limits(text):
    assert PATTERN_LENGTHS in text


def test_docstrings_state_the_limits():
    assert f"at most {MAX_PATTERN_LENGTH}" in patterns.__doc__
    assert f"to try, at most {MAX_EXACT_LENGTH}" in distinguish.__doc__
    for function in (GSKN, pattern_counts):
        assert f"need at most {MAX_INDUCED_LENGTH}" in function.__doc__
    assert MAX_INDUCED_LENGTH == MAX_EXACT_LENGTH


@pytest.mark.parametrize(
    ("limit", "options"),
    [
        (MAX_PATTERN_LENGTH, {}),
        (MAX_PATTERN_LENGTH, {"method": "sampled"}),
        (MAX_EXACT_LENGTH, {"method": "exact"}),
        (MAX_EXACT_LENGTH, {"weighting": "count"}),
        (MAX_INDUCED_LENGTH, {"induced": True}),
    ],
)
def test_lengths_up_to_the_limit_are_accepted(limit, options):
    pattern_counts(TRIANGLE, limit, n_walks=2, random_state=0, **options)
    with pytest.raises(InputError, match=f"at most {limit} for .*got {limit + 1}"):
        pattern_counts(TRIANGLE, limit + 1, **options)
