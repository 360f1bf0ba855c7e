"""Output of the commands: text in any encoding, and progress on terminals."""

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
# Error handlers that raise for characters that the encoding does not support.
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
    """Let stdout and stderr replace characters that their encoding does not support."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _FAILING:
            stream.reconfigure(errors=_ERRORS)


def make_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console on stdout or stderr with the encoding of its stream."""
    # Without a file, rich assumes UTF-8 and draws boxes that ASCII does not support.
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, stderr=stderr, width=width, soft_wrap=stderr)


def fit_encoding(text: str, console: Console) -> str:
    """Replace characters that are not printable or that the console cannot encode.

    Tables call this before their layout because a replacement may be longer.
    """
    return (
        printable(text)
        .encode(console.encoding, _ERRORS)
        .decode(console.encoding, "replace")
    )


def echo(text: str, *, stderr: bool = False) -> None:
    """Print text without markup, with unprintable characters escaped."""
    print(printable(text), file=sys.stderr if stderr else sys.stdout)


@contextmanager
def progress(
    *columns: ProgressColumn, seconds: float = 30.0, shown: bool = True
) -> Iterator[Progress]:
    """Yield a progress bar on stderr, shown on terminals only."""
    console = make_console(stderr=True)
    with Progress(
        *columns,
        console=console,
        disable=not (shown and console.is_terminal),
        speed_estimate_period=seconds,
    ) as bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show a spinner and the elapsed time on a terminal while the block runs."""
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
    """Return a spinner in characters that the console can encode."""
    return SpinnerColumn("line" if console.options.ascii_only else "dots")


def as_description(text: str) -> str:
    """Escape text for the description of a task, where brackets are markup."""
    return escape(printable(text))


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace characters by similar ASCII characters or by escape sequences."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(
        _ASCII.get(character) or _as_ascii(character) for character in text
    ), error.end


def _as_ascii(character: str) -> str:
    if "\u2500" <= character <= "\u257f":  # box drawing
        return "+"
    if "\u2800" <= character <= "\u28ff":  # braille patterns of spinners
        return "*"
    return character.encode("ascii", "backslashreplace").decode("ascii")


codecs.register_error(_ERRORS, _replace)
