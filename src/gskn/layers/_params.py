"""Parameters that all layers of a model share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Advance: TypeAlias = Callable[[], None]  # called after every block, to show progress


def no_progress() -> None:
    """Do nothing after a block."""


@dataclass(frozen=True)
class LayerParams:
    """Validated parameters of a model that its layers need."""

    n_landmarks: int = 32
    alpha: float = 1.5  # bandwidth of the kernel of node features
    beta: float = 1.5  # bandwidth of the kernel of patterns
    aggregate: bool = True
    weighting: str = "probability"
    method: str = "auto"
    n_walks: int = 30
    eps: float = 1e-7
    rare_walks: bool = True  # whether walks that a sample misses may be landmarks

    @property
    def n_samples(self) -> int:
        """Approximate number of walks among which landmarks are chosen."""
        return max(5_000, 20 * self.n_landmarks)

    @property
    def use_probability(self) -> bool:
        """Whether a walk is weighted by its probability rather than by one."""
        return self.weighting == "probability"

    def lengths(self, length: int) -> tuple[int, ...]:
        """Return the lengths of walks that a layer of this length uses."""
        return tuple(range(1, length + 1)) if self.aggregate else (length,)
