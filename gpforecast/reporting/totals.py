"""Whether a sum over time means something."""

import re
import unicodedata

import numpy as np
import pandas as pd

from gpforecast.automatic.closed import never_known
from gpforecast.common.currencies import is_money
from gpforecast.series.checked import values_of

_SIGNS = ("%", "°", "/")
# What is no amount, by a word of a name or a unit.
_WORDS = """
average averages avg bpm celsius concentration degree degrees density fahrenheit fraction frequency
growth gw hpa humidity hz index indices intensity kelvin kmh kw level levels ln load loads log mean
median mph mw per percent percentage ph power pressure price prices probability quote quotes rate
rates ratio ratios speed temp temperature temperatures unemployment velocity volt voltage volts
watt watts
"""
_NOT_SUMMED = frozenset(_WORDS.split())
# What is an amount, in English, German, French and Spanish, without accents.
_NAMES = """
bookings deliveries expenses income orders purchases receipts revenue revenues
sales shipments sold spending turnover visitors visits
absatz ausgaben auftrage besuche besucher bestellungen einnahmen erlos erlose umsatz umsatze
verkaufe verkaufszahlen
chiffre commandes depenses livraisons recettes vente ventes visites visiteurs
facturacion gastos ingresos pedidos venta ventas visitantes visitas
"""
_AMOUNTS = frozenset(_NAMES.split())
_A_TIME = """
second minute hour day week month quarter year sekunde stunde tag woche monat quartal jahr
seconde heure jour semaine mois trimestre an hora dia semana mes ano
"""
_TIMES = "|".join(_A_TIME.split())
_FOR_ONE = re.compile(rf"\ban? (?!(?:{_TIMES})\b)[a-z]")
# What a unit ends with where its amounts are those of one step.
_A_STEP = re.compile(rf"\s*(?:/|\b(?:an?|per|je|pro|par|por|al)\b)\s*(?:{_TIMES})$")


def have_totals(y: "pd.Series[float]", *names: str | None, units: str | None = None) -> bool:
    """Return whether the total over the horizon is given unless it is told otherwise.

    It is of money, of counts, whole numbers that are not negative, and of other values that are not
    negative if a name says that they are amounts, such as sales, revenue or visits. It is not where
    a name says that values are no amounts, such as prices, rates or temperatures, nor where there
    never is a value at some times of a day or a week: a total would count them.

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
    if any(_says_no_amount(name) for name in (*names, units) if name):
        return False
    if never_known(values_of(y), y.index) is not None:
        return False
    if units and is_money(units):
        return True
    known = y.dropna().to_numpy()
    whole = bool((known == np.round(known)).all())
    named = any(_says_amount(name) for name in (*names, units) if name)
    return bool((known >= 0).all()) and (whole or named)


def units_of_a_total(units: str) -> str:
    """Return the units of a sum over time, of values in some units.

    Examples
    --------
    >>> [units_of_a_total(units) for units in ("pieces a month", "Stück je Woche", "t")]
    ['pieces', 'Stück', 't']
    """
    bare = "".join(_bare(letter) or letter for letter in units.lower())
    found = _A_STEP.search(bare)
    return units[: found.start()] if found and len(bare) == len(units) else units


def _says_no_amount(name: str) -> bool:
    """Return whether a name or a unit says that a sum over time means nothing.

    Examples
    --------
    >>> [_says_no_amount(name) for name in ("load_mw", "euros a litre", "pieces a month")]
    [True, True, False]
    """
    apart, words = _words_of(name)
    signs = any(sign in name for sign in _SIGNS)
    return signs or bool(words & _NOT_SUMMED) or _FOR_ONE.search(apart) is not None


def _says_amount(name: str) -> bool:
    """Return whether a word of a name says that values are amounts.

    Examples
    --------
    >>> [_says_amount(name) for name in ("netSales", "Umsätze", "units_sold", "sensor")]
    [True, True, True, False]
    """
    return not _words_of(name)[1].isdisjoint(_AMOUNTS)


def _words_of(name: str) -> tuple[str, set[str]]:
    """Return a name with its words apart, in small letters without accents, and these words."""
    bare = _bare(name)
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare).lower()  # heartRate is heart rate
    return apart, {*re.findall(r"[a-z]+", apart), *re.findall(r"[a-z]+", bare.lower())}


def _bare(text: str) -> str:
    """Return a text without accents, and without what ASCII does not have."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
