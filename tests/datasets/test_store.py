"""Downloads from a local https server, and conversion of published files."""

import gc
import io
import json
import pickle
import ssl
import threading
import zipfile
from collections import defaultdict
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
import trustme
from scipy.sparse import csr_matrix

from gskn import datasets
from gskn.datasets import _store
from gskn.datasets._foreign import tu_texts_from_gspan, tu_texts_from_neighbors
from gskn.datasets._foreign_nodes import arrays_from_graphsage, arrays_from_planetoid
from gskn.datasets._store import fetch_files, verify_files
from gskn.exceptions import DatasetNotFoundError, FileFormatError
from tests.graphs.test_tu import FILES

# The connection of a failed request is closed by the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        content = self.server.files.get(self.path)
        if isinstance(content, str):
            self.send_response(302)
            self.send_header("Location", content)
            self.end_headers()
        elif content is None:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """Print nothing: one test rejects the certificate."""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """An https server with a trusted certificate; ``files`` maps paths to bytes."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    trusted = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(trusted))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted))
    server = Server(("127.0.0.1", 0), Handler)
    # The handshake is in the thread of the request, which closes the socket if it fails.
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    server.files = {}
    server.address = f"https://localhost:{server.server_port}"
    # The interval is the time that a shutdown takes.
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
    gc.collect()  # close connections before the next test


def at(server, info, *paths):
    return replace(info, urls=tuple(f"{server.address}{path}" for path in paths))


@pytest.fixture
def tiny(monkeypatch):
    """The catalog entry of PTC with the checksums of a small set."""
    import hashlib  # noqa: PLC0415

    sums = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in FILES.items()}
    monkeypatch.setitem(_store.SHA256, "PTC", sums)
    return replace(datasets.find_set("PTC"), form="tu")


def zipped(tmp_path, name="PTC", **changes):
    path = tmp_path / "made.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for suffix, text in {**FILES, **changes}.items():
            archive.writestr(f"{name}/{name}_{suffix}.txt", text)
    return path.read_bytes()


def test_download_is_stored_and_verified_by_content(server, tiny, tmp_path):
    """Checksums do not depend on the compression of the archive."""
    server.files["/PTC.zip"] = zipped(tmp_path)
    home = tmp_path / "home"
    path = fetch_files(at(server, tiny, "/PTC.zip"), home)
    assert path == home / "PTC.zip"
    assert [child.name for child in home.iterdir()] == ["PTC.zip"]
    assert datasets.load("PTC", home).graphs.n_graphs == 2


def test_invalid_downloads_are_removed(server, tiny, tmp_path):
    home = tmp_path / "home"
    contents = [
        zipped(tmp_path, graph_labels="1\n1\n"),
        b"nonsense",
        zipped(tmp_path, "MUTAG"),
    ]
    for content in contents:
        server.files["/PTC.zip"] = content
        with pytest.raises(DatasetNotFoundError, match="files are invalid"):
            fetch_files(at(server, tiny, "/PTC.zip"), home)
        assert list(home.iterdir()) == []


def test_failed_download_names_the_file_and_the_folder(server, tiny, tmp_path):
    home = tmp_path / "home"
    with pytest.raises(DatasetNotFoundError) as caught:
        fetch_files(at(server, tiny, "/absent.zip"), home)
    message = str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)
    for words in ("404", f"Put PTC.zip (from {server.address}", str(home), "GSKN_DATA"):
        assert words in message
    assert "\n" not in message
    assert list(home.iterdir()) == []


def test_only_https_is_used(server, tiny, tmp_path):
    server.files["/PTC.zip"] = "http://localhost:1/PTC.zip"
    with pytest.raises(DatasetNotFoundError, match="not https"):
        fetch_files(at(server, tiny, "/PTC.zip"), tmp_path / "home")
    with pytest.raises(DatasetNotFoundError, match="not https"):
        fetch_files(replace(tiny, urls=("http://localhost:1/x",)), tmp_path / "home")
    for info in datasets.known_sets():
        assert all(url.startswith("https://") for url in info.urls)


def test_untrusted_certificate_raises(server, tiny, tmp_path, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    server.files["/PTC.zip"] = zipped(tmp_path)
    with pytest.raises(DatasetNotFoundError, match="certificate of localhost"):
        fetch_files(at(server, tiny, "/PTC.zip"), tmp_path / "home")


def test_missing_connection_raises(tiny, tmp_path):
    unreachable = replace(tiny, urls=("https://localhost:1/PTC.zip",))
    with pytest.raises(DatasetNotFoundError, match="no connection to localhost"):
        fetch_files(unreachable, tmp_path / "home")


# --- sets with published files in other formats ------------------------------------------


def texts_of(folder, name):
    with zipfile.ZipFile(folder / f"{name}.zip") as archive:
        suffixes = ("A", "graph_indicator", "graph_labels", "node_labels")
        return {s: archive.read(f"{name}/{name}_{s}.txt").decode() for s in suffixes}


def split_graphs(texts):
    """Return nodes, edges and class of every graph of a TU set."""
    indicator = np.array(texts["graph_indicator"].split(), dtype=int)
    edges = np.array([line.split(", ") for line in texts["A"].splitlines()], dtype=int) - 1
    labels = texts["node_labels"].split()
    owner = indicator[edges[:, 0]]
    for number, kind in enumerate(texts["graph_labels"].split(), start=1):
        nodes = np.flatnonzero(indicator == number)
        yield [labels[n] for n in nodes], (edges[owner == number] - nodes[0]).tolist(), kind


def as_gspan(texts):
    lines, classes = [], []
    ranks = {
        str(value): rank for rank, value in enumerate([*range(1, 10), 11, *range(13, 22)])
    }
    for number, (labels, edges, kind) in enumerate(split_graphs(texts)):
        lines.append(f"t # {number}")
        lines += [f"v {node} {ranks[label]}" for node, label in enumerate(labels)]
        lines += [f"e {a} {b} 0" for a, b in edges if a < b]
        classes.append(f"{kind}\t{number}")
    return "\n".join(lines), "\n".join(classes)


def as_neighbors(texts):
    graphs = list(split_graphs(texts))
    lines = [str(len(graphs))]
    for labels, edges, kind in graphs:
        lines.append(f"{len(labels)} {kind}")
        rows = defaultdict(list)
        for a, b in edges:
            rows[a].insert(0, b)  # neighbors are not sorted in the published file
        lines += [
            " ".join(map(str, [label, len(rows[node]), *rows[node]]))
            for node, label in enumerate(labels)
        ]
    return "\n".join(lines)


def test_ptc_is_converted_from_the_published_files(real_data):
    texts = texts_of(real_data, "PTC")
    assert tu_texts_from_gspan(*as_gspan(texts)) == texts


def test_exp_is_converted_from_the_published_file(real_data, server, tmp_path):
    texts = texts_of(real_data, "EXP")
    assert tu_texts_from_neighbors(as_neighbors(texts)) == texts
    server.files["/GRAPHSAT.txt"] = as_neighbors(texts).encode()
    info = at(server, datasets.find_set("EXP"), "/GRAPHSAT.txt")
    path = fetch_files(info, tmp_path)
    verify_files(info, path)
    assert datasets.load("EXP", tmp_path).graphs.n_graphs == 1200


class OldCsr:
    """A CSR matrix that is pickled like in Python 2 with an old scipy."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __reduce__(self):
        m = self.matrix
        state = {
            "data": m.data,
            "indices": m.indices,
            "indptr": m.indptr,
            "_shape": m.shape,
        }
        return csr_matrix, (), state


