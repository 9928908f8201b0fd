"""Values as JSON with their arrays beside it, and back.

None, bools, ints, finite floats, strings and lists stand for themselves. Everything else is
``{"is": kind, "of": parts}``: other floats, tuples, dicts, arrays (by name), and objects of the
classes that a list of `Kind` knows how to take apart. What no kind knows is refused.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.storage.archive import Arrays


@dataclass(frozen=True)
class Kind:
    """How objects of one class are taken apart and put together again.

    Attributes
    ----------
    cls : type
        Exactly this class; its name is what a file calls it.
    take : callable
        From an object to its parts, a dict by name.
    make : callable
        From the parts to an object.
    """

    cls: type
    take: Callable[[Any], dict[str, Any]]
    make: Callable[[dict[str, Any]], Any]

    @property
    def name(self) -> str:
        """What a file calls the class."""
        return self.cls.__name__


def encode(value: Any, kinds: Iterable[Kind], name: str) -> tuple[Any, Arrays]:
    """Return a value as JSON, and its arrays by name.

    Parameters
    ----------
    value : object
    kinds : iterable of Kind
    name : str
        What the value is called, in messages and in the names of arrays.

    Returns
    -------
    content : JSON value
    arrays : dict of str to ndarray

    Raises
    ------
    TypeError
        If something in it is of no known kind; the message says where and what.

    Examples
    --------
    >>> encode((1, np.zeros(2)), [], "pair")
    ({'is': 'tuple', 'of': [1, {'is': 'array', 'of': 'pair.1'}]}, {'pair.1': array([0., 0.])})
    """
    by_class = {kind.cls: kind for kind in kinds}
    arrays: Arrays = {}

    def each(values: Iterable[Any], path: str) -> list[Any]:
        return [walk(v, f"{path}.{i}") for i, v in enumerate(values)]

    def walk(value: Any, path: str) -> Any:
        value = _plain(value)
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"is": "float", "of": repr(value)}
        if type(value) is list:
            return each(value, path)
        if type(value) is tuple:
            return {"is": "tuple", "of": each(value, path)}
        if type(value) is dict:
            return {"is": "dict", "of": each(value.items(), path)}
        if type(value) is np.ndarray and value.dtype.kind in "biuf":
            arrays[path] = value
            return {"is": "array", "of": path}
        kind = by_class.get(type(value))
        if kind is None:
            raise TypeError(_unknown(value, path, by_class.values()))
        parts = kind.take(value)
        return {"is": kind.name, "of": {k: walk(v, f"{path}.{k}") for k, v in parts.items()}}

    return walk(value, name), arrays


def decode(content: Any, arrays: Arrays, kinds: Iterable[Kind]) -> Any:
    """Return the value that `encode` took apart.

    Parameters
    ----------
    content : JSON value
    arrays : dict of str to ndarray
    kinds : iterable of Kind
        Only their classes are made, whatever the content asks for.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it asks for a kind that is not among them.
    """
    by_name = {kind.name: kind for kind in kinds}

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        kind, parts = node["is"], node["of"]
        if kind == "float":
            return float(parts)
        if kind == "tuple":
            return tuple(walk(parts))
        if kind == "dict":
            return dict(walk(parts))
        if kind == "array":
            return arrays[parts]
        if kind not in by_name:
            raise ValueError(f"it holds a {kind}, which this version of gpforecast does not know")
        return by_name[kind].make({k: walk(v) for k, v in parts.items()})

    return walk(content)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python number it stands for; all else as it is."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int(value)
    return value


def _unknown(value: Any, path: str, kinds: Iterable[Kind]) -> str:
    known = ", ".join(sorted(kind.name for kind in kinds))
    what = f"an array of dtype {value.dtype}" if isinstance(value, np.ndarray) else repr(value)
    if len(what) > 80:
        what = f"{what[:77]}..."
    return (
        f"{path} must be of a kind that a file can hold without pickle; got {what}, of type "
        f"{type(value).__name__}. Besides numbers, text, arrays, lists and dicts these can be "
        f"saved: {known}."
    )
