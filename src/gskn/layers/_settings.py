"""What all layers of a model have in common."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a model, as layers need them."""

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
        """Number of walks, about, among which landmarks are chosen."""
        return max(5_000, 20 * self.n_landmarks)

    @property
    def probability(self) -> bool:
        """Whether a walk counts its probability, else one."""
        return self.weighting == "probability"

    def lengths(self, length: int) -> tuple[int, ...]:
        """Return the lengths of walks that a layer looks at."""
        return tuple(range(1, length + 1)) if self.aggregate else (length,)
