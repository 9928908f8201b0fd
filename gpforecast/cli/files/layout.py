"""From rows to a table: what stands before and after it, its header, its totals."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from gpforecast.cli.files.date_forms import is_date
from gpforecast.cli.files.delimiters import delimiter_of, detected_delimiter, rows_of
from gpforecast.cli.files.numbers import is_missing, is_number
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Cell, Column, Row, Table, written
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted

_TOTAL = re.compile(
    r"(\d{4}\s+)?(grand|sub|zwischen|end)?[- ]?"
    r"(totals?|sums?|summen?|gesamt(summe|ergebnis|wert|betrag)?|ergebnis|insgesamt|totaa?l|totale|"
    r"ensemble|suma|somme|average|mean|moyenne|mittelwert|durchschnitt)\b.{0,20}",
    re.IGNORECASE,
)
_HINT = re.compile(r"sep=(?P<sep>.)\r?\n")  # the first line of files for Excel
_COMMENT = re.compile(r"#(?!\d|N/A|NA$|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)")  # #1001 is an order
_JSON = re.compile(r'\s*\[?\s*\{\s*"')
_SUMMED, _ROUNDED = 4, 1e-5  # values beside 0 that have a sum; how far it may be off, relative
_BEYOND_NAMES = 20  # rows by which the type of a column is detected
_MOST_TITLES = 10  # rows above the names
_SHOWN = 40  # characters of a cell in a message


def table_of_text(text: str, source: str, options: FileOptions) -> Table:
    r"""Return the table in a text.

    Examples
    --------
    >>> table = table_of_text("day;litres\n1;2,5\n2;3,5\n", "milk.csv", FileOptions())
    >>> table.columns[1].cells, table.said
    (('2,5', '3,5'), ('semicolons',))
    """
    skip = options.skip_rows or 0
    if not text.strip():
        raise ValueError(f"{source} must hold a table; it is empty.")
    if text.lstrip().startswith("<"):
        raise ValueError(f"{source} must be a table; it is a web page or XML. Save it as CSV.")
    if _JSON.match(text):
        raise ValueError(f"{source} must be a table; it is JSON. Save it as CSV.")
    named = options.sep
    if (hint := _HINT.match(text)) and not skip:
        named, skip = named or hint["sep"], 1
    sep = delimiter_of(named) if named else detected_delimiter(text, source, skip)
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes", "": "one column"}
    said = [names.get(sep, f"fields by {sep!r}")]
    rows = rows_of(text, sep or ";", source, skip)
    return table_of_rows(rows, source, options, sep=sep, said=said)


def table_of_rows(
    rows: Iterable[Row],
    source: str,
    options: FileOptions,
    *,
    sep: str = "",
    said: Iterable[str] = (),
    padded: bool = False,
) -> Table:
    """Return the table that rows hold, its header found and what is not of it left out.

    Parameters
    ----------
    rows : iterable of (int, list)
    source : str
        The name of the file.
    options : FileOptions
    sep : str
        The delimiter of fields; empty if there is none.
    said : iterable of str
        What was detected before.
    padded : bool
        Whether rows may be shorter than others, as in a spreadsheet.

    Raises
    ------
    ValueError
        If rows have different numbers of fields, if the header is missing, or if there are totals.
    """
    notes, word = list(said), "row" if padded else "line"
    found = [(line, _trimmed(row) if padded else row) for line, row in rows]
    found, left_out = _without_blanks_and_comments(found, word)
    notes += left_out
    found = found[: len(found) - options.skip_footer] if options.skip_footer else found
    if not found:
        raise ValueError(f"{source} must hold a table; no row is left.")
    width = max(len(row) for _, row in found) if padded else _width([row for _, row in found])
    if options.skip_rows is None:
        found, before = _without_preamble(found, width, source, options, padded=padded)
        if options.header is None and (padded or not before):
            found, more = _without_titles(found)
            before += more
        notes += [f"{counted(before, word)} before the header left out"] if before else []
    found = [(line, _fitted(row, width)) for line, row in found]
    _check_widths(found, width, source, padded=padded)
    header = _header(found, source, options, word)
    body = found[1:] if header else found
    if not body:
        raise ValueError(f"{source} must have rows of data below its header; it has none.")
    if header and _holds_units(body, options):
        notes.append(f"units left out: {_shown(body[0][1])}")
        body = body[1:]
    names = [written(cell) for cell in header] or [""] * width
    kept = [
        i for i in range(width) if names[i] or any(written(row[i]) for _, row in body)
    ]  # columns without a name and a value are delimiters at the ends of lines
    places = tuple(line for line, _ in body)
    columns = tuple(
        Column(names[i] or str(i + 1), tuple(row[i] for _, row in body), places, source, sep, word)
        for i in kept
    )
    if not header:
        notes.append("no header, columns are numbered")
    return Table(columns, source, places, tuple(notes))


def check_totals(column: Column) -> None:
    """Refuse rows that a column calls a total or a mean of the others."""
    bad = [i for i, text in enumerate(column.texts()) if _TOTAL.fullmatch(text)]
    if bad and 2 * len(bad) < len(column.cells):
        end = column.texts()[bad[0] :]
        last = not any(is_number(text) or is_date(text) for text in end)
        what = f"pass --skip-footer {len(end)}" if last else "delete such rows"
        raise ValueError(f"{column.place(bad[0])} is a total, not a value of the series; {what}.")


def check_last_sum(column: Column, values: FloatArray) -> None:
    """Refuse a last value that is the sum of those before it, where no time says whose it is."""
    before, last = values[:-1][~np.isnan(values[:-1])], values[-1]
    sizes = np.abs(before).sum()  # which may have been rounded one by one
    if (
        np.count_nonzero(before) >= _SUMMED
        and last != 0.0
        and abs(last - before.sum()) <= _ROUNDED * sizes
    ):
        raise ValueError(
            f"{column.place(len(values) - 1)} is the sum of the values before it; pass "
            f"--skip-footer 1 if it is a total, or --count if it is a value of the series."
        )


def _without_blanks_and_comments(rows: list[Row], word: str) -> tuple[list[Row], list[str]]:
    full = [row for row in rows if any(written(cell) for cell in row[1])]
    kept = [row for row in full if not _is_comment(row, full)]
    names = _commented_header(full, kept)
    kept = [names, *kept] if names else kept
    # Blank lines before the first row and after the last are not said.
    lines = {line for line, _ in full}
    first, last = (full[0][0], full[-1][0]) if full else (0, 0)
    inner = sum(first < line < last and line not in lines for line, _ in rows)
    comments = len(full) - len(kept)
    said = [f"{counted(inner, f'blank {word}')} left out"] if inner else []
    said += [f"{counted(comments, f'comment {word}')} left out"] if comments else []
    return kept, said


def _is_comment(row: Row, rows: list[Row]) -> bool:
    """Whether a row begins with #, which by itself is also the name of a column of numbers."""
    first, *others = map(written, row[1])
    if not _COMMENT.match(first):
        return False
    below = next((cells for line, cells in rows if line > row[0]), [])
    counts = len(below) == len(row[1]) and written(below[0]).isdigit()
    return first != "#" or not any(others) or not counts


