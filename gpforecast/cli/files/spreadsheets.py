"""Tables of files that are no text: spreadsheets of Excel, and Parquet."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import pandas as pd

from gpforecast.cli.files.layout import table_of_rows
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Cell, Column, Money, Row, Table
from gpforecast.common.currencies import CURRENCY

if TYPE_CHECKING:
    from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

_SHEET = b"[Content_Types].xml"
_FORMULA = re.compile(
    r"<c\b([^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>([^<]*)</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
_BLANKS = re.compile(r"[_*].")  # a blank as wide as a sign, or a sign that fills a cell
_RATE = re.compile(r"/|\bper\b", re.IGNORECASE)  # EUR/MWh is no amount
_LOCALE = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")  # such as [$€-407], or [$-409] of dates
_NAME = re.compile(r'\br="([A-Z]+\d+)"')


def is_sheet(data: bytes) -> bool:
    """Whether bytes are a spreadsheet: a zip archive that begins as Office documents do."""
    return data.startswith(b"PK\x03\x04") and _SHEET in data


def is_parquet(data: bytes) -> bool:
    """Whether bytes are a Parquet file."""
    return data.startswith(b"PAR1") and data.endswith(b"PAR1")


def table_of_sheet(data: bytes, source: str, options: FileOptions) -> Table:
    """Return the table of a spreadsheet, of its only sheet or of the one that is named.

    Raises
    ------
    ValueError
        If openpyxl is missing, if the file is damaged, or if several sheets hold cells.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ValueError(
            f"{source} is a spreadsheet, which needs openpyxl: pip install 'gpforecast[excel]', or "
            f"save it as CSV."
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl's remarks on styles
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = {
                sheet.title: rows
                for sheet in book.worksheets
                if sheet.sheet_state == "visible"
                and (rows := list(_rows(sheet, _without_values(data, sheet))))
            }
    except Exception as error:  # a damaged file may raise anything
        raise ValueError(f"{source} cannot be read as a spreadsheet: {error}.") from None
    names = ", ".join(map(repr, sheets))
    if not sheets:
        raise ValueError(f"{source} must hold a table; its sheets are empty.")
    if options.sheet is None and len(sheets) > 1:
        raise ValueError(f"--sheet must name one of the sheets of {source}: {names}.")
    sheet = options.sheet if options.sheet is not None else next(iter(sheets))
    if sheet not in sheets:
        raise ValueError(f"--sheet: {source} has no sheet {sheet!r} with cells; it has {names}.")
    rows = [row for row in sheets[sheet] if row[0] > (options.skip_rows or 0)]
    return table_of_rows(rows, source, options, said=[f"sheet {sheet!r}"], padded=True)


def table_of_parquet(data: bytes, source: str) -> Table:
    """Return the table of a Parquet file, its index with it.

    Raises
    ------
    ValueError
        If pyarrow is missing, or if the file is damaged.
    """
    try:
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import read_table
    except ImportError:
        raise ValueError(
            f"{source} is a Parquet file, which needs pyarrow: pip install 'gpforecast[parquet]', "
            f"or save it as CSV."
        ) from None
    try:
        frame = read_table(BufferReader(data)).to_pandas()
    except (ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{source} cannot be read as Parquet: {error}.") from None
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    places = tuple(range(1, len(frame) + 1))
    columns = tuple(
        Column(str(name), tuple(map(_cell, frame[name].tolist())), places, source, counts="row")
        for name in frame.columns
    )
    if not places:
        raise ValueError(f"{source} must have rows of data; it has none.")
    return Table(columns, source, places, ("Parquet",))


def _rows(sheet: "ReadOnlyWorksheet", formulas: dict[str, str]) -> Iterator[Row]:
    """Yield the rows of a sheet that hold something; formulas without values are texts."""
    from openpyxl.utils import get_column_letter

    for line, row in enumerate(sheet.iter_rows(), 1):
        cells = [_to_milliseconds(_with_currency(cell)) for cell in row]
        if formulas:
            for i, cell in enumerate(row):
                if cell.value is None:
                    cells[i] = formulas.get(f"{get_column_letter(i + 1)}{line}", "")
        if any(cell != "" for cell in cells):
            yield line, cells


def _with_currency(cell: "ReadOnlyCell | EmptyCell") -> Cell:
    """Return the value of a cell; a number with the currency that its format shows."""
    value = _cell(cell.value)
    if not isinstance(value, float):
        return value
    currency = _currency_of(cell.number_format)
    return Money(value, currency) if currency else value


@lru_cache(maxsize=256)
def _currency_of(number_format: str) -> str:
    """Return the currency that a format of Excel shows, "" for none.

    Examples
    --------
    >>> [_currency_of(form) for form in ('#,##0.00 "€"', "[$EUR] 0", "[$-409]mmm yy", "0.00")]
    ['€', 'EUR', '', '']
    >>> [_currency_of(form) for form in ("_-* #,##0.00 _€_-", '0.00" EUR/MWh"')]
    ['', '']
    """
    shown = _BLANKS.sub("", _LOCALE.sub(r"\1", number_format)).split(";")[0]
    found = re.search(CURRENCY, shown)
    return found[0] if found and not _RATE.search(shown, found.end()) else ""


def _without_values(data: bytes, sheet: "ReadOnlyWorksheet") -> dict[str, str]:
    """Return the formulas of which a file does not hold the values, by the names of their cells.

    A program that writes formulas need not compute them. An empty text is a value.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        data = archive.read(sheet._worksheet_path)
    xml = data.decode("utf-8", "replace") if b"<f" in data else ""
    found = {}
    for attributes, formula in _FORMULA.findall(xml):
        name = _NAME.search(attributes)
        if name is not None and 't="str"' not in attributes:
            found[name[1]] = f"={formula}"
    return found


def _to_milliseconds(cell: Cell) -> Cell:
    """Round a date, which a sheet keeps as a fraction of days."""
    if not isinstance(cell, datetime):
        return cell
    off = (cell.microsecond + 500) % 1000 - 500
    return cell - timedelta(microseconds=off)


def _cell(value: object) -> Cell:
    """Return a value as a number, a date or a text."""
    if value is None or value is pd.NaT or value is pd.NA:
        return ""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return str(value)
