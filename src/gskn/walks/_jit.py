"""Compiled loops: they see arrays only, trust them, and write to what they are given."""

import numpy as np

from gskn._loops import find, find_visited, mix, next_bits, node_key, pick, stream_key
from gskn._numba import jit
from gskn._types import AnyArray, FloatArray, IndexArray, NodeArray


@jit
def take_step(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    nodes: IndexArray,
    bits: AnyArray,
    places: IndexArray,
    n_walks: int,
) -> None:
    """Take one random step of many walks; at a dead end, stay.

    ``totals`` holds running sums of the weights within every row, or nothing where all
    weigh the same; with weights of one, both ways take the same step. In a large graph
    every read is a wait for memory. These loops are small, so that the processor runs
    ahead and waits for many walks at once.
    """
    ends = places[n_walks:]
    for walk in range(n_walks):
        places[walk] = indptr[nodes[walk]]
        ends[walk] = indptr[nodes[walk] + 1]
    for walk in range(n_walks):
        bits[walk] = next_bits(bits[walk])
        first, end = places[walk], ends[walk]
        places[walk] = pick(totals, first, end, bits[walk]) if first < end else -1
    for walk in range(n_walks):
        if places[walk] >= 0:
            nodes[walk] = indices[places[walk]]


@jit
def begin_walks(
    positions: IndexArray,
    seed: np.uint64,
    starts: IndexArray,
    repeats: int,
    first: int,
    nodes: IndexArray,
    bits: AnyArray,
) -> int:
    """Begin walks from the ``first`` on, ``repeats`` from every start; return how many.

    The stream is keyed by the seed, the position of the node in its graph and the walk:
    not by thread, batch or order.
    """
    n_walks = min(len(bits), len(starts) * repeats - first)
    row, repeat = first // repeats, first % repeats
    key = node_key(seed, positions[starts[row]])
    for walk in range(n_walks):
        if repeat == repeats:
            row, repeat = row + 1, 0
            key = node_key(seed, positions[starts[row]])
        bits[walk] = stream_key(key, repeat)
        nodes[walk] = starts[row]
        repeat += 1
    return n_walks


@jit
def fill_walks(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    positions: IndexArray,
    seed: np.uint64,
    starts: IndexArray,
    walks: NodeArray,
) -> None:
    """Overwrite ``walks[i, r]`` with the ``r``-th walk from the ``i``-th start."""
    n_starts, repeats, length = walks.shape
    flat = walks.reshape(n_starts * repeats, length)
    nodes, bits = np.empty(64, np.int64), np.empty(64, np.uint64)
    places = np.empty(128, np.int64)
    for first in range(0, len(flat), 64):
        n_walks = begin_walks(positions, seed, starts, repeats, first, nodes, bits)
        for visit in range(length):
            if visit > 0:
                take_step(indptr, indices, totals, nodes, bits, places, n_walks)
            for walk in range(n_walks):
                flat[first + walk, visit] = nodes[walk]


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
def add_last_step(
    indices: NodeArray,
    weights: FloatArray,
    totals: FloatArray,
    first: int,
    end: int,
    node: int,
    visited: IndexArray,
    n_known: int,
    columns: IndexArray,
    share: float,
    row: FloatArray,
) -> None:
    """Add what the last step of one walk may lead to, each by its probability."""
    total = totals[end - 1] if len(weights) > 0 and first < end else float(end - first)
    fresh = total
    for symbol in range(n_known):
        if first == end:
            row[columns[symbol]] += share if visited[symbol] == node else 0.0
            continue
        place = find(indices, first, end, visited[symbol])
        if place >= 0:
            weight = weights[place] if len(weights) > 0 else 1.0
            row[columns[symbol]] += share / total * weight
            fresh -= weight
    if fresh > 1e-12 * total:
        row[columns[n_known]] += share / total * fresh


