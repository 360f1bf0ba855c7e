import os
import signal
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

pytest.importorskip("dask.dataframe", reason="needs the dask extra")
pytest.importorskip("distributed", reason="needs the dask extra")

import dask
import dask.bag
import dask.dataframe
import joblib
import pandas as pd
from distributed import Client, KilledWorker, LocalCluster

from gskn import GSKN, GSKNRegressor, as_batch
from gskn.exceptions import GsknWarning, InputError
from gskn.integrations import dask as gskn_dask
from gskn.integrations.arrow import EmbedTable
from tests.integrations.test_arrow import edge_table

# pandas 3.1 warns about calls inside dask.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
MEMORY_LIMIT = 600 * 2**20


def as_frame(table, n_partitions, seed=None):
    """Split the graphs of a table into partitions, in random order if there is a seed."""
    graphs = table["graph"].to_numpy()
    parts = np.array_split(np.unique(graphs), n_partitions)
    if seed is not None:
        np.random.default_rng(seed).shuffle(parts)
    pieces = [table.filter(pa.array(np.isin(graphs, part))).to_pandas() for part in parts]
    return dask.dataframe.from_map(lambda number: pieces[number], range(n_partitions))


def sorted_rows(frame):
    return frame.sort_values("graph").reset_index(drop=True)


def serial(model, table, **options):
    return EmbedTable(model, **options)(table).to_pandas()


@pytest.fixture(scope="module")
def model():
    return GSKN(n_landmarks=8, random_state=0).fit(edge_table(40))


@pytest.fixture(autouse=True)
def in_one_thread(request):
    """Compute in this thread, unless a test has a client."""
    has_client = {"client", "fresh_client"} & {*request.fixturenames}
    with dask.config.set({} if has_client else {"scheduler": "synchronous"}):
        yield


def make_client():
    cluster = LocalCluster(
        n_workers=3,
        threads_per_worker=1,
        memory_limit=MEMORY_LIMIT,
        processes=True,
        dashboard_address=":0",
    )
    return cluster, Client(cluster)


@pytest.fixture(scope="module")
def client():
    cluster, client = make_client()
    with cluster, client:
        yield client


@pytest.fixture
def fresh_client():
    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "scheduler": None}):
        cluster, client = make_client()
        with cluster, client:
            yield client


@pytest.mark.parametrize("n_partitions", [1, 4, 17])
def test_a_model_does_not_depend_on_the_partitions(n_partitions):
    table = edge_table(60, seed=3)
    models = [
        gskn_dask.fit(GSKN(n_landmarks=4, random_state=0), frame, sample=25)
        for frame in (as_frame(table, 1), as_frame(table, n_partitions, seed=0))
    ]
    one, other = (serial(fitted, table) for fitted in models)
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    everything = gskn_dask.fit(GSKN(n_landmarks=4, random_state=0), as_frame(table, 3))
    pd.testing.assert_frame_equal(
        serial(everything, table),
        serial(GSKN(n_landmarks=4, random_state=0).fit(table), table),
    )


def test_edges_of_a_graph_are_gathered_by_a_shuffle(model):
    table = edge_table(30, seed=4)
    mixed = table.to_pandas().sample(frac=1, random_state=0)
    frame = dask.dataframe.from_pandas(mixed.reset_index(drop=True), npartitions=5)
    result = gskn_dask.transform(model, frame, by="graph").compute()
    pd.testing.assert_frame_equal(sorted_rows(result), serial(model, table))


def test_graphs_in_several_partitions_cause_a_warning_and_do_not_change_the_sample():
    table = edge_table(40, seed=8)
    mixed = table.to_pandas().sample(frac=1, random_state=0).reset_index(drop=True)
    frame = dask.dataframe.from_pandas(mixed, npartitions=4)
    with pytest.warns(GsknWarning, match="several partitions"):
        model = gskn_dask.fit(GSKN(n_landmarks=4, random_state=0), frame, sample=20)
    whole = gskn_dask.fit(
        GSKN(n_landmarks=4, random_state=0), as_frame(table, 4), sample=20
    )
    pd.testing.assert_frame_equal(serial(model, table), serial(whole, table))


