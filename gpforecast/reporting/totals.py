"""Whether a sum over time means something."""

import re

import numpy as np
import pandas as pd

_SIGNS = ("%", "°", "/")
# What is no amount, by a word of a name or a unit.
_WORDS = """
average averages avg bpm celsius concentration degree degrees density fahrenheit fraction frequency
gw hpa hz humidity index indices intensity kelvin kmh kw level levels load loads mean median mph mw
per percent percentage ph power pressure price prices probability quote quotes rate rates ratio
ratios speed temp temperature temperatures unemployment velocity voltage volt volts watt watts
"""
_NOT_SUMMED = frozenset(_WORDS.split())
_A_TIME = "second minute hour day week month quarter year"
_FOR_ONE = re.compile(rf"\ban? (?!(?:{_A_TIME.replace(' ', '|')})\b)[a-z]")


def have_totals(y: "pd.Series[float]", *names: str | None) -> bool:
    """Return whether a report gives the total over the horizon unless it is told otherwise.

    It does for counts: whole numbers that are not negative. It does not where a name says that
    values are no amounts, such as prices, rates or temperatures.

    Parameters
    ----------
    y : Series
    *names : str or None
        Of the series, of the page and of the units.

    Examples
    --------
    >>> y = pd.Series([3.0, 4.0])
    >>> have_totals(y, "visitors"), have_totals(y, "stock price"), have_totals(y, "", "km/h")
    (True, False, False)
    """
    if not are_amounts(*names):
        return False
    known = y.dropna().to_numpy()
    return bool((known >= 0).all() and (known == np.round(known)).all())


def are_amounts(*names: str | None) -> bool:
    """Return whether no name says that a sum over time means nothing; money is then summed too."""
    return not any(_says_no_amount(name) for name in names if name)


def _says_no_amount(name: str) -> bool:
    """Return whether a name or a unit says that a sum over time means nothing.

    Examples
    --------
    >>> [_says_no_amount(name) for name in ("load_mw", "euros a litre", "pieces a month")]
    [True, True, False]
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()  # heartRate is heart rate
    words = {*re.findall(r"[a-z]+", apart), *re.findall(r"[a-z]+", name.lower())}
    signs = any(sign in name for sign in _SIGNS)
    return signs or bool(words & _NOT_SUMMED) or _FOR_ONE.search(apart) is not None
