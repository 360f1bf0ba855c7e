"""The ``gskn`` command: its options, exit codes and subcommands.

Heavy packages are imported inside the commands, so that ``gskn --help`` is quick.
"""

import errno
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import typer

from gskn.cli._commands import Command, Group
from gskn.cli._console import echo, prepare_streams, print_message
from gskn.cli._datasets import datasets
from gskn.cli._describe import describe
from gskn.cli._distinguish import distinguish
from gskn.cli._embed import embed
from gskn.cli._evaluate import evaluate
from gskn.cli._explain import explain
from gskn.cli._fit import fit
from gskn.cli._models import models
from gskn.cli._predict import predict
from gskn.cli._reproduce import reproduce
from gskn.cli._similar import similar
from gskn.cli._train import train
from gskn.exceptions import GsknError, one_line

_INTERRUPTED = 130  # the exit code that shells report after Ctrl-C
_MAX_MESSAGE = 2000  # characters

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Examples:\n\n"
        "  gskn evaluate MUTAG --models gskn,wl\n\n"
        "  gskn train my-graphs/ -o model.gskn\n\n"
        "  gskn predict model.gskn new-graphs/ -o predictions.csv\n\n"
        "  gskn embed my-graphs/ -o embeddings.parquet\n\n"
        "  gskn similar query.smi molecules.smi -k 10\n\n"
        "gskn COMMAND --help shows the options of a command.\n\n"
        "Exit codes: 0 success, 1 failure, 2 invalid arguments, 130 interrupted."
    ),
)
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Graphs": (datasets, describe, distinguish),
    "Train and predict": (train, predict, explain),
    "Embed and search": (embed, fit, similar),
    "Evaluate": (evaluate, models, reproduce),
}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(cls=Command, rich_help_panel=_panel)(_command)


def _print_version(value: bool) -> None:
    if value:
        from gskn import __version__

        echo(f"gskn {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Structural embeddings of graphs and nodes by anonymous-walk kernels."""


def main() -> None:
    """Run the command line; an error is one line on stderr and exit code 1."""
    prepare_streams()
    warnings.showwarning = lambda message, *_: _print_line("[yellow]warning:[/]", message)
    code = _run()
    if code:
        _discard_output()
    sys.exit(code)


def _run() -> int | str | None:
    """Run the command, flush its output, and return the exit code."""
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except SystemExit as exit_:  # typer raises it at the end of every command
        if exit_.code == _INTERRUPTED:
            _print_line("[bold red]error:[/]", "interrupted")
        return exit_.code
    except KeyboardInterrupt:
        _print_line("[bold red]error:[/]", "interrupted")
        return _INTERRUPTED
    except MemoryError:
        _print_line("[bold red]error:[/]", "not enough memory")
    except (GsknError, OSError) as error:
        if not _is_closed_pipe(error):
            _print_line("[bold red]error:[/]", _explain(error))
    return 1


def _explain(error: GsknError | OSError) -> str:
    if isinstance(error, GsknError) or not error.strerror:
        return str(error)
    return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror


def _is_closed_pipe(error: Exception) -> bool:
    """Return whether the reader closed the pipe, as in ``gskn models | head``."""
    if isinstance(error, BrokenPipeError):
        return True
    # Windows reports a closed pipe as an invalid argument without a file name.
    if os.name != "nt" or not isinstance(error, OSError):
        return False
    return error.errno == errno.EINVAL and error.filename is None


def _print_line(kind: str, message: object) -> None:
    """Print a message on stderr, as one line if it is not a terminal."""
    text = one_line(message)
    if len(text) > _MAX_MESSAGE:
        text = f"{text[: _MAX_MESSAGE // 2]} ... {text[-_MAX_MESSAGE // 2 :]}"
    with suppress(OSError):  # stderr is closed, or the disk is full
        print_message(kind, text)


def _discard_output() -> None:
    """Discard buffered output, so that it is not written at exit, where it would fail."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
