"""Structural encodings of nodes for PyTorch Geometric.

This module needs the extra ``pyg``.
"""

import copy
import hashlib
import inspect
import itertools
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gskn._limits import MAX_WORK
from gskn._offsets import runs_of_graphs
from gskn._optional import require
from gskn._types import FloatArray, IndexArray
from gskn._validation import check_choice, check_flag, check_int, check_number, shorten
from gskn.estimators import GSKN, model_parts
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.walks import (
    MAX_EXACT_LENGTH,
    distinct_induced,
    induced_columns,
    induced_names,
    induced_patterns,
    pattern_counts,
    pattern_names,
    patterns,
    quotient_names,
    quotient_sums,
    without_loops,
)

__all__ = ["AddAnonymousWalkPE", "AddGSKN", "encode_dataset"]

torch = require("torch", extra="pyg")
_data = require("torch_geometric.data", extra="pyg")
_BaseTransform: Any = require("torch_geometric.transforms", extra="pyg").BaseTransform

_MAX_INDUCED = 6  # longer induced patterns have more than 40,000 columns
# Nodes encoded together by `encode_dataset`: the rows of all nodes of a large data set do
# not fit into the cache, and take up to twice the time.
_RUN_NODES = 2**15
_RESERVED = {"face", "num_nodes", "ptr"}
_VERSION = 1  # of the values and columns of `AddAnonymousWalkPE`


class _NodeEncoding(_BaseTransform):
    """A transform that adds one row per node."""

    attr_name: str | None

    def encode(self, data: Any) -> Any:
        """Return the encoding of all nodes.

        Parameters
        ----------
        data : Data or Batch of torch_geometric.data
            One graph, or several.

        Returns
        -------
        encoding : torch.Tensor of shape (n_nodes, num_features)
            On the device of the graphs; floats as in ``x``, else of the default type.
        """
        _check_graph(data)
        return _as_tensor(self._rows(self._read(data)), data)

    def forward(self, data: Any) -> Any:
        """Add the encoding to a graph.

        Parameters
        ----------
        data : Data or Batch of torch_geometric.data
            One graph, or several.

        Returns
        -------
        data : Data or Batch
            The same object. Calling the transform returns a copy instead.
        """
        return self.add(data, self.encode(data))

    def add(self, data: Any, encoding: Any) -> Any:
        """Store an encoding in a graph, which is changed.

        Parameters
        ----------
        data : Data or Batch of torch_geometric.data
            One graph, or several.
        encoding : torch.Tensor of shape (n_nodes, num_features)
            Result of `encode`.

        Returns
        -------
        data : Data or Batch
            The same object.
        """
        if self.attr_name is not None:
            data[self.attr_name] = encoding
        elif data.x is None:
            data.x = encoding
        else:
            data.x = torch.cat([_columns_of(data.x, len(encoding)), encoding], dim=1)
        return data

    @abstractmethod
    def _read(self, graphs: Any) -> GraphBatch:
        """Return one graph or a list of graphs with everything that is encoded."""

    @abstractmethod
    def _rows(self, batch: GraphBatch) -> FloatArray:
        """Return one row per node."""

    @abstractmethod
    def _arguments(self) -> dict[str, object]:
        """Return everything that the encoding depends on."""

    def __repr__(self) -> str:
        texts = [f"{name}={value!r}" for name, value in self._arguments().items()]
        return f"{type(self).__name__}({', '.join(texts)})"


