"""What the user says about a file."""

from dataclasses import dataclass


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
