"""Commands whose help shows flags without a type, and paragraphs without line breaks."""

import inspect
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command with flags like ``--json`` instead of ``--json <bool>``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The terminal breaks lines between words, not where the docstring does.
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(text.split()) for text in paragraphs)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters with names for the help."""
        return _with_names(super().get_params(ctx))

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - not cut
        """Return the first paragraph of the help."""
        return (self.help or "").partition("\n")[0]


class Group(TyperGroup):
    """A group of commands with flags like ``--version`` instead of ``--version <bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters with names for the help."""
        return _with_names(super().get_params(ctx))


def _with_names(params: list[Any]) -> list[Any]:
    """Set the names of values: none for flags, capital letters for arguments."""
    for param in params:
        if param.metavar is not None:
            continue
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param.param_type_name == "argument":
            param.metavar = param.name.upper()
    return params
