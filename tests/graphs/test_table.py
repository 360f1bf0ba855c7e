import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gskn import as_batch
from gskn.exceptions import GsknWarning, InputError

SORTED = {
    "half": pa.array(np.array([2, 1], np.float16)),
    "string view": pa.array(["b", "a"], pa.string_view()),
    "binary view": pa.array([b"b", b"a"], pa.binary_view()),
    "fixed binary": pa.array([b"b", b"a"], pa.binary(1)),
    "decimal": pa.array([Decimal("2.5"), Decimal("1.5")]),
    "small decimal": pa.array([Decimal("2.5"), Decimal("1.5")], pa.decimal32(5, 2)),
    "dictionary": pa.array(["b", "a"]).dictionary_encode(),
    "runs": pa.RunEndEncodedArray.from_arrays([1, 2], pa.array(["b", "a"])),
    "date": pa.array([2, 1], pa.date32()),
    "date without a year": pa.array(np.array([2**31 - 1, 0], np.int32)).view(pa.date32()),
    "time": pa.array([2, 1], pa.time64("ns")),
    "timestamp": pa.array([2, 1], pa.timestamp("ns")),
    "duration": pa.array([2, 1], pa.duration("s")),
    "boolean": pa.array([True, False]),
    "uuid": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([b"b" * 16, b"a" * 16], pa.binary(16))
    ),
}
NESTED = {
    "list": pa.array([[1], [2]]),
    "list view": pa.array([[1], [2]], pa.list_view(pa.int64())),
    "fixed list": pa.array([[1], [2]], pa.list_(pa.int64(), 1)),
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    "union": pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    ),
}


@pytest.mark.parametrize("kind", SORTED)
def test_ids_may_have_any_type_that_can_be_sorted(kind):
    ids = SORTED[kind]
    batch = as_batch(pa.table({"graph": ids, "source": ids, "target": ids}))
    assert batch.graph_sizes.tolist() == [1, 1]
    names = batch.node_names
    assert names.tolist() == np.sort(names).tolist()


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("column", ["graph", "source", "target"])
def test_ids_of_nested_types_raise(kind, column):
    table = {"graph": [0, 0], "source": [0, 1], "target": [1, 0]}
    with pytest.raises(
        InputError, match=f"Column '{column}' has the nested type .*use numbers or text"
    ):
        as_batch(pa.table({**table, column: NESTED[kind]}))


def test_ids_that_cannot_be_sorted_raise():
    interval = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    with pytest.raises(InputError, match="'source' of type month_day_nano_interval"):
        as_batch(pa.table({"source": interval, "target": interval}))
    nulls = pa.nulls(1)
    with pytest.raises(InputError, match="no 'source' in row 0"):
        as_batch(pa.table({"source": nulls, "target": nulls}))
    gap = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(InputError, match="no 'source' in row 1"):
        as_batch(pa.table({"source": gap, "target": gap}))


@pytest.mark.parametrize("kind", ["struct", "map", "union", "list view"])
def test_node_data_and_weights_of_nested_types_raise(kind):
    edges = {"source": [0, 1], "target": [1, 0]}
    with pytest.raises(InputError, match="'weight' of the edge table must contain numbers"):
        as_batch(pa.table({**edges, "weight": NESTED[kind]}))
    nodes = pa.table({"node": [0, 1], "attributes": NESTED[kind]})
    with pytest.raises(InputError, match="'attributes' of the node table must contain num"):
        as_batch(pa.table(edges), nodes=nodes)
    if kind in {"struct", "union"}:
        nodes = pa.table({"node": [0, 1], "label": NESTED[kind]})
        with pytest.raises(InputError, match=r"not hashable|cannot be read"):
            as_batch(pa.table(edges), nodes=nodes)


def test_offsets_outside_their_buffer_raise():
    offsets = pa.py_buffer(np.array([0, 10**6, 2], np.int32).tobytes())
    damaged = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    with pytest.raises(InputError, match="'source' of type string cannot be read"):
        as_batch(pa.table({"source": damaged, "target": damaged}))


def nested_list(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "ids",
    [
        pd.Series([10**30, 1], dtype=object),
        pd.Series([2**64, 1], dtype=object),
        pd.arrays.SparseArray([0, 1]),
        pd.Series([1j, 2j]),
        pd.Series(["\ud800", "a"], dtype=object),
        pd.Series([1, "a"], dtype=object),
        pd.Series([nested_list(3000)] * 2, dtype=object),
        pd.Series([dt.date, 1], dtype=object),
        pd.Series([np.datetime64("2020"), np.uint8(1)], dtype=object),
    ],
)
def test_pandas_columns_that_arrow_cannot_convert_raise(ids):
    with pytest.raises(InputError, match="The edge table (cannot be read|has lists)"):
        as_batch(pd.DataFrame({"source": ids, "target": ids}))


def test_column_similar_to_weight_warns():
    table = pa.table({"source": [0], "target": [1], "Weight": [3.0]})
    with pytest.warns(GsknWarning, match="'Weight' is not read") as caught:
        batch = as_batch(table)
    assert caught[0].filename == __file__
    assert not batch.is_weighted
    assert as_batch(table, edge_weight="Weight").is_weighted
    assert not as_batch(table, edge_weight=None).is_weighted
