"""Embed millions of graphs with Dask: on the cores of one machine or on a cluster.

This module needs the extra ``dask``.
"""

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from gskn._limits import MAX_CELLS
from gskn._optional import comes_from, require
from gskn._types import AnyArray
from gskn._validation import check_choice, check_int, shorten
from gskn.estimators import GSKN, GSKNClassifier, GSKNRegressor
from gskn.exceptions import GsknWarning, InputError
from gskn.graphs import as_batch
from gskn.integrations.arrow import EmbedTable, Level, PredictTable

__all__ = ["fit", "predict", "transform"]

_dask = require("dask", extra="dask")
_frames = require("dask.dataframe", extra="dask")
_delayed = _dask.delayed

_SAMPLE = 20_000
_COLUMNS = ("graph", "source", "target")


def fit(
    model: GSKN,
    collection: Any,
    *,
    sample: int = _SAMPLE,
    random_state: int = 0,
    options: Mapping[str, Any] | None = None,
) -> GSKN:
    """Fit a model to a seeded sample of graphs.

    Parameters
    ----------
    model : GSKN
        Model to fit; it is changed.
    collection : dask.dataframe.DataFrame or dask.bag.Bag
        Collection as for `transform`.
    sample : int, default=20,000
        Number of graphs. A fit uses random graphs with about 130,000 nodes of them.
    random_state : int, default=0
        Seed of the sample. A graph is drawn by its id, so the sample does not depend on the
        partitions and their order; for a bag, it is drawn by partition and position.
    options : mapping, default=None
        Options of `gskn.graphs.as_batch`.

    Returns
    -------
    model : GSKN
        The fitted model.

    Notes
    -----
    The collection is read twice: once for the ids of all graphs, and once for the edges of
    the sampled graphs, which are sent to the caller.
    """
    check_int(sample, "sample", minimum=1, maximum=MAX_CELLS)
    check_int(random_state, "random_state", minimum=0)
    arguments = dict(options or {})
    if _is_bag(collection):
        parts = enumerate(collection.map_partitions(list).to_delayed())
        pieces = [_delayed(_draw)(part, n, sample, random_state) for n, part in parts]
        pairs = [pair for piece in _dask.compute(*pieces) for pair in piece]
        pairs = sorted(pairs, key=itemgetter(0))[:sample]
        return model.fit(as_batch([graph for _, graph in pairs], **arguments))
    frame = _check_frame(collection)
    key = _key(frame, arguments)
    keys = frame.map_partitions(
        _smallest_keys, key, sample, random_state, meta={"key": "uint64"}
    )
    all_keys = keys.compute()["key"].to_numpy()
    drawn_keys = np.unique(all_keys)
    # Hashes of the graphs of one partition differ; molecules may occur several times.
    if len(drawn_keys) < len(all_keys) and _has_edges(frame, arguments):
        warnings.warn(
            "Edges of some graphs are in several partitions. Pass by= with the column of "
            "graphs to transform and predict, which otherwise embed the parts separately.",
            GsknWarning,
            stacklevel=2,
        )
    limit = int(drawn_keys[min(sample, len(drawn_keys)) - 1]) if len(drawn_keys) else 0
    edges = frame.map_partitions(
        _rows_below, key, limit, random_state, meta=_template(frame)
    ).compute()
    # Equal tables give equal models: the order of partitions does not matter.
    edges = edges.sort_values(list(edges.columns[:1]), kind="stable")
    edges = edges.sort_values(key, kind="stable").reset_index(drop=True)
    return model.fit(
        as_batch(pa.Table.from_pandas(edges, preserve_index=False), **arguments)
    )


