"""The file: a zip of .npy arrays behind one JSON member, with a version and a checksum.

The JSON member comes first and its name is the magic: every file begins with the local header of
``gpforecast.json``, at a fixed place, so that even a file cut short is known for what it was.
"""

import hashlib
import io
import json
import math
import os
import secrets
import shutil
import struct
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self, TypeAlias, TypeVar, cast

import numpy as np

from gpforecast.common.validation import shown
from gpforecast.storage.registry import UnregisteredError, place
from gpforecast.storage.tree import NUMBERS, Array, Arrays, Json, decode, encode

PathLike: TypeAlias = str | os.PathLike[str]
Members: TypeAlias = dict[str, bytes]
T = TypeVar("T")

FORMAT = "gpforecast"
VERSION = 2  # raised whenever an older file can no longer be read; 1 was that of 0.1.0

_HEADER = "gpforecast.json"
_NPY_HEADER = 2**14  # NumPy reads none that is longer
_LOCAL = 30  # bytes of the header of a zip's first member, before its name
_MAGIC = slice(_LOCAL, _LOCAL + len(_HEADER))
# What constructors raise at parts that do not fit them; RecursionError is a RuntimeError.
_UNSUITABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, *_UNSUITABLE)


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
        As `read`, and if the file holds something else, something
        unknown, or an object of a class that must be imported first.
    """
    content, arrays = read(path)
    try:
        thing = decode(content, arrays)
    except UnregisteredError as error:
        raise ValueError(f"{str(path)!r} cannot be restored: {error}.") from error
    except _UNSUITABLE as error:
        why = str(error).rstrip(".")
        raise ValueError(
            f"{str(path)!r} cannot be restored: {why}. A file made with other versions of "
            f"gpforecast, pandas or the time zone database can cause this; load it where it was "
            f"saved, or fit and save again."
        ) from error
    if place(root) not in map(place, type(thing).__mro__):
        raise ValueError(
            f"{str(path)!r} must hold a {root.__name__.removesuffix('Base')}; got "
            f"{type(thing).__name__}. gpforecast.load reads any forecaster."
        )
    return cast(T, thing)


class Saveable:
    """What can be written to a file, and read again."""

    def save(self, path: PathLike) -> None:
        """Write it, fitted or not, to one file without pickle; `load` reads it.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced when the new one is complete.

        Raises
        ------
        FileNotFoundError, IsADirectoryError
            If its folder does not exist, or it is a folder.
        TypeError
            If something, which it names, cannot be saved: its class is not `storage.storable`.
        """
        save(self, path)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read one that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            The file: arrays and JSON, no pickle. Reading it runs no code from it.

        Returns
        -------
        Self
            As it was saved, fitted or not.

        Raises
        ------
        FileNotFoundError, IsADirectoryError, ValueError
            As `gpforecast.load`.
        """
        return restore(path, cls)


def write(path: PathLike, content: Json, arrays: Arrays) -> None:
    """Write JSON content and arrays to one file, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        Written in the same folder and moved to its place once complete, so that a failure leaves an
        older file as it was. The permissions of an older file are kept.
    content : JSON value
    arrays : dict of str to ndarray
        Of bools or numbers. Memory order is kept: linear algebra may round differently with
        another.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If the folder of `path` does not exist, or `path` is a folder.
    ValueError
        If `path` is a device, a pipe or a socket.
    TypeError
        If `path` is neither text nor a path.
    OSError
        If the disk is full or fails; the message names the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/example", {"a": 1}, {"x": np.array([1.0, 2.0])})
    ...     read(f"{folder}/example")
    ({'a': 1}, {'x': array([1., 2.])})
    """
    members: Members = {f"{name}.npy": _to_npy(array) for name, array in arrays.items()}
    header = {"format": FORMAT, "version": VERSION, "content": content}
    header["sha256"] = _digest(header, members)
    put(path, _packed({_HEADER: _to_json(header), **members}))


def put(path: PathLike, whole: bytes) -> None:
    """Write bytes to one file, whole or not at all, as `write` does."""
    target = Path(os.path.realpath(_regular(path)))  # a link stays a link
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(whole)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        then = "What was there is kept" if target.parent.is_dir() else "Create its folder first"
        raise OSError(
            error.errno, f"{str(path)!r} could not be written: {reason}. {then}"
        ) from error
    finally:
        with suppress(OSError):  # where all went well, it is no longer there
            part.unlink()