def as_planetoid(data):
    """Write a node set in Planetoid format, with shuffled test nodes."""
    graphs, n_nodes = data.graphs, data.graphs.n_nodes
    rows = csr_matrix(graphs.node_attributes.astype(np.float32))
    classes = np.eye(data.n_classes, dtype=np.int32)[data.y]
    n_known = n_nodes - 1000
    test = np.random.default_rng(0).permutation(np.arange(n_known, n_nodes))
    matrix = graphs.adjacency
    graph = defaultdict(list)
    for node in range(n_nodes):
        graph[node] = matrix.indices[matrix.indptr[node] : matrix.indptr[node + 1]].tolist()
    values = [
        *(OldCsr(rows[:140]), OldCsr(rows[test]), OldCsr(rows[:n_known])),
        *(classes[:140], classes[test], classes[:n_known]),
        graph,
    ]
    pickles = [pickle.dumps(value, protocol=2) for value in values]
    return [*pickles, "\n".join(map(str, test)).encode()]


def test_cora_is_converted_from_the_published_files(real_data, server, tmp_path):
    data = datasets.load("cora", real_data)
    paths = [f"/{number}" for number in range(8)]
    server.files |= dict(zip(paths, as_planetoid(data), strict=True))
    info = at(server, datasets.find_set("cora"), *paths)
    verify_files(info, fetch_files(info, tmp_path))
    assert datasets.load("cora", tmp_path).graphs.n_edges == 5278


