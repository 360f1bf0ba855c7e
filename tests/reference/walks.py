"""Walks and patterns by definition: all walks are enumerated."""

import itertools
from collections import Counter


def neighbors(graph, node) -> list:
    """Return the nodes that a step may lead to; at a dead end, the node itself."""
    return list(graph[node]) or [node]


def walks(graph, start, length):
    """Yield every walk that visits ``length`` nodes from ``start``."""
    if length == 1:
        yield (start,)
        return
    for walk in walks(graph, start, length - 1):
        for node in neighbors(graph, walk[-1]):
            yield (*walk, node)


def anonymize(walk) -> tuple[int, ...]:
    """Return the rank of the first visit of every node of one walk."""
    first_visits = list(dict.fromkeys(walk))
    return tuple(first_visits.index(node) for node in walk)


def pattern_counts(graph, length, starts=None) -> Counter:
    """Count each pattern among the walks from all nodes, or from some."""
    starts = graph if starts is None else starts
    return Counter(
        anonymize(walk) for start in starts for walk in walks(graph, start, length)
    )


def probability(graph, walk) -> float:
    """Return the probability of a walk whose steps follow the weights."""
    result = 1.0
    for node, following in itertools.pairwise(walk):
        if len(graph[node]):
            total = sum(data.get("weight", 1.0) for data in graph[node].values())
            result *= graph[node][following].get("weight", 1.0) / total
    return result


def pattern_rows(graph, length, *, weigh) -> list[dict]:
    """Return for every node the sum of ``weigh`` over its walks, by pattern."""
    rows = []
    for start in graph:
        row = {}
        for walk in walks(graph, start, length):
            pattern = anonymize(walk)
            row[pattern] = row.get(pattern, 0) + weigh(walk)
        rows.append(row)
    return rows


def quotient_sum(graph, start, name, length, weigh) -> float:
    """Return the sum over walks that repeat nodes at least where a pattern does.

    Walks end at nodes without neighbors.
    """
    pattern = name.split("-")
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(length), 2)
        if pattern[i] == pattern[j]
    ]
    return sum(
        weigh(walk)
        for walk in walks(graph, start, length)
        if all(walk[i] == walk[j] for i, j in pairs)
        and all(a != b for a, b in itertools.pairwise(walk))
    )


def induced(graph, walk) -> tuple:
    """Return the pattern of a walk, and the arcs between the nodes it visits."""
    nodes = list(dict.fromkeys(walk))
    arcs = [(a, b) for a in range(len(nodes)) for b in range(len(nodes)) if a != b]
    return anonymize(walk), tuple((a, b) for a, b in arcs if nodes[b] in graph[nodes[a]])
