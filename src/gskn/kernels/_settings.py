"""What all layers of a model have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Advance: TypeAlias = Callable[[], None]  # called after every block, to show progress


def no_progress() -> None:
    """Do nothing after a block."""


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a model that its layers use."""

    n_landmarks: int = 32
    alpha: float = 1.5  # bandwidth of attributes along a walk
    beta: float = 1.5  # bandwidth of patterns
    aggregate: bool = True
    weighting: str = "probability"
    method: str = "auto"
    n_walks: int = 30
    eps: float = 1e-7

    @property
    def n_samples(self) -> int:
        """Approximate number of walks among which landmarks are chosen."""
        return max(5_000, 20 * self.n_landmarks)

    @property
    def probability(self) -> bool:
        """Whether a walk is weighted by its probability instead of by one."""
        return self.weighting == "probability"

    def lengths(self, length: int) -> tuple[int, ...]:
        """Return the lengths of the walks of a layer."""
        return tuple(range(1, length + 1)) if self.aggregate else (length,)
