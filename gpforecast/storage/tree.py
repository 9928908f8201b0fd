"""Values as JSON with their arrays apart, and back.

None, bools, ints, finite floats, strings and lists stand for themselves, an array for its name:
``{"array": name}``. Everything else is ``{"is": kind, "of": parts}``, for the classes of
`gpforecast.storage.registry`; what is of none of them is refused.
"""

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gpforecast.common.validation import shown
from gpforecast.storage.registry import KINDS, kind_named, name_of

Json: TypeAlias = Any  # what json.loads returns
Array: TypeAlias = npt.NDArray[np.generic]
Arrays: TypeAlias = dict[str, Array]

NUMBERS = "biuf"  # kinds of dtype that are bools or numbers: no objects, which would be pickles
_PLAIN = {type(None), bool, int, str}


def encode(value: object, name: str) -> tuple[Json, Arrays]:
    """Return a value as JSON, and its arrays by name.

    Parameters
    ----------
    value : object
    name : str
        What the value is called, in messages and in the names of arrays.

    Returns
    -------
    content : JSON value
    arrays : dict of str to ndarray

    Raises
    ------
    TypeError
        If something in it is of no registered class; the message says where and what.

    Examples
    --------
    >>> encode([1, np.zeros(2)], "pair")
    ([1, {'array': 'pair.1'}], {'pair.1': array([0., 0.])})
    """
    arrays: Arrays = {}

    def walk(value: object, path: str) -> Json:
        if isinstance(value, np.generic) and value.dtype.kind in f"{NUMBERS}U":
            value = value.item()
        if type(value) in _PLAIN or (type(value) is float and math.isfinite(value)):
            return value
        if type(value) is list:
            return [walk(item, f"{path}.{i}") for i, item in enumerate(value)]
        if type(value) is np.ndarray and value.dtype.kind in NUMBERS:
            arrays[path] = value
            return {"array": path}
        kind = name_of(type(value))
        if kind is None:
            raise TypeError(_unknown(value, path))
        parts = KINDS[kind].take(value)
        return {"is": kind, "of": {k: walk(part, f"{path}.{k}") for k, part in parts.items()}}

    return walk(value, name), arrays


def decode(content: Json, arrays: Arrays) -> object:
    """Return the value that `encode` took apart.

    Parameters
    ----------
    content : JSON value
    arrays : dict of str to ndarray

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it names a class that is not registered, as no other class is ever made; or if an array
        is named twice, or none too many.
    """
    left = dict(arrays)

    def walk(node: Json) -> object:
        if type(node) is list:
            return [walk(item) for item in node]
        if type(node) is not dict:
            return node
        if "array" in node:
            return left.pop(node["array"])
        kind = kind_named(node["is"])
        return kind.make({name: walk(part) for name, part in node["of"].items()})

    value = walk(content)
    if left:
        raise ValueError(f"it holds {next(iter(left))!r}, which nothing in it names")
    return value


def _unknown(value: object, path: str) -> str:
    what = f"an array of dtype {value.dtype}" if isinstance(value, np.ndarray) else shown(value)
    return (
        f"{path} must be of a kind that a file can hold without pickle; got {what}, of type "
        f"{type(value).__name__}. Numbers, text, arrays, lists and dicts can be saved, what "
        f"gpforecast and pandas make of them, and your own classes with the decorator "
        f"gpforecast.storage.storable."
    )
