"""Whether a sum over time means something."""

import re

import pandas as pd

from gpforecast.automatic.closed import never_known
from gpforecast.series.checked import values_of
from gpforecast.series.time_axis import TimeAxis

_SIGNS = ("%", "°", "/")
# Words of names and units of values that are not amounts.
_NO_AMOUNTS = """
average avg celsius concentration degree degrees density fahrenheit fraction frequency growth gw hpa
humidity hz index intensity kelvin kmh kw level levels load log mean median mph mw per percent
percentage ph power pressure price prices probability quote quotes rate rates ratio ratios speed
temp temperature temperatures unemployment velocity volt voltage volts watt watts
"""
_AMOUNTS = """
bookings deliveries eur euro euros dollar dollars expenses gbp income orders purchases receipts
revenue revenues sales shipments sold spending turnover usd visitors visits
"""
_MONEY = "$€£¥₹₽₩₺₫₴₪฿"
_TIMES = "second|minute|hour|day|week|month|quarter|year"
_FOR_ONE = re.compile(rf"\ban? (?!(?:{_TIMES})\b)[a-z]")
_A_STEP = re.compile(rf"\s*(?:/|\b(?:an?|per)\b)\s*(?:{_TIMES})$", re.IGNORECASE)


def have_totals(y: "pd.Series[float]", *names: str | None, units: str | None = None) -> bool:
    """Return whether the total over the horizon is given by default.

    It is of counts, whole numbers that are not negative, and of other values that are not negative
    if a name or the units say, in English or by a sign of money, that they are amounts, such as
    sales or visits. It is not where one says that values are no amounts, such as prices, rates or
    temperatures, nor where there never is a value at some times of a day or a week: a total would
    count them.

    Parameters
    ----------
    y : Series
    *names : str or None
        Of the series and of the page.
    units : str, optional
        Those of the values.

    Examples
    --------
    >>> y = pd.Series([3.0, 4.0])
    >>> have_totals(y, "visitors"), have_totals(y, "stock price"), have_totals(y, units="km/h")
    (True, False, False)
    >>> cents = y + 0.25
    >>> have_totals(cents, "Sales"), have_totals(cents, "volts"), have_totals(cents, "sales price")
    (True, False, False)
    """
    texts, known = [name for name in (*names, units) if name], y.dropna()
    words = {word for name in texts for word in _words_of(name)}
    rate = any(sign in name for sign in _SIGNS for name in texts) or any(
        _FOR_ONE.search(name.lower()) for name in texts
    )
    if rate or not words.isdisjoint(_NO_AMOUNTS.split()) or (known < 0).any():
        return False
    if never_known(values_of(y), TimeAxis(y.index)):
        return False
    amounts = {*_AMOUNTS.split(), *_MONEY}
    return bool((known == known.round()).all()) or not amounts.isdisjoint(words.union(*texts))


def units_of_a_total(units: str) -> str:
    """Return the units of a sum over time, of values in some units.

    Examples
    --------
    >>> [units_of_a_total(units) for units in ("pieces a month", "MWh/day", "t")]
    ['pieces', 'MWh', 't']
    """
    return _A_STEP.sub("", units)


def _words_of(name: str) -> list[str]:
    """Return the words of a name in small letters, also those that capitals set apart.

    Examples
    --------
    >>> _words_of("netSales, CPI index")
    ['net', 'sales', 'cpi', 'index', 'netsales', 'cpi', 'index']
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z]+", f"{apart} {name}".lower())
