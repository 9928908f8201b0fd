"""What the commands write, and what they refuse to write over."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else Path(source).stat()
        return path.is_file() and os.path.samestat(path.stat(), read)
    except OSError:  # no file stands behind it
        return False
