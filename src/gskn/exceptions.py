"""Everything gskn raises on purpose, and its one warning.

GsknError
├── InputError (ValueError)                a graph, label, weight or option is wrong
├── UnsupportedInputError (TypeError)      this kind of object is not a graph
├── FileFormatError (ValueError)           a file is malformed; names file and line
│   └── UnsafeArchiveError                 an archive reaches outside or is too large
├── MissingFileError (FileNotFoundError)   no such file or folder
│   └── DatasetNotFoundError               not on disk, and not to be downloaded
├── UnknownDatasetError (LookupError)      no data set of that name
└── MissingExtraError (ImportError)        an optional package is not installed

GsknWarning (UserWarning)
"""

from pathlib import Path


class GsknError(Exception):
    """Base of all errors raised by gskn.

    Messages quote names from files and errors of other libraries. Line breaks become
    spaces, and control characters and lone surrogates are escaped, so that a message is
    one printable line.
    """

    def __init__(self, message: object = ""):
        super().__init__(one_line(message))


def one_line(message: object) -> str:
    r"""Return the text of a message as one line with unprintable characters escaped.

    Examples
    --------
    >>> one_line("two\nlines, a\x1b[31mb\ud800")
    'two lines, a\\x1b[31mb\\ud800'
    """
    text = str(message)
    return text if text.isprintable() else printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return a text with unprintable characters, except line breaks and tabs, escaped."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


class InputError(GsknError, ValueError):
    """A graph, an attribute or an option has a value that cannot be used."""


class UnsupportedInputError(GsknError, TypeError):
    """The object is of no kind that can be read as graphs."""


class FileFormatError(GsknError, ValueError):
    """A file is malformed."""

    def __init__(self, path: str | Path, reason: str, *, line: int | None = None):
        self.path = str(path)
        self.reason = reason
        self.line = line
        place = self.path.replace("\n", "\\n")  # members of archives have any name
        if line is not None:
            place = f"{place}, line {line}"
        super().__init__(f"{place}: {reason}")

    # Errors cross process borders; the default would call __init__ with the message.
    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_file_error, (type(self), self.path, self.reason, self.line)


def _rebuild_file_error(
    kind: type[FileFormatError], path: str, reason: str, line: int | None
) -> FileFormatError:
    return kind(path, reason, line=line)


class UnsafeArchiveError(FileFormatError):
    """An archive has members outside its folder or unpacks beyond the bound."""


class MissingFileError(GsknError, FileNotFoundError):
    """There is no such file or folder."""


class DatasetNotFoundError(MissingFileError):
    """A known data set is not on disk and could not be downloaded."""


class UnknownDatasetError(GsknError, LookupError):
    """No data set has this name."""


class MissingExtraError(GsknError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, module: str, extra: str):
        self.module = module
        self.extra = extra
        super().__init__(
            f"{module} is needed for this and is not installed; "
            f"run: pip install 'gskn[{extra}]'"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.module, self.extra)


class GsknWarning(UserWarning):
    """Something was read or done differently from what one might expect."""
