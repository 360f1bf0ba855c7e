"""Text files in UTF-8, with line ends of any operating system."""

import gzip
import zlib
from pathlib import Path

from gskn._files import check_regular
from gskn._limits import max_text_bytes
from gskn.exceptions import FileFormatError, describe_error

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def suffix(path: Path) -> str:
    """Return the suffix in lower case, with the inner one of a compressed file."""
    name = path.name.lower()
    inner = Path(name.removesuffix(".gz")).suffix
    return f"{inner}.gz" if name.endswith(".gz") and inner else path.suffix.lower()


def stem(path: Path) -> str:
    """Return the name of a file without its suffix."""
    return path.name[: len(path.name) - len(suffix(path))] if suffix(path) else path.name


def read_content(path: Path) -> bytes:
    """Read a regular file, decompressed if its name ends in ``.gz``.

    Raises
    ------
    FileFormatError
        If the file is not a regular file, is damaged or is too large after decompression.
    """
    check_regular(path)
    if not path.name.lower().endswith(".gz"):
        return path.read_bytes()
    limit = max_text_bytes(path.stat().st_size)
    try:
        with gzip.open(path) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(path, f"not gzip: {describe_error(error)}") from error
    if len(content) > limit:
        raise FileFormatError(path, f"unpacks to more than the limit of {limit} bytes")
    return content


def read_text_bytes(path: Path) -> bytes:
    r"""Read a text file as bytes without byte order mark, with ``\n`` as line end.

    Only ``\n``, ``\r\n`` and ``\r`` end a line. Other line breaks of Unicode, such as
    U+2028, are part of a line.

    Raises
    ------
    FileFormatError
        If the file is not a regular file, is UTF-16 or contains a NUL byte.
    """
    content = read_content(path)
    if content.startswith(_UTF16_MARKS):
        raise FileFormatError(path, "the text is UTF-16; save it as UTF-8")
    content = content.removeprefix(_UTF8_MARK)
    content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    position = content.find(b"\0")
    if position >= 0:
        line = content.count(b"\n", 0, position) + 1
        raise FileFormatError(path, "not a text file: it contains a NUL byte", line=line)
    return content


def read_text(path: Path) -> str:
    """Read a text file like `read_text_bytes` and decode it."""
    content = read_text_bytes(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFormatError(path, f"not UTF-8: {error.reason}", line=line) from error
