"""The command line; one file per command."""

from gskn.cli._app import app, main

__all__ = ["app", "main"]
