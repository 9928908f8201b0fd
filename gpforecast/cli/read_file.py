"""From a file to a table: bytes, text or sheet, rows, and the header among them."""

import codecs
import csv
import gzip
import io
import re
import sys
import warnings
import zlib
from collections import Counter
from contextlib import suppress
from datetime import date
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from gpforecast.cli.amounts import is_number
from gpforecast.cli.dates import is_date
from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Cell, Column, Table, written
from gpforecast.common.imports import to_install
from gpforecast.common.validation import counted

Rows = list[tuple[int, list[Cell]]]
"""Lines of the file or rows of the sheet, counted from 1, and their cells."""


class _Found(NamedTuple):
    """The rows of a file, what was detected on the way, and its delimiter if it has one."""

    rows: Rows
    detected: tuple[str, ...]
    sep: str = ""


_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_NO_TABLE = {
    b"\xd0\xcf\x11\xe0": "an Excel file of before 2007; save it as .xlsx or as CSV",
    b"%PDF": "a PDF; save its table as CSV",
    b"BZh": "packed by bzip2; unpack it first",
    b"\xfd7zXZ": "packed by xz; unpack it first",
    b"PK\x03\x04": "a zip archive or a sheet of another program; save the table as .xlsx or CSV",
    b"<": "a web page or XML; save its table as CSV",
    b"[": "JSON; save its table as CSV",
    b"{": "JSON; save its table as CSV",
}
_SEPS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes", "": "one column"}
_SAMPLE = 200  # rows that are enough to detect a delimiter
_BELOW = 20  # rows below a header that tell what its columns hold


def label(path: str) -> str:
    """Return what messages call a file."""
    return "the standard input" if path == "-" else path


def read_table(path: str, options: FileOptions) -> Table:
    r"""Return the table in a file.

    Raises
    ------
    ValueError
        If the file cannot be read, if its rows have different numbers of fields, or if its header
        is missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "milk.csv"
    ...     _ = file.write_text("day;litres\n1;2,5\n2;3,5\n")
    ...     table = read_table(str(file), FileOptions())
    >>> table.columns[1].cells, table.detected
    (('2,5', '3,5'), ('utf-8', 'semicolons'))
    """
    source = label(path)
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, ValueError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ValueError(f"{source} cannot be read: {why}.") from None
    kind = _parquet if data.startswith(b"PAR1") else _text
    kind = _sheet if data.startswith(b"PK\x03\x04") and b"[Content_Types].xml" in data else kind
    return _table(kind(data, source, options), source, options)


def _text(data: bytes, source: str, options: FileOptions) -> _Found:
    """Return the rows of a text that hold something; quotes hold line breaks."""
    if options.sheet is not None:
        raise ValueError(
            f"--sheet names a sheet of a spreadsheet, and {source} is none; leave --sheet out."
        )
    text, encoding = decoded(data, options.encoding, source)
    skip = options.skip_rows or 0
    lines = io.StringIO(text, newline="").readlines()[skip:]
    sep = options.delimiter
    sep = _detected_sep(lines) if sep is None else _SEPS.get(sep, sep)
    if len(sep) > 1 or sep in ('"', "\r", "\n"):
        raise ValueError(
            f"--delimiter must be one character or one of {', '.join(_SEPS)}; got {sep!r}."
        )
    reader = csv.reader(lines, delimiter=sep or "\x1f", skipinitialspace=True, strict=True)
    rows: Rows = []
    line = skip + 1
    try:
        for fields in reader:
            rows.append((line, [*map(str.strip, fields)]))
            line = skip + reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f'{source} cannot be read from line {line} on: {error}. A quote " must close before '
            f"a delimiter, and one within a field is written twice."
        ) from None
    return _Found(rows, (encoding, _NAMES.get(sep, f"fields by {sep!r}")), sep)


