"""The training loop of all networks.

A `Problem` yields the losses of minibatches and, if there is a validation part, its loss.
The loop takes gradient steps with Adam, halves the learning rate when the loss stops to
decrease, and restores the best epoch at the end.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from gskn._types import IndexArray

_FACTOR = 0.5  # of the learning rate, when the loss does not decrease
_PATIENCE = 10  # epochs without a lower loss
_MAX_HALVINGS = 5  # of the learning rate; then, a lower validation loss is rare
_MAX_HALVINGS_IN_TRAINING = 10  # without a validation part: training losses are noisy


@dataclass(frozen=True)
class Settings:
    """Settings of the training loop."""

    learning_rate: float = 0.01
    weight_decay: float = 0.0
    max_epochs: int = 200


class Problem(Protocol):
    """Data and loss of a network."""

    def losses(
        self, module: nn.Module, generator: np.random.Generator
    ) -> Iterator[tuple[Tensor, int]]:
        """Yield the loss of every minibatch of one epoch, and its number of samples."""

    def validate(self, module: nn.Module) -> float | None:
        """Return the loss of the validation part; None if there is none."""


def train(
    make_module: Callable[[], nn.Module],
    problem: Problem,
    settings: Settings,
    seed: int,
    advance: Callable[[], None] = lambda: None,
) -> tuple[nn.Module, dict[str, Any]]:
    """Train a new module; return it in the state of its best epoch, and its history.

    The best epoch has the lowest validation loss, or the lowest training loss if there is
    no validation part. Equal seeds give equal results; the random state of torch outside
    is not changed. ``advance`` is called after every epoch.
    """
    generator = np.random.default_rng(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = make_module()
        optimizer = torch.optim.Adam(
            module.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=_FACTOR, patience=_PATIENCE
        )
        history = _History(module)
        for epoch in range(settings.max_epochs):
            loss = _run_epoch(module, problem, optimizer, generator)
            module.eval()
            validation_loss = problem.validate(module)
            if validation_loss is None:
                monitored, max_halvings = loss, _MAX_HALVINGS_IN_TRAINING
            else:
                monitored, max_halvings = validation_loss, _MAX_HALVINGS
            history.add(epoch, module, loss, validation_loss, _rate(optimizer), monitored)
            scheduler.step(monitored)
            advance()
            n_halvings = round(math.log2(settings.learning_rate / _rate(optimizer)))
            if n_halvings >= max_halvings:
                break
        module.load_state_dict(history.best_state)
    return module.eval(), history.as_dict()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread inside the block.

    The matrices are small: two threads took many times as long as one.
    """
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


def minibatches(
    samples: IndexArray, size: int, generator: np.random.Generator
) -> list[IndexArray]:
    """Return all samples in random order, in minibatches of about equal size."""
    order = generator.permutation(samples)
    return np.array_split(order, max(1, -(-len(order) // size)))


def hold_out(
    codes: IndexArray, share: float, generator: np.random.Generator
) -> tuple[IndexArray, IndexArray]:
    """Split samples into a training part and a stratified validation part, at random.

    Every class keeps at least one training sample. If the classes have few samples, the
    validation part can be empty.
    """
    order = generator.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]  # by class, at random within
    counts = np.bincount(codes)
    # Rounding totals instead of counts keeps the share over many small classes.
    totals = np.floor(np.cumsum(counts) * share + 0.5).astype(np.int64)
    n_held_out = np.minimum(np.diff(totals, prepend=0), np.maximum(counts - 1, 0))
    first = np.cumsum(counts) - counts
    positions = np.arange(len(codes)) - np.repeat(first, counts)
    is_held_out = positions < np.repeat(n_held_out, counts)
    return np.sort(order[~is_held_out]), np.sort(order[is_held_out])


def _run_epoch(
    module: nn.Module,
    problem: Problem,
    optimizer: torch.optim.Optimizer,
    generator: np.random.Generator,
) -> float:
    """Take one gradient step per minibatch; return the mean loss."""
    module.train()
    total, n_total = 0.0, 0
    for loss, n_samples in problem.losses(module, generator):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += n_samples * float(loss.detach())
        n_total += n_samples
    return total / max(1, n_total)


def _rate(optimizer: torch.optim.Optimizer) -> float:
    """Return the current learning rate."""
    rate: float = optimizer.param_groups[0]["lr"]
    return rate


class _History:
    """Losses of all epochs, and the state of the best one."""

    def __init__(self, module: nn.Module) -> None:
        self.losses: list[float] = []
        self.validation_losses: list[float] = []
        self.rates: list[float] = []
        self.best_epoch = 0
        self.best_loss = float("inf")
        self.best_state = _copy_state(module)

    def add(
        self,
        epoch: int,
        module: nn.Module,
        loss: float,
        validation_loss: float | None,
        rate: float,
        monitored: float,
    ) -> None:
        """Add an epoch; keep its state if its loss is the lowest."""
        self.losses.append(loss)
        if validation_loss is not None:
            self.validation_losses.append(validation_loss)
        self.rates.append(rate)
        if monitored < self.best_loss:
            self.best_epoch, self.best_loss = epoch, monitored
            self.best_state = _copy_state(module)

    def as_dict(self) -> dict[str, Any]:
        return {
            "loss": self.losses,
            "validation_loss": self.validation_losses,
            "learning_rate": self.rates,
            "best_epoch": self.best_epoch,
        }


def _copy_state(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in module.state_dict().items()}
