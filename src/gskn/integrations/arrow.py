"""Embeddings and predictions as functions from Arrow tables to Arrow tables.

The functions are picklable and keep no state, so an engine can apply them to the partitions
of a large table: `gskn.integrations.dask` does so, and Ray and Spark take them as they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from gskn._types import AnyArray, FloatArray
from gskn._validation import check_choice, check_flag, shorten
from gskn.estimators import GSKN, GSKNClassifier, GSKNRegressor, predict_once
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch, iter_graphs

__all__ = ["EmbedTable", "PredictTable"]

Level: TypeAlias = Literal["graph", "node"]

_COLUMNS = ("graph", "source", "target")
_NAME_KEYS = ("name", "id")  # of molecules


class EmbedTable:
    """Function that embeds the graphs of a table of edges or SMILES.

    Parameters
    ----------
    model : GSKN
        Fitted model.
    level : {"graph", "node"}, default="graph"
        Whether to embed graphs or nodes.
    dtype : {"float64", "float32"}, default="float64"
        Type of the embeddings.
    one_by_one : bool, default=False
        Whether to embed every graph alone. Rounding depends on the shapes of matrix
        products, so an embedding may otherwise differ by 1e-15 of the largest entry
        between partitions; graphs that are embedded alone are equal to the last bit.
    options : mapping, default=None
        Options of `gskn.graphs.as_batch`, for instance the names of the columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from gskn import GSKN
    >>> edges = {"graph": [1, 1, 2], "source": [0, 1, 0], "target": [1, 2, 1]}
    >>> edges = pa.table(edges)
    >>> embed = EmbedTable(GSKN(random_state=0).fit(edges))
    >>> embed(edges).column_names[:2], len(embed(edges))
    (['graph', 'mean_walk_1_0'], 2)
    """

    def __init__(
        self,
        model: GSKN,
        *,
        level: Level = "graph",
        dtype: Literal["float64", "float32"] = "float64",
        one_by_one: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(model, GSKN):
            raise InputError(f"model must be a GSKN, got {shorten(model)}.")
        self.model = model
        self.level = check_choice(level, "level", choices=["graph", "node"])
        self.dtype = check_choice(dtype, "dtype", choices=["float64", "float32"])
        self.one_by_one = check_flag(one_by_one, "one_by_one")
        self.options = dict(options or {})

    @property
    def columns(self) -> list[str]:
        """Names of the columns of embeddings."""
        if self.level == "graph":
            return list(self.model.get_feature_names_out())
        return list(self.model.get_node_feature_names_out())

    def schema(self, table: pa.Schema) -> pa.Schema:
        """Return the schema of the result for the schema of a table.

        Parameters
        ----------
        table : pyarrow.Schema
            Schema of the edges or SMILES.

        Returns
        -------
        result : pyarrow.Schema
            Columns ``graph``, with ``level="node"`` also ``node``, and the embeddings.
        """
        graph_key, source_key, _ = self.options.get("columns", _COLUMNS)
        fields = [("graph", _id_type(table, (graph_key, *_NAME_KEYS)))]
        if self.level == "node":
            # The atoms of a molecule have numbers.
            has_edges = source_key in table.names
            dtype = _id_type(table, (source_key,)) if has_edges else pa.int64()
            fields.append(("node", dtype))
        value_type = pa.from_numpy_dtype(self.dtype)
        return pa.schema([*fields, *((name, value_type) for name in self.columns)])

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return the embeddings of the graphs of a table.

        Parameters
        ----------
        table : pyarrow.Table
            Table of edges with the columns graph, source and target, which holds all edges
            of its graphs, or a table with a column of SMILES.

        Returns
        -------
        embeddings : pyarrow.Table
            One row for every graph or node. Graphs of a table of edges are sorted.
        """
        return _apply(self, table)

    def apply(self, graphs: GraphBatch, schema: pa.Schema) -> pa.Table:
        """Return the embeddings of graphs.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs; they are numbered if they have no names.
        schema : pyarrow.Schema
            Schema of the result.

        Returns
        -------
        embeddings : pyarrow.Table
            One row for every graph or node.
        """
        pieces = [schema.empty_table()]
        for batch in iter_graphs(graphs):
            parts = (batch[[n]] for n in range(len(batch))) if self.one_by_one else [batch]
            pieces += [self._embed(part, schema) for part in parts]
        return pa.concat_tables(pieces).combine_chunks()

    def map_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Embed record batches of whole graphs, for ``mapInArrow`` of Spark.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            Tables as for a call; every one holds whole graphs.

        Yields
        ------
        embeddings : pyarrow.RecordBatch
            Embeddings of the graphs.
        """
        for batch in batches:
            yield from self(pa.Table.from_batches([batch])).to_batches()

    def _embed(self, batch: GraphBatch, schema: pa.Schema) -> pa.Table:
        names = np.asarray(batch.graph_names)
        if self.level == "graph":
            ids, values = [names], np.asarray(self.model.transform(batch))
        else:
            ids = [names[batch.node_graphs], np.asarray(batch.node_names)]
            values = self.model.transform_nodes(batch)
        return _as_table(ids, values, schema)


class PredictTable:
    """Function that predicts the graphs of a table of edges or SMILES.

    Parameters
    ----------
    model : GSKNClassifier or GSKNRegressor
        Fitted model.
    options : mapping, default=None
        Options of `gskn.graphs.as_batch`, for instance the names of the columns.
    """

    def __init__(
        self,
        model: GSKNClassifier | GSKNRegressor,
        *,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(model, GSKNClassifier | GSKNRegressor):
            raise InputError(
                f"model must be a GSKNClassifier or GSKNRegressor, got {shorten(model)}."
            )
        self.model = model
        self.options = dict(options or {})

    def schema(self, table: pa.Schema) -> pa.Schema:
        """Return the schema of the result for the schema of a table.

        Parameters
        ----------
        table : pyarrow.Schema
            Schema of the edges or SMILES.

        Returns
        -------
        result : pyarrow.Schema
            Columns ``graph`` and ``value``, or ``graph``, ``class`` and the probability of
            every class.
        """
        graph_key = self.options.get("columns", _COLUMNS)[0]
        fields = [("graph", _id_type(table, (graph_key, *_NAME_KEYS)))]
        if isinstance(self.model, GSKNRegressor):
            return pa.schema([*fields, ("value", pa.float64())])
        classes = np.asarray(self.model.classes_)
        is_integer = classes.dtype.kind == "i"
        fields.append(("class", pa.int64() if is_integer else pa.string()))
        names = [f"probability_{name}" for name in classes.tolist()]
        return pa.schema([*fields, *((name, pa.float64()) for name in names)])

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return the predictions for the graphs of a table.

        Parameters
        ----------
        table : pyarrow.Table
            Table as for `EmbedTable`.

        Returns
        -------
        predictions : pyarrow.Table
            One row for every graph.
        """
        return _apply(self, table)

    def apply(self, graphs: GraphBatch, schema: pa.Schema) -> pa.Table:
        """Return the predictions for graphs.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs; they are numbered if they have no names.
        schema : pyarrow.Schema
            Schema of the result.

        Returns
        -------
        predictions : pyarrow.Table
            One row for every graph.
        """
        pieces = [schema.empty_table()]
        for batch in iter_graphs(graphs):
            classes, values = predict_once(self.model, batch)
            ids = [np.asarray(batch.graph_names)]
            ids += [] if classes is None else [np.asarray(classes)]
            pieces.append(_as_table(ids, values, schema))
        return pa.concat_tables(pieces).combine_chunks()


