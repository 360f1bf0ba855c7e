"""Validation of the input of evaluations."""

from gskn.datasets import Dataset
from gskn.exceptions import UnsupportedInputError


def check_dataset(data: object) -> Dataset:
    """Return the data set, or raise with the ways to make one."""
    if isinstance(data, Dataset):
        return data
    raise UnsupportedInputError(
        f"data must be a Dataset, which has graphs and targets, got {type(data).__name__}. "
        'Use datasets.load("MUTAG") for a data set by name, datasets.read("graphs/") for '
        'files with classes, or Dataset("my-graphs", as_batch(graphs), y).'
    )