def _commented_header(full: list[Row], kept: list[Row]) -> Row | None:
    """Return the last comment before the data if it holds their names, as in ``# day,litres``."""
    if not kept or not _is_data(kept[0][1], [row for _, row in kept[1:]]):
        return None
    above = [row for row in full if row[0] < kept[0][0]]
    if not above or len(above[-1][1]) != len(kept[0][1]) or len(kept[0][1]) < 2:
        return None
    line, (first, *others) = above[-1]
    return line, [written(first).lstrip("# "), *others]


def _trimmed(row: list[Cell]) -> list[Cell]:
    """Return a row without the empty cells at its end."""
    used = max((i + 1 for i, cell in enumerate(row) if written(cell)), default=0)
    return row[:used]


def _width(rows: list[list[Cell]]) -> int:
    """Return how many fields most rows have, without those at their end that are always empty."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    usual = [row for row in rows if len(row) == width]
    while width > 1 and not any(written(row[width - 1]) for row in usual):
        width -= 1
    return width


def _without_preamble(
    rows: list[Row], width: int, source: str, options: FileOptions, *, padded: bool
) -> tuple[list[Row], int]:
    """Leave lines out that are shorter than the table, if a header follows them.

    The rows of a sheet may end early, but the titles above its table are single cells.
    """
    sizes = [len(list(filter(None, map(written, row)))) if padded else len(row) for _, row in rows]
    least = min(width, 2) if padded else width
    start = next((i for i, size in enumerate(sizes) if size >= least), 0)
    if start == 0:
        return rows, 0
    line, row = rows[start]
    word = "row" if padded else "line"
    if options.header is None:
        _check_times_below(row, f"{word} {line}", line, source)
    if options.header is False or _is_data(row, [cells for _, cells in rows[start + 1 :]]):
        first = _shown(rows[0][1])
        raise ValueError(
            f"{source} has {counted(width, 'field')} from {word} {line} on and others before, such "
            f"as {first!r} in {word} {rows[0][0]}, and no header between; pass --skip-rows "
            f"{line - 1} --no-header, or name the delimiter with --sep. Where commas are between "
            f"fields, numbers with commas must be in quotes."
        )
    return rows[start:], start


def _without_titles(rows: list[Row]) -> tuple[list[Row], int]:
    """Leave out rows above the names: only their first cell is filled, or a blank line follows.

    A row of two numbers or dates is data, and what stands above it is not left out.
    """
    for i, ((line, row), (_, below)) in enumerate(pairwise(rows[1 : _MOST_TITLES + 2]), 1):
        last, above = rows[i - 1]
        if sum(map(_is_datum, above)) > 1:
            break
        titles = all(not any(map(written, cells[1:])) for _, cells in rows[:i])
        names = sum(bool(written(cell)) for cell in row) > 1 and not any(map(_is_datum, row))
        if names and any(map(_is_datum, below)) and (titles or line - last > 1):
            return rows[i:], i
    return rows, 0


def _holds_units(body: list[Row], options: FileOptions) -> bool:
    """Whether the row below the names is text only, and only above numbers, dates and gaps.

    In a table of one column, such a row is a value that cannot be read.
    """
    (_, first), others = body[0], [row for _, row in body[1 : _BEYOND_NAMES + 1]]
    if len(first) < 2 or len(others) < 2 or any(map(_is_datum, first)):
        return False
    named = [i for i, cell in enumerate(first) if not is_missing(written(cell), options)]
    below = [row[i] for row in others for i in named]
    known = [cell for cell in below if not is_missing(written(cell), options)]
    return bool(known) and all(map(_is_datum, known))


def _fitted(row: list[Cell], width: int) -> list[Cell]:
    """Return a row without empty fields beyond the width."""
    while len(row) > width and not written(row[-1]):
        row = row[:-1]
    return row


def _check_widths(rows: list[Row], width: int, source: str, *, padded: bool) -> None:
    for _, row in rows:
        if padded and len(row) < width:
            row.extend([""] * (width - len(row)))
    odd = [i for i, (_, row) in enumerate(rows) if len(row) != width]
    if not odd:
        return
    line, row = rows[odd[0]]
    if odd[0] == 0:
        what = "name all columns in the header, or pass --skip-rows 1 --no-header"
    elif odd == list(range(len(rows) - len(odd), len(rows))):
        what = f"pass --skip-footer {len(odd)} if the table ends before it, or complete the line"
    else:
        what = "complete the line, or name the delimiter with --sep"
    raise ValueError(
        f"{source} must have as many fields in every line; line {line} has {len(row)}, "
        f"{_shown(row)!r}, where most have {width}; {what}."
    )


def _header(rows: list[Row], source: str, options: FileOptions, word: str) -> list[Cell]:
    """Return the names in the first row, or none if the user says that it holds data."""
    if options.header is False:
        return []
    line, row = rows[0]
    if options.header is None:
        _check_times_below(row, f"{word} {line}", line, source)
    if options.header is None and _is_data(row, [cells for _, cells in rows[1:]]):
        raise ValueError(
            f"{source} must begin with the names of its columns; got {_shown(row)!r} in {word} "
            f"{line}, which looks like data. Pass --no-header if it is, or --header if these are "
            f"names."
        )
    return row


def _is_data(first: list[Cell], body: list[list[Cell]]) -> bool:
    """Whether a first row has data wherever the rows below it have data."""
    typed = [
        i
        for i in range(len(first))
        if any(_is_datum(row[i]) for row in body[:_BEYOND_NAMES] if i < len(row))
    ]
    if not typed:
        return not body and all(_is_datum(cell) for cell in first)
    for i in typed:
        if is_date(written(first[i])) and any(is_date(written(row[i])) for row in body[:1]):
            return True  # no column of dates is called by a date
    gaps = [is_missing(written(first[i]), FileOptions()) for i in typed]
    return not all(gaps) and all(
        _is_datum(first[i]) or gap for i, gap in zip(typed, gaps, strict=True)
    )


def _is_datum(cell: Cell) -> bool:
    text = written(cell)
    return is_number(text) or is_date(text)


def _check_times_below(row: list[Cell], where: str, line: int, source: str) -> None:
    """Refuse a table with a column, not a row, for each time."""
    times: list[Cell] = [*filter(_is_time, row)]
    if len(times) > max(2, len(row) / 2):
        skip = f"--skip-rows {line - 1} " if line > 1 else ""
        raise ValueError(
            f"{source} must have its times one below the other; got {_shown(times)!r} side by side "
            f"in {where}. Turn the table, so that each time has a row, or pass {skip}"
            f"--header if these are names, or {skip}--no-header if they are data."
        )


def _is_time(cell: Cell) -> bool:
    """Whether a cell is a date or a year."""
    text = written(cell)
    return is_date(text) or re.fullmatch(r"(19|20)\d\d", text) is not None


def _shown(row: list[Cell]) -> str:
    text = ", ".join(filter(None, map(written, row)))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
