"""From a text to the parts of a number: digits, sign, currency, per cent."""

import re
from dataclasses import dataclass

from gpforecast.common.currencies import CURRENCY

_NUMBER = re.compile(
    rf"""(?:(?:(?P<ahead>{CURRENCY})\s*(?=\())?(?P<open>\())?\s*
    (?P<sign>[-+])?\s*(?P<before>{CURRENCY})?\s*(?P<inner>[-+])?\s*
    (?P<digits>\d[\d.,' ]*|[.,]\d+)(?<!\s)(?P<power>[eE][-+]?\d+)?
    (?P<cents>(?<=[.,])(?:--?|–|—))?\s*(?P<percent>%)?\s*(?P<after>{CURRENCY})?\s*(?P<last>-)?\s*
    (?:(?P<close>\))\s*(?P<share>%)?(?:\s*(?P<behind>{CURRENCY}))?)?""",
    re.VERBOSE,
)
# Spaces that do not break, apostrophes and minus signs of typesetters.
PLAIN = str.maketrans({"\xa0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-",
                       "\u2013": "-"})  # fmt: skip


@dataclass(frozen=True)
class Bare:
    """The parts of a text that is a number: its digits and what stands around them.

    A dash behind a decimal mark, as in ``1500,-``, says that there are no cents.
    """

    digits: str
    negative: bool
    power: int
    percent: bool
    currency: str
    no_cents: bool = False

    @staticmethod
    def of(text: str) -> "Bare | None":
        """Take a text apart, or return None if it is no number.

        Examples
        --------
        >>> Bare.of("(€ 1.234,50)")  # doctest: +NORMALIZE_WHITESPACE
        Bare(digits='1.234,50', negative=True, power=0, percent=False, currency='€',
             no_cents=False)
        """
        found = _NUMBER.fullmatch(text.translate(PLAIN).strip())
        if found is None or bool(found["open"]) != bool(found["close"]):
            return None
        signs = [found[name] for name in ("sign", "inner", "last") if found[name]]
        if found["open"]:
            signs.append("-")
        money = [found[name] for name in ("ahead", "before", "after", "behind") if found[name]]
        if len(signs) > 1 or len(money) > 1:
            return None
        power = int((found["power"] or "e0")[1:])
        percent, no_cents = bool(found["percent"] or found["share"]), bool(found["cents"])
        return Bare(found["digits"], "-" in signs, power, percent, "".join(money), no_cents)


def without_currency(text: str) -> str:
    """Return what is left of a text without its currency, as the dash of ``$ -``.

    Examples
    --------
    >>> without_currency("$ -   ")
    '-'
    """
    return re.sub(CURRENCY, "", text).strip()
