"""What to say where an optional library is missing."""


def missing_extra(what: str, library: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error to raise when an optional library cannot be imported.

    Parameters
    ----------
    what : str
        What needs it.
    library : str
        As it is imported; the extra has the same name.
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
    gpforecast.adapters.sktime needs sktime; pip install "gpforecast[sktime]".
    """
    if (error.name or "").split(".")[0] != library:
        return error

    sentence = f'{what} needs {library}; pip install "gpforecast[{library}]".'
    return ImportError(sentence, name=error.name)