@jit
def add_last_steps(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    totals: FloatArray,
    nodes: IndexArray,
    visited: IndexArray,
    marks: AnyArray,
    known: IndexArray,
    states: IndexArray,
    columns: IndexArray,
    repeats: int,
    start: int,
    places: IndexArray,
    n_walks: int,
    rows: FloatArray,
) -> None:
    """Add what the last step of every walk may lead to; ``columns`` by state and symbol."""
    share = 1.0 / repeats
    ends = places[n_walks:]
    touched = np.int64(0)
    for walk in range(n_walks):  # waits for all walks at once, as take_step
        places[walk], ends[walk] = indptr[nodes[walk]], indptr[nodes[walk] + 1]
    for walk in range(n_walks if len(indices) > 0 else 0):
        touched += indices[min(places[walk], len(indices) - 1)]
    met = np.empty(64, np.int64)
    row, repeat = start // repeats, start % repeats
    for walk in range(n_walks):
        if repeat == repeats:
            row, repeat = row + 1, 0
        repeat += 1
        first, end, n_known, state = places[walk], ends[walk], known[walk], states[walk]
        degree = end - first
        if len(weights) > 0 or degree > 64 or degree == 0 or touched < 0:
            add_last_step(
                indices,
                weights,
                totals,
                first,
                end,
                nodes[walk],
                visited[walk],
                n_known,
                columns[state],
                share,
                rows[row],
            )
            continue
        # Few neighbours were visited before; six bits of a node tell most others apart.
        # Nothing here is a branch that would be mispredicted.
        seen, part = marks[walk], share / degree
        n_met = np.int64(0)
        for entry in range(first, end):
            met[n_met] = indices[entry]
            n_met += np.int64((seen >> np.uint64(indices[entry] & 63)) & np.uint64(1))
        for number in range(n_met):
            found = n_known
            for symbol in range(n_known):
                found = symbol if visited[walk, symbol] == met[number] else found
            rows[row, columns[state, found]] += part
        if n_met < degree:
            rows[row, columns[state, n_known]] += part * (degree - n_met)


@jit
def fill_sampled_rows(
    indptr: IndexArray,
    indices: NodeArray,
    weights: FloatArray,
    totals: FloatArray,
    positions: IndexArray,
    seed: np.uint64,
    starts: IndexArray,
    repeats: int,
    children: IndexArray,
    columns: IndexArray,
    wanted: AnyArray,
    rows: FloatArray,
) -> None:
    """Walk, anonymise and count without storing walks; the last step is exact.

    ``children[state, symbol]`` is the state of a pattern with one more symbol, and
    ``columns[state, symbol]`` its column in ``rows``. Sizes that are not ``wanted`` are
    only walked through.
    """
    length = len(wanted) - 1
    nodes, bits = np.empty(64, np.int64), np.empty(64, np.uint64)
    places = np.empty(128, np.int64)
    visited = np.empty((64, length + 1), np.int64)
    marks = np.empty(64, np.uint64)  # six bits of every visited node
    known, states = np.empty(64, np.int64), np.empty(64, np.int64)
    for start in range(0, len(starts) * repeats, 64):
        n_walks = begin_walks(positions, seed, starts, repeats, start, nodes, bits)
        visited[:, 0], known[:], states[:] = nodes, 1, 0
        for walk in range(n_walks):
            marks[walk] = np.uint64(1) << np.uint64(nodes[walk] & 63)
        for size in range(2, length + 1):
            if wanted[size]:
                add_last_steps(
                    indptr,
                    indices,
                    weights,
                    totals,
                    nodes,
                    visited,
                    marks,
                    known,
                    states,
                    columns,
                    repeats,
                    start,
                    places,
                    n_walks,
                    rows,
                )
            if size == length:
                break
            take_step(indptr, indices, totals, nodes, bits, places, n_walks)
            for walk in range(n_walks):
                node, n_known = nodes[walk], known[walk]
                visited[walk, n_known] = node
                symbol = n_known
                for before in range(n_known):
                    symbol = before if visited[walk, before] == node else symbol
                marks[walk] |= np.uint64(1) << np.uint64(node & 63)
                known[walk] += symbol == n_known
                states[walk] = children[states[walk], symbol]


