"""Python's own containers, and NumPy's random generators, as a file holds them."""

from collections.abc import Iterable

import numpy as np

from gpforecast.storage.registry import KINDS, Kind, Parts


def _numbered(items: Iterable[object]) -> Parts:
    return {str(i): item for i, item in enumerate(items)}


def _make_generator(parts: Parts) -> np.random.Generator:
    name = parts["state"]["bit_generator"]
    known = {"MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
    if name not in known:
        raise ValueError(f"it holds a random generator {name}, which is none of NumPy's")
    bits = vars(np.random)[name]()
    bits.state = parts["state"]
    return np.random.Generator(bits)


for _kind in (
    Kind(float, lambda x: {"repr": repr(x)}, lambda parts: float(parts["repr"])),
    Kind(tuple, _numbered, lambda parts: tuple(parts.values())),
    Kind(dict, lambda items: _numbered(items.items()), lambda parts: dict(parts.values())),
    Kind(range, lambda r: _numbered((r.start, r.stop, r.step)), lambda p: range(*p.values())),
    Kind(np.random.Generator, lambda g: {"state": dict(g.bit_generator.state)}, _make_generator),
):
    KINDS[_kind.cls.__name__] = _kind
