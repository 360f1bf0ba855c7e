"""Text files in UTF-8, with line ends of any operating system."""

from pathlib import Path

from gskn._files import check_regular
from gskn.exceptions import FileFormatError

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text_bytes(path: Path) -> bytes:
    r"""Read a text file as bytes without byte order mark, with ``\n`` as line end.

    Only ``\n``, ``\r\n`` and ``\r`` end a line. Other line breaks of Unicode, such as
    U+2028, are part of a line.

    Raises
    ------
    FileFormatError
        If the file is not a regular file, is UTF-16 or contains a NUL byte.
    """
    check_regular(path)
    content = path.read_bytes()
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