@jit
def fill_fours_work(
    indptr: IndexArray, indices: NodeArray, roots: IndexArray, work: FloatArray
) -> None:
    """Overwrite ``work`` with the steps that `fill_complete_fours` takes from each root."""
    beside = np.full(len(indptr) - 1, -1, np.int64)
    for place in range(len(roots)):
        root = roots[place]
        for e in range(indptr[root], indptr[root + 1]):
            beside[indices[e]] = root
        n_steps = 0
        for e in range(indptr[root], indptr[root + 1]):
            b = indices[e]
            n_steps += 3 * (indptr[b + 1] - indptr[b])
            for f in range(indptr[b], indptr[b + 1]):
                c = indices[f]
                if beside[c] == root:
                    n_steps += indptr[c + 1] - indptr[c]
        work[place] = n_steps


@jit
def fill_complete_fours(
    pointers: tuple[IndexArray, ...],
    columns: tuple[NodeArray, ...],
    values: tuple[FloatArray, ...],
    visits: FloatArray,
    roots: IndexArray,
    sums: FloatArray,
) -> None:
    """Overwrite ``sums`` with the sums over all complete graphs of four from every root.

    The six matrices, in CSR form, are those of the pairs 01, 02, 03, 12, 13 and 23.
    """
    n_nodes = visits.shape[1]
    third, fourth, beside = np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes)
    for place in range(len(roots)):
        root = roots[place]
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
        sums[place] = total * visits[0, root]
        for e in range(pointers[1][root], pointers[1][root + 1]):
            third[columns[1][e]] = 0.0
        for e in range(pointers[2][root], pointers[2][root + 1]):
            fourth[columns[2][e]] = 0.0


@jit
def copy_rows(
    indptr: IndexArray,
    indices: NodeArray,
    data: FloatArray,
    sources: IndexArray,
    starts: IndexArray,
    all_indices: NodeArray,
    all_data: FloatArray,
) -> None:
    """Copy rows of a CSR matrix, each from its source to where it starts in another."""
    for target in range(len(starts)):
        row, place = sources[target], starts[target]
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
def add_to_table(
    keys: AnyArray, sums: FloatArray, slots: IndexArray, key: np.uint64, value: float
) -> bool:
    """Add to a hash table; False if it is too full. ``slots[0]`` counts those in use.

    No key is zero: the highest bits hold the number of symbols.
    """
    mask = np.uint64(len(keys) - 1)
    slot = mix(key) & mask
    while keys[slot] != key:
        if keys[slot] == np.uint64(0):
            if 2 * slots[0] >= len(keys):
                return False
            slots[0] += 1
            slots[slots[0]] = slot
            keys[slot] = key
            sums[slot] = 0.0
            break
        slot = (slot + np.uint64(1)) & mask
    sums[slot] += value
    return True


@jit
def empty_table(
    keys: AnyArray,
    sums: FloatArray,
    slots: IndexArray,
    place: int,
    codes: AnyArray,
    values: FloatArray,
) -> int:
    """Empty a table into a list from ``place`` on; return its end, or -1 if too short."""
    n_keys = slots[0]
    fits = place + n_keys <= len(codes)
    for number in range(n_keys):
        slot = slots[1 + number]
        if fits:
            codes[place + number], values[place + number] = keys[slot], sums[slot]
        keys[slot] = np.uint64(0)
    slots[0] = 0
    return place + n_keys if fits else -1


@jit
def meet(
    indptr: IndexArray,
    indices: NodeArray,
    directed: bool,  # noqa: FBT001 - compiled loops take no keywords
    node: int,
    visited: IndexArray,
    n_known: int,
    ranks: AnyArray,
    marks: AnyArray,
) -> tuple[np.int64, np.uint64]:
    """Return the symbol of a node and, if it is new, the bits of its arcs.

    ``ranks`` are the symbols of visited nodes, -1 for others; ``marks`` tell of every
    node which symbols lead to it (even bits) and, in undirected graphs, back (odd bits).
    """
    if ranks[node] >= 0:
        return np.int64(ranks[node]), np.uint64(0)
    found = marks[node]
    if directed:
        first, end = indptr[node], indptr[node + 1]
        for symbol in range(n_known):
            if find(indices, first, end, visited[symbol]) >= 0:
                found |= np.uint64(2) << np.uint64(2 * symbol)
    return np.int64(n_known), found << np.uint64(n_known * (n_known - 1))


