"""Commands whose help shows flags without a type."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command with flags like ``--json`` instead of ``--json <bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have no type in the help."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands with flags like ``--version`` instead of ``--version <bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have no type in the help."""
        return _without_types(super().get_params(ctx))


def _without_types(params: list[Any]) -> list[Any]:
    """Set the name of the type to the empty text for all flags."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params