def decoded(data: bytes, encoding: str | None, name: str) -> tuple[str, str]:
    """Return the text of a file and its encoding.

    Without `encoding`: that of its byte order mark, else UTF-8, else Windows-1252, of which Latin-1
    is a part for printed characters.

    Examples
    --------
    >>> decoded("Zürich;1".encode("latin-1"), None, "sales.csv")
    ('Zürich;1', 'cp1252')
    """
    what = next((what for start, what in _NO_TABLE.items() if data.lstrip().startswith(start)), "")
    if what or not data.strip():
        raise ValueError(f"{name} must be a table; it is {what or 'empty'}.")
    known = encoding or next((code for mark, code in _BOMS.items() if data.startswith(mark)), None)
    for code in [known] if known else ["utf-8", "cp1252"]:
        with suppress(LookupError, UnicodeError):
            text = data.decode(code).removeprefix("\ufeff")
            # In no language of Windows-1252 has a word accented letters only.
            foreign = code == "cp1252" and not known and re.search("[À-ÖØ-öø-ÿ]{4}", text)
            if "\x00" not in text and not foreign:
                return text, code
    raise ValueError(
        f"{name} is no text in {known or 'UTF-8 or Windows-1252'}; name its encoding with "
        f"--encoding, such as cp1251, cp852 or utf-16-le, or save it as UTF-8."
    )


def _detected_sep(lines: list[str]) -> str:
    """Return the delimiter that gives most rows as many fields; "" for one column.

    Of several the comma comes last, as it is also a decimal mark.
    """
    for sep in "\t;|,":
        with suppress(csv.Error):
            sample = [*islice(csv.reader(lines, delimiter=sep, skipinitialspace=True), _SAMPLE)]
            sizes = Counter(len(row) for row in sample if any(row))
            width, n = max(sizes.items(), key=lambda item: item[::-1], default=(1, 0))
            if width > 1 and 2 * n > sizes.total():
                return sep
    return ""