def transform(
    model: GSKN,
    collection: Any,
    *,
    level: Level = "graph",
    by: str | None = None,
    one_by_one: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Embed graphs or nodes lazily.

    Parameters
    ----------
    model : GSKN
        Fitted model.
    collection : dask.dataframe.DataFrame or dask.bag.Bag
        Frame of edges with the columns graph, source and target; frame with a column
        ``smiles``; or bag of graphs. A partition holds all edges of its graphs, unless
        ``by`` is given; this is not checked here, but `fit` warns if it sees such graphs.
    level : {"graph", "node"}, default="graph"
        Whether to embed graphs or nodes.
    by : str or None, default=None
        Column of graphs by which edges are moved between partitions first, in case the
        edges of a graph are in several partitions.
    one_by_one : bool, default=False
        Whether to embed every graph alone, so that results do not depend on the partitions
        to the last bit; otherwise they may differ by rounding.
    options : mapping, default=None
        Options of `gskn.graphs.as_batch`.

    Returns
    -------
    embeddings : dask.dataframe.DataFrame
        Columns ``graph``, with ``level="node"`` also ``node``, and the embeddings. The
        graphs of a bag are numbered within their partition, in its order.

    Examples
    --------
    >>> import dask.dataframe, pandas
    >>> from gskn import GSKN
    >>> edges = {"graph": [1, 1, 2], "source": [0, 1, 0], "target": [1, 2, 1]}
    >>> frame = pandas.DataFrame(edges)
    >>> frame = dask.dataframe.from_pandas(frame, npartitions=1)
    >>> model = fit(GSKN(n_landmarks=2, random_state=0), frame)
    >>> transform(model, frame).compute()["graph"].tolist()
    [1, 2]
    """
    embed = EmbedTable(model, level=level, one_by_one=one_by_one, options=options)
    return _apply(embed, collection, by)


def predict(
    model: GSKNClassifier | GSKNRegressor,
    collection: Any,
    *,
    by: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Predict classes or values of graphs lazily.

    Parameters
    ----------
    model : GSKNClassifier or GSKNRegressor
        Fitted model.
    collection : dask.dataframe.DataFrame or dask.bag.Bag
        Collection as for `transform`.
    by : str or None, default=None
        As for `transform`.
    options : mapping, default=None
        Options of `gskn.graphs.as_batch`.

    Returns
    -------
    predictions : dask.dataframe.DataFrame
        Columns ``graph`` and ``value``, or ``graph``, ``class`` and the probability of
        every class.
    """
    return _apply(PredictTable(model, options=options), collection, by)


def _apply(function: EmbedTable | PredictTable, collection: Any, by: str | None) -> Any:
    """Map a function over the partitions of a collection."""
    if _is_bag(collection):
        parts = collection.map_partitions(list).to_delayed()
        shared = _delayed(function)
        meta = _as_pandas(function.schema(pa.schema([("graph", pa.int64())])).empty_table())
        pieces = [_delayed(_apply_to_graphs)(shared, part) for part in parts]
        return _frames.from_delayed(pieces, meta=meta, verify_meta=False)
    frame = _check_frame(collection)
    if by is not None:
        check_choice(by, "by", choices=list(frame.columns))
        frame = frame.shuffle(on=by)
    schema = pa.Schema.from_pandas(_template(frame), preserve_index=False)
    meta = _as_pandas(function.schema(_with_text(schema)).empty_table())
    return frame.map_partitions(_apply_to_frame, function, meta=meta)


def _apply_to_frame(frame: Any, function: EmbedTable | PredictTable) -> Any:
    return _as_pandas(function(pa.Table.from_pandas(frame, preserve_index=False)))


def _apply_to_graphs(function: EmbedTable | PredictTable, graphs: list[Any]) -> Any:
    """Apply a function to the graphs of one partition of a bag.

    Graphs are numbered within the partition, and nodes within their graph.
    """
    schema = function.schema(pa.schema([("graph", pa.int64())]))
    if not graphs:
        return _as_pandas(schema.empty_table())
    batch = as_batch(graphs, **function.options)
    # The type of names is not known before graphs are read.
    batch = replace(batch, graph_names=None, node_names=None)
    return _as_pandas(function.apply(batch, schema))


def _as_pandas(table: pa.Table) -> Any:
    pandas = require("pandas", extra="dask")
    strings = pandas.StringDtype("pyarrow")
    return table.to_pandas(types_mapper={pa.string(): strings}.get)


def _with_text(schema: pa.Schema) -> pa.Schema:
    """Replace the null type of empty columns of objects by text."""
    fields = [
        pa.field(field.name, pa.string()) if pa.types.is_null(field.type) else field
        for field in schema
    ]
    return pa.schema(fields)


def _is_bag(collection: Any) -> bool:
    return comes_from(collection, "dask") and hasattr(collection, "to_dataframe")


def _check_frame(collection: Any) -> Any:
    if not hasattr(collection, "map_partitions") or not hasattr(collection, "_meta"):
        raise InputError(
            f"The collection must be a Dask DataFrame or Bag, got {shorten(collection)}."
        )
    return collection


def _template(frame: Any) -> Any:
    """Return the empty pandas frame that describes the columns of a frame."""
    return frame._meta  # noqa: SLF001 - by convention the template of every collection


def _key(frame: Any, options: Mapping[str, Any]) -> str:
    """Return the column that identifies graphs: ids, or SMILES without ids."""
    graph_key = options.get("columns", _COLUMNS)[0]
    smiles = options.get("smiles")
    candidates = [graph_key, "name", "id", smiles if isinstance(smiles, str) else "smiles"]
    for candidate in candidates:
        for name in frame.columns:
            if name.lower() == candidate.lower():
                return str(name)
    raise InputError(
        f"The frame has none of the columns {', '.join(candidates)}; rename one."
    )


def _has_edges(frame: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a frame contains edges instead of molecules."""
    return options.get("columns", _COLUMNS)[1] in frame.columns


def _hashes(values: Any, seed: int) -> AnyArray:
    """Return one number of 64 bits for every distinct id."""
    salt = seed.to_bytes(8, "little", signed=False)
    digests = [
        hashlib.blake2b(str(value).encode(), digest_size=8, salt=salt).digest()
        for value in values
    ]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)


def _draw(
    graphs: list[Any], partition: int, sample: int, seed: int
) -> list[tuple[int, Any]]:
    """Return the graphs of a partition with the smallest hashes, and their hashes."""
    hashes = _hashes([f"{partition}-{n}" for n in range(len(graphs))], seed)
    order = np.argsort(hashes, kind="stable")[:sample]
    return [(int(hashes[n]), graphs[n]) for n in order]


def _smallest_keys(frame: Any, key: str, sample: int, seed: int) -> Any:
    """Return the smallest hashes of the graphs of a partition."""
    hashes = np.sort(_hashes(frame[key].unique(), seed))[:sample]
    return type(frame)({"key": hashes})


def _rows_below(frame: Any, key: str, limit: int, seed: int) -> Any:
    """Return the rows of the graphs whose hash is at most ``limit``."""
    distinct = frame[key].unique()
    selected = distinct[_hashes(distinct, seed) <= np.uint64(limit)]
    return frame[frame[key].isin(selected)]
