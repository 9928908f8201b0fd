"""A table of cells, of which the columns have names and the rows have places in the file."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from gpforecast.common.wording import listed, meant

Cell: TypeAlias = str | float | datetime
"""What a file holds: a text file texts, a spreadsheet also numbers and dates."""


@dataclass(frozen=True)
class Column:
    """A column, and how messages name its cells.

    Attributes
    ----------
    name : str
    cells : tuple of str, float or datetime
        An empty text where the file has none.
    lines : tuple of int
        The line of the file, or row of the sheet, of each cell.
    source : str
        The name of the file.
    """

    name: str
    cells: tuple[Cell, ...]
    lines: tuple[int, ...]
    source: str

    @cached_property
    def texts(self) -> list[str]:
        """The cells as they would stand in a text file."""
        return [written(cell) for cell in self.cells]

    def refused(self, i: int, what: str) -> ValueError:
        """Return the refusal of cell i: what is wrong, and the option that helps."""
        return ValueError(
            f"{self.texts[i]!r} in column {self.name!r}, line {self.lines[i]} of {self.source}, "
            f"{what}."
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
        return listed([repr(column.name) for column in self.columns], 12)

    def named(self, names: tuple[str, ...], option: str) -> list[Column]:
        """Return the columns that an option names, one or, with commas between them, several."""
        whole = {column.name for column in self.columns}
        parts = [[name] if name in whole else name.split(",") for name in names]
        return [self._column(part.strip(), option) for several in parts for part in several]

    def _column(self, name: str, option: str) -> Column:
        """Return the column of a name, or of a number if there is no such name."""
        found = [column for column in self.columns if column.name == name]
        if not found and name.isdecimal():
            found = [*self.columns[int(name) - 1 : int(name)]]
        if len(found) == 1:
            return found[0]
        near = "" if found else meant(name, [column.name for column in self.columns])
        raise ValueError(
            f"{option} must name one column, or give its number; {self.source} has "
            f"{len(found) or 'no'} column {name!r}; it has {self.names}.{near}"
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