def _sheet(data: bytes, source: str, options: FileOptions) -> _Found:
    """Return the rows of a spreadsheet, of its only sheet or of the one that is named."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl's remarks on styles
            book = pd.ExcelFile(io.BytesIO(data), engine="openpyxl")
            names = [s.title for s in book.book.worksheets if s.sheet_state == "visible"]
            frames = book.parse(names, header=None, dtype=object, keep_default_na=False)
    except Exception as error:  # a damaged file may raise anything
        raise _unreadable(source, "a spreadsheet", "openpyxl", error) from None
    sheets = {name: frame for name, frame in frames.items() if frame.notna().to_numpy().any()}
    name = options.sheet or (next(iter(sheets)) if len(sheets) == 1 else "")
    if name not in sheets:
        raise ValueError(
            f"--sheet must name one of the sheets of {source} that hold cells: "
            f"{', '.join(map(repr, sheets)) or 'all are empty'}."
        )
    return _Found(_rows(sheets[name])[options.skip_rows or 0 :], (f"sheet {name!r}",))


def _parquet(data: bytes, source: str, _: FileOptions) -> _Found:
    """Return the rows of a Parquet file, its index with it."""
    try:
        frame = pd.read_parquet(io.BytesIO(data))
    except Exception as error:  # pyarrow has its own
        raise _unreadable(source, "a Parquet file", "pyarrow", error) from None
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return _Found([(0, [*map(str, frame.columns)]), *_rows(frame)], ("Parquet",))


def _rows(frame: pd.DataFrame) -> Rows:
    rows = frame.itertuples(index=False, name=None)
    return [(k, [*map(_cell, row)]) for k, row in enumerate(rows, 1)]


def _unreadable(source: str, what: str, package: str, error: Exception) -> ValueError:
    """Return the refusal of a file that a package cannot read, or that needs the package."""
    if isinstance(error, ImportError):
        return ValueError(
            f"{source} is {what}, which needs {package}: {to_install(package)}, or save it as CSV."
        )
    return ValueError(f"{source} cannot be read as {what}: {error}.")


def _cell(value: object) -> Cell:
    """Return a value of a sheet as a number, a date or a text; "" if it is missing."""
    if value is None or value is pd.NaT or value is pd.NA or value != value:
        return ""
    match value:
        case bool():
            return str(value)
        case int() | float():
            return float(value)
        case date():
            return pd.Timestamp(value)
    return str(value)


def _table(found: _Found, source: str, options: FileOptions) -> Table:
    """Return the table that rows hold, without the lines before its header."""
    # Line 0 has the names of Parquet, of which blank rows are values.
    rows = [row for row in found.rows if not found.rows[0][0] or any(cell != "" for cell in row[1])]
    rows = rows[: len(rows) - options.skip_footer]
    if not rows:
        raise ValueError(f"{source} must hold a table; no row is left.")
    width = Counter(len(row) for _, row in rows).most_common(1)[0][0]
    while width > 1 and all(row[width - 1 : width] in ([""], []) for _, row in rows):
        width -= 1  # delimiters at the ends of lines
    headers = (i for i, (_, row) in enumerate(rows) if _may_be_header(row, width))
    start = next(headers, 0) if options.skip_rows is None and rows[0][0] else 0
    if any(_is_datum(cell) for _, row in rows[:start] for cell in row):
        start = 0  # data, and no titles
    rows = [(line, row if any(row[width:]) else row[:width]) for line, row in rows[start:]]
    for line, row in rows:
        if len(row) != width:
            raise ValueError(
                f"{source} must have as many fields in every line; line {line} has {len(row)}, "
                f"{_shown(row)!r}, where most have {width}; complete the line, pass --skip-rows or "
                f"--skip-footer if the table begins below or ends above it, or --delimiter. Where "
                f"commas are between fields, numbers with commas must be in quotes."
            )
    names = [*map(written, _header(rows, source, options))]
    body = rows[1:] if names else rows
    if not body:
        raise ValueError(f"{source} must have rows of data below its header; it has none.")
    lines = tuple(line for line, _ in body)
    columns = [
        Column(name or str(i), cells, lines, source)
        for i, name in enumerate(names or [""] * width, 1)
        if any(cells := tuple(row[i - 1] for _, row in body)) or name
    ]
    detected = found.detected
    detected += (f"{counted(start, 'line')} before the header left out",) * bool(start)
    detected += () if names else ("no header, columns are numbered",)
    return Table(tuple(columns), source, found.sep, detected)


def _may_be_header(row: list[Cell], width: int) -> bool:
    """Whether a row is as wide as the table, and no title that is filled up with delimiters."""
    filled = [i for i, cell in enumerate(row) if cell != ""]
    return len(row) >= width and (len(filled) > 1 or filled[-1] >= width - 1)


def _header(rows: Rows, source: str, options: FileOptions) -> list[Cell]:
    """Return the names in the first row, or none if the user says that it holds data."""
    line, row = rows[0]
    if options.header is not None or line == 0:
        return [] if options.header is False and line else row
    below = [cells for _, cells in rows[1 : _BELOW + 1]]
    typed = [i for i in range(len(row)) if not below or any(_is_datum(cells[i]) for cells in below)]
    if not typed or not all(_is_datum(row[i]) for i in typed):
        return row
    skip = f"--skip-rows {line - 1} " if line > 1 else ""
    raise ValueError(
        f"{source} must begin with the names of its columns; got {_shown(row)!r} in line {line}, "
        f"which looks like data. Pass {skip}--no-header if it is, or {skip}--header if these are "
        f"names, or name another delimiter with --delimiter. Times must be one below the other."
    )


def _is_datum(cell: Cell) -> bool:
    text = written(cell)
    return is_number(text) or is_date(text)


def _shown(row: list[Cell]) -> str:
    text = ", ".join(filter(None, map(written, row)))
    return text if len(text) <= 40 else f"{text[:40]}..."
