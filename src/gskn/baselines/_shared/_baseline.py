"""Base class of all baselines, and the variants under which they are evaluated."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal

from sklearn.base import BaseEstimator, TransformerMixin

from gskn.baselines._shared._precomputation import BaselinePrecomputation
from gskn.estimators import Precomputation
from gskn.graphs import GraphBatch, as_batch, warn_unused_edges


@dataclass(frozen=True)
class Variant:
    """A baseline with a name and a parameter grid, as it is evaluated.

    Attributes
    ----------
    name : str
        Name on the command line, such as "wwl-labels".
    label : str
        Description in tables and lists of models.
    grid : tuple of mappings
        Parameter values to choose among. Parameters that are not listed keep their
        defaults.
    transductive : bool, default=False
        Whether the baseline is fitted once to all graphs, without their classes, instead
        of to the training graphs of each fold.
    table_label : str or None, default=None
        Name in the tables of the paper. None: ``label``.
    table_data : {"any", "labels", "attributes"}, default="any"
        Data sets of the paper on which the tables show this variant: all, or only those
        without or with continuous node attributes.
    """

    name: str
    label: str
    grid: tuple[Mapping[str, Any], ...] = ({},)
    transductive: bool = False
    table_label: str | None = None
    table_data: Literal["any", "labels", "attributes"] = "any"


class Baseline(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of the baselines.

    Attributes
    ----------
    variants : tuple of Variant
        Names, labels and parameter grids under which the class is evaluated.
    output : {"embedding", "kernel"}
        Whether ``transform`` returns one embedding per graph, or the kernel between the
        graphs and those of ``fit``.
    uses : str
        Node data that the baseline uses, for the documentation.
    uses_edges : bool
        Whether the baseline uses labels of edges.
    extra : str or None
        Extra of gskn with the packages that the baseline needs.
    """

    variants: ClassVar[tuple[Variant, ...]]
    output: ClassVar[Literal["embedding", "kernel"]]
    uses: ClassVar[str]
    uses_edges: ClassVar[bool] = False
    extra: ClassVar[str | None] = None

    @classmethod
    def precompute(cls, batch: GraphBatch, n_jobs: int | None = None) -> Precomputation:
        """Return an object that embeds parts of a batch for many fits.

        Parameters
        ----------
        batch : GraphBatch
            All graphs.
        n_jobs : int or None, default=None
            Number of threads of the shared computations.

        Returns
        -------
        precomputation : Precomputation
            Results that fits to parts of the batch share.
        """
        return BaselinePrecomputation(batch, n_jobs)

    def depends_on_training(self, batch: GraphBatch) -> bool:  # noqa: ARG002
        """Return whether the embedding depends on the training graphs (default: True).

        If it does not, the embeddings or the kernel of all graphs of a data set can be
        computed once and shared by all folds.

        Parameters
        ----------
        batch : GraphBatch
            Graphs to embed.

        Returns
        -------
        depends : bool
            True if fitting to other graphs can change the result.
        """
        return True

    def _read_training(self, X: Any) -> GraphBatch:
        """Convert training graphs; warn if they have edge data that is not used."""
        batch = as_batch(X)
        if getattr(self, "edge_features", "auto") != "none":
            used = ("labels",) if self.uses_edges else ()
            warn_unused_edges(batch, type(self).__name__, used=used, stacklevel=4)
        return batch


def parameter_grid(**values: Any) -> tuple[dict[str, Any], ...]:
    """Return all combinations of parameter values; the last parameter varies fastest."""
    return tuple(
        dict(zip(values, combination, strict=True))
        for combination in product(*values.values())
    )
