"""Tables as sheets of Excel: dates, numbers and columns that show as they should."""

from pathlib import Path

import numpy as np
import pandas as pd

_FEWEST, _MOST = 2, 10  # decimals
_ROOM = 2  # characters beside the text of a column


def write_sheet(flat: pd.DataFrame, path: Path) -> None:
    """Write a table to a sheet; its numbers keep all digits, and show those that matter."""
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        flat.to_excel(writer, index=False)
        (sheet,) = writer.sheets.values()
        sheet.freeze_panes = "A2"  # the names stay in sight
        for k, name in enumerate(flat.columns, 1):
            shown, width = _form(flat[name], flat.get("std"))
            cells = [sheet.cell(row, k) for row in range(2, len(flat) + 2)]
            for cell in cells:
                cell.number_format = shown
            letter = sheet.cell(1, k).column_letter
            sheet.column_dimensions[letter].width = max(len(str(name)), width) + _ROOM


def _form(column: "pd.Series[float]", std: "pd.Series[float] | None") -> tuple[str, int]:
    """Return Excel's format of a column, and how many characters its longest text has."""
    if column.dtype.kind == "M":
        times = pd.DatetimeIndex(column)
        days = bool((times == times.normalize()).all())
        return ("YYYY-MM-DD", 10) if days else ("YYYY-MM-DD HH:MM:SS", 19)
    if column.dtype.kind == "f":
        decimals = _decimals(column if std is None else std)
        if decimals <= _MOST:
            longest = max((len(f"{value:,.{decimals}f}") for value in column), default=0)
            return f"#,##0.{'0' * decimals}", longest
    return "General", max((len(str(value)) for value in column), default=0)


def _decimals(values: "pd.Series[float]") -> int:
    """Return the decimals by which the smallest of some values has three digits.

    Examples
    --------
    >>> [_decimals(pd.Series(v)) for v in ([2145.9, 1800.0], [0.0123, 0.5], [0.0])]
    [2, 4, 2]
    """
    sizes = np.abs(values.to_numpy(dtype=np.float64))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not len(sizes):
        return _FEWEST
    return max(_FEWEST, 2 - int(np.floor(np.log10(sizes.min()))))
