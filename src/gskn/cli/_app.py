"""The ``gskn`` command: its options, its exit codes, its subcommands.

Heavy packages are imported inside the commands, so that ``gskn --help`` is quick.
"""

import os
import sys
import warnings
from contextlib import suppress
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from gskn.cli._datasets import datasets
from gskn.cli._describe import describe
from gskn.cli._distinguish import distinguish
from gskn.cli._embed import embed
from gskn.cli._evaluate import evaluate
from gskn.cli._fit import fit
from gskn.cli._models import models
from gskn.cli._reproduce import reproduce
from gskn.exceptions import GsknError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Exit codes: 0 done, 1 the work failed, 2 wrong use.\n\n"
        "Examples:\n\n"
        "  gskn datasets\n\n"
        "  gskn describe MUTAG graphs/ --json\n\n"
        "  gskn distinguish --pair rook-shrikhande\n\n"
        "  gskn models\n\n"
        "  gskn evaluate MUTAG --models rw+aw,gskn --out runs.jsonl\n\n"
        "  gskn embed graphs/ -o rows.parquet\n\n"
        "  gskn fit graphs/ -o model.gskn\n\n"
        "  gskn embed --model model.gskn new/ -o rows.csv --level node\n\n"
        "  gskn reproduce structure regular"
    ),
)
app.command()(datasets)
app.command()(describe)
app.command()(distinguish)
app.command()(models)
app.command()(evaluate)
app.command()(embed)
app.command()(fit)
app.command()(reproduce)


def _print_version(value: bool) -> None:
    if value:
        from gskn import __version__

        typer.echo(f"gskn {__version__}")
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
    """Run the command line; failed work is one line on stderr and exit code 1."""
    warnings.showwarning = lambda message, *_: _say("[yellow]warning:[/]", message)
    try:
        app()
    except (GsknError, OSError) as error:
        _say("[bold red]error:[/]", error)
        _forget_output()
        sys.exit(1)


def _say(kind: str, message: object) -> None:
    text = escape(" ".join(str(message).split()))
    Console(stderr=True, soft_wrap=True).print(f"{kind} {text}", highlight=False)


def _forget_output() -> None:
    """Send what is still to be written nowhere: a full disk would fail once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
