"""Explanations: contributions of nodes, edges and patterns to predictions."""

from gskn.explain._explain import explain
from gskn.explain._explanation import Explanation
from gskn.explain._global import GlobalPatterns, global_patterns, occurrences
from gskn.explain._names import Pattern
from gskn.explain._occlusion import occlusion

__all__ = [
    "Explanation",
    "GlobalPatterns",
    "Pattern",
    "explain",
    "global_patterns",
    "occlusion",
    "occurrences",
]