def read(path: PathLike) -> tuple[Json, Arrays]:
    """Return the content and the arrays of a file, after checking that it is what was written.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    content : JSON value
    arrays : dict of str to ndarray

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at `path`.
    ValueError
        If it is not one of ours, was made by a version whose files this one cannot read, is cut
        short, or was changed.

    Notes
    -----
    Arrays take at most four times the size of the file, whatever the file claims.
    """
    file = _regular(path)
    if not file.exists():
        raise FileNotFoundError(
            f"path must name a file that Forecaster.save wrote; there is no {str(path)!r}. Check "
            f"the spelling and the current folder."
        )
    whole = _bytes(file)
    members = _members(file, whole)
    header = _header(file, members.pop(_HEADER))
    if header.pop("sha256") != _digest(header, members):
        raise _damaged(file, "its content does not match its checksum")
    arrays = {name.removesuffix(".npy"): _from_npy(file, name, d) for name, d in members.items()}
    return header["content"], arrays


def _regular(path: PathLike) -> Path:
    """Return the place that a user names, unless a device, a pipe or a socket is there."""
    try:
        place = Path(path)
    except TypeError:
        raise TypeError(f"path must be text or a path; got {shown(path)}.") from None
    if place.exists() and not (place.is_file() or place.is_dir()):
        raise ValueError(
            f"path must name a regular file; got {str(path)!r}, a device, pipe or socket."
        )
    return place


def _packed(members: Members) -> bytes:
    """Return the bytes of a file: equal members, equal bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)  # dated 1980
    return whole.getvalue()


def _members(file: Path, whole: bytes) -> Members:
    """Return the members of a file by name; together they are no longer than the file."""
    with suppress(*_UNREADABLE), zipfile.ZipFile(io.BytesIO(whole)) as archive:
        entries = archive.infolist()
        fits = sum(entry.file_size for entry in entries) < len(whole)
        if fits and _HEADER in archive.namelist():
            return {entry.filename: archive.read(entry) for entry in entries}
    raise _damaged(file, "it ends too early, or its bytes were changed")


def _bytes(file: Path) -> bytes:
    """Return the bytes of a file that begins as ours do."""
    with file.open("rb") as stream:
        start = stream.read(_MAGIC.stop)
        if start[_MAGIC] == _HEADER.encode():
            stream.seek(0)
            return stream.read()
    start_of = f"starts with {start[:12]!r}" if start else "is empty"
    raise ValueError(
        f"path must name a file that Forecaster.save wrote; {str(file)!r} {start_of}. Pickles and "
        f"arrays of other programs are not read."
    )


def _header(file: Path, data: bytes) -> Json:
    """Return the JSON member if this version can read it, and wrote it to the byte."""
    header: Json = None
    text = b""
    with suppress(ValueError, RecursionError):
        header = json.loads(data)
        text = _to_json(header)  # no name twice, nothing that is not finite
    ours = type(header) is dict and header.get("format") == FORMAT and "content" in header
    if not ours or type(version := header.get("version")) is not int or version < 1:
        raise _damaged(file, f"its member {_HEADER} cannot be read")
    if version != VERSION:
        raise ValueError(
            f"{str(file)!r} was written by {'a newer' if version > VERSION else 'an older'} "
            f"gpforecast: its format is version {shown(version)}, and this one reads version "
            f"{VERSION}. Load it with the version that wrote it, or fit and save again with this "
            f"one."
        )
    if text != data or list(header) != ["format", "version", "content", "sha256"]:
        raise _damaged(file, f"its member {_HEADER} cannot be read as one that save wrote")
    return header


def _digest(header: dict[str, Json], members: Members) -> str:
    """Return the SHA-256 of everything in a file but the SHA-256 itself."""
    digest = hashlib.sha256(_to_json(header))
    for name in sorted(members):
        digest.update(f"\n{name} {len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.hexdigest()


def _to_json(value: Json) -> bytes:
    return json.dumps(value, allow_nan=False).encode()


def _to_npy(array: Array) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def _from_npy(file: Path, name: str, data: bytes) -> Array:
    with suppress(ValueError, TypeError):
        stream = io.BytesIO(data[:_NPY_HEADER])
        np.lib.format.read_magic(stream)
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        start = stream.tell()
        if dtype.kind in NUMBERS and start + math.prod(shape) * dtype.itemsize == len(data):
            order: Literal["C", "F"] = "F" if by_columns else "C"
            return np.ndarray(shape, dtype, data, start, order=order).copy(order="K")
    raise _damaged(file, f"its member {name} is not an array of numbers")


def _damaged(file: Path, how: str) -> ValueError:
    return ValueError(
        f"{str(file)!r} is damaged: {how}. A copy or download that was cut short, or an edit, "
        f"does this; fetch the file again, or save it again."
    )
