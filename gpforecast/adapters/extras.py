"""What to say where an optional library is missing."""


def missing_extra(library: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error to raise when an adapter's library cannot be imported.

    Parameters
    ----------
    library : str
        As it is imported; the adapter and the extra have the same name.
    error : ModuleNotFoundError
        What importing it raised.

    Returns
    -------
    ImportError
        A sentence that says what to install; `error` itself if the library is there but misses
        something of its own, because installing it again would not help.

    Examples
    --------
    >>> print(missing_extra("sktime", ModuleNotFoundError(name="sktime")))
    gpforecast.adapters.sktime needs sktime; pip install "gpforecast[sktime]".
    """
    if (error.name or "").split(".")[0] != library:
        return error
    sentence = (
        f'gpforecast.adapters.{library} needs {library}; pip install "gpforecast[{library}]".'
    )
    return ImportError(sentence, name=error.name)
