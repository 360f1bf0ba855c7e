"""Compiled loops of layers: they see arrays only, trust them, and add to what they get."""

import numpy as np

from gskn._numba import jit
from gskn._types import FloatArray, IndexArray, NodeArray
from gskn.walks._jit import find, mix, pick


@jit
def add_row_product(
    indices: NodeArray,
    weights: FloatArray,
    entry: int,
    last: int,
    rows: FloatArray,
    total: FloatArray,
) -> None:
    """Add the rows that some entries of a CSR matrix name, times their weights.

    Four entries at a time: their sum is stored once, which takes 0.4 of the time that
    scipy's product takes (COLLAB, 32 columns).
    """
    n_columns = len(total)
    while entry + 3 < last:
        a, b = rows[indices[entry]], rows[indices[entry + 1]]
        c, d = rows[indices[entry + 2]], rows[indices[entry + 3]]
        at, bt = weights[entry], weights[entry + 1]
        ct, dt = weights[entry + 2], weights[entry + 3]
        for z in range(n_columns):
            total[z] += (at * a[z] + bt * b[z]) + (ct * c[z] + dt * d[z])
        entry += 4
    while entry < last:
        a, at = rows[indices[entry]], weights[entry]
        for z in range(n_columns):
            total[z] += at * a[z]
        entry += 1