@pytest.mark.parametrize("kind", ["smiles", "bag"])
def test_predictions_for_molecules_and_bags(kind):
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CC", "c1ccccc1", "CCN", "CCC", "CC(C)C", "CO", "CCCC", "C1CC1", "CN"]
    graphs = as_batch(smiles)
    estimator = GSKNRegressor(GSKN(n_landmarks=4), selection="none")
    estimator.fit(graphs, graphs.graph_sizes)
    if kind == "smiles":
        frame = pd.DataFrame({"id": range(10, 20), "smiles": smiles})
        collection = dask.dataframe.from_pandas(frame, npartitions=3)
        expected_ids = list(range(10, 20))
    else:
        collection = dask.bag.from_sequence(list(graphs), npartitions=2)
        expected_ids = [*range(5), *range(5)]
    result = gskn_dask.predict(estimator, collection)
    assert list(result.columns) == ["graph", "value"]
    computed = result.compute()
    assert computed["graph"].tolist() == expected_ids
    np.testing.assert_allclose(computed["value"], estimator.predict(graphs), rtol=1e-9)


def test_metadata_agree_with_the_results(model):
    frame = as_frame(edge_table(6), 2)
    smiles = dask.dataframe.from_pandas(
        pd.DataFrame({"smiles": ["CCO", "CC"]}), npartitions=2
    )
    for lazy in (
        gskn_dask.transform(model, frame),
        gskn_dask.transform(model, frame, level="node"),
        gskn_dask.transform(model, smiles),
    ):
        assert lazy.compute().dtypes.equals(lazy.dtypes)


def test_bags_of_graphs_are_embedded(model):
    graphs = [nx.cycle_graph(n) for n in range(3, 12)]
    bag = dask.bag.from_sequence(graphs, npartitions=3)
    result = gskn_dask.transform(model, bag).compute()
    assert result["graph"].tolist() == [0, 1, 2] * 3
    np.testing.assert_allclose(result.iloc[:, 1:], model.transform(graphs), atol=1e-12)
    assert gskn_dask.fit(GSKN(n_landmarks=2, random_state=0), bag, sample=4).stack_


def test_names_in_a_bag_are_replaced_by_numbers(model):
    graphs = [nx.relabel_nodes(nx.path_graph(n), "abcdef".__getitem__) for n in (3, 4, 5)]
    for graph in graphs:
        graph.graph["name"] = "same"
    bag = dask.bag.from_sequence(graphs, npartitions=2)
    result = gskn_dask.transform(model, bag, level="node").compute()
    assert result["graph"].tolist() == [0] * 3 + [1] * 4 + [0] * 5
    assert result["node"].tolist() == [*range(3), *range(4), *range(5)]


def test_empty_partitions_have_no_rows(model):
    frame = as_frame(edge_table(12), 4)
    frame = frame[frame["graph"] >= 6]
    assert gskn_dask.transform(model, frame).compute()["graph"].tolist() == [*range(6, 12)]
    assert len(gskn_dask.transform(model, frame[frame["graph"] < 0]).compute()) == 0


def test_results_are_written_to_parquet(model, tmp_path):
    table = edge_table(12)
    gskn_dask.transform(model, as_frame(table, 3)).to_parquet(tmp_path / "rows")
    result = pd.read_parquet(tmp_path / "rows").reset_index(drop=True)
    pd.testing.assert_frame_equal(sorted_rows(result), serial(model, table))


def test_predictions_are_lazy():
    table = edge_table(30)
    y = as_batch(table).graph_sizes
    estimator = GSKNRegressor(GSKN(n_landmarks=4), selection="none").fit(table, y)
    result = gskn_dask.predict(estimator, as_frame(table, 3)).compute()
    np.testing.assert_allclose(result["value"], estimator.predict(table), rtol=1e-9)


