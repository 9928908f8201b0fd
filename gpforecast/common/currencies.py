"""Signs, codes and names of currencies."""

import re

_CODES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|USD|"
    "ZAR"
)
CURRENCY = rf"(?:US\$|R\$|[$€£¥₹₽₩₺₫₴₪฿]|\b(?:{_CODES})\b|kr\b\.?|zł|Kč|Ft\b|Fr\b\.?|Rs\b\.?)"
_NAMES = re.compile(
    r"\b(?:cents?|crowns?|dollars?|euros?|francs?|pesos?|pounds? sterling|reais|rupees|yen|yuan)\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(CURRENCY)


def is_money(units: str) -> bool:
    """Return whether units name a currency.

    Examples
    --------
    >>> [is_money(units) for units in ("EUR", "thousand euros", "k€", "pieces", "kr")]
    [True, True, True, False, True]
    """
    return bool(_SIGNS.search(units) or _NAMES.search(units))
