"""From a text to rows of fields, by the delimiter that makes them agree."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from gpforecast.cli.files.date_forms import is_date
from gpforecast.cli.files.numbers import is_number
from gpforecast.cli.files.table import Cell, Row, written

NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
_TEXT_FORMULA = re.compile(r'="(.*)"')  # by which texts such as 0012 get through spreadsheets
_SAMPLE = 200  # rows that are enough to detect a delimiter
_CLOSE = 0.1  # difference of scores from which on one delimiter is better than another


def delimiter_of(name: str) -> str:
    r"""Return the delimiter that an option names, by itself or by its word.

    Examples
    --------
    >>> delimiter_of("semicolon"), delimiter_of("|"), delimiter_of("\\t")
    (';', '|', '\t')
    """
    sep = NAMES.get(name, "\t" if name == "\\t" else name)
    if len(sep) != 1 or sep in '"\r\n':
        raise ValueError(f"--sep must be one character or one of {', '.join(NAMES)}; got {name!r}.")
    return sep


def rows_of(text: str, sep: str, source: str, skip: int = 0) -> Iterator[Row]:
    """Yield the line and the fields of each row after the first lines; quotes hold line breaks.

    Raises
    ------
    ValueError
        If quotes do not close, or close within a field, or a field is too long.
    """
    lines = io.StringIO(text, newline="")
    for _ in range(skip):
        lines.readline()
    reader = csv.reader(lines, delimiter=sep, skipinitialspace=True, strict=True)
    line = skip + 1
    try:
        for fields in reader:
            cells: list[Cell] = [_TEXT_FORMULA.sub(r"\1", field.strip()) for field in fields]
            yield line, cells
            line = skip + reader.line_num + 1
    except csv.Error as error:
        if "field larger" in str(error):
            raise ValueError(
                f"{source} has a field of more than {csv.field_size_limit()} characters in line "
                f"{line}, the most that are read: it is no table of values, or a quote in it does "
                f"not close."
            ) from None
        raise ValueError(
            f'{source} cannot be read from line {line} on: {error}. A quote " must close before '
            f"a delimiter, and one within a field is written twice."
        ) from None


def detected_delimiter(text: str, source: str, skip: int = 0) -> str:
    r"""Return the delimiter by which most rows have as many fields, and fields are data.

    Parameters
    ----------
    text : str
    source : str
        The name of the file, for a message.
    skip : int
        Lines before the table.

    Returns
    -------
    str
        Empty if every row is one field.

    Raises
    ------
    ValueError
        If two delimiters are as good.

    Examples
    --------
    >>> detected_delimiter("day;litres\n1;2,5\n2;3,5\n", "milk.csv")
    ';'
    """
    scores = {}
    first = next((line for line in text.splitlines()[skip:] if line.strip()), "")
    for sep in (NAMES[name] for name in ("comma", "semicolon", "tab", "pipe")):
        sample = _sample(text, sep, source, skip)
        if score := _score([row for row in sample if any(row) and not row[0].startswith("#")]):
            scores[sep] = score
    if not scores:
        return ""
    if not any(sep in first for sep in scores):
        # A header without delimiters: 1,5 below it may be one number.
        cells = [line.strip() for line in text.splitlines()[skip + 1 :][:_SAMPLE] if line.strip()]
        scores[""] = 0.5 + sum(map(is_number, cells)) / max(len(cells), 1)
    best, *others = sorted(scores, key=lambda sep: -scores[sep])
    close = [best, *(sep for sep in others if scores[best] - scores[sep] < _CLOSE)]
    in_header = [sep for sep in close if sep and sep in first]
    if len(in_header) == 1:
        return in_header[0]
    if len(close) > 1:
        names = {sep: name for name, sep in NAMES.items()} | {"": "semicolon (one column)"}
        raise ValueError(
            f"--sep must say what is between the fields of {source}: --sep {names[best]} or --sep "
            f"{names[others[0]]} are as likely."
        )
    return best


def _sample(text: str, sep: str, source: str, skip: int) -> list[list[str]]:
    """Return the first rows by a delimiter, up to one that cannot be read."""
    sample = []
    with suppress(ValueError):
        for _, row in islice(rows_of(text, sep, source, skip), _SAMPLE):
            sample.append([written(cell) for cell in row])
    return sample


def _score(rows: list[list[str]]) -> float:
    """Score a delimiter by how many rows have the usual number of fields, and how many are data."""
    rows = rows[1:] or rows  # the names of columns are no data
    width, _ = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
    if width < 2:
        return 0.0
    usual = [row for row in rows if len(row) == width]
    data = sum(not cell or is_number(cell) or is_date(cell) for row in usual for cell in row)
    return (0.5 * len(usual) + data / width) / len(rows)