@jit
def fill_step_sums(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    extra: FloatArray,
    scale: FloatArray,
    rows: FloatArray,
    start: int,
    end: int,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums[i]`` with ``scale[i]`` times what a step from i leads to.

    A CSR matrix, plus a diagonal, times rows.
    """
    n_columns = rows.shape[1]
    for i in range(start, end):
        total, own = sums[i], rows[i]
        for z in range(n_columns):
            total[z] = extra[i] * own[z]
        add_row_product(indices, weights, indptr[i], indptr[i + 1], rows, total)
        for z in range(n_columns):
            total[z] *= scale[i]


@jit
def step_chance(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    own: FloatArray,
    classes: IndexArray,
    at: int,
    symbol: int,
) -> float:
    """Return what a step counts from one visited node to another; 0 without an edge."""
    here = classes[at]
    place = find(indices, indptr[here], indptr[here + 1], classes[symbol])
    chance = chances[place] if place >= 0 else 0.0
    return chance + own[here] if symbol == at else chance


@jit
def add_last_visits(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    own: FloatArray,
    n_options: IndexArray,
    codes: IndexArray,
    factors: FloatArray,
    lasts: FloatArray,
    columns: IndexArray,
    kernel: FloatArray,
    only_paths: bool,  # noqa: FBT001 - compiled loops take no keywords
    classes: IndexArray,
    n_known: int,
    at: int,
    product: FloatArray,
    fresh: FloatArray,
    sums: FloatArray,
) -> None:
    """Add all walks that are one visit short; ``product`` is what they count so far.

    ``classes`` has the class of every visited node, and ``at`` tells which of them the
    walk is at. ``lasts`` holds the sums over all last visits. Of these, visited nodes are
    taken out one by one; the rest are new nodes, which all give the same pattern.
    """
    n_landmarks = len(product)
    n_left = n_options[classes[at]]
    fresh[:] = lasts[classes[at]]
    for symbol in range(n_known):
        chance = step_chance(indptr, indices, chances, own, classes, at, symbol)
        if chance == 0.0:
            continue
        n_left -= 1
        factor = factors[codes[classes[symbol]]]
        for z in range(n_landmarks):
            fresh[z] -= chance * factor[z]
        if not only_paths:
            weight = kernel[columns[symbol]]
            for z in range(n_landmarks):
                sums[z] += chance * factor[z] * product[z] * weight[z]
    if n_left > 0:
        weight = kernel[columns[n_known]]
        for z in range(n_landmarks):
            sums[z] += fresh[z] * product[z] * weight[z]


@jit
def add_all_walks(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    own: FloatArray,
    n_options: IndexArray,
    codes: IndexArray,
    factors: FloatArray,
    lasts: FloatArray,
    children: IndexArray,
    columns: IndexArray,
    kernel: FloatArray,
    only_paths: bool,  # noqa: FBT001 - compiled loops take no keywords
    sizes: IndexArray,
    start: int,
    sums: FloatArray,
) -> None:
    """Add the kernel of all walks from a node of a class with every landmark to ``sums``.

    ``factors[j, c, z]`` is the factor of landmark z at position j for nodes with code c,
    and ``kernel[p, z]`` that of pattern p. A step goes back to a node that was visited,
    or on to a class: all of its nodes that were not are one step. The last is not walked.
    """
    length, _, n_landmarks = factors.shape
    classes = np.empty(length + 1, np.int64)  # of visited nodes
    ats = np.zeros(length, np.int64)  # which of them the walk is at, at every depth
    known = np.empty(length, np.int64)  # how many there are at every depth
    states = np.zeros(length, np.int64)
    nexts = np.zeros(length, np.int64)  # next option at every depth
    products = np.empty((length, n_landmarks))
    fresh = np.empty(n_landmarks)
    known[0], classes[0] = 1, start
    nexts[0] = 1 if only_paths else 0
    products[0] = factors[0, codes[start]]
    depth = 0
    while depth >= 0:
        at, n_known = ats[depth], known[depth]
        if depth == length - 2:
            add_last_visits(
                indptr,
                indices,
                chances,
                own,
                n_options,
                codes,
                factors[length - 1],
                lasts,
                columns[states[depth]],
                kernel,
                only_paths,
                classes,
                n_known,
                at,
                products[depth],
                fresh,
                sums,
            )
            depth -= 1
            continue
        symbol = nexts[depth]
        nexts[depth] += 1
        if symbol < n_known:
            chance = step_chance(indptr, indices, chances, own, classes, at, symbol)
        else:
            entry = indptr[classes[at]] + symbol - n_known
            if entry == indptr[classes[at] + 1]:
                depth -= 1
                continue
            symbol = n_known
            following = np.int64(indices[entry])
            n_left = sizes[following]
            for other in range(n_known):
                n_left -= classes[other] == following
            chance = chances[entry] * n_left
            classes[n_known] = following
            n_known += 1
        if chance == 0.0:
            continue
        factor = factors[depth + 1, codes[classes[symbol]]]
        for z in range(n_landmarks):
            products[depth + 1, z] = products[depth, z] * factor[z] * chance
        states[depth + 1] = children[states[depth], symbol]
        depth += 1
        ats[depth], known[depth] = symbol, n_known
        nexts[depth] = n_known if only_paths else 0


@jit
def fill_walk_sums(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    own: FloatArray,
    n_options: IndexArray,
    codes: IndexArray,
    factors: FloatArray,
    lasts: FloatArray,
    children: IndexArray,
    columns: IndexArray,
    kernel: FloatArray,
    only_paths: bool,  # noqa: FBT001 - compiled loops take no keywords
    sizes: IndexArray,
    starts: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite the rows of some classes with the sums over all walks of a node."""
    for start in starts:
        sums[start] = 0.0
        add_all_walks(
            indptr,
            indices,
            chances,
            own,
            n_options,
            codes,
            factors,
            lasts,
            children,
            columns,
            kernel,
            only_paths,
            sizes,
            start,
            sums[start],
        )


@jit
def fill_sampled_sums(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    own: FloatArray,
    n_options: IndexArray,
    codes: IndexArray,
    factors: FloatArray,
    lasts: FloatArray,
    children: IndexArray,
    columns: IndexArray,
    kernel: FloatArray,
    only_paths: bool,  # noqa: FBT001 - compiled loops take no keywords
    class_of: IndexArray,
    node_indptr: IndexArray,
    node_indices: NodeArray,
    totals: FloatArray,
    positions: IndexArray,
    seed: np.uint64,
    n_walks: int,
    starts: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite the rows of some nodes with means over sampled walks.

    Only their last visit is not left to chance.
    """
    length, _, n_landmarks = factors.shape
    visited = np.empty(length + 1, np.int64)
    classes = np.empty(length + 1, np.int64)
    product, fresh = np.empty(n_landmarks), np.empty(n_landmarks)
    for start in starts:
        sums[start] = 0.0
        key = mix(seed ^ mix(np.uint64(positions[start]) + np.uint64(1)))
        for repeat in range(n_walks):
            bits = mix(key + np.uint64(repeat) * np.uint64(0x9E3779B97F4A7C15))
            node = np.int64(start)
            visited[0], classes[0] = node, class_of[node]
            n_known, state, symbol = 1, 0, 0
            product[:] = factors[0, codes[classes[0]]] / n_walks
            is_path = True
            for visit in range(1, length - 1):
                bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
                first, end = node_indptr[node], node_indptr[node + 1]
                if first < end:
                    node = np.int64(node_indices[pick(totals, first, end, bits)])
                symbol = 0
                while symbol < n_known and visited[symbol] != node:
                    symbol += 1
                if symbol == n_known:
                    visited[n_known], classes[n_known] = node, class_of[node]
                    n_known += 1
                else:
                    is_path = False
                state = children[state, symbol]
                product *= factors[visit, codes[classes[symbol]]]
            if is_path or not only_paths:
                add_last_visits(
                    indptr,
                    indices,
                    chances,
                    own,
                    n_options,
                    codes,
                    factors[length - 1],
                    lasts,
                    columns[state],
                    kernel,
                    only_paths,
                    classes,
                    n_known,
                    symbol,
                    product,
                    fresh,
                    sums[start],
                )


@jit
def fill_pair_sums(
    indptr: IndexArray,
    indices: NodeArray,
    sizes: IndexArray,
    graph_starts: IndexArray,
    largest: int,
    near: FloatArray,
    far: FloatArray,
    places: IndexArray,
    starts: IndexArray,
    found: FloatArray,
) -> None:
    """Add sums over triangles, then over cycles of four, from a node of some classes.

    ``sums[y, i]`` is the sum of ``near[:, i]`` over the nodes that the start x and a node
    of class y have in common; a node is never its own neighbour. Triangle number k is
    ``far[y, k] * sums[y, places[k]]``, summed over neighbours y. Where there is one column
    more in ``far``, it is that of the node opposite to x in a cycle of four.
    """
    n_near, n_columns = near.shape[1:]
    n_triangles = len(places)
    has_cycles = far.shape[1] > n_triangles
    sums = np.empty((largest, n_near, n_columns))
    stamps = np.full(largest, -1, np.int64)
    touched = np.empty(largest, np.int64)
    for x in starts:
        offset, n_touched = graph_starts[x], 0
        for entry in range(indptr[x], indptr[x + 1]):
            middle = indices[entry]
            n_middle = sizes[middle] - (middle == x)
            for step in range(indptr[middle], indptr[middle + 1]):
                y = indices[step]
                place = y - offset
                if stamps[place] != x:
                    stamps[place] = x
                    sums[place] = 0.0
                    touched[n_touched] = y
                    n_touched += 1
                n_both = np.float64(n_middle - (middle == y))
                for i in range(n_near):
                    for z in range(n_columns):
                        sums[place, i, z] += n_both * near[middle, i, z]
        for entry in range(indptr[x], indptr[x + 1]):
            y = indices[entry]
            if stamps[y - offset] != x:
                continue
            n_others = np.float64(sizes[y] - (y == x))
            for k in range(n_triangles):
                own = sums[y - offset, places[k]]
                for z in range(n_columns):
                    found[x, k, z] += n_others * far[y, k, z] * own[z]
        if has_cycles:
            for number in range(n_touched):
                y = touched[number]
                n_others = np.float64(sizes[y] - (y == x))
                one, two = sums[y - offset, 0], sums[y - offset, 1]
                for z in range(n_columns):
                    opposite = n_others * far[y, n_triangles, z]
                    found[x, n_triangles, z] += opposite * one[z] * two[z]
