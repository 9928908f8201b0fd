"""Tables as files: CSV, Excel, JSON and Parquet, by the ending of their names."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from gpforecast.cli.writing import safe_label, writing_to
from gpforecast.common.validation import counted

_TEXT = ("", ".csv", ".txt", ".tsv")
_NEEDS = {".xlsx": ("openpyxl", "excel"), ".parquet": ("pyarrow", "parquet"), ".json": ("", "")}
_WIDTH_DIGITS, _FEWEST_DIGITS = 4, 6
_DECIMALS = (2, 10)  # of the numbers of a sheet, at least and at most
_ROOM = 2  # characters more than the longest text of a column


@dataclass(frozen=True)
class Style:
    """How a text file of a table is written, and as in which file.

    Attributes
    ----------
    sep, decimal : str
    like : str
        The file that is written so; empty if none is followed.
    """

    sep: str = ","
    decimal: str = "."
    like: str = ""

    @staticmethod
    def of(sep: str, decimal: str, source: str) -> "Style":
        r"""Follow a file with semicolons and no decimal points; any other has the usual marks.

        Programs write semicolons where the comma is the decimal mark, in whole numbers, too.

        Examples
        --------
        >>> Style.of(";", ",", "sales.csv")
        Style(sep=';', decimal=',', like='sales.csv')
        >>> Style.of(";", "", "sales.csv").decimal
        ','
        >>> Style.of(";", ".", "sales.csv"), Style.of("\t", ",", "sales.csv")
        (Style(sep=',', decimal='.', like=''), Style(sep=',', decimal='.', like=''))
        """
        return Style(sep, ",", source) if sep == ";" and decimal != "." else Style()

    def __str__(self) -> str:
        if not self.like:
            return "commas and decimal points"
        return f"semicolons and decimal commas, as {self.like}"


def check_table(path: Path | None) -> None:
    """Refuse a table of a kind that cannot be written, before any work.

    Raises
    ------
    ValueError
        If the ending of the name is of no kind that is known, or its package is missing.
    """
    if path is None or _ending(path) in _TEXT:
        return
    if _ending(path) not in _NEEDS:
        raise ValueError(
            f"cannot write a table to {path}: its name must end in .csv, .txt, .tsv, .xlsx, .json "
            f"or .parquet."
        )
    module, extra = _NEEDS[_ending(path)]
    if module and find_spec(module) is None:
        raise ValueError(
            f"cannot write {path}: it needs {module}; pip install 'gpforecast[{extra}]', or name a "
            f"file that ends in .csv."
        )


def as_text(frame: pd.DataFrame, style: Style) -> str:
    """Return a table as CSV, the labels of its rows in the first columns."""
    names = [safe_label(name) for name in frame.index.names]
    return frame.to_csv(
        index_label=names, float_format=_digits(frame), lineterminator="\n", sep=style.sep,
        decimal=style.decimal,
    )  # fmt: skip


def _digits(frame: pd.DataFrame) -> str:
    """Return the format of a table of forecasts: its widths have four digits, whole numbers all.

    Ten digits where the table has no widths.

    Examples
    --------
    >>> _digits(pd.DataFrame({"mean": [1640.721], "std": [59.93]}))
    '%.6g'
    """
    largest = np.abs(frame.to_numpy()).max()
    spread = frame["std"].min() if "std" in frame.columns else 0.0
    if not 0.0 < spread < largest < np.inf:
        return "%.10g"
    whole, behind = np.log10(largest), _WIDTH_DIGITS - np.log10(spread)
    digits = max(np.ceil(whole + behind), min(np.floor(whole) + 1.0, 10.0))
    return f"%.{int(np.clip(digits, _FEWEST_DIGITS, 17))}g"


def write_table(frame: pd.DataFrame, path: Path, style: Style) -> str:
    """Write a table, and return what was written in a sentence.

    Parameters
    ----------
    frame : DataFrame
        The levels of its index have names.
    path : Path
        Its ending names the kind.
    style : Style
        Of a text file.
    """
    ending, how = _ending(path), ""
    if ending in _NEEDS:
        with writing_to(path):
            _WRITERS[ending](_flat(frame), path)
    else:
        tabs = ending == ".tsv"
        with writing_to(path):
            path.write_text(as_text(frame, Style("\t") if tabs else style), "utf-8")
        how = "; tabs and decimal points" if tabs else f"; {style}"
    return f"Wrote {path} ({counted(len(frame), 'row')}{how})"


def _ending(path: Path) -> str:
    return path.suffix.lower()


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose labels are columns; times with a zone are texts, as Excel has none."""
    names = [safe_label(name) for name in frame.index.names]
    names = [f"{name} (row)" if name in frame.columns else name for name in names]
    flat = frame.rename_axis(index=names).reset_index()
    for name in names:
        if isinstance(flat[name].dtype, pd.DatetimeTZDtype):
            flat[name] = flat[name].map(str)
    return flat


def _write_sheet(flat: pd.DataFrame, path: Path) -> None:
    """Write a table to a sheet; its numbers keep all digits, and show those that matter."""
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        flat.to_excel(writer, index=False)
        (sheet,) = writer.sheets.values()
        sheet.freeze_panes = "A2"  # the names stay in sight
        for k, name in enumerate(flat.columns, 1):
            shown, width = _form(flat[name], flat.get("std"))
            for row in range(2, len(flat) + 2):
                sheet.cell(row, k).number_format = shown
            letter = sheet.cell(1, k).column_letter
            sheet.column_dimensions[letter].width = max(len(str(name)), width) + _ROOM


def _form(column: "pd.Series[float]", std: "pd.Series[float] | None") -> tuple[str, int]:
    """Return Excel's format of a column, and how many characters its longest text has."""
    if column.dtype.kind == "M":
        times = pd.DatetimeIndex(column)
        days = bool((times == times.normalize()).all())
        return ("YYYY-MM-DD", 10) if days else ("YYYY-MM-DD HH:MM:SS", 19)
    if column.dtype.kind != "f":
        return "General", max((len(str(value)) for value in column), default=0)
    sizes = np.abs((column if std is None else std).to_numpy(dtype=np.float64))
    least = sizes[sizes > 0].min(initial=1.0)  # of which three digits are shown
    decimals = int(np.clip(2 - np.floor(np.log10(least)), *_DECIMALS))
    longest = max((len(f"{value:,.{decimals}f}") for value in column), default=0)
    return f"#,##0.{'0' * decimals}", longest


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".xlsx": _write_sheet,
    ".parquet": lambda flat, path: flat.to_parquet(path, index=False, engine="pyarrow"),
    ".json": lambda flat, path: flat.to_json(
        path, orient="records", date_format="iso", indent=1, double_precision=10
    ),
}
