"""A table of cells, of which the columns have names and the rows have places in the file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self, TypeAlias

Cell: TypeAlias = str | float | datetime
"""What a file holds: a text file texts, a spreadsheet also numbers (NaN if empty) and dates."""


class Money(float):
    """A number of a spreadsheet that is shown with the sign or code of a currency."""

    def __new__(cls, value: float, currency: str) -> Self:
        """Return the number with its currency."""
        made = super().__new__(cls, value)
        made.currency = currency
        return made

    currency: str

    def __repr__(self) -> str:
        """Return the number alone, as of any other."""
        return float.__repr__(self)


Row: TypeAlias = tuple[int, list[Cell]]
"""A line of the file or row of the sheet, counted from 1, and its cells."""


@dataclass(frozen=True)
class Column:
    """A column, and how messages call it and its cells.

    Attributes
    ----------
    name : str
    cells : sequence of str, float or datetime
    places : sequence of int
        The line of the file that each cell is in.
    source : str
        The name of the file.
    sep : str
        The delimiter of its fields; empty if it has none.
    counts : str
        What `places` count: lines, or the rows of a sheet.
    """

    name: str
    cells: Sequence[Cell]
    places: Sequence[int]
    source: str
    sep: str = ""
    counts: str = "line"

    def place(self, i: int) -> str:
        """Say what cell i is and where, for a message."""
        return (
            f"{written(self.cells[i])!r} in column {self.name!r}, {self.counts} "
            f"{self.places[i]} of {self.source},"
        )

    def texts(self, most: int | None = None) -> list[str]:
        """Return the cells, or so many of them, as they would stand in a text file."""
        return [written(cell) for cell in self.cells[:most]]


def joined(columns: Sequence[Column]) -> Column:
    """Return the column of what some columns say together, as a date and a clock time."""
    texts = [" ".join(filter(None, row)) for row in zip(*(c.texts() for c in columns), strict=True)]
    first, name = columns[0], " ".join(column.name for column in columns)
    return replace(first, name=name, cells=tuple(texts))


@dataclass(frozen=True)
class Table:
    """The columns of a file.

    Attributes
    ----------
    columns : tuple of Column
    source : str
        The name of the file.
    places : tuple of int
        The line of each row.
    said : tuple of str
        What was detected on the way here.
    """

    columns: tuple[Column, ...]
    source: str
    places: tuple[int, ...]
    said: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The names of the columns, for a message."""
        return ", ".join(repr(column.name) for column in self.columns)


def written(cell: Cell) -> str:
    """Return a cell as it would stand in a text file, without the spaces around it.

    Examples
    --------
    >>> written(" x "), written(2019.0), written(0.5), written(float("nan"))
    ('x', '2019', '0.5', '')
    """
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    if cell != cell:
        return ""
    return f"{cell:.0f}" if float(cell).is_integer() else repr(cell)