class AddAnonymousWalkPE(_NodeEncoding):
    """Add the exact distribution of the anonymous walks from every node.

    A transform of PyTorch Geometric, also as ``pre_transform``. Nothing is fitted: the
    columns depend on the arguments only, and a node has the same row alone and in a batch.

    Parameters
    ----------
    length : int, default=6
        Number of nodes visited by a walk: from 2 to 8, for induced patterns at most 6.
    kind : {"anonymous", "induced"}, default="anonymous"
        "induced" patterns also record which visited nodes are adjacent. Their walks are
        enumerated.
    weighting : {"probability", "count"}, default="probability"
        Probabilities of random walks, or numbers of walks.
    basis : {"quotients", "patterns"}, default="quotients"
        "patterns": one column for every pattern. "quotients": fewer columns with the same
        information, for graphs without directions and weights; see Notes.
    log : bool, default=False
        Whether to return ``log(1 + value)``. Counts grow with degrees.
    edge_weight : str or None, default="auto"
        Field of edge weights; "auto" is ``edge_weight`` if it exists, None ignores weights.
        Steps are then taken in proportion to the weights. Only probabilities of patterns
        depend on weights; other encodings raise for graphs with weights.
    max_work : float, default=2e10
        Largest work of one graph, as in `pattern_counts`. Larger graphs raise; nothing is
        sampled.
    attr_name : str or None, default="anonymous_walk_pe"
        Field for the encoding; None appends it to ``x``.

    Attributes
    ----------
    num_features : int
        Number of columns.
    feature_names : list of str
        Names of the columns.

    See Also
    --------
    encode_dataset : Encodes all graphs of a data set at once.
    gskn.walks.pattern_counts : The same numbers as a table.

    Notes
    -----
    Self-loops are ignored. A walk ends at a node without edges, and walks that end before
    they have visited ``length`` nodes have no pattern. The row of an isolated node
    therefore contains zeros. In undirected graphs, the probabilities of all patterns of
    any other node sum to one. An edge that is listed several times is one edge, whose
    weights, if any, are added.

    As after any transform of a ``Batch``, its ``to_data_list`` does not return the new
    field; use `encode_dataset` before graphs are batched.

    The quotient of a pattern has the symbols of the pattern as vertices and its steps as
    edges. A column of the basis "quotients" is the probability, or the number, of walks
    whose positions coincide *at least* as in its pattern: a rooted homomorphism count of
    the quotient. Patterns are signed sums of these columns, which are computed first, and
    equal columns are left out. For lengths 4 to 8 this gives 5, 12, 31, 80 and 225 columns
    of probabilities, and 5, 11, 24, 57 and 141 columns of counts, instead of 5, 15, 52, 203
    and 877. Induced patterns with equal columns are merged: 87 columns of probabilities and
    48 of counts, instead of 112, for length 5.

    Examples
    --------
    >>> transform = AddAnonymousWalkPE(4, basis="patterns")
    >>> transform.feature_names
    ['0-1-0-1', '0-1-0-2', '0-1-2-0', '0-1-2-1', '0-1-2-3']
    >>> ends = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    >>> triangle = _data.Data(edge_index=ends, num_nodes=3)
    >>> transform(triangle).anonymous_walk_pe[0].tolist()
    [0.25, 0.25, 0.25, 0.25, 0.0]
    """

    def __init__(  # noqa: PLR0913 - every one has a sensible default
        self,
        length: int = 6,
        *,
        kind: Literal["anonymous", "induced"] = "anonymous",
        weighting: Literal["probability", "count"] = "probability",
        basis: Literal["quotients", "patterns"] = "quotients",
        log: bool = False,
        edge_weight: str | None = "auto",
        max_work: float = MAX_WORK,
        attr_name: str | None = "anonymous_walk_pe",
    ) -> None:
        check_choice(kind, "kind", choices=["anonymous", "induced"])
        check_choice(weighting, "weighting", choices=["probability", "count"])
        check_choice(basis, "basis", choices=["quotients", "patterns"])
        largest = _MAX_INDUCED if kind == "induced" else MAX_EXACT_LENGTH
        self.length = check_int(length, "length", minimum=2, maximum=largest)
        self.kind, self.weighting, self.basis = kind, weighting, basis
        self.log = check_flag(log, "log")
        self.edge_weight = _check_field(edge_weight, "edge_weight")
        self.max_work = check_number(max_work, "max_work", minimum=0)
        self.attr_name = _check_attr_name(attr_name)

    @property
    def num_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns: patterns, or the first pattern of every quotient."""
        if self.kind == "anonymous" and self.basis == "quotients":
            return quotient_names(self.length, probability=self._is_probability)
        if self.kind == "anonymous":
            return pattern_names(patterns(self.length))
        names = induced_names(*induced_patterns(self.length))
        return [names[column] for column in self._columns_of_induced()]

    @property
    def _is_probability(self) -> bool:
        return self.weighting == "probability"

    def _arguments(self) -> dict[str, object]:
        return {**vars(self), "version": _VERSION}

    def _read(self, graphs: Any) -> GraphBatch:
        return as_batch(
            graphs,
            edge_weight=self.edge_weight,
            node_attributes=None,
            edge_label=None,
            edge_attributes=None,
        )

    def _rows(self, batch: GraphBatch) -> FloatArray:
        self._check(batch)
        simple = GraphBatch(without_loops(batch.adjacency), batch.graph_ptr)
        rows = self._simple_rows(simple)
        return np.log1p(rows) if self.log else rows

    def _check(self, batch: GraphBatch) -> None:
        """Raise for graphs for which the columns would not have their meaning."""
        remedy = "use kind='anonymous' and basis='patterns'"
        if batch.is_directed and (self.kind == "induced" or self.basis == "quotients"):
            number = int(np.argmax(batch.directed))
            raise InputError(
                f"Graph {number} is directed; {remedy}, or the transform ToUndirected."
            )
        if batch.is_weighted and (not self._is_probability or self.basis == "quotients"):
            raise InputError(
                "The graphs have edge weights, which only probabilities of patterns "
                "include; use weighting='probability' and basis='patterns', or "
                "edge_weight=None to ignore the weights."
            )

    def _simple_rows(self, batch: GraphBatch) -> FloatArray:
        """Return the values for graphs without self-loops."""
        if self.kind == "anonymous" and self.basis == "quotients":
            return quotient_sums(
                batch,
                self.length,
                probability=self._is_probability,
                max_work=self.max_work,
            )
        table = pattern_counts(
            batch,
            self.length,
            weighting=self.weighting,
            induced=self.kind == "induced",
            n_walks=1,
            random_state=0,
            max_work=self.max_work,
        )
        if not table.is_exact.all():
            raise InputError(
                f"Graph {int(np.argmin(table.is_exact))} is too large for exact patterns "
                f"of length {self.length}; use a smaller length, or raise max_work."
            )
        if self.kind == "induced":
            return induced_columns(table)[:, self._columns_of_induced()]
        n_moving = len(patterns(self.length))
        rows: FloatArray = table.rows[:, :n_moving].toarray()
        return rows

    def _columns_of_induced(self) -> IndexArray:
        if self.basis == "patterns":
            return np.arange(len(induced_patterns(self.length)[0]))
        return distinct_induced(self.length, probability=self._is_probability)


class AddGSKN(_NodeEncoding):
    """Add the node embeddings of a fitted model.

    Parameters
    ----------
    model : GSKN
        A fitted model.
    attr_name : str or None, default="gskn_pe"
        Field for the embeddings; None appends them to ``x``.
    **options : object
        Options of `as_batch` with which the training graphs were read, for instance
        ``node_label="x"`` if ``x`` contains types of atoms.

    Attributes
    ----------
    num_features : int
        Number of columns.
    feature_names : list of str
        Names of the columns.

    Notes
    -----
    The text of a transform, which data sets of PyG compare with the text of cached data,
    contains the parameters and a digest of the landmarks.

    Examples
    --------
    >>> from gskn import datasets
    >>> data = datasets.structure(10)
    >>> transform = AddGSKN(GSKN(n_landmarks=4, random_state=0).fit(data.graphs))
    >>> transform.num_features == len(transform.feature_names)
    True
    """

    def __init__(
        self, model: GSKN, *, attr_name: str | None = "gskn_pe", **options: Any
    ) -> None:
        if not isinstance(model, GSKN):
            raise InputError(f"model must be a GSKN, got {shorten(model)}.")
        check_is_fitted(model, "stack_")
        self.model = model
        self.attr_name = _check_attr_name(attr_name)
        if unknown := options.keys() - inspect.signature(as_batch).parameters.keys():
            raise InputError(f"as_batch has no option {shorten(min(unknown))}.")
        self.options = options

    @property
    def num_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns."""
        names: list[str] = self.model.get_node_feature_names_out().tolist()
        return names

    def _read(self, graphs: Any) -> GraphBatch:
        return as_batch(graphs, **self.options)

    def _rows(self, batch: GraphBatch) -> FloatArray:
        return self.model.transform_nodes(batch)

    def _arguments(self) -> dict[str, object]:
        header, arrays = model_parts(self.model)
        digest = hashlib.sha256(repr(header).encode())
        for name, array in sorted(arrays.items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return {
            "model": self.model,
            "attr_name": self.attr_name,
            **dict(sorted(self.options.items())),
            "digest": digest.hexdigest()[:16],
        }


def encode_dataset(dataset: Any, transform: AddAnonymousWalkPE | AddGSKN) -> Any:
    """Encode all graphs of a data set at once, which is faster than one by one.

    Parameters
    ----------
    dataset : InMemoryDataset or sequence of Data
        Graphs; they are not changed.
    transform : AddAnonymousWalkPE or AddGSKN
        Encoding.

    Returns
    -------
    encoded : InMemoryDataset or list of Data
        The same graphs with the encoding. Tensors of the given graphs are shared, except
        in a data set, which is copied.

    Examples
    --------
    >>> ends = torch.tensor([[0, 1], [1, 0]])
    >>> graphs = [_data.Data(edge_index=ends, num_nodes=2)] * 3
    >>> encode_dataset(graphs, AddAnonymousWalkPE(4))[2]
    Data(edge_index=[2, 2], num_nodes=2, anonymous_walk_pe=[2, 5])
    """
    if not isinstance(transform, _NodeEncoding):
        raise InputError(
            "transform must be an AddAnonymousWalkPE or AddGSKN, got "
            f"{shorten(transform)}; call other transforms with one graph after another."
        )
    if isinstance(dataset, _data.Data | _data.HeteroData):
        raise InputError(
            f"dataset must contain graphs, got one graph or batch, {shorten(dataset)}; "
            "call the transform with it instead."
        )
    is_stored = isinstance(dataset, _data.InMemoryDataset)
    # Without the transform of the data set, which is applied when a graph is used.
    graphs = list(map(dataset.get, dataset.indices())) if is_stored else list(dataset)
    if not graphs:
        return dataset if is_stored else graphs
    for number, graph in enumerate(graphs):
        _check_graph(graph, number)
    # Not as a Batch of PyG, which has only those fields that the first graph has.
    batch = transform._read(graphs)  # noqa: SLF001 - a class of this module
    if len(batch) != len(graphs):
        raise InputError(
            "dataset must contain single graphs, got a Batch; pass its to_data_list()."
        )
    encoded = [
        transform.add(copy.copy(graph), _as_tensor(rows, graph))
        for graph, rows in zip(graphs, _rows_by_graph(batch, transform), strict=True)
    ]
    if not is_stored:
        return encoded
    result = copy.copy(dataset)
    result._indices = None  # noqa: SLF001 - as in `InMemoryDataset.copy`
    result.data, result.slices = dataset.collate(encoded)
    return result


def _rows_by_graph(
    batch: GraphBatch, transform: AddAnonymousWalkPE | AddGSKN
) -> Iterator[FloatArray]:
    """Yield the rows of every graph, computed for a run of graphs at a time."""
    for run in runs_of_graphs(batch.graph_ptr, _RUN_NODES):
        part = batch[run]
        try:
            rows = transform._rows(part)  # noqa: SLF001 - a class of this module
        except InputError:
            # Raises the same error with the number of the graph in the data set.
            transform._rows(batch)  # noqa: SLF001
            raise
        for begin, end in itertools.pairwise(part.graph_ptr.tolist()):
            yield rows[begin:end]


def _check_graph(data: Any, number: int = 0) -> None:
    """Raise for objects without edges that can be read."""
    if not isinstance(data, _data.Data | _data.HeteroData):
        raise InputError(
            f"Graph {number} must be a Data or Batch of torch_geometric.data, got "
            f"{shorten(data)}; gskn.walks.pattern_counts counts patterns in other graphs."
        )
    if getattr(data, "edge_index", None) is None and "adj_t" in data:
        raise InputError(
            f"Graph {number} has adj_t but no edge_index; apply this transform before "
            "ToSparseTensor."
        )


def _as_tensor(rows: FloatArray, data: Any) -> Any:
    """Return a copy of rows with the device of a graph, and the type of its floats."""
    x, ends = (
        value if torch.is_tensor(value) else None for value in (data.x, data.edge_index)
    )
    device = next((tensor.device for tensor in (ends, x) if tensor is not None), None)
    dtype = torch.get_default_dtype()
    if x is not None and x.is_floating_point():
        dtype = x.dtype
    return torch.tensor(rows, device=device, dtype=dtype)


def _columns_of(x: Any, n_nodes: int) -> Any:
    """Return the features of nodes as a matrix of floats to which columns are appended."""
    if not torch.is_tensor(x) or x.layout != torch.strided:
        raise InputError(
            f"x is not a dense tensor, got {shorten(x)}; set attr_name, or convert x."
        )
    if not x.is_floating_point():
        raise InputError(
            f"x has the type {x.dtype}, to which the encoding would be rounded; set "
            "attr_name, or convert x to floats."
        )
    if x.dim() not in {1, 2} or len(x) != n_nodes:
        raise InputError(
            f"x has shape {tuple(x.shape)}, to which columns for {n_nodes} nodes cannot be "
            "appended; set attr_name, or give x one row per node."
        )
    return x[:, None] if x.dim() == 1 else x


def _check_field(value: object, name: str) -> str | None:
    """Return the name of a field, or None."""
    if value is None or (isinstance(value, str) and value):
        return value
    raise InputError(f"{name} must be the name of a field or None, got {shorten(value)}.")


def _check_attr_name(attr_name: object) -> str | None:
    """Return the name of the field of an encoding, or None."""
    name = _check_field(attr_name, "attr_name")
    if name is not None and (name in _RESERVED or "index" in name or "batch" in name):
        raise InputError(
            "attr_name must not be 'face', 'num_nodes' or 'ptr' or contain 'index' or "
            f"'batch', got {name!r}: PyG changes such fields when it joins graphs."
        )
    return name
