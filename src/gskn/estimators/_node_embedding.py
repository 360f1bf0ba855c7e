"""Node embeddings as a step of a pipeline of scikit-learn."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from gskn._types import FloatArray, NameArray
from gskn.estimators._gskn import GSKN
from gskn.graphs import as_batch


class NodeEmbedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed the nodes of graphs, with one row per node, for pipelines of scikit-learn.

    The targets of a pipeline that starts with this transformer have one value per node,
    in the order of the nodes of all graphs.

    Parameters
    ----------
    embedding : transformer or None, default=None
        Estimator with ``transform_nodes``; None is ``GSKN(random_state=0)``. Use
        `sklearn.frozen.FrozenEstimator` for a fitted model that should not be fitted again.

    Attributes
    ----------
    embedding_ : transformer
        The fitted embedding.

    See Also
    --------
    GSKN.transform_nodes : The same node embeddings, without a pipeline.

    Notes
    -----
    Cross-validation of scikit-learn splits graphs, not nodes. If the nodes of one graph
    are split, compute the embeddings first, or use `gskn.evaluation.evaluate_nodes`.

    Examples
    --------
    >>> import networkx as nx
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from gskn import NodeEmbedding
    >>> lollipop = nx.lollipop_graph(5, 4)
    >>> in_clique = [node < 5 for node in lollipop]
    >>> model = make_pipeline(NodeEmbedding(), LogisticRegression())
    >>> model.fit(lollipop, in_clique).score(lollipop, in_clique)
    1.0
    """

    def __init__(self, embedding: Any = None):
        self.embedding = embedding

    def fit(self, X: Any, y: object = None) -> Self:
        """Fit the embedding to graphs.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.
        y : object
            Ignored.

        Returns
        -------
        self : NodeEmbedding
            The fitted transformer.
        """
        embedding = GSKN(random_state=0) if self.embedding is None else self.embedding
        self.embedding_ = clone(embedding).fit(as_batch(X), None)  # frozen ones need y
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the embeddings of all nodes.

        Parameters
        ----------
        X : graphs
            Anything that `as_batch` accepts.

        Returns
        -------
        node_embeddings : ndarray of shape (n_nodes, n_features)
            One row per node, in the order of the nodes of all graphs.
        """
        check_is_fitted(self, "embedding_")
        node_embeddings: FloatArray = self.embedding_.transform_nodes(as_batch(X))
        return node_embeddings

    def get_feature_names_out(self, input_features: object = None) -> NameArray:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        names : ndarray of str
            One name per column of the node embeddings.
        """
        check_is_fitted(self, "embedding_")
        embedding = getattr(self.embedding_, "estimator", self.embedding_)  # frozen
        names: NameArray = embedding.get_node_feature_names_out()
        return names
