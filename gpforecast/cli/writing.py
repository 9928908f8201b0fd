"""What the commands write, tables by the endings of their names, and what they do not replace."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gpforecast.common.imports import to_install
from gpforecast.common.validation import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TEXT = ("", ".csv", ".txt", ".tsv")
_NEEDS = {".xlsx": "openpyxl", ".parquet": "pyarrow"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def check_writable(*targets: Path | None, source: str | None = None, force: bool = False) -> None:
    """Refuse before any work what could not be written after it, or would destroy something.

    Parameters
    ----------
    *targets : Path or None
        What is to be written. None of them may be another, also by links.
    source : str, optional
        The file that is read; ``-`` for the standard input.
    force : bool
        Whether files that exist may be replaced; never the source.

    Raises
    ------
    ValueError
        If a target is a folder, the source or another target, if it exists, or if its folder does
        not exist or cannot be written to.
    """
    paths = [path for path in targets if path is not None]
    for i, path in enumerate(paths):
        if any(path.resolve() == other.resolve() for other in paths[:i]):
            raise ValueError(f"cannot write {path} twice; name two files.")
        if problem := _problem(path, source, force):
            raise ValueError(f"cannot write {path}: {problem}.")


def _problem(path: Path, source: str | None, force: bool) -> str:
    """Return why a file cannot be written, "" if it can."""
    if source is not None and _is_source(path, source):
        return "it is the file that is read"
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.is_file() and not force:
        return "it exists; name another file, or pass --force to replace it"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return "permission denied; name another file"
    return ""


@contextmanager
def writing_to(path: Path) -> Iterator[Path]:
    """Name the file in what the system says if it cannot be written after all."""
    try:
        yield path
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"cannot write {path}: {reason}; what is there is not complete.") from error


def save_figure(drawn: "Figure", path: Path) -> str:
    """Write a picture, and return what was written in a sentence."""
    with writing_to(path):
        drawn.savefig(path, dpi=150)
    return f"Wrote {path}"


def check_drawable(picture: Path | None) -> None:
    """Refuse a picture of a kind that cannot be drawn."""
    if picture is None:
        return
    kinds = figure().canvas.get_supported_filetypes()
    if picture.suffix.lstrip(".").lower() not in kinds:
        known = ", ".join(sorted(kinds))
        raise ValueError(f"cannot draw {picture}: its name must end in one of {known}.")


def safe_label(text: object) -> str:
    """Return a label that a spreadsheet does not take for a formula.

    Examples
    --------
    >>> safe_label("=1+1"), safe_label("month")
    ("'=1+1", 'month')
    """
    label = str(text)
    return f"'{label}" if label.lstrip(" ").startswith(_FORMULA) else label


def figure() -> "Figure":
    """Return an empty figure that needs no screen, as pyplot's do."""
    from matplotlib.figure import Figure

    return Figure(figsize=(9, 4), layout="constrained")


def _is_source(path: Path, source: str) -> bool:
    """Whether a path leads, by whatever links, to the file that is read."""
    with suppress(OSError):  # no file stands behind it
        read = os.fstat(sys.stdin.fileno()) if source == "-" else Path(source).stat()
        return path.is_file() and os.path.samestat(path.stat(), read)
    return False


@dataclass(frozen=True)
class Style:
    """How a text file of a table is written."""

    sep: str = ","
    decimal: str = "."
    dates: str = ""  # their format; that of pandas by default

    @staticmethod
    def of(sep: str, decimal: str, dates: str = "") -> "Style":
        r"""Follow a file with semicolons and no decimal points; any other has the usual marks.

        Programs write semicolons where the comma is the decimal mark, in whole numbers, too.

        Examples
        --------
        >>> Style.of(";", ","), Style.of(";", ".")
        (Style(sep=';', decimal=',', dates=''), Style(sep=',', decimal='.', dates=''))
        """
        return Style(sep, ",", dates) if sep == ";" and decimal != "." else Style(dates=dates)


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
    """Return a table as CSV, the labels of its rows in the first columns.

    Numbers have seven digits, and ten from ten millions on.
    """

    def written(value: object) -> str:
        text = f"{value:.7g}"
        return (f"{value:.10g}" if "e+" in text else text).replace(".", style.decimal)

    if style.dates:
        frame = frame.set_axis(pd.DatetimeIndex(frame.index).strftime(style.dates))
    return frame.to_csv(
        index_label=[*map(safe_label, frame.index.names)], float_format=written,
        lineterminator="\n", sep=style.sep,
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
            tabs = Style("\t", dates=style.dates)
            text = as_text(frame, tabs if ending == ".tsv" else style)
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
