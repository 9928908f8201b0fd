"""Names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def imported_late(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package for names that its modules define.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    modules : mapping of str to str
        The module of each name, or the name's own where it is a module of the package.

    Returns
    -------
    callable
        It imports the module, and keeps what it found as an attribute of the package.

    Raises
    ------
    AttributeError
        By what is returned, if the package has no such name.

    Examples
    --------
    >>> find = imported_late("gpforecast.numerics", {"pack": "gpforecast.numerics.packing"})
    >>> find("unpack")
    Traceback (most recent call last):
    ...
    AttributeError: module 'gpforecast.numerics' has no attribute 'unpack'
    """

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(modules[name])
        itself = modules[name] == f"{package}.{name}"
        found: object = module if itself else vars(module)[name]
        setattr(sys.modules[package], name, found)
        return found

    return find
