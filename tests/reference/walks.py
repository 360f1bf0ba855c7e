"""Walks and patterns as their definitions say, by enumeration."""

from collections import Counter


def neighbours(graph, node) -> list:
    """Where a step may lead; at a dead end the walk stays where it is."""
    return list(graph[node]) or [node]


def walks(graph, start, length):
    """Every walk that visits ``length`` nodes from ``start``."""
    if length == 1:
        yield (start,)
        return
    for walk in walks(graph, start, length - 1):
        for node in neighbours(graph, walk[-1]):
            yield (*walk, node)


def anonymize(walk) -> tuple[int, ...]:
    """Rank of the first visit of every node of one walk."""
    first_visits = list(dict.fromkeys(walk))
    return tuple(first_visits.index(node) for node in walk)


def pattern_counts(graph, length, starts=None) -> Counter:
    """How often each pattern occurs among the walks from all nodes, or from some."""
    starts = graph if starts is None else starts
    return Counter(
        anonymize(walk) for start in starts for walk in walks(graph, start, length)
    )
