"""Stage 2: walks and their patterns, exact for every node without enumerating walks."""

from gskn.walks._counts import PatternTable, pattern_counts, pattern_tables
from gskn.walks._distinguish import Distinction, distinguish
from gskn.walks._exact import MAX_EXACT_LENGTH
from gskn.walks._induced import MAX_INDUCED_LENGTH
from gskn.walks._patterns import MAX_PATTERN_LENGTH, pattern_names, patterns, quotient
from gskn.walks._sample import anonymize, sample_walks

__all__ = [
    "MAX_EXACT_LENGTH",
    "MAX_INDUCED_LENGTH",
    "MAX_PATTERN_LENGTH",
    "Distinction",
    "PatternTable",
    "anonymize",
    "distinguish",
    "pattern_counts",
    "pattern_names",
    "pattern_tables",
    "patterns",
    "quotient",
    "sample_walks",
]
