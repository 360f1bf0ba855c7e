"""Walks and patterns as their definitions say, by enumeration."""

import itertools
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


def probability(graph, walk) -> float:
    """The chance of a walk whose steps follow the weights."""
    chance = 1.0
    for node, following in itertools.pairwise(walk):
        if len(graph[node]):
            total = sum(data.get("weight", 1.0) for data in graph[node].values())
            chance *= graph[node][following].get("weight", 1.0) / total
    return chance


def pattern_rows(graph, length, *, weigh) -> list[dict]:
    """For every node, the sum over its walks of each pattern, weighed by ``weigh``."""
    rows = []
    for start in graph:
        row = {}
        for walk in walks(graph, start, length):
            pattern = anonymize(walk)
            row[pattern] = row.get(pattern, 0) + weigh(walk)
        rows.append(row)
    return rows


def induced(graph, walk) -> tuple:
    """The pattern of a walk, and the arcs between the nodes it visits."""
    nodes = list(dict.fromkeys(walk))
    arcs = [(a, b) for a in range(len(nodes)) for b in range(len(nodes)) if a != b]
    return anonymize(walk), tuple((a, b) for a, b in arcs if nodes[b] in graph[nodes[a]])
