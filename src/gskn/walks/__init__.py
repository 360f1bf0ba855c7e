"""Stage 2: walks and their patterns, exact for every node without enumerating walks."""

from gskn._limits import MAX_EXACT_LENGTH, MAX_INDUCED_LENGTH, MAX_PATTERN_LENGTH

# Names written "x as x" are shared with layers, kernels and baselines; not public.
from gskn.walks._counts import pattern_counts, pattern_tables
from gskn.walks._crossings import can_sum_crossings as can_sum_crossings
from gskn.walks._crossings import crossing_sums as crossing_sums
from gskn.walks._distinguish import Comparison, Distinction, distinguish
from gskn.walks._induced import induced_names as induced_names
from gskn.walks._induced_columns import distinct_induced as distinct_induced
from gskn.walks._induced_columns import induced_columns as induced_columns
from gskn.walks._induced_columns import induced_patterns as induced_patterns
from gskn.walks._pattern_rows import PatternOptions as PatternOptions
from gskn.walks._pattern_rows import PatternRows as PatternRows
from gskn.walks._patterns import pattern_names, patterns, quotient
from gskn.walks._patterns import pattern_tree as pattern_tree
from gskn.walks._quotient_sums import quotient_names as quotient_names
from gskn.walks._quotient_sums import quotient_sums as quotient_sums
from gskn.walks._sample import anonymize, sample_walks
from gskn.walks._sample import as_seed as as_seed
from gskn.walks._sample import walks_for_landmarks as walks_for_landmarks
from gskn.walks._steps import count_walks as count_walks
from gskn.walks._steps import count_walks_by_graph as count_walks_by_graph
from gskn.walks._steps import scaled_weights as scaled_weights
from gskn.walks._steps import step_matrix as step_matrix
from gskn.walks._steps import values_of_steps as values_of_steps
from gskn.walks._steps import walk_graph as walk_graph
from gskn.walks._steps import without_loops as without_loops
from gskn.walks._table import PatternTable
from gskn.walks._twins import Twins as Twins
from gskn.walks._witness import Witness
from gskn.walks._work import check_enumerable as check_enumerable

__all__ = [
    "MAX_EXACT_LENGTH",
    "MAX_INDUCED_LENGTH",
    "MAX_PATTERN_LENGTH",
    "Comparison",
    "Distinction",
    "PatternTable",
    "Witness",
    "anonymize",
    "distinguish",
    "pattern_counts",
    "pattern_names",
    "pattern_tables",
    "patterns",
    "quotient",
    "sample_walks",
]