def test_ppi_is_converted_from_the_published_files(real_data, server, tmp_path):
    data = datasets.load("ppi", real_data)
    order = np.random.default_rng(0).permutation(data.graphs.n_nodes).tolist()
    where = {node: number for number, node in enumerate(order)}
    ends = np.nonzero(np.triu(data.graphs.adjacency.toarray()))
    links = [
        {"source": where[a], "target": where[b]} for a, b in np.transpose(ends).tolist()
    ]
    with (tmp_path / "feats.npy").open("wb") as file:
        np.save(file, data.graphs.node_attributes)
    contents = [
        json.dumps({"nodes": [{"id": node} for node in order], "links": links}).encode(),
        json.dumps({str(node): data.y[node].tolist() for node in order}).encode(),
        json.dumps({str(node): node for node in order}).encode(),
        (tmp_path / "feats.npy").read_bytes(),
    ]
    paths = [f"/{number}" for number in range(4)]
    server.files |= dict(zip(paths, contents, strict=True))
    info = at(server, datasets.find_set("ppi"), *paths)
    verify_files(info, fetch_files(info, tmp_path / "home"))
    stored = datasets.load("ppi", tmp_path / "home")
    assert (stored.graphs.adjacency != data.graphs.adjacency).nnz == 0
    np.testing.assert_array_equal(stored.y, data.y)


def test_lastfm_is_converted_from_the_published_files(real_data, server, tmp_path):
    paths = ["/lastfm_edges.csv", "/lastfm_target.csv"]
    server.files |= {path: (real_data / f"nodes{path}").read_bytes() for path in paths}
    info = at(server, datasets.find_set("lastfm"), *paths)
    assert fetch_files(info, tmp_path) == tmp_path / "lastfm.npz"
    stored, data = (datasets.load("lastfm", home) for home in (tmp_path, real_data))
    assert (stored.graphs.adjacency != data.graphs.adjacency).nnz == 0
    np.testing.assert_array_equal(stored.y, data.y)


class Hostile:
    def __reduce__(self):
        return print, ("this must not run",)


def test_malicious_pickle_is_not_executed(capsys):
    contents = [pickle.dumps(Hostile(), protocol=2)] * 7
    with pytest.raises(FileFormatError, match="print is not allowed"):
        arrays_from_planetoid(*contents, b"1 2")
    assert capsys.readouterr().out == ""


def make_planetoid(**changes):
    """Write a Planetoid set of three nodes, the last of which is a test node."""

    def rows(start, stop):
        return OldCsr(csr_matrix(np.eye(3, dtype=np.float32)[start:stop]))

    classes = np.eye(3, dtype=np.int32)
    values = {
        "x": rows(0, 1),
        "tx": rows(2, 3),
        "allx": rows(0, 2),
        "y": classes[:1],
        "ty": classes[2:],
        "ally": classes[:2],
        "graph": defaultdict(list, {0: [1], 1: [0, 2], 2: [1]}),
        "test.index": b"2",
        **changes,
    }
    return [
        value if isinstance(value, bytes) else pickle.dumps(value, protocol=2)
        for value in values.values()
    ]


def change_csr(**changes):
    """Set arrays of a CSR matrix that its constructor would reject."""
    matrix = OldCsr(csr_matrix(np.eye(2, 3, dtype=np.float32)))
    parts = {name: getattr(matrix.matrix, name) for name in ("data", "indices", "indptr")}
    matrix.matrix = SimpleNamespace(**{**parts, "shape": (2, 3), **changes})
    return matrix


def make_graphsage(**changes):
    feats = io.BytesIO()
    np.save(feats, np.eye(3))
    parts = {
        "graph": {
            "nodes": [{"id": node} for node in range(3)],
            "links": [{"source": 0, "target": 1}],
        },
        "classes": {str(node): [0, 1] for node in range(3)},
        "ids": {str(node): node for node in range(3)},
        "feats": feats.getvalue(),
        **changes,
    }
    return [
        value if isinstance(value, bytes) else json.dumps(value).encode()
        for value in parts.values()
    ]


def test_small_published_files_are_converted():
    arrays = arrays_from_planetoid(*make_planetoid())
    assert arrays["adj_indptr"].tolist() == [0, 1, 3, 4]
    assert arrays["labels"].tolist() == [0, 1, 2]
    arrays = arrays_from_graphsage(*make_graphsage())
    assert arrays["adj_indices"].tolist() == [1, 0]


def huge_npy():
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000, 3), }"
    padded = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded


