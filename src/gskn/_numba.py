"""The decorators every compiled loop uses, so that flags are chosen once."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., object])


def jit(loop: Loop) -> Loop:
    """Compile a loop, keep it on disk, and let other threads run meanwhile."""
    return cast("Loop", numba.njit(cache=True, nogil=True)(loop))
