"""Explanations: contributions of nodes, edges and patterns to predictions."""

from gskn.explain._explain import explain
from gskn.explain._explanation import Explanation
from gskn.explain._global import GlobalPatterns, global_patterns, occurrences
from gskn.explain._layout import draw_pattern
from gskn.explain._molecules import write_molecules as write_molecules
from gskn.explain._names import Pattern
from gskn.explain._occlusion import occlusion
from gskn.explain._pictures import draw
from gskn.explain._report import explain_cards as explain_cards
from gskn.explain._report import explain_html
from gskn.explain._subgraphs import induced_subgraphs as induced_subgraphs

__all__ = [
    "Explanation",
    "GlobalPatterns",
    "Pattern",
    "draw",
    "draw_pattern",
    "explain",
    "explain_html",
    "global_patterns",
    "occlusion",
    "occurrences",
]
