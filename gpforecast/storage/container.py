"""The container of a file: a zip of uncompressed members, whose every byte follows from them.

A file is read by the local headers alone, one after the other from its first byte, and packed
again: what differs from the file in one byte, be it in a field that nobody reads, is none of ours.
"""

import io
import struct
import zipfile
from collections.abc import Mapping
from typing import TypeAlias

Member: TypeAlias = bytes | memoryview
Members: TypeAlias = dict[str, Member]

LOCAL = 30  # bytes of a local header, before the name of its member
MOST_TEXT = 2**21  # bytes of the first member and of all names: a hundred times what is usual
_SYSTEMS = (3, 0)  # that a zip says it was made on: ours say Unix, those of 0.2.0 on Windows 0
_MEMBER = b"PK\x03\x04"
_BEYOND = 0xFFFFFFFF  # in place of a size of 4 GB and more, which follows the name


def packed(members: Mapping[str, Member], system: int = _SYSTEMS[0]) -> bytes:
    """Return the bytes of a file: equal members, equal bytes.

    Parameters
    ----------
    members : mapping of str to bytes
        By name, in order.
    system : int
        What the archive says it was made on.

    Raises
    ------
    ValueError
        If the first member and the names are longer than a file may have them.

    Examples
    --------
    >>> {name: bytes(data) for name, data in unpacked(packed({"a": b"1", "b": b""})).items()}
    {'a': b'1', 'b': b''}
    """
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.create_system = system
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    if _text(members) > MOST_TEXT:
        raise ValueError(
            f"settings and names must take at most {MOST_TEXT} bytes of a file to be saved; got "
            f"{_text(members)}. Keep tables of values in arrays or Series, not in lists or dicts."
        )
    return whole.getvalue()


def unpacked(whole: bytes) -> Members:
    """Return the members of a file by name, as views of its bytes, or what can be read of them.

    Parameters
    ----------
    whole : bytes

    Raises
    ------
    ValueError
        If the first member and the names are longer than `packed` makes them.
    """
    view, members, place, text = memoryview(whole), Members(), 0, 0
    while whole.startswith(_MEMBER, place) and len(whole) >= place + LOCAL:
        size, named, more = struct.unpack_from("<LHH", whole, place + 22)
        start = place + LOCAL + named + more
        if size == _BEYOND and more:
            (size,) = struct.unpack_from("<Q", whole, place + LOCAL + named + 4)
        text += named + LOCAL + (0 if members else size)
        if text > MOST_TEXT:
            raise ValueError("its settings and names are longer than any that are saved")
        name = whole[place + LOCAL : place + LOCAL + named].decode()
        members[name] = view[start : start + size]
        place = start + size
    return members


def is_exactly(whole: bytes, members: Members) -> bool:
    """Return whether a file is, in every byte, what `packed` makes of members."""
    return any(packed(members, system) == whole for system in _SYSTEMS)


def _text(members: Mapping[str, Member]) -> int:
    """Return the bytes that are no arrays: the first member, and all names and local headers."""
    names = sum(LOCAL + len(name.encode()) for name in members)
    return names + len(next(iter(members.values())))
