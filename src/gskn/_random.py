"""Random generators from seeds."""

from typing import TypeAlias

import numpy as np

from gskn._validation import shorten
from gskn.exceptions import InputError

RandomState: TypeAlias = int | np.integer | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for an int or None; a generator is returned unchanged."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise InputError(
            f"random_state must be an int, a numpy Generator or None, got "
            f"{shorten(random_state)}."
        )
    if random_state < 0:
        raise InputError(f"random_state must not be negative, got {shorten(random_state)}.")
    return np.random.default_rng(int(random_state))
