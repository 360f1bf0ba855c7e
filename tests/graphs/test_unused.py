import warnings

import networkx as nx
import pytest

from gskn import as_batch
from gskn.exceptions import GsknWarning, UnusedDataWarning
from gskn.graphs import warn_unused_edges


def fit(batch):
    warn_unused_edges(batch, "GSKN")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"label": "a"}, "Edge labels are not used by GSKN"),
        ({"attributes": [1.0]}, "Edge attributes are not used by GSKN"),
        (
            {"label": "a", "attributes": [1.0]},
            "Edge labels and edge attributes are not used by GSKN",
        ),
    ],
)
def test_unused_edge_data_warns_once_at_the_caller(data, message):
    batch = as_batch(nx.Graph([(0, 1, data)]))
    with pytest.warns(UnusedDataWarning, match=message) as caught:
        fit(batch)
    assert [warning.filename for warning in caught] == [__file__]
    assert issubclass(UnusedDataWarning, GsknWarning)


def test_graphs_without_edge_data_do_not_warn():
    batch = as_batch(nx.Graph([(0, 1, {"label": "a"})]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(batch.without_edge_data())
        fit(as_batch(nx.path_graph(2)))
