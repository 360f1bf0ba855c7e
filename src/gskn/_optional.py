"""Optional packages, imported when they are needed."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from gskn.exceptions import MissingExtraError


def require(module: str, *, extra: str) -> Any:
    """Import ``module``; raise if it is missing, with the extra of gskn to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # the package is installed, but one of its dependencies is not
        raise MissingExtraError(module.partition(".")[0], extra) from error


def comes_from(value: object, package: str) -> bool:
    """Return whether ``package`` defines the class of ``value``, without importing it."""
    return _is_defined_in(type(value), package)  # type: ignore[arg-type]


# Called several times for every graph of a list, with few different classes.
@lru_cache(maxsize=256)
def _is_defined_in(class_: Any, package: str) -> bool:
    return any(base.__module__.partition(".")[0] == package for base in class_.__mro__)
