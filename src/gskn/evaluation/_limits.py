"""Checks of seeds and numbers of threads, before any work."""

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


def check_jobs(n_jobs: int | None) -> None:
    """Raise unless ``n_jobs`` is None, -1 or a number of threads."""
    if n_jobs is not None and check_int(n_jobs, "n_jobs", minimum=-1) == 0:
        raise InputError("n_jobs must be None, -1 or at least 1, got 0.")


def n_workers(n_jobs: int | None, n_tasks: int) -> int | None:
    """Return ``n_jobs``, but not more than tasks: joblib starts every thread at once."""
    return n_jobs if n_jobs is None else min(n_jobs, n_tasks)