def test_labels_that_are_much_larger_than_their_file_raise():
    n_nodes = 20_000
    feats = io.BytesIO()
    np.save(feats, np.ones((n_nodes, 1)))
    parts = {
        "graph": {
            "nodes": [{"id": node} for node in range(n_nodes)],
            "links": [{"source": 0, "target": 1}],
        },
        "classes": {"0": [0] * n_nodes},
        "ids": {str(node): node for node in range(n_nodes)},
        "feats": feats.getvalue(),
    }
    with pytest.raises(FileFormatError, match="20000 labels for 20000 nodes are too many"):
        arrays_from_graphsage(*make_graphsage(**parts))


# Reconstructs an array of 10**11 bytes, which numpy would allocate.
HUGE_ARRAY = (
    b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(L100000000000L\ntU\x01btR."
)
HUGE_MEMO = b"Nr\xff\xff\xff\x7f."


@pytest.mark.parametrize(
    "changes",
    [
        {"allx": change_csr(indices=np.array([0, 10**9], np.int32))},
        {"allx": change_csr(indices=np.array([0, -40], np.int32))},
        {"allx": change_csr(indptr=np.array([0, 1, 10**9], np.int32))},
        {"allx": change_csr(shape=(10**12, 3))},
        {"allx": change_csr(data=np.ones(1, np.float32))},
        {"allx": change_csr(data=np.array([{}, {}]))},
        {"allx": change_csr(data=3)},
        {"allx": HUGE_ARRAY},
        {"ally": HUGE_ARRAY},
        {"ally": HUGE_MEMO},
        {"ally": np.zeros(2, dtype=[("a", int)])},
        {"ally": np.array(["a", "b"])},
        {"ally": np.zeros(2)},
        {"graph": HUGE_MEMO},
        {"graph": {0: [10**15]}},
        {"graph": {0: [-1]}},
        {"graph": {0: [10**30]}},
        {"graph": {0: ["a"]}},
        {"graph": {}},
        {"graph": [1]},
        {"graph": {0: [[1]]}},
        {"graph": dict.fromkeys(range(3), list(range(3)) * 10**4)},
        {"test.index": b"9"},
        {"test.index": b"9" * 30},
        {"test.index": b"x"},
    ],
)
def test_malformed_planetoid_set_raises(changes):
    with pytest.raises(FileFormatError, match="not in Planetoid format"):
        arrays_from_planetoid(*make_planetoid(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"graph": b"[" * 100_000},
        {"graph": {"nodes": [{"id": 0}], "links": [{"source": 0, "target": 10**15}]}},
        {"graph": {"nodes": [{"id": 0}], "links": []}},
        {"graph": {"nodes": 3, "links": 3}},
        {"classes": []},
        {"classes": {}},
        {"classes": {"0": [0, 10**30]}},
        {"ids": {"0": "a", "1": "b", "2": "c"}},
        {"ids": {"0": 10**15, "1": 0, "2": 1}},
        {"feats": huge_npy()},
        {"feats": b""},
        {"feats": b"PK\x03\x04"},
    ],
)
def test_malformed_graphsage_set_raises(changes):
    with pytest.raises(FileFormatError, match="not in GraphSAGE format"):
        arrays_from_graphsage(*make_graphsage(**changes))


@pytest.mark.parametrize(
    "convert",
    [
        lambda: tu_texts_from_gspan("t # 0\nv 0", "0\t0"),
        lambda: tu_texts_from_gspan("t # 0\nv 0 99", "0\t0"),
        lambda: tu_texts_from_neighbors("2\n1 0\n0 0\n"),
        lambda: tu_texts_from_neighbors("x"),
        lambda: tu_texts_from_neighbors(f"{10**18}\n-1 0\n"),
        lambda: tu_texts_from_neighbors(f"1\n1 0\n0 1 {10**30}\n"),
        lambda: tu_texts_from_gspan("t # 0\nv 0 1\ne 0 1 0", "0\t0"),
        lambda: tu_texts_from_gspan(f"t # 0\nv 0 {10**30}", "0\t0"),
        lambda: tu_texts_from_gspan(f"t # 0\nv 0 1\ne 0 {10**30} 0", "0\t0"),
        lambda: arrays_from_planetoid(b"", b""),
        lambda: arrays_from_graphsage(b"{}", b"{}", b"{}", b""),
        lambda: arrays_from_graphsage(b"x", b"{}", b"{}", b""),
    ],
)
def test_malformed_download_raises(convert):
    with pytest.raises(FileFormatError):
        convert()
