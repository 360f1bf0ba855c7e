"""Without torch, networks can be made and listed, and their use raises with the remedy."""

import sys

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_do_not_raise_errors_in_init_or_set_params,
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

from gskn import datasets
from gskn.evaluation import MODELS, evaluate
from gskn.exceptions import MissingExtraError
from gskn.networks import (
    DDGK,
    GAT,
    GCN,
    GIN,
    GraLSP,
    GraphSAGE,
    GraphSTONE,
    NodeNetwork,
    PatchySAN,
    UnsupervisedNodeNetwork,
)
from tests.test_package import modules_imported_by

ALL = (
    GIN,
    GCN,
    GraphSAGE,
    GAT,
    NodeNetwork,
    UnsupervisedNodeNetwork,
    PatchySAN,
    DDGK,
    GraLSP,
    GraphSTONE,
)
REMEDY = r"torch is required, but not installed; run: .*pip install .*\[torch\]"


@pytest.fixture
def no_torch(monkeypatch):
    """Make the import of torch fail, also if it is installed."""
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.parametrize("network", ALL)
def test_checks_of_scikit_learn_pass(network):
    for check in (
        check_do_not_raise_errors_in_init_or_set_params,
        check_get_params_invariance,
        check_no_attributes_set_in_init,
        check_set_params,
    ):
        check(network.__name__, network())
    check_parameters_default_constructible(network.__name__, network())
    changed = network(learning_rate=0.5, random_state=1)
    assert clone(changed).get_params() == changed.get_params()


def test_import_of_networks_does_not_import_torch():
    names = modules_imported_by("import gskn.networks, gskn.evaluation")
    assert not {"torch", "safetensors"} & names


@pytest.mark.usefixtures("no_torch")
def test_fit_and_load_raise_with_the_remedy(tmp_path):
    data = datasets.load("MUTAG")
    with pytest.raises(MissingExtraError, match=REMEDY):
        GIN().fit(data.graphs, data.y)
    with pytest.raises(MissingExtraError, match=REMEDY):
        GIN.load(tmp_path / "model")
    for network in (PatchySAN(), DDGK()):
        with pytest.raises(MissingExtraError, match=REMEDY):
            network.fit(data.graphs, data.y)


@pytest.mark.usefixtures("no_torch")
def test_evaluation_skips_networks_or_raises_with_the_remedy():
    data = datasets.regular(n_per_class=5)
    with pytest.raises(MissingExtraError, match=REMEDY):
        evaluate(data, ["gin"])
    skipped = {}
    records = evaluate(data, ["gin", "aw"], skipped=skipped)
    assert {record.model for record in records} == {"aw"}
    assert "pip install" in skipped["gin"]


def test_models_name_their_extra_and_have_a_configuration():
    names = [name for name, model in MODELS.items() if model.extra == "torch"]
    assert {"gin", "gcn", "sage", "gat", "gcn-unsupervised", "patchysan", "ddgk"} <= set(
        names
    )
    for name in names:
        assert MODELS[name].configuration["parameters"]
