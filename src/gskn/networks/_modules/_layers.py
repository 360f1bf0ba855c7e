"""Layers that several modules share."""

import torch
from torch import Tensor, nn


class BatchNorm(nn.BatchNorm1d):
    """Batch normalization that uses its running statistics for less than two rows.

    ``counts`` says how many equal rows each row stands for.
    """

    def forward(self, rows: Tensor, counts: Tensor | None = None) -> Tensor:
        """Return the normalized rows."""
        if counts is not None and self.training:
            return self._normalize_counted(rows, counts)
        if len(rows) > 1 or not self.training:
            return super().forward(rows)
        return nn.functional.batch_norm(
            rows, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
        )

    def _normalize_counted(self, rows: Tensor, counts: Tensor) -> Tensor:
        total = float(counts.sum())
        if total < 2:
            return self.forward(rows)
        mean = counts @ rows / total
        centered = rows - mean
        variance = counts @ centered.square() / total
        with torch.no_grad():
            self.num_batches_tracked.add_(1)
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance * (total / (total - 1)), self.momentum)
        scale = self.weight * torch.rsqrt(variance + self.eps)
        return torch.addcmul(self.bias, centered, scale)
