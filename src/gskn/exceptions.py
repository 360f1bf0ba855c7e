"""Errors and warnings of gskn.

GsknError
├── InputError (ValueError)                invalid graph, label, weight or option
├── UnsupportedInputError (TypeError)      object of a type that is not supported
├── FileFormatError (ValueError)           malformed file; names the file and the line
│   └── UnsafeArchiveError                 archive with unsafe paths or of excessive size
├── MissingFileError (FileNotFoundError)   file or folder that does not exist
│   └── DatasetNotFoundError               data set neither on disk nor downloadable
├── UnknownDatasetError (LookupError)      unknown name of a data set
└── MissingExtraError (ImportError)        optional package that is not installed

GsknWarning (UserWarning)
└── UnusedDataWarning                      data of graphs that a method does not use
"""

from pathlib import Path

from gskn._install import install_command


class GsknError(Exception):
    """Base class of all errors of gskn.

    Messages may quote names from files and messages of other libraries. Line breaks are
    replaced by spaces, and control characters and lone surrogates are escaped, so every
    message is one printable line.
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


def describe_error(error: BaseException) -> str:
    r"""Return the reason of an error on one line of at most 300 characters.

    For an error of the operating system, this is the reason without number and path.

    Examples
    --------
    >>> describe_error(ValueError("two\nlines")), describe_error(KeyError())
    ('two lines', 'KeyError')
    """
    reason = getattr(error, "strerror", None) or str(error)
    return " ".join(str(reason).split())[:300] or type(error).__name__


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
    """A graph, an attribute or an option has an invalid value."""


class UnsupportedInputError(GsknError, TypeError):
    """The type of an object is not supported."""


class FileFormatError(GsknError, ValueError):
    """A file is malformed."""

    def __init__(self, path: str | Path, reason: str, *, line: int | None = None):
        self.path = str(path)
        self.reason = reason
        self.line = line
        place = self.path.replace("\n", "\\n")  # members of archives may have any name
        if line is not None:
            place = f"{place}, line {line}"
        super().__init__(f"{place}: {reason}")

    # By default, unpickling would call __init__ with the message.
    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_file_error, (type(self), self.path, self.reason, self.line)


def _rebuild_file_error(
    error_type: type[FileFormatError], path: str, reason: str, line: int | None
) -> FileFormatError:
    return error_type(path, reason, line=line)


class UnsafeArchiveError(FileFormatError):
    """An archive has members outside its folder, or unpacks to an excessive size."""


class MissingFileError(GsknError, FileNotFoundError):
    """A file or folder does not exist."""


class DatasetNotFoundError(MissingFileError):
    """A data set of the catalog is not on disk and could not be downloaded."""


class UnknownDatasetError(GsknError, LookupError):
    """No data set has this name."""


class MissingExtraError(GsknError, ImportError):
    """An optional package is required, but not installed."""

    def __init__(self, module: str, extra: str):
        self.module = module
        self.extra = extra
        super().__init__(
            f"{module} is required, but not installed; run: {install_command(extra)}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.module, self.extra)


class GsknWarning(UserWarning):
    """Base class of warnings about input that is read in an unexpected way."""


class UnusedDataWarning(GsknWarning):
    """Graphs have labels or attributes that a method does not use."""
