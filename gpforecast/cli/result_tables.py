"""Tables as files: CSV, Excel, JSON and Parquet, by the ending of their names."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from gpforecast.cli.writing import safe_label, writing_to
from gpforecast.common.extras import to_install
from gpforecast.common.validation import counted

_TEXT = ("", ".csv", ".txt", ".tsv")
_NEEDS = {".xlsx": "openpyxl", ".parquet": "pyarrow"}


@dataclass(frozen=True)
class Style:
    """How a text file of a table is written."""

    sep: str = ","
    decimal: str = "."

    @staticmethod
    def of(sep: str, decimal: str) -> "Style":
        r"""Follow a file with semicolons and no decimal points; any other has the usual marks.

        Programs write semicolons where the comma is the decimal mark, in whole numbers, too.

        Examples
        --------
        >>> Style.of(";", ","), Style.of(";", ".")
        (Style(sep=';', decimal=','), Style(sep=',', decimal='.'))
        """
        return Style(sep, ",") if sep == ";" and decimal != "." else Style()


def check_table(path: Path | None) -> None:
    """Refuse a table of a kind that cannot be written, before any work.

    Raises
    ------
    ValueError
        If the ending of the name is of no kind that is known, or its package is missing.
    """
    ending = "" if path is None else path.suffix.lower()
    if ending not in (*_TEXT, *_WRITERS):
        raise ValueError(
            f"cannot write a table to {path}: its name must end in .csv, .txt, .tsv, .xlsx, .json "
            f"or .parquet."
        )
    module = _NEEDS.get(ending, "")
    if module and find_spec(module) is None:
        raise ValueError(
            f"cannot write {path}: it needs {module}: {to_install(module)}, or name a file that "
            f"ends in .csv."
        )


def as_text(frame: pd.DataFrame, style: Style) -> str:
    """Return a table as CSV, the labels of its rows in the first columns, in ten digits."""
    return frame.to_csv(
        index_label=[*map(safe_label, frame.index.names)], float_format="%.10g",
        lineterminator="\n", sep=style.sep, decimal=style.decimal,
    )  # fmt: skip


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
    ending = path.suffix.lower()
    with writing_to(path):
        if ending in _WRITERS:
            _WRITERS[ending](_flat(frame), path)
        else:
            text = as_text(frame, Style("\t") if ending == ".tsv" else style)
            path.write_text(text, "utf-8")
    return f"Wrote {path} ({counted(len(frame), 'row')})"


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose labels are columns; times with a zone are texts, as Excel has none."""
    names = [safe_label(name) for name in frame.index.names]
    names = [f"{name} (row)" if name in frame.columns else name for name in names]
    flat = frame.rename_axis(index=names).reset_index()
    for name in flat.select_dtypes("datetimetz"):
        flat[name] = flat[name].map(str)
    return flat


def _write_sheet(flat: pd.DataFrame, path: Path) -> None:
    """Write a table to a sheet, its names in sight and its columns wide enough for times."""
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        flat.to_excel(writer, index=False, freeze_panes=(1, 0))
        (sheet,) = writer.sheets.values()
        for k, name in enumerate(flat.columns, 1):
            letter = sheet.cell(1, k).column_letter
            sheet.column_dimensions[letter].width = max(len(str(name)), 20)  # as wide as a time


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".xlsx": _write_sheet,
    ".parquet": lambda flat, path: flat.to_parquet(path, index=False, engine="pyarrow"),
    ".json": lambda flat, path: flat.to_json(
        path, orient="records", date_format="iso", indent=1, double_precision=10
    ),
}
