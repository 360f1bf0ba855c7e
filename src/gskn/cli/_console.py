"""Output of the commands: text that every encoding can show, progress on terminals."""

import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from gskn.exceptions import printable

_ERRORS = "gskn.ascii"
# Error handlers that fail for a character the encoding does not have.
_FAILING = {"strict", "surrogateescape", "surrogatepass", "backslashreplace"}
_ASCII = {
    "±": "+/-",
    "…": "...",
    "•": "*",
    **dict.fromkeys("─━═╌╴╶╸╺", "-"),
    **dict.fromkeys("│┃║", "|"),
    "└": "\\",
    "┘": "/",
}


def prepare_streams() -> None:
    """Let stdout and stderr replace characters that their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _FAILING:
            stream.reconfigure(errors=_ERRORS)


def make_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console on stdout or stderr that knows the encoding of its stream."""
    # Without a file, rich assumes UTF-8 and draws boxes that ASCII does not have.
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, stderr=stderr, width=width, soft_wrap=stderr)


def fit_encoding(text: str, console: Console) -> str:
    """Return text without unprintable characters or ones the console cannot encode.

    Tables need this before their layout: a replacement may be longer.
    """
    return (
        printable(text)
        .encode(console.encoding, _ERRORS)
        .decode(console.encoding, "replace")
    )


def echo(text: str, *, stderr: bool = False) -> None:
    """Print text as it is, except for unprintable characters."""
    print(printable(text), file=sys.stderr if stderr else sys.stdout)


@contextmanager
def progress(*columns: ProgressColumn, seconds: float = 30.0) -> Iterator[Progress]:
    """Give a progress bar on stderr, which is shown on terminals only."""
    console = make_console(stderr=True)
    with Progress(
        *columns,
        console=console,
        disable=not console.is_terminal,
        speed_estimate_period=seconds,
    ) as bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show on a terminal that work of unknown length goes on, and for how long."""
    console = make_console(stderr=True)
    with Progress(
        spinner(console),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as bar:
        bar.add_task(as_description(text), total=None)
        yield


def spinner(console: Console) -> SpinnerColumn:
    """Return a spinner in characters that the console has."""
    return SpinnerColumn("line" if console.options.ascii_only else "dots")


def as_description(text: str) -> str:
    """Return text as the description of a task, in which brackets would be markup."""
    return escape(printable(text))


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace characters by similar ASCII ones, or by their escape sequences."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(
        _ASCII.get(character) or _as_ascii(character) for character in text
    ), error.end


def _as_ascii(character: str) -> str:
    if "\u2500" <= character <= "\u257f":  # box drawing: corners and crossings
        return "+"
    if "\u2800" <= character <= "\u28ff":  # braille, of spinners
        return "*"
    return character.encode("ascii", "backslashreplace").decode("ascii")


codecs.register_error(_ERRORS, _replace)
