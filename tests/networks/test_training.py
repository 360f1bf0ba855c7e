import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the torch extra")

from gskn.networks._modules import _training  # noqa: E402 - needs torch

pytestmark = pytest.mark.torch


class Line:
    """Fit a line to points; the validation loss is a given sequence."""

    def __init__(self, validation_losses=None):
        self.x = torch.linspace(-1, 1, 8)[:, None]
        self.validation_losses = validation_losses
        self.weights = []

    def losses(self, module, generator):
        for rows in _training.minibatches(np.arange(8), 3, generator):
            yield ((module(self.x[rows]) - 2 * self.x[rows]) ** 2).mean(), len(rows)

    def validate(self, module):
        self.weights.append(module.weight.detach().clone())
        if self.validation_losses is None:
            return None
        return self.validation_losses[len(self.weights) - 1]


def train(problem, seed=0, **settings):
    def make():
        return torch.nn.Linear(1, 1)

    return _training.train(make, problem, _training.Settings(**settings), seed)


def test_training_decreases_the_loss():
    module, history = train(Line(), learning_rate=0.1, max_epochs=80)
    assert history["loss"][-1] < 0.01 * history["loss"][0]
    assert float(module.weight.detach()) == pytest.approx(2, abs=0.1)


def test_best_epoch_is_restored():
    problem = Line([3.0, 1.0, 2.0, 5.0])
    module, history = train(problem, max_epochs=4)
    assert history["best_epoch"] == 1
    assert torch.equal(module.weight, problem.weights[1])
    assert history["validation_loss"] == [3.0, 1.0, 2.0, 5.0]


def test_learning_rate_is_halved_after_ten_epochs_without_a_lower_loss():
    _, history = train(Line([1.0] * 100), learning_rate=1.0, max_epochs=24)
    assert history["learning_rate"] == 12 * [1.0] + 11 * [0.5] + [0.25]


@pytest.mark.parametrize("learning_rate", [1e-6, 0.01, 1.0])
def test_training_ends_when_the_learning_rate_was_halved_five_times(learning_rate):
    _, history = train(Line([1.0] * 100), learning_rate=learning_rate, max_epochs=100)
    assert len(history["loss"]) == 12 + 4 * 11
    assert history["learning_rate"][-1] == learning_rate / 2**4


def test_training_without_validation_part_ends_at_the_tenth_halving():
    class Constant(Line):
        def losses(self, module, generator):
            for loss, n_samples in super().losses(module, generator):
                yield 0 * loss, n_samples

    _, history = train(Constant(), learning_rate=0.01, max_epochs=200)
    assert len(history["loss"]) == 12 + 9 * 11


def test_equal_seeds_give_equal_networks_and_keep_the_state_of_torch():
    torch.manual_seed(5)
    state = torch.get_rng_state()
    first, _ = train(Line(), seed=3, max_epochs=5)
    second, _ = train(Line(), seed=3, max_epochs=5)
    other, _ = train(Line(), seed=4, max_epochs=5)
    assert torch.equal(first.weight, second.weight)
    assert not torch.equal(first.weight, other.weight)
    assert torch.equal(torch.get_rng_state(), state)


def test_number_of_threads_is_restored_after_an_error():
    n_threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:

        class Failing(Line):
            def validate(self, module):  # noqa: ARG002
                assert torch.get_num_threads() == 1
                raise RuntimeError("stop")

        with pytest.raises(RuntimeError, match="stop"):
            train(Failing())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(n_threads)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.floats(0, 0.9))
def test_held_out_part_is_stratified(classes, share):
    codes = np.unique(classes, return_inverse=True)[1]
    train_part, held_out = _training.hold_out(codes, share, np.random.default_rng(0))
    both = np.sort(np.concatenate([train_part, held_out]))
    np.testing.assert_array_equal(both, np.arange(len(codes)))
    counts, held = (
        np.bincount(codes),
        np.bincount(codes[held_out], minlength=codes.max() + 1),
    )
    assert (held < counts).all()
    assert (np.abs(held - share * counts) <= 1.0 + 1e-9).all()


def test_held_out_part_depends_on_the_seed():
    codes = np.repeat([0, 1], 50)
    parts = [_training.hold_out(codes, 0.1, np.random.default_rng(s))[1] for s in (0, 0, 1)]
    assert parts[0].tolist() == parts[1].tolist() != parts[2].tolist()
    assert len(parts[0]) == 10


def test_minibatches_contain_every_sample_once():
    samples = np.arange(10, 20)
    parts = _training.minibatches(samples, 4, np.random.default_rng(0))
    assert [len(part) for part in parts] == [4, 3, 3]
    assert sorted(np.concatenate(parts).tolist()) == samples.tolist()