def test_other_collections_raise(model):
    with pytest.raises(InputError, match="Dask DataFrame or Bag"):
        gskn_dask.transform(model, pd.DataFrame({"graph": [1]}))
    frame = dask.dataframe.from_pandas(pd.DataFrame({"a": [1]}), npartitions=1)
    with pytest.raises(InputError, match="none of the columns graph"):
        gskn_dask.fit(GSKN(), frame)


@pytest.mark.dask
@pytest.mark.parametrize("n_partitions", [1, 4, 17])
@pytest.mark.usefixtures("client")
def test_workers_give_the_serial_result_to_the_last_bit(model, n_partitions):
    table = edge_table(60, seed=5)
    frame = as_frame(table, n_partitions, seed=n_partitions)
    result = gskn_dask.transform(model, frame, one_by_one=True).compute()
    expected = serial(model, table, one_by_one=True)
    pd.testing.assert_frame_equal(sorted_rows(result), expected, check_exact=True)


@pytest.mark.dask
@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("level", ["graph", "node"])
def test_workers_skip_empty_partitions(model, level):
    table = edge_table(12, seed=9)
    frame = as_frame(table, 4)  # the graphs 6 to 11 are in the last two partitions
    lazy = gskn_dask.transform(model, frame[frame["graph"] >= 6], level=level)
    lengths = lazy.map_partitions(len).compute().tolist()
    assert lengths[:2] == [0, 0]
    late = table.filter(pa.compute.greater_equal(table["graph"], 6))
    pd.testing.assert_frame_equal(
        lazy.compute().reset_index(drop=True), serial(model, late, level=level)
    )
    nothing = gskn_dask.transform(model, frame[frame["graph"] < 0], level=level)
    assert len(nothing.compute()) == 0
    assert list(nothing.compute().columns) == list(lazy.columns)


@pytest.mark.dask
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_data_may_be_larger_than_the_memory_of_a_worker(client, model):
    """Forty partitions of 20 MB; the peak memory of every worker is below its limit."""
    rows = edge_table(40, seed=6).to_pandas()

    def read(number):
        part = rows[rows["graph"] == number]
        size = 10 * 2**20 // len(part)
        random = np.random.default_rng(number)
        return part.assign(note=[random.bytes(size).hex() for _ in range(len(part))])

    frame = dask.dataframe.from_map(read, range(40), meta=read(0).iloc[:0])
    result = gskn_dask.transform(model, frame).compute()
    assert result["graph"].tolist() == [*range(40)]

    def peak_memory():
        # ru_maxrss includes the process that has started the worker.
        status = Path("/proc/self/status").read_text(encoding="ascii").split()
        return int(status[status.index("VmHWM:") + 1]) * 1024

    peaks = client.run(peak_memory)
    assert max(peaks.values()) < MEMORY_LIMIT


@pytest.mark.dask
@pytest.mark.usefixtures("client")
def test_threads_of_joblib_may_come_from_dask():
    table = edge_table(30)
    expected = GSKN(n_landmarks=4, random_state=0).fit_transform(table)
    with joblib.parallel_config("dask"):
        result = GSKN(n_landmarks=4, random_state=0, n_jobs=2).fit_transform(table)
    np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.dask
def test_a_killed_worker_changes_nothing(fresh_client, model):
    table = edge_table(60, seed=7)
    lazy = gskn_dask.transform(model, as_frame(table, 17), one_by_one=True)
    future = fresh_client.compute(lazy)
    victim = next(iter(fresh_client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    result = future.result(timeout=300)
    expected = serial(model, table, one_by_one=True)
    pd.testing.assert_frame_equal(sorted_rows(result), expected, check_exact=True)


@pytest.mark.dask
def test_a_worker_above_its_memory_ends_in_an_error(fresh_client, model):
    rows = edge_table(2).to_pandas()

    def read(_):
        pieces = [np.ones(2**24) for _ in range(30)]  # 4 GB, 128 MB at a time
        return rows.assign(source=rows["source"] + int(pieces[0][0]) - 1)

    frame = dask.dataframe.from_map(read, range(2), meta=rows.iloc[:0])
    future = fresh_client.compute(gskn_dask.transform(model, frame))
    with pytest.raises(KilledWorker, match="workers died"):
        future.result(timeout=300)
