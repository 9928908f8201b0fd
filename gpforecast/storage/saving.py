"""Objects to one file and back."""

from typing import TypeVar

from gpforecast.storage.archive import PathLike, read, write
from gpforecast.storage.registry import UnregisteredError
from gpforecast.storage.tree import decode, encode

T = TypeVar("T")

# What constructors raise at parts that do not suit them.
_UNSUITABLE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def save(thing: object, path: PathLike) -> None:
    """Write an object to one file.

    Parameters
    ----------
    thing : object
        Of a registered class (`gpforecast.storage.registry`), as all that it holds.
    path : str or path-like

    Raises
    ------
    TypeError
        If it, or something in it, is of no kind that can be saved.
    FileNotFoundError, IsADirectoryError
        If there is no place for the file.
    """
    write(path, *encode(thing, type(thing).__name__))


def restore(path: PathLike, root: type[T]) -> T:
    """Return what `save` wrote.

    Parameters
    ----------
    path : str or path-like
    root : type
        The class that is expected; one derived from it will do.

    Returns
    -------
    object

    Raises
    ------
    FileNotFoundError, IsADirectoryError, ValueError
        As `gpforecast.storage.archive.read`, and if the file holds something else, something
        unknown, or an object of a class that must be imported first.
    """
    content, arrays = read(path)
    try:
        thing = decode(content, arrays)
    except UnregisteredError as error:
        raise ValueError(f"{str(path)!r} cannot be restored: {error}.") from error
    except _UNSUITABLE as error:
        raise ValueError(
            f"{str(path)!r} cannot be restored: {error}. A file made with other versions of "
            f"gpforecast, pandas or the time zone database can cause this; load it where it was "
            f"saved, or fit and save again."
        ) from error
    if not isinstance(thing, root):
        raise ValueError(  # noqa: TRY004 - the file is wrong, not the argument's type
            f"{str(path)!r} must hold a {root.__name__}; got {type(thing).__name__}."
        )
    return thing
