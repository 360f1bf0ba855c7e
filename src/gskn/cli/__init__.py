"""The command line: arguments in, calls out; one file per command."""

from gskn.cli._app import app, main

__all__ = ["app", "main"]
