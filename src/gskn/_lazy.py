"""Attributes that are computed on first access and cached."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - replaces functools.cached_property
    """Compute an attribute on first access, without a lock.

    `functools.cached_property` of Python 3.11 holds one lock for all instances of a class
    while it computes: threads wait for each other, and a process that is forked meanwhile
    waits forever. Here two threads may compute the same value, and the first result is
    cached.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "cached_property[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(
        self, instance: object | None, owner: type
    ) -> "cached_property[Value] | Value":
        if instance is None:
            return self
        value: Value = vars(instance).setdefault(self.name, self.compute(instance))
        return value