@jit
def mark(
    indptr: IndexArray, indices: NodeArray, node: int, bits: np.uint64, marks: AnyArray
) -> None:
    """Flip bits of all neighbours of a node: once to set them, once more to clear."""
    for entry in range(indptr[node], indptr[node + 1]):
        marks[indices[entry]] ^= bits


@jit
def enumerate_induced(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    directed: bool,  # noqa: FBT001 - compiled loops take no keywords
    start: int,
    children: IndexArray,
    packed: AnyArray,
    ranks: AnyArray,
    marks: AnyArray,
    keys: AnyArray,
    sums: FloatArray,
    slots: IndexArray,
) -> bool:
    """Add all walks from a node to a table; False if it is too full.

    A walk counts the product of the ``chances`` of its steps, or 1 where there are none.
    The last step is not walked: one look at a neighbour says what it would add.
    """
    length = children.shape[1]
    visited = np.empty(length + 1, np.int64)
    path = np.empty(length, np.int64)  # node at every depth
    known = np.empty(length, np.int64)  # symbols known at every depth
    states = np.zeros(length, np.int64)
    arcs = np.zeros(length, np.uint64)
    shares = np.ones(length)
    nexts = np.zeros(length, np.int64)  # next edge to follow at every depth
    path[0], known[0], visited[0] = start, 1, start
    if length == 1:
        return add_to_table(keys, sums, slots, packed[0], 1.0)
    both = np.uint64(1) if directed else np.uint64(3)
    ranks[start] = 0
    mark(indptr, indices, start, both, marks)
    depth, fits = 0, True
    while depth >= 0:
        node, n_known = path[depth], known[depth]
        first, end = indptr[node], indptr[node + 1]
        while nexts[depth] < max(end - first, 1) and fits:
            # At a dead end, the one option is to stay.
            following, share = node, shares[depth]
            if first < end:
                following = np.int64(indices[first + nexts[depth]])
                share *= chances[first + nexts[depth]] if len(chances) > 0 else 1.0
            nexts[depth] += 1
            symbol, bits = meet(
                indptr, indices, directed, following, visited, n_known, ranks, marks
            )
            bits |= arcs[depth]
            state = children[states[depth], symbol]
            if depth == length - 2:
                fits = add_to_table(keys, sums, slots, packed[state] | bits, share)
                continue
            if symbol == n_known:
                visited[n_known], ranks[following] = following, n_known
                mark(indptr, indices, following, both << np.uint64(2 * n_known), marks)
                n_known += 1
            depth += 1
            node, first, end = following, indptr[following], indptr[following + 1]
            path[depth], known[depth], states[depth] = following, n_known, state
            arcs[depth], shares[depth], nexts[depth] = bits, share, 0
        if depth == 0 or known[depth - 1] < n_known:
            ranks[node] = -1
            mark(indptr, indices, node, both << np.uint64(2 * (n_known - 1)), marks)
        depth -= 1
    return fits


