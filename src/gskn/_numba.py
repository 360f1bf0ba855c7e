"""The decorators every compiled loop uses, so that flags are chosen once."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., object])


def jit(loop: Loop) -> Loop:
    """Compile a loop, keep it on disk, and let other threads run meanwhile."""
    return cast("Loop", numba.njit(cache=True, nogil=True)(loop))


def inlined_jit(loop: Loop) -> Loop:
    """Compile a function into its callers.

    A call passes named tuples by value, array by array, which costs more than the work
    of a short function.
    """
    return cast("Loop", numba.njit(inline="always")(loop))
