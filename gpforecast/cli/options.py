"""What the user says about a file: the options, and their help."""

import argparse
from dataclasses import dataclass

_HOW = """\
What is not given here is detected. What can be read in two ways is refused with the option that
decides."""
_TEXTS = {"metavar": "TEXT", "action": "append", "default": []}


@dataclass(frozen=True)
class FileOptions:
    """What the user says about a file; what is None is detected.

    Attributes
    ----------
    value, time : str, optional
        Names of columns, or their numbers from 1. `time` may name several, with commas between
        them, that say together when, such as ``Date,Time``.
    exog : tuple of str
        Columns that are known beforehand, each entry a name or number, or several as of `time`.
    count : bool
        Count the rows from 0, whatever dates there are.
    sep, decimal, encoding : str, optional
        The delimiter of fields, the decimal mark of numbers, the encoding of text.
    header : bool, optional
        Whether the first row holds names.
    skip_rows : int, optional
        Lines before the table.
    skip_footer : int
        Rows after it.
    sheet : str, optional
        Of a spreadsheet.
    missing, zero : tuple of str
        Further texts that stand for a missing value, and for 0.
    ignore : tuple of str
        Texts before or behind numbers that are left out.
    date_format : str, optional
        A format of ``strptime``, or one of ``number``, ``excel`` and ``unix``.
    dayfirst : bool, optional
        Whether 03/04/2019 is the third of April.
    timezone : str, optional
        The zone that the times are in, or are brought to if they have offsets from UTC.
    sort : bool
        Bring the rows in the order of their times.
    duplicates : str, optional
        What to make of rows of the same time: ``mean``, ``sum``, ``first`` or ``last``.
    """

    value: str | None = None
    time: str | None = None
    exog: tuple[str, ...] = ()
    count: bool = False
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip_rows: int | None = None
    skip_footer: int = 0
    sheet: str | None = None
    missing: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    date_format: str | None = None
    dayfirst: bool | None = None
    timezone: str | None = None
    sort: bool = False
    duplicates: str | None = None


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `FileOptions` that are not on a parser yet."""
    group = parser.add_argument_group("how FILE is written", _HOW)
    either = argparse.BooleanOptionalAction
    for flags, text, more in (
        ("--delimiter --sep", "between fields: a character, or comma, semicolon, tab, pipe, space",
         {"metavar": "C", "dest": "sep"}),
        ("--decimal", "the decimal mark; the other is then between thousands",
         {"choices": [".", ","]}),
        ("--encoding", "of the text, such as utf-8, cp1252, utf-16-le", {"metavar": "CODE"}),
        ("--header", "the first row has names or, with --no-header, data; columns are then 1, 2, 3",
         {"action": either}),
        ("--skip-rows", "lines before the table", {"metavar": "N", "type": _count}),
        ("--skip-footer", "rows after the table, such as totals",
         {"metavar": "N", "type": _count, "default": 0}),
        ("--sheet", "of a spreadsheet", {"metavar": "NAME"}),
        ("--missing", "another text for a missing value; may be repeated", _TEXTS),
        ("--zero", "a text that stands for 0, such as -; may be repeated", _TEXTS),
        ("--ignore", "a text at an end of numbers to leave out, such as a unit; may be repeated",
         _TEXTS),
        ("--date-format", "such as %%d.%%m.%%Y; or number, excel (days) or unix (seconds)",
         {"metavar": "FORMAT"}),
        ("--dayfirst", "03/04/2019 is in April or, with --no-dayfirst, in March",
         {"action": either}),
        ("--timezone", "of the times, such as Europe/Paris; offsets from UTC are brought to it",
         {"metavar": "ZONE"}),
        ("--sort", "bring the rows in the order of times", {"action": "store_true"}),
        ("--duplicates", "what to take of rows of the same time",
         {"choices": ["mean", "sum", "first", "last"]}),
        ("--count", "number the rows from 0, whatever dates there are", {"action": "store_true"}),
    ):  # fmt: skip
        group.add_argument(*flags.split(), help=text, **more)


def _count(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"must be an integer from 0 up; got {text!r}.")