@jit
def sample_induced(
    indptr: IndexArray,
    indices: NodeArray,
    totals: FloatArray,
    start: int,
    position: int,
    seed: np.uint64,
    n_walks: int,
    children: IndexArray,
    packed: AnyArray,
    keys: AnyArray,
    sums: FloatArray,
    slots: IndexArray,
) -> bool:
    """Add sampled walks from a node to a table; False if it is too full."""
    length = children.shape[1]
    visited = np.empty(length + 1, np.int64)
    key = node_key(seed, position)
    for repeat in range(n_walks):
        bits = stream_key(key, repeat)
        node = np.int64(start)
        visited[0] = node
        n_known, state, arcs = 1, 0, np.uint64(0)
        for _ in range(length - 1):
            bits = next_bits(bits)
            first, end = indptr[node], indptr[node + 1]
            if first < end:
                node = np.int64(indices[pick(totals, first, end, bits)])
            symbol = find_visited(visited, n_known, node)
            if symbol == n_known:
                arcs |= arcs_of_new(indptr, indices, visited, n_known, node)
                visited[n_known] = node
                n_known += 1
            state = children[state, symbol]
        if not add_to_table(keys, sums, slots, packed[state] | arcs, 1.0 / n_walks):
            return False
    return True


@jit
def fill_induced(
    indptr: IndexArray,
    indices: NodeArray,
    chances: FloatArray,
    totals: FloatArray,
    directed: AnyArray,
    sampled: AnyArray,
    positions: IndexArray,
    seed: np.uint64,
    n_walks: int,
    children: IndexArray,
    packed: AnyArray,
    nodes: IndexArray,
    table: tuple[AnyArray, AnyArray, AnyArray, FloatArray, IndexArray],
    codes: AnyArray,
    values: FloatArray,
    counts: IndexArray,
) -> int:
    """Write the codes and values of nodes one after another; return how many were done.

    It ends early where the table or the lists are too small. ``directed`` and ``sampled``
    are given for every node.
    """
    ranks, marks, keys, sums, slots = table
    place = 0
    for number in range(len(nodes)):
        node = nodes[number]
        if sampled[node]:
            fits = sample_induced(
                indptr,
                indices,
                totals,
                node,
                positions[node],
                seed,
                n_walks,
                children,
                packed,
                keys,
                sums,
                slots,
            )
        else:
            fits = enumerate_induced(
                indptr,
                indices,
                chances,
                directed[node],
                node,
                children,
                packed,
                ranks,
                marks,
                keys,
                sums,
                slots,
            )
        n_keys = slots[0]
        end = empty_table(keys, sums, slots, place, codes, values)
        if not fits or end < 0:
            return number
        counts[number] = n_keys
        place = end
    return len(nodes)


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
def fill_signed(
    pointers: IndexArray,
    columns: NodeArray,
    signs: FloatArray,
    sums: FloatArray,
    first: int,
    noise: float,
    totals: FloatArray,
) -> float:
    """Overwrite ``totals`` with the signed sums of every pattern, rounding with zero.

    ``totals`` has one row a pattern, and a column for every column of ``sums`` from the
    ``first`` on: columns side by side are added up at once. The signs are CSR, one row a
    pattern. What is below ``noise`` times the sum without signs is rounding, and so is
    what is negative. Returns the largest sum without signs.
    """
    n_columns = min(totals.shape[1], sums.shape[1] - first)
    bounds = np.empty(n_columns)
    largest = 0.0
    for pattern in range(len(totals)):
        total = totals[pattern]
        for i in range(n_columns):
            total[i], bounds[i] = 0.0, 0.0
        for entry in range(pointers[pattern], pointers[pattern + 1]):
            sign, row = signs[entry], sums[columns[entry]]
            size = abs(sign)
            for i in range(n_columns):
                total[i] += sign * row[first + i]
                bounds[i] += size * row[first + i]
        for i in range(n_columns):
            largest = max(largest, bounds[i])
            total[i] = total[i] if total[i] > noise * bounds[i] else 0.0
    return largest


@jit
def fill_signed_rows(
    pointers: IndexArray,
    columns: NodeArray,
    signs: FloatArray,
    sums: FloatArray,
    start: int,
    noise: float,
    indptr: IndexArray,
    indices: NodeArray,
    data: FloatArray,
) -> float:
    """Write the signed sums of columns from ``start`` on as rows of a CSR matrix.

    Returns the largest sum without signs.
    """
    totals = np.empty((len(pointers) - 1, 64))
    n_kept, largest, n_rows = 0, 0.0, len(indptr) - 1
    indptr[0] = 0
    for first in range(0, n_rows, 64):
        bound = fill_signed(pointers, columns, signs, sums, start + first, noise, totals)
        largest = max(largest, bound)
        for i in range(min(64, n_rows - first)):
            for pattern in range(len(totals)):
                if totals[pattern, i] != 0.0:
                    indices[n_kept] = pattern
                    data[n_kept] = totals[pattern, i]
                    n_kept += 1
            indptr[first + i + 1] = n_kept
    return largest