def _apply(function: EmbedTable | PredictTable, table: pa.Table) -> pa.Table:
    """Apply a function to the graphs of a table."""
    schema, options = function.schema(table.schema), function.options
    graph_key, source_key, _ = options.get("columns", _COLUMNS)
    if source_key in table.column_names and graph_key not in table.column_names:
        raise InputError(f"The edge table has no column {graph_key!r} of graphs.")
    if not len(table):
        return schema.empty_table()
    return function.apply(as_batch(table, **options), schema)


def _id_type(table: pa.Schema, keys: Sequence[str]) -> pa.DataType:
    """Return the type of ids: integers, or text for all other types."""
    fields = [field for field in table if field.name in keys or field.name.lower() in keys]
    return pa.int64() if fields and pa.types.is_integer(fields[0].type) else pa.string()


def _as_table(ids: list[AnyArray], values: FloatArray, schema: pa.Schema) -> pa.Table:
    """Return columns of ids and values in the types of a schema."""
    columns = [
        pa.array(array.astype(np.int64 if dtype == pa.int64() else str), dtype)
        for array, dtype in zip(ids, schema.types, strict=False)
    ]
    by_column = np.ascontiguousarray(values.T)
    types = schema.types[len(ids) :]
    columns += [
        pa.array(column).cast(dtype) for column, dtype in zip(by_column, types, strict=True)
    ]
    return pa.table(columns, schema=schema)
