"""Modules that are imported when they are first used, and what to say where one is missing."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

_PACKAGES = {"sklearn": "scikit-learn", "sktime": "sktime skpro"}


def to_install(library: str) -> str:
    """Return the command that installs a library, by the name that it is imported by.

    Examples
    --------
    >>> to_install("openpyxl"), to_install("sklearn")
    ('pip install openpyxl', 'pip install scikit-learn')
    """
    return f"pip install {_PACKAGES.get(library, library)}"


def missing_extra(what: str, library: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error to raise when an optional library cannot be imported.

    Parameters
    ----------
    what : str
        What needs it.
    library : str
        As it is imported.
    error : ModuleNotFoundError
        What importing it raised.

    Returns
    -------
    ImportError
        A sentence that says what to install; `error` itself if the library is there but misses
        something of its own, because installing it again would not help.

    Examples
    --------
    >>> error = ModuleNotFoundError(name="sktime")
    >>> print(missing_extra("gpforecast.adapters.sktime", "sktime", error))
    gpforecast.adapters.sktime needs sktime: pip install sktime skpro.
    """
    if (error.name or "").split(".")[0] != library:
        return error

    return ImportError(f"{what} needs {library}: {to_install(library)}.", name=error.name)


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
