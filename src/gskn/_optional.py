"""Packages that come with an extra, imported when they are needed."""

from importlib import import_module
from typing import Any

from gskn.exceptions import MissingExtraError


def require(module: str, *, extra: str) -> Any:
    """Import ``module`` or say which extra of gskn brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # the extra is there, but something it needs is not
        raise MissingExtraError(module.partition(".")[0], extra) from error


def comes_from(value: object, package: str) -> bool:
    """Tell whether a class of ``value`` is defined in ``package``, without importing it."""
    return any(base.__module__.partition(".")[0] == package for base in type(value).__mro__)
