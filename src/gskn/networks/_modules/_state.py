"""The weights of modules as numpy arrays."""

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from gskn._types import AnyArray
from gskn.exceptions import InputError


def save_state(module: nn.Module) -> dict[str, AnyArray]:
    """Return all weights and running statistics by name."""
    return {name: value.numpy() for name, value in module.state_dict().items()}


def load_state(
    make_module: Callable[[], nn.Module], state: dict[str, AnyArray]
) -> nn.Module:
    """Return a module with these weights; raise unless names, shapes and types agree."""
    with torch.device("meta"):  # allocates nothing, whatever sizes a file declares
        module = make_module()
    expected = module.state_dict()
    for name in sorted(expected.keys() ^ state.keys()):
        which = "missing" if name in expected else "unknown"
        raise InputError(f"the weights {name!r} are {which}")
    for name, array in state.items():
        tensor = torch.from_numpy(array)
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            raise InputError(
                f"the weights {name!r} are {array.dtype} of shape {array.shape}, not of "
                f"shape {tuple(expected[name].shape)}"
            )
        if not np.isfinite(array).all():
            raise InputError(f"the weights {name!r} are not finite")
    tensors = {name: torch.from_numpy(array.copy()) for name, array in state.items()}
    module.load_state_dict(tensors, assign=True)
    return module.eval()
