"""What to say where an optional library is missing."""

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
