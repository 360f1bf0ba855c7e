"""Data sets: benchmark sets by name, user files with classes, and generated sets."""

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.datasets._catalog import SetInfo, find_set, known_sets
from gskn.datasets._dataset import Dataset
from gskn.datasets._hard_pairs import PAIRS, cfi, hamming_doob, quadrangles
from gskn.datasets._load import load, names
from gskn.datasets._read import read
from gskn.datasets._read_nodes import read_nodes
from gskn.datasets._store import data_home, find_files
from gskn.datasets._synthetic import (
    csl,
    decalin_bicyclopentyl,
    regular,
    rings,
    rook_shrikhande,
    structure,
)
from gskn.datasets._targets import detect_task as detect_task

__all__ = [
    "PAIRS",
    "Dataset",
    "SetInfo",
    "cfi",
    "csl",
    "data_home",
    "decalin_bicyclopentyl",
    "find_files",
    "find_set",
    "hamming_doob",
    "known_sets",
    "load",
    "names",
    "quadrangles",
    "read",
    "read_nodes",
    "regular",
    "rings",
    "rook_shrikhande",
    "structure",
]
