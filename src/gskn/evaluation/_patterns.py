"""Patterns of all graphs of a set, counted once for all folds and settings."""

from dataclasses import replace

import numpy as np
from scipy.sparse import vstack

from gskn._offsets import runs_of_graphs
from gskn._random import as_generator
from gskn._types import FloatArray, IndexArray
from gskn.estimators import GSKN
from gskn.estimators._parameters import make_stack
from gskn.estimators._sample import draw_graphs
from gskn.graphs import GraphBatch
from gskn.layers import AnonymousLayer, branch_generator, stream_entropy
from gskn.walks import PatternTable

_RUN_NODES = 2**16  # counted together, to bound memory


class PatternRows:
    """Sums over nodes of the branch "anonymous", from counts that all graphs share.

    What is fitted are landmarks alone, and summed rows are counts of patterns times a
    matrix: no walk needs to be looked at anew for another fold or another bandwidth.
    """

    def __init__(self, batch: GraphBatch, n_jobs: int | None) -> None:
        self.batch, self.n_jobs = batch, n_jobs
        self._found: dict[tuple[str, tuple[int, ...]], list[PatternTable]] = {}

    def embed(
        self, model: GSKN, train: IndexArray, test: IndexArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return what the model gives for training and test graphs.

        None where some graph is too large for exact counts: samples depend on the fit.
        """
        stack = make_stack(model.get_params(deep=False))
        (branch,) = stack.branches
        layer = branch.layers[0]
        if len(branch.layers) > 1 or not isinstance(layer, AnonymousLayer):
            return None
        if branch.name != "anonymous" or model.method == "sampled":
            return None
        tables = self._tables(layer)
        if not tables[0].is_exact.all():
            return None
        generator = as_generator(model.random_state)
        sample = train[draw_graphs(self.batch.graph_sizes[train], generator)]
        own = branch_generator(stream_entropy(generator), branch.name)
        layer.fit_tables(_of(tables, sample), own)
        rows, others = (
            np.hstack(layer.embed_tables(_of(tables, graphs))) for graphs in (train, test)
        )
        return rows, others

    def _tables(self, layer: AnonymousLayer) -> list[PatternTable]:
        """Return one row per graph, a table for every length."""
        key = layer.params.weighting, layer.lengths
        if key not in self._found:
            by_run = [
                layer.tables(self.batch[run], self.n_jobs)
                for run in runs_of_graphs(self.batch.graph_ptr, _RUN_NODES)
            ]
            self._found[key] = [
                replace(
                    tables[0],
                    rows=vstack([table.graph_rows() for table in tables], format="csr"),
                    is_exact=np.concatenate([table.is_exact for table in tables]),
                    graph_ptr=self.batch.graph_ptr,
                )
                for tables in zip(*by_run, strict=True)
            ]
        return self._found[key]


def _of(tables: list[PatternTable], graphs: IndexArray) -> list[PatternTable]:
    return [replace(table, rows=table.rows[graphs]) for table in tables]
