"""Stage 2: walks and their patterns, exact for every node without enumerating walks."""

# Parts that layers, kernels and baselines are built of; not public.
from gskn.walks._colours import refine as refine
from gskn.walks._counts import PatternTable, pattern_counts, pattern_tables
from gskn.walks._distinguish import Distinction, distinguish
from gskn.walks._exact import MAX_EXACT_LENGTH
from gskn.walks._exact import check_enumerable as check_enumerable
from gskn.walks._exact import n_walks_from as n_walks_from
from gskn.walks._exact import n_walks_of as n_walks_of
from gskn.walks._exact import step_matrix as step_matrix
from gskn.walks._exact import without_loops as without_loops
from gskn.walks._induced import MAX_INDUCED_LENGTH
from gskn.walks._patterns import MAX_PATTERN_LENGTH, pattern_names, patterns, quotient
from gskn.walks._sample import anonymize, sample_walks
from gskn.walks._sample import as_seed as as_seed
from gskn.walks._sample import pattern_tree as pattern_tree
from gskn.walks._sample import running_sums as running_sums
from gskn.walks._sample import scaled_weights as scaled_weights
from gskn.walks._sample import walks_for_landmarks as walks_for_landmarks
from gskn.walks._twins import Twins as Twins

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
