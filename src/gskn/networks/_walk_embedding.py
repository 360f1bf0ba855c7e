"""The base class of embeddings of nodes that are trained by walks, without classes."""

from abc import abstractmethod
from typing import Any, Self

from gskn._random import as_generator
from gskn._types import AnyArray, FloatArray
from gskn._validation import check_int
from gskn.exceptions import InputError
from gskn.graphs import GraphBatch, as_batch
from gskn.networks._network import MAX_COLUMNS, TrainedNetwork, load_modules
from gskn.walks import sample_walks

_N_PAIR_WALKS = 20  # of every node, from which pairs of nodes are drawn
_MAX_SEED = 2**62


class WalkEmbedding(TrainedNetwork):
    """Base class of GraLSP and GraphSTONE: one network, and a seed for sampled walks."""

    n_hidden: int
    n_seeds = 1
    n_jobs = None
    dropout = 0.0
    weight_decay = 0.0
    seed_: int

    _pair_length: int  # nodes of the walks from which pairs are drawn

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - scikit-learn's form
        """Train the network on pairs of nodes of random walks.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        self._check_parameters()
        modules = load_modules()
        batch = as_batch(X)
        self._warn_unused_edges(batch)
        if not batch.n_nodes:
            raise InputError("The graphs have no nodes; a network needs at least one.")
        self.seed_ = int(as_generator(self.random_state).integers(2**31))
        self._fit_encoder(batch)
        pairs = sample_walks(
            batch, self._pair_length, _N_PAIR_WALKS, random_state=self.seed_ + 1
        )
        members = self._train(modules, batch, pairs)
        self.members_ = [module for module, _ in members]
        self.history_ = [history for _, history in members]
        return self

    @abstractmethod
    def transform_nodes(self, X: Any) -> FloatArray:
        """Return the embeddings of all nodes."""

    @abstractmethod
    def _train(self, modules: Any, batch: GraphBatch, pairs: AnyArray) -> list[Any]:
        """Fit what turns graphs into inputs, and return the trained members."""

    def _inputs(self, modules: Any, batch: GraphBatch) -> Any:
        rows, codes = self.encoder_.distinct_rows(batch)
        return modules.GraphInputs(batch.adjacency, batch.graph_ptr, rows, codes)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int(self.n_hidden, "n_hidden", minimum=1, maximum=MAX_COLUMNS)

    def _load_seed(self, state: dict[str, Any]) -> None:
        self.seed_ = check_int(state["seed"], "seed", minimum=0, maximum=_MAX_SEED)
        if len(self.history_) != 1:
            raise InputError(f"there are {len(self.history_)} members instead of one")
