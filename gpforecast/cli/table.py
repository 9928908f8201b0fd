"""A table of cells, of which the columns have names and the rows have places in the file."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from gpforecast.common.wording import similar

Cell: TypeAlias = str | float | datetime
"""What a file holds: a text file texts, a spreadsheet also numbers and dates."""


@dataclass(frozen=True)
class Column:
    """A column, and how messages call its cells.

    Attributes
    ----------
    name : str
    cells : tuple of str, float or datetime
        An empty text where the file has none.
    lines : tuple of int
        The line of the file that each cell is in.
    source : str
        The name of the file.
    word : str
        What `lines` count: lines, or the rows of a sheet.
    """

    name: str
    cells: tuple[Cell, ...]
    lines: tuple[int, ...]
    source: str
    word: str = "line"

    @cached_property
    def texts(self) -> list[str]:
        """The cells as they would stand in a text file."""
        return [written(cell) for cell in self.cells]

    def refused(self, i: int, option: str, what: str) -> ValueError:
        """Return the refusal of cell i: the option that is about it, and what is wrong."""
        return ValueError(
            f"{option}: {self.texts[i]!r} in column {self.name!r}, {self.word} {self.lines[i]} of "
            f"{self.source}, {what}."
        )


@dataclass(frozen=True)
class Table:
    """The columns of a file, its delimiter ("" if it has none), and what was detected."""

    columns: tuple[Column, ...]
    source: str
    sep: str = ""
    detected: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The names of the columns, for a message."""
        return ", ".join(repr(column.name) for column in self.columns)

    def named(self, names: tuple[str, ...], option: str) -> list[Column]:
        """Return the columns that an option names, one or, with commas between them, several."""
        whole = {column.name for column in self.columns}
        parts = [[name] if name in whole else name.split(",") for name in names]
        return [self._column(part.strip(), option) for several in parts for part in several]

    def _column(self, name: str, option: str) -> Column:
        """Return the column of a name, or of a number if there is no such name."""
        places = [i for i, column in enumerate(self.columns) if column.name == name]
        if len(places) > 1:
            raise ValueError(
                f"{option}: {self.source} has {len(places)} columns {name!r}; pass the number of "
                f"one, {' or '.join(str(i + 1) for i in places)}."
            )
        if not places and name.isdecimal() and 1 <= int(name) <= len(self.columns):
            places = [int(name) - 1]
        if places:
            return self.columns[places[0]]
        near = similar(name, [column.name for column in self.columns])
        meant = f" Did you mean {near!r}?" if near else ""
        raise ValueError(
            f"{option}: {self.source} has no column {name!r}; it has {self.names}.{meant}"
        )


def joined(columns: list[Column]) -> Column:
    """Return the column of what some columns hold together, as a date and a clock time."""
    rows = zip(*(column.texts for column in columns), strict=True)
    texts = tuple(" ".join(filter(None, row)) for row in rows)
    return replace(columns[0], name=" ".join(column.name for column in columns), cells=texts)


def written(cell: Cell) -> str:
    """Return a cell as it would stand in a text file, without the spaces around it.

    Examples
    --------
    >>> written(" x "), written(2019.0), written(0.5)
    ('x', '2019', '0.5')
    """
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    return f"{cell:.0f}" if float(cell).is_integer() else repr(cell)
