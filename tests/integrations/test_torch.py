import doctest
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from gskn import GSKN, GSKNClassifier, as_batch, datasets
from gskn.exceptions import InputError

torch = pytest.importorskip("torch", reason="needs the torch extra")
module = pytest.importorskip("gskn.integrations.torch", reason="needs the torch extra")
GSKNLayer = module.GSKNLayer

pytestmark = pytest.mark.torch

MODELS = {
    "default": {},
    "walks": {"branches": ("walk",), "walk_length": 4, "pooling": "sum"},
    "patterns": {"branches": ("anonymous",), "anonymous_length": 7, "pooling": "log"},
    "counts": {"weighting": "count", "pooling": ("log", "mean")},
    "one length": {"aggregate": False, "branches": ("anonymous", "walk")},
    "attributes": {"node_features": ("labels", "degrees"), "alpha": 0.5},
}


def fitted(graphs, **options):
    return GSKN(**{"n_landmarks": 12, "random_state": 0, **options}).fit(graphs)


def molecules():
    """Return molecules without bond types, which the layer does not compare."""
    graphs = datasets.load("MUTAG").graphs[:40]
    return replace(graphs, edge_labels=None, edge_label_values=(), edge_attributes=None)


def awkward_graphs():
    """Return directed and weighted graphs, and graphs with loops and isolated nodes."""
    weighted = nx.gnp_random_graph(9, 0.4, seed=1)
    for number, edge in enumerate(weighted.edges):
        weighted.edges[edge]["weight"] = 0.5 + number % 3
    looped = nx.path_graph(4)
    looped.add_edge(1, 1)
    directed = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)])
    graphs = [weighted, looped, directed, nx.empty_graph(2), nx.star_graph(5)]
    return as_batch([*graphs, nx.empty_graph(0)])


@pytest.mark.parametrize("name", MODELS)
def test_layer_equals_the_model_before_training(name):
    model = fitted(molecules(), **MODELS[name])
    layer = GSKNLayer.from_model(model)
    expected = model.transform(molecules())
    np.testing.assert_allclose(layer(molecules()).detach(), expected, atol=1e-6, rtol=1e-6)
    nodes = layer.embed_nodes(layer.prepare(molecules())).detach()
    expected = model.transform_nodes(molecules())
    np.testing.assert_allclose(nodes, expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("weighting", ["probability", "count"])
def test_layer_equals_the_model_on_graphs_of_all_kinds(weighting):
    model = fitted(awkward_graphs(), weighting=weighting, n_landmarks=32)
    layer = GSKNLayer.from_model(model)
    expected = model.transform(awkward_graphs())
    np.testing.assert_allclose(
        layer(awkward_graphs()).detach(), expected, atol=1e-6, rtol=1e-6
    )


def changed(layer):
    """Move the landmarks as training would."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for landmarks in layer.parameters():
            noise = torch.randn(landmarks.shape, generator=generator, dtype=torch.float64)
            landmarks.add_(0.1 * noise)
    return layer


def test_trained_landmarks_are_served_without_torch(tmp_path):
    model = fitted(molecules())
    before = model.transform(molecules())
    layer = changed(GSKNLayer.from_model(model))
    served = layer.to_model()
    embeddings = layer(molecules()).detach().numpy()
    np.testing.assert_allclose(served.transform(molecules()), embeddings, atol=1e-6)
    assert not np.allclose(embeddings, before, atol=1e-3)
    np.testing.assert_array_equal(model.transform(molecules()), before)
    served.save(tmp_path / "model.gskn")
    loaded = GSKN.load(tmp_path / "model.gskn")
    np.testing.assert_array_equal(
        loaded.transform(molecules()), served.transform(molecules())
    )
    again = GSKNLayer.from_model(loaded)(molecules()).detach()
    np.testing.assert_allclose(again, embeddings, atol=1e-6)


def test_moved_landmarks_are_whitened():
    """Embeddings of the landmarks themselves have their Gram matrix as inner products."""
    layer = changed(GSKNLayer.from_model(fitted(molecules(), branches=("anonymous",))))
    for trained in layer.maps[0]:
        gram = trained._kernel(trained.landmarks, trained.landmarks)
        rows = gram @ trained._root()
        torch.testing.assert_close(rows @ rows.T, gram, atol=1e-4, rtol=1e-4)


def test_gradients_are_those_of_finite_differences():
    graphs = molecules()[:3]
    model = fitted(graphs, n_landmarks=3, walk_length=3, anonymous_length=4, eps=1e-2)
    layer = GSKNLayer.from_model(model)
    inputs = layer.prepare(graphs)
    names = [name for name, _ in layer.named_parameters()]

    def embed(*landmarks):
        values = dict(zip(names, landmarks, strict=True))
        return torch.func.functional_call(layer, values, (inputs,))

    assert torch.autograd.gradcheck(embed, tuple(layer.parameters()))


def test_landmarks_learn_a_target():
    """Landmarks and a linear output are trained together; the loss decreases."""
    data = datasets.load("MUTAG")
    y = torch.tensor(data.y[:40] > 0, dtype=torch.float64)
    layer = GSKNLayer.from_model(fitted(molecules(), n_landmarks=4))
    inputs = layer.prepare(molecules())
    output = torch.nn.Linear(layer(inputs).shape[1], 1, dtype=torch.float64)
    torch.nn.init.zeros_(output.weight)
    optimizer = torch.optim.Adam([*layer.parameters(), *output.parameters()], lr=0.01)
    before = [landmarks.clone() for landmarks in layer.parameters()]
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            output(layer(inputs))[:, 0], y
        )
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]
    pairs = zip(before, layer.parameters(), strict=True)
    assert all(len(old) == 1 or not torch.equal(old, new) for old, new in pairs)


def test_models_without_differentiable_layers_raise():
    with pytest.raises(InputError, match=r"branches \['joint'\] cannot be trained"):
        GSKNLayer.from_model(fitted(molecules(), branches=("walk", "joint")))
    with pytest.raises(InputError, match="set n_layers=1"):
        GSKNLayer.from_model(fitted(molecules(), n_layers=2))


def test_models_that_compare_edges_raise():
    graphs = datasets.load("MUTAG").graphs[:40]
    with pytest.raises(InputError, match="edge_features='none'"):
        GSKNLayer.from_model(fitted(graphs))
    layer = GSKNLayer.from_model(fitted(graphs, edge_features="none"))
    assert torch.isfinite(layer(graphs)).all()


def test_objects_other_than_a_model_raise():
    for wrong in ("model.gskn", None, GSKNClassifier()):
        with pytest.raises(InputError, match="model must be a GSKN"):
            GSKNLayer.from_model(wrong)
    with pytest.raises(NotFittedError):
        GSKNLayer.from_model(GSKN())


@pytest.mark.parametrize("converted", [torch.float32, "meta"])
def test_converted_or_moved_modules_raise(converted):
    layer = GSKNLayer.from_model(fitted(molecules(), n_landmarks=3))
    layer.to(converted)
    with pytest.raises(InputError, match="double precision on the CPU.*output"):
        layer(molecules())


def test_modules_are_stored_as_a_state(tmp_path):
    model = fitted(molecules())
    layer = changed(GSKNLayer.from_model(model))
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    restored = GSKNLayer.from_model(model)
    restored.load_state_dict(torch.load(tmp_path / "layer.pt", weights_only=True))
    torch.testing.assert_close(restored(molecules()), layer(molecules()))


def test_example_in_the_docstring_prints_the_documented_output():
    results = doctest.testmod(module)
    assert results.attempted >= 6
    assert not results.failed
