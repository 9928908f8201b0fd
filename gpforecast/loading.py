"""`load`: the other half of `Forecaster.save`."""

import os

from gpforecast.forecaster import Forecaster
from gpforecast.saving import restore


def load(path: str | os.PathLike[str]) -> Forecaster:
    """Read a forecaster that `Forecaster.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file: arrays and JSON, no pickle. Reading it runs no code from it, whoever made it.

    Returns
    -------
    Forecaster
        With the settings, the fitted model, the history and the notes it was saved with. Its
        forecasts equal those of the one that was saved, to the last bit on the same machine with
        the same libraries, and it can be updated or backtested like it.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at `path`.
    ValueError
        If the file is not one of ours, is cut short or changed (its SHA-256 is compared), or was
        made by a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(100, noise_var=1e-4, seed=0)
    >>> fc = gf.Forecaster(lags=4).fit(series)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fc.save(f"{folder}/mackey-glass.gpf")
    ...     again = gf.load(f"{folder}/mackey-glass.gpf")
    >>> again
    Forecaster(lags=4)
    >>> again.predict(horizon=20).mean.equals(fc.predict(horizon=20).mean)
    True
    """
    loaded: Forecaster = restore(path, Forecaster)
    return loaded
