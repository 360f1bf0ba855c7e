"""Compiled loops: they see arrays only, trust them, and write to what they are given."""

import numpy as np

from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray


@jit
def mix(bits: np.uint64) -> np.uint64:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    bits = np.uint64(bits)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits


@jit
def step(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    node: np.int64,
    bits: np.uint64,
) -> np.int64:
    """Take one random step from a node; at a dead end, stay.

    ``totals`` holds running sums of the weights within every row, or nothing where all
    weigh the same. With weights of one, both ways take the same step.
    """
    first, end = indptr[node], indptr[node + 1]
    if first == end:
        return node
    unit = np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    if len(totals) == 0:
        return np.int64(indices[first + np.int64(unit * (end - first))])
    wanted = unit * totals[end - 1]
    low, high = first, end - 1
    while low < high:
        middle = (low + high) // 2
        if totals[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return np.int64(indices[low])


@jit
def fill_walks(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    positions: IndexArray,
    seed: np.uint64,
    start: int,
    walks: NodeArray,
) -> None:
    """Overwrite ``walks[i, r]`` with the ``r``-th walk from node ``start + i``.

    The stream is keyed by the seed, the position of the node in its graph and the walk:
    not by thread, batch or order.
    """
    n_nodes, n_walks, length = walks.shape
    for row in range(n_nodes):
        node_key = mix(seed ^ mix(np.uint64(positions[start + row]) + np.uint64(1)))
        for repeat in range(n_walks):
            bits = mix(node_key + np.uint64(repeat) * np.uint64(0x9E3779B97F4A7C15))
            node = np.int64(start + row)
            walks[row, repeat, 0] = node
            for visit in range(1, length):
                bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
                node = step(indptr, indices, totals, node, bits)
                walks[row, repeat, visit] = node


@jit
def fill_patterns(walks: NodeArray, patterns: AnyArray) -> None:
    """Overwrite ``patterns`` with the ranks of first visits of every walk."""
    n_walks, length = walks.shape
    for row in range(n_walks):
        n_known = 0
        for visit in range(length):
            rank = n_known
            for before in range(visit):
                if walks[row, before] == walks[row, visit]:
                    rank = patterns[row, before]
                    break
            patterns[row, visit] = rank
            if rank == n_known:
                n_known += 1


@jit
def find(indices: NodeArray, first: int, end: int, node: np.int64) -> int:
    """Return where a sorted row holds a node, or -1."""
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low if low < end and indices[low] == node else -1


@jit
def add_last_step(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    visited: IndexArray,
    n_known: int,
    node: np.int64,
    columns: IndexArray,
    share: float,
    row: FloatArray,
) -> None:
    """Add what the last step of a walk may lead to, each by its probability."""
    first, end = indptr[node], indptr[node + 1]
    if first == end:
        for symbol in range(n_known):
            if visited[symbol] == node:
                row[columns[symbol]] += share
        return
    total = float(end - first)
    if len(weights) > 0:
        total = 0.0
        for entry in range(first, end):
            total += weights[entry]
    fresh = total
    part = share / total
    if end - first <= 64:
        # Few neighbours were visited before; six bits of a node tell most others apart.
        marks = np.uint64(0)
        for symbol in range(n_known):
            marks |= np.uint64(1) << np.uint64(visited[symbol] & 63)
        for entry in range(first, end):
            if (marks >> np.uint64(indices[entry] & 63)) & np.uint64(1):
                for symbol in range(n_known):
                    if visited[symbol] == indices[entry]:
                        weight = weights[entry] if len(weights) > 0 else 1.0
                        row[columns[symbol]] += part * weight
                        fresh -= weight
    else:
        for symbol in range(n_known):
            place = find(indices, first, end, visited[symbol])
            if place >= 0:
                weight = weights[place] if len(weights) > 0 else 1.0
                row[columns[symbol]] += part * weight
                fresh -= weight
    if fresh > 1e-12 * total:
        row[columns[n_known]] += part * fresh


@jit
def fill_sampled_rows(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    totals: FloatArray,
    positions: IndexArray,
    seed: np.uint64,
    nodes: IndexArray,
    n_walks: int,
    length: int,
    children: IndexArray,
    rows: FloatArray,
) -> None:
    """Walk, anonymise and count without storing walks; the last step is exact.

    ``children[state, symbol]`` is the state of a pattern with one more symbol, and the
    column of ``rows`` once it is whole.
    """
    visited = np.empty(length + 1, np.int64)
    for row in range(len(nodes)):
        node_key = mix(seed ^ mix(np.uint64(positions[nodes[row]]) + np.uint64(1)))
        for repeat in range(n_walks):
            bits = mix(node_key + np.uint64(repeat) * np.uint64(0x9E3779B97F4A7C15))
            node = np.int64(nodes[row])
            visited[0] = node
            n_known, state = 1, 0
            for _ in range(length - 2):
                bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
                node = step(indptr, indices, totals, node, bits)
                # Searched to the end, without a branch to mispredict.
                visited[n_known] = node
                symbol = n_known
                for before in range(n_known):
                    symbol = before if visited[before] == node else symbol
                n_known += symbol == n_known
                state = children[state, symbol]
            add_last_step(
                indptr,
                indices,
                weights,
                visited,
                n_known,
                node,
                children[state],
                1.0 / n_walks,
                rows[row],
            )


@jit
def fill_complete_fours(
    pointers: tuple[IndexArray, ...],
    columns: tuple[NodeArray, ...],
    values: tuple[FloatArray, ...],
    visits: FloatArray,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums`` with the sums over all complete graphs of four from every node.

    The six matrices, in CSR form, are those of the pairs 01, 02, 03, 12, 13 and 23.
    """
    n_nodes = len(sums)
    third, fourth, beside = np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes)
    for root in range(n_nodes):
        for e in range(pointers[1][root], pointers[1][root + 1]):
            third[columns[1][e]] = values[1][e]
        for e in range(pointers[2][root], pointers[2][root + 1]):
            fourth[columns[2][e]] = values[2][e]
        total = 0.0
        for e in range(pointers[0][root], pointers[0][root + 1]):
            b = columns[0][e]
            for f in range(pointers[4][b], pointers[4][b + 1]):
                beside[columns[4][f]] = values[4][f]
            inner = 0.0
            for f in range(pointers[3][b], pointers[3][b + 1]):
                c = columns[3][f]
                if third[c] == 0.0:
                    continue
                last = 0.0
                for g in range(pointers[5][c], pointers[5][c + 1]):
                    d = columns[5][g]
                    last += values[5][g] * fourth[d] * beside[d] * visits[3, d]
                inner += values[3][f] * third[c] * visits[2, c] * last
            total += values[0][e] * visits[1, b] * inner
            for f in range(pointers[4][b], pointers[4][b + 1]):
                beside[columns[4][f]] = 0.0
        sums[root] = total * visits[0, root]
        for e in range(pointers[1][root], pointers[1][root + 1]):
            third[columns[1][e]] = 0.0
        for e in range(pointers[2][root], pointers[2][root + 1]):
            fourth[columns[2][e]] = 0.0


@jit
def copy_rows(
    indptr: IndexArray,
    indices: NodeArray,
    data: FloatArray,
    starts: IndexArray,
    all_indices: NodeArray,
    all_data: FloatArray,
) -> None:
    """Copy the rows of a CSR matrix to where they start in a larger one."""
    for row in range(len(starts)):
        place = starts[row]
        for entry in range(indptr[row], indptr[row + 1]):
            all_indices[place] = indices[entry]
            all_data[place] = data[entry]
            place += 1


@jit
def arcs_of_new(
    indptr: IndexArray,
    indices: NodeArray,
    visited: IndexArray,
    n_known: int,
    node: np.int64,
) -> np.uint64:
    """Return the bits of the edges between a new symbol and the symbols before it."""
    bits = np.uint64(0)
    base = n_known * (n_known - 1)
    for symbol in range(n_known):
        known = visited[symbol]
        if find(indices, indptr[known], indptr[known + 1], node) >= 0:
            bits |= np.uint64(1) << np.uint64(base + 2 * symbol)
        if find(indices, indptr[node], indptr[node + 1], known) >= 0:
            bits |= np.uint64(1) << np.uint64(base + 2 * symbol + 1)
    return bits


@jit
def add_to_table(keys: AnyArray, sums: FloatArray, key: np.uint64, value: float) -> int:
    """Add to a hash table; 1 if the key is new, 0 if not, -1 if the table is too full.

    No key is zero: the highest bits hold the number of symbols.
    """
    mask = np.uint64(len(keys) - 1)
    slot = mix(key) & mask
    for _ in range(64):
        if keys[slot] == key:
            sums[slot] += value
            return 0
        if keys[slot] == np.uint64(0):
            keys[slot] = key
            sums[slot] = value
            return 1
        slot = (slot + np.uint64(1)) & mask
    return -1


@jit
def enumerate_induced(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    start: int,
    length: int,
    children: IndexArray,
    packed: AnyArray,
    probability: bool,  # noqa: FBT001 - compiled loops take no keywords
    keys: AnyArray,
    sums: FloatArray,
) -> int:
    """Add all walks from a node to a table; return how many keys it has, or -1 if full.

    Without weights given, edges weigh 1. ``probability`` multiplies the chances of the
    steps, else every walk counts 1.
    """
    visited = np.empty(length + 1, np.int64)
    path = np.empty(length, np.int64)  # node at every depth
    known = np.empty(length, np.int64)  # symbols known at every depth
    states = np.zeros(length, np.int64)
    arcs = np.zeros(length, np.uint64)
    shares = np.ones(length)
    nexts = np.zeros(length, np.int64)  # next edge to follow at every depth
    path[0], known[0], visited[0] = start, 1, start
    n_found = 0
    if length == 1:
        return add_to_table(keys, sums, packed[0], 1.0)
    depth = 0
    while depth >= 0:
        node = path[depth]
        first, end = indptr[node], indptr[node + 1]
        n_options = max(end - first, 1)  # at a dead end, the one option is to stay
        if nexts[depth] == n_options:
            depth -= 1
            continue
        entry = first + nexts[depth]
        nexts[depth] += 1
        following = node if first == end else np.int64(indices[entry])
        share = shares[depth]
        if probability and first < end:
            if len(weights) > 0:
                total = 0.0
                for e in range(first, end):
                    total += weights[e]
                share *= weights[entry] / total
            else:
                share *= 1.0 / (end - first)  # as with weights of one, to the last bit
        n_known = known[depth]
        symbol = 0
        while symbol < n_known and visited[symbol] != following:
            symbol += 1
        bits = arcs[depth]
        if symbol == n_known:
            bits |= arcs_of_new(indptr, indices, visited, n_known, following)
        state = children[states[depth], symbol]
        if depth == length - 2:
            added = add_to_table(keys, sums, packed[state] | bits, share)
            if added < 0:
                return -1
            n_found += added
            continue
        depth += 1
        if symbol == n_known:
            visited[n_known] = following
            n_known += 1
        path[depth], known[depth], states[depth] = following, n_known, state
        arcs[depth], shares[depth], nexts[depth] = bits, share, 0
    return n_found


@jit
def sample_induced(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    start: int,
    length: int,
    n_walks: int,
    seed: np.uint64,
    position: int,
    children: IndexArray,
    packed: AnyArray,
    keys: AnyArray,
    sums: FloatArray,
) -> int:
    """Add sampled walks from a node to a table; return how many keys it has, or -1."""
    visited = np.empty(length + 1, np.int64)
    node_key = mix(seed ^ mix(np.uint64(position) + np.uint64(1)))
    n_found = 0
    for repeat in range(n_walks):
        bits = mix(node_key + np.uint64(repeat) * np.uint64(0x9E3779B97F4A7C15))
        node = np.int64(start)
        visited[0] = node
        n_known, state, arcs = 1, 0, np.uint64(0)
        for _ in range(length - 1):
            bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
            node = step(indptr, indices, totals, node, bits)
            symbol = 0
            while symbol < n_known and visited[symbol] != node:
                symbol += 1
            if symbol == n_known:
                arcs |= arcs_of_new(indptr, indices, visited, n_known, node)
                visited[n_known] = node
                n_known += 1
            state = children[state, symbol]
        added = add_to_table(keys, sums, packed[state] | arcs, 1.0 / n_walks)
        if added < 0:
            return -1
        n_found += added
    return n_found


@jit
def fill_running_sums(indptr: IndexArray, weights: FloatArray, totals: FloatArray) -> None:
    """Overwrite ``totals`` with sums that begin anew in every row.

    Sums over all rows would round differently in another batch.
    """
    for row in range(len(indptr) - 1):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            total += weights[entry]
            totals[entry] = total


@jit
def fill_signed_rows(
    signs: tuple[IndexArray, NodeArray, FloatArray],
    sums: FloatArray,
    noise: float,
    indptr: IndexArray,
    indices: NodeArray,
    data: FloatArray,
) -> float:
    """Add up signed sums for every node and pattern, and keep what is not rounding.

    ``signs`` is CSR, one row a pattern; ``sums`` has one row a node. What is below
    ``noise`` times the sum without signs is dropped. Returns the largest such sum.
    """
    pointers, columns, values = signs
    n_kept, largest = 0, 0.0
    indptr[0] = 0
    for node in range(len(sums)):
        for pattern in range(len(pointers) - 1):
            total, bound = 0.0, 0.0
            for entry in range(pointers[pattern], pointers[pattern + 1]):
                term = values[entry] * sums[node, columns[entry]]
                total += term
                bound += abs(term)
            largest = max(largest, bound)
            if abs(total) > noise * bound:
                indices[n_kept] = pattern
                data[n_kept] = total
                n_kept += 1
        indptr[node + 1] = n_kept
    return largest
