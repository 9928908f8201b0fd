"""From a path to bytes, and from bytes to text."""

import bz2
import codecs
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from gpforecast.cli.files.scripts import check_windows

_PACKED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
}
_MARKS = {  # the longer first: that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NO_TEXT = {
    b"\xd0\xcf\x11\xe0": "an Excel file of before 2007; save it as .xlsx or as CSV",
    b"%PDF": "a PDF; save its table as CSV",
    b"PK\x03\x04": "a zip archive; unpack it, and pass the file in it",
}


def contents(path: str) -> bytes:
    """Return the bytes of a file, or of the standard input for ``-``, unpacked.

    gzip, bzip2 and xz are told from the first bytes, not from the name.

    Raises
    ------
    ValueError
        If the file cannot be read or unpacked.
    """
    if "://" in path:
        raise ValueError(
            f"FILE must be a file of this machine; got {path}. Download it first, or pipe it: "
            f"curl {path} | gpforecast forecast - ..."
        )
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}.") from None
    unpack = next((f for start, f in _PACKED.items() if data.startswith(start)), None)
    if unpack is None:
        return data
    try:
        return unpack(data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{label(path)} cannot be unpacked: {error}.") from None


def label(path: str) -> str:
    """Return what messages call a file."""
    return "the standard input" if path == "-" else path


def decoded(data: bytes, encoding: str | None, name: str) -> tuple[str, str]:
    """Return the text of a file and its encoding.

    Without `encoding`: that of its byte order mark, else UTF-8, else Windows-1252, of which Latin-1
    is a part for printed characters.

    Raises
    ------
    ValueError
        If the bytes are no text of this encoding.

    Examples
    --------
    >>> decoded("Zürich;1".encode("latin-1"), None, "sales.csv")
    ('Zürich;1', 'cp1252')
    """
    if data.startswith(b"PK") and b"opendocument" in data[:200]:
        raise ValueError(
            f"{name} must be a table; it is an OpenDocument file (.ods). Save it as .xlsx or CSV."
        )
    for start, what in _NO_TEXT.items():
        if data.startswith(start):
            raise ValueError(f"{name} must be a table; it is {what}.")
    marked = next((code for mark, code in _MARKS.items() if data.startswith(mark)), None)
    for code in [encoding] if encoding else [marked] if marked else ["utf-8", "cp1252"]:
        try:
            text = data.decode(code)
        except LookupError:
            raise ValueError(
                f"--encoding must be one that Python knows, such as utf-8; got {encoding!r}."
            ) from None
        except UnicodeError:
            continue
        if "\x00" in text:
            raise ValueError(
                f"{name} is no text in {code}; name its encoding, for instance with --encoding "
                f"utf-16-le."
            )
        if code == "cp1252" and encoding is None:
            check_windows(data, text, name)
        return text.removeprefix("\ufeff"), code.removesuffix("-sig")
    tried = encoding or marked or "UTF-8 and Windows-1252"
    raise ValueError(f"{name} is no text in {tried}; name its encoding with --encoding.")