@jit
def are_twins(indptr: IndexArray, indices: NodeArray, one: int, two: int) -> bool:
    """Tell whether two nodes of an undirected graph may change places."""
    i, i_end = indptr[one], indptr[one + 1]
    j, j_end = indptr[two], indptr[two + 1]
    if i_end - i != j_end - j:
        return False
    loops = 0
    while True:
        while i < i_end and (indices[i] == one or indices[i] == two):
            loops += indices[i] == one
            i += 1
        while j < j_end and (indices[j] == one or indices[j] == two):
            loops -= indices[j] == two
            j += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end and loops == 0
        if indices[i] != indices[j]:
            return False
        i += 1
        j += 1


@jit
def fill_twins(
    indptr: IndexArray,
    indices: NodeArray,
    owners: IndexArray,
    eligible: AnyArray,
    codes: IndexArray,
    slots: NodeArray,
    twin_of: IndexArray,
) -> None:
    """Overwrite ``twin_of`` with the first twin of every node, itself if it has none.

    Twins have the same code.
    ``slots`` is an empty hash table (-1) of first nodes, a power of two long. Twins that
    are adjacent agree in what they and their neighbours hash to, others in what their
    neighbours do; a look at the rows decides.
    """
    mask = np.uint64(len(slots) - 1)
    for node in range(len(twin_of)):
        if not eligible[owners[node]]:
            continue
        around = mix(np.uint64(owners[node]) + np.uint64(1))
        for entry in range(indptr[node], indptr[node + 1]):
            if indices[entry] == node:
                around += np.uint64(0x9E3779B97F4A7C15)
            else:
                around += mix(np.uint64(indices[entry]) + np.uint64(1))
        own = around + mix(np.uint64(node) + np.uint64(1))
        found = False
        for key in (around, own):
            slot = mix(key) & mask
            while slots[slot] >= 0 and not found:
                known = slots[slot]
                if owners[known] == owners[node] and codes[known] == codes[node]:
                    if are_twins(indptr, indices, known, node):
                        twin_of[node] = known
                        found = True
                slot = (slot + np.uint64(1)) & mask
        if not found:
            for key in (around, own):
                slot = mix(key) & mask
                while slots[slot] >= 0:
                    slot = (slot + np.uint64(1)) & mask
                slots[slot] = node


@jit
def fill_group_rows(
    indptr: IndexArray,
    indices: NodeArray,
    data: FloatArray,
    first: IndexArray,
    class_of: IndexArray,
    sizes: IndexArray,
    class_indptr: IndexArray,
    class_indices: NodeArray,
    class_data: FloatArray,
    extra: FloatArray,
) -> None:
    """Overwrite a CSR matrix with the steps between classes of twins, columns sorted.

    ``extra`` is what a node has for itself beyond what it has for its twins.
    """
    place = 0
    for row in range(len(first)):
        node = first[row]
        loop, beside = 0.0, 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            if indices[entry] == node:
                loop = data[entry]
            elif class_of[indices[entry]] == row:
                beside = data[entry]
        if sizes[row] == 1:
            beside = loop
        extra[row] = loop - beside
        pending = beside != 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            column = class_of[indices[entry]]
            if pending and column >= row:
                class_indices[place], class_data[place] = row, beside
                place += 1
                pending = False
            if column != row and first[column] == indices[entry]:
                class_indices[place], class_data[place] = column, data[entry]
                place += 1
        if pending:
            class_indices[place], class_data[place] = row, beside
            place += 1
        class_indptr[row + 1] = place
