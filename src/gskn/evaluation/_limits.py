"""Checks of seeds and numbers of repeats."""

from gskn._validation import check_int
from gskn.exceptions import InputError

_MAX_SEED = 2**32 - 1  # of scikit-learn
_MAX_REPEATS = 10_000


def check_seed(seed: int, n_repeats: int = 1) -> None:
    """Raise unless ``seed`` and the seeds of all repeats can be used."""
    check_int(seed, "seed", minimum=0)
    if n_repeats > _MAX_REPEATS:
        raise InputError(f"repeats must be at most {_MAX_REPEATS}, got {n_repeats}.")
    last = _MAX_SEED - n_repeats + 1
    if seed > last:
        raise InputError(f"seed must be at most {last}, got {seed}.")
