"""Output of the commands: text in any encoding, progress and messages on stderr."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from rich.console import Console
from rich.control import Control
from rich.markup import escape
from rich.progress import (
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import ControlType
from rich.text import Text

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
_REPORT_SECONDS = 60.0  # between two lines of progress, if stderr is not a terminal
_REPORT_VARIABLE = "GSKN_PROGRESS_SECONDS"  # environment variable that replaces it
_MAX_WAIT = 1e6  # seconds; the operating system limits them
_live_consoles: list[Console] = []  # of progress bars on the screen


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


def print_message(kind: str, text: str) -> None:
    """Print a message above the progress bar; a terminal breaks lines between words.

    ``kind`` is markup, ``text`` is not.
    """
    if _live_consoles:
        console = _live_consoles[-1]
    else:
        console = make_console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            # The bar of an estimator may be on the current line.
            erase = (ControlType.ERASE_IN_LINE, 0)
            console.control(Control(ControlType.CARRIAGE_RETURN, erase))
    line = f"{kind} {escape(text)}"
    console.print(line, highlight=False, soft_wrap=not console.is_terminal)


@contextmanager
def progress(
    *columns: ProgressColumn, seconds: float = 30.0, shown: bool = True
) -> Iterator[Progress]:
    """Yield a progress bar on stderr, or one line a minute if it is not a terminal."""
    console = make_console(stderr=True)
    bar = Progress(
        *columns,
        console=console,
        disable=not (shown and console.is_terminal),
        speed_estimate_period=seconds,
    )
    with _shown(bar) if shown else bar:
        yield bar


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show a spinner and the elapsed time while the block runs.

    If stderr is not a terminal, the time is printed once a minute.
    """
    console = make_console(stderr=True)
    bar = Progress(
        spinner(console),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with _shown(bar):
        bar.add_task(as_description(text), total=None)
        yield


@contextmanager
def _shown(bar: Progress) -> Iterator[None]:
    """Show a bar on a terminal, else print a line a minute."""
    if bar.disable:
        with _reports(bar):
            yield
        return
    _live_consoles.append(bar.console)
    try:
        with bar:
            yield
    finally:
        _live_consoles.pop()


@contextmanager
def _reports(bar: Progress) -> Iterator[None]:
    """Print the progress to stderr once a minute while the block runs."""
    end, seconds = Event(), _report_seconds()

    def report() -> None:
        while not end.wait(seconds):
            with suppress(OSError, ValueError):  # stderr is closed, or the disk is full
                echo(describe_progress(bar), stderr=True)

    thread = Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def _report_seconds() -> float:
    """Return the interval of progress lines; invalid settings are ignored."""
    try:
        seconds = float(os.environ.get(_REPORT_VARIABLE, ""))
    except ValueError:
        return _REPORT_SECONDS
    return min(seconds, _MAX_WAIT) if seconds > 0 else _REPORT_SECONDS


def describe_progress(bar: Progress) -> str:
    """Return the state of the last task of a bar as one line."""
    if not bar.tasks:
        return "working"
    task = bar.tasks[-1]
    minutes, seconds = divmod(int(task.elapsed or 0), 60)
    parts = [Text.from_markup(task.description).plain]
    if task.total:
        parts.append(f"{task.completed / task.total:.0%}")
    elif task.completed:
        parts.append(f"{task.completed:,.0f} graphs")
    return f"{' '.join(parts)} after {minutes}:{seconds:02}"


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
