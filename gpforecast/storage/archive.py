"""The file: a zip of .npy arrays behind one JSON member, with a version and a checksum.

The JSON member comes first and its name is the magic: every file begins with the local header of
``gpforecast.json``, at a fixed place, so that even a file cut short is known for what it was.
"""

import errno
import hashlib
import io
import json
import os
import secrets
import stat
import struct
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self, TypeAlias, TypeVar, cast

import numpy as np

from gpforecast.storage.registry import UnregisteredError, name_of
from gpforecast.storage.tree import NUMBERS, Array, Arrays, Json, decode, encode

PathLike: TypeAlias = str | os.PathLike[str]
T = TypeVar("T")

FORMAT = "gpforecast"
VERSION = 2  # raised whenever an older file can no longer be read; 1 was that of 0.1.0

_HEADER = "gpforecast.json"
_LOCAL = 30  # bytes before the name of a zip member
_MAGIC = slice(_LOCAL, _LOCAL + len(_HEADER))
# What the zip reader raises at changed bytes.
_BROKEN = (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError, struct.error)
# What constructors raise at parts that do not fit them; RecursionError is a RuntimeError.
_UNSUITABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


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
        raise ValueError(
            f"{str(path)!r} cannot be restored: {error}. A file made with other versions of "
            f"gpforecast, pandas or the time zone database can cause this; load it where it was "
            f"saved, or fit and save again."
        ) from error
    if name_of(root) not in map(name_of, type(thing).__mro__):
        raise ValueError(
            f"{str(path)!r} must hold a {root.__name__}; got {type(thing).__name__}. Read it with "
            f"{type(thing).__name__}.load."
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
        Written beside its place and moved there once complete, so that trouble on the way leaves an
        older file as it was; where the system knows files without a name (Linux), a process that
        is killed leaves nothing behind. The permissions of an older file are kept.
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
        If an array holds anything but bools and numbers.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/example", {"a": 1}, {"x": np.array([1.0, 2.0])})
    ...     read(f"{folder}/example")
    ({'a': 1}, {'x': array([1., 2.])})
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(
            f"path must name a file; got {str(path)!r}, a folder. Add a file name."
        )
    if target.exists() and not target.is_file():
        raise ValueError(
            f"path must name a regular file; got {str(path)!r}, a device, pipe or socket. Save to "
            f"a file, and copy it from there."
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path must lie in a folder that exists; got {str(path)!r}, and there is no folder "
            f"{str(target.parent)!r}. Create it first, or check the spelling."
        )
    members = {f"{name}.npy": _to_npy(name, array) for name, array in arrays.items()}
    header = {"format": FORMAT, "version": VERSION, "content": content}
    header["sha256"] = _digest(header, members)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in {_HEADER: _to_json(header), **members}.items():
            entry = zipfile.ZipInfo(name)  # dated 1980: equal content, equal bytes
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    _put(whole.getbuffer(), target)


def _put(data: memoryview, target: Path) -> None:
    """Replace a file by bytes, all at once."""
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        try:
            handle = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
            with os.fdopen(handle, "wb") as file:
                _written(data, file, target)
                os.link(f"/proc/self/fd/{handle}", part, follow_symlinks=True)
        except (AttributeError, OSError):  # the system knows no files without a name, or is full
            with part.open("xb") as file:
                _written(data, file, target)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _written(data: memoryview, file: BinaryIO, target: Path) -> None:
    """Write bytes down to the disk, to a file with the permissions of that which it replaces."""
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
    with suppress(OSError):  # there may be no older file
        mode = stat.S_IMODE(target.stat().st_mode)
        os.chmod(file.fileno() if os.chmod in os.supports_fd else file.name, mode)  # noqa: PTH101


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
    Memory is at most four times the size of the file, whatever the file claims.
    """
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"path must name a file; got {str(path)!r}, a folder.")
    if not file.exists():
        raise FileNotFoundError(
            f"path must name a file that Forecaster.save wrote; there is no {str(path)!r}. "
            f"Check the spelling and the current folder."
        )
    members = _members(file)
    header = _header(file, members.pop(_HEADER))
    claimed = header.pop("sha256", None)
    if claimed != _digest(header, members):
        raise _damaged(file, "its content does not match its checksum")
    arrays = {name.removesuffix(".npy"): _from_npy(file, name, d) for name, d in members.items()}
    return header["content"], arrays


def _members(file: Path) -> dict[str, bytes]:
    """Return the bytes of every member of the archive, or say why they cannot be read."""
    members = {}
    with file.open("rb") as stream:
        start = stream.read(_MAGIC.stop)
        ours = start[_MAGIC] == _HEADER.encode()
        try:
            with zipfile.ZipFile(stream) as archive:
                entries = archive.infolist()
                if not _in_a_row(entries, archive.start_dir):
                    raise zipfile.BadZipFile
                members = {entry.filename: archive.read(entry) for entry in entries}
        except _BROKEN as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise  # a fault of the disk; a seek to before the start is a fault of the file
            if ours:
                how = "it ends too early, was packed anew, or its bytes were changed"
                raise _damaged(file, how) from error
    if _HEADER in members:
        return members
    if ours:
        raise _damaged(file, f"its member {_HEADER} is missing or was packed anew")
    seen = f"one that starts with {start[:12]!r}" if start else "an empty one"
    raise ValueError(
        f"path must name a file that Forecaster.save wrote; got {seen}, {str(file)!r}. Pickles and "
        f"arrays of other programs are not read."
    )


def _in_a_row(entries: list[zipfile.ZipInfo], end: int) -> bool:
    """Return whether members lie one after the other from the beginning of a file, as we put them.

    We never compress: what unpacks to more than the file holds is none of ours.
    """
    place = 0
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.header_offset < place:
            return False
        place = entry.header_offset + _LOCAL + len(entry.filename) + entry.file_size
    first = [(entry.filename, entry.header_offset) for entry in entries[:1]]
    names = {entry.filename for entry in entries}
    return first == [(_HEADER, 0)] and place <= end and len(names) == len(entries)


def _header(file: Path, data: bytes) -> Json:
    """Return the JSON member if this version can read it."""
    header: Json = None
    with suppress(ValueError, RecursionError):
        header = json.loads(data, object_pairs_hook=_named_once, parse_constant=_refused)
    ours = type(header) is dict and header.get("format") == FORMAT and "content" in header
    if not ours or type(version := header.get("version")) is not int or version < 1:
        raise _damaged(file, f"its member {_HEADER} cannot be read")
    if version != VERSION:
        raise ValueError(
            f"{str(file)!r} was written by {'a newer' if version > VERSION else 'an older'} "
            f"gpforecast: its format is version {version}, and this one reads version {VERSION}. "
            f"Load it with the version that wrote it, or fit and save again with this one."
        )
    return header


def _named_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the parts of a JSON object, whose names are all different."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name occurs twice")
    return dict(pairs)


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _digest(header: dict[str, Json], members: dict[str, bytes]) -> str:
    """Return the SHA-256 of everything in a file but the SHA-256 itself."""
    digest = hashlib.sha256(_to_json(header))
    for name in sorted(members):
        digest.update(f"\n{name} {len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.hexdigest()


def _to_json(value: Json) -> bytes:
    return json.dumps(value, allow_nan=False).encode()


def _to_npy(name: str, array: Array) -> bytes:
    if array.dtype.kind not in NUMBERS:
        raise TypeError(f"{name} must hold bools or numbers to be saved; got dtype {array.dtype}.")
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def _from_npy(file: Path, name: str, data: bytes) -> Array:
    with suppress(ValueError, MemoryError, OverflowError):
        array: Array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        if array.dtype.kind in NUMBERS:
            return array
    raise _damaged(file, f"its member {name} is not an array of numbers")


def _damaged(file: Path, how: str) -> ValueError:
    return ValueError(
        f"{str(file)!r} is damaged: {how}. A copy or download that was cut short, or an edit, "
        f"does this; fetch the file again, or save it again."
    )
