"""Numbers as a sentence says them, lines that are not too long, and HTML for notebooks."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from html import escape

import numpy as np
import pandas as pd

from gpforecast.common.validation import counted, per_cent

_COLUMNS = 100  # of text


def compared(error: float, other: float) -> str:
    """Return how an error compares with another, to be followed by "that of" the other.

    Examples
    --------
    >>> compared(8.8, 10.0), compared(11.0, 10.0), compared(1.0, 1.0), compared(42.0, 10.0)
    ('12 % smaller than', '10 % larger than', 'as large as', '4.2 times')
    """
    if error == other:
        return "as large as"
    if error < other:
        return f"{per_cent(1.0 - error / other)} smaller than"
    if error > 1000.0 * other:
        return "over 1000 times"
    more = error / other - 1.0
    return f"{per_cent(more)} larger than" if more < 1.0 else f"{in_digits(more + 1.0, 2)} times"


def in_digits(number: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent where it needs none.

    Examples
    --------
    >>> in_digits(1234.5), in_digits(0.01237), in_digits(2.0), in_digits(1e-9)
    ('1230', '0.0124', '2', '1e-09')
    """
    short = f"{number:.{digits}g}"
    whole = f"{float(short):.0f}"
    return whole if "e+" in short and len(whole) <= 12 else short


def as_given(number: float) -> str:
    """Return a number so that it can be searched for: whole in full, else in six digits.

    Examples
    --------
    >>> as_given(99_999.0), as_given(1_234_567.0), as_given(1234.5678), as_given(1e30)
    ('99999', '1234567', '1234.57', '1e+30')
    """
    whole = number == round(number) and abs(number) < 1e15
    return f"{number:.0f}" if whole else in_digits(number, 6)


def grouped(number: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, its thousands set apart by commas.

    Examples
    --------
    >>> grouped(12_740.0), grouped(-2_296.4, 4), grouped(0.01237), grouped(1.087e7, 4)
    ('12,700', '-2,296', '0.0124', '10,870,000')
    """
    short = in_digits(number, digits)
    if "e" in short or not math.isfinite(number):
        return short
    whole, dot, decimals = short.partition(".")
    return f"{float(whole):,.0f}{dot}{decimals}"


def times_as_likely(gain: float) -> str:
    """Return what a difference of log likelihoods in nats means.

    Examples
    --------
    >>> times_as_likely(2.0), times_as_likely(15.8)
    ('7.39 times as likely', 'over 1000 times as likely')
    """
    many = "over 1000" if gain > np.log(1000.0) else in_digits(float(np.exp(gain)))
    return f"{many} times as likely"


def missing_in_words(n_missing: int, n: int, what: str = "value") -> str:
    """Return how many of some values are missing, without a full stop.

    Examples
    --------
    >>> missing_in_words(1, 20), missing_in_words(3, 20)
    ('1 of 20 values is missing', '3 of 20 values are missing')
    """
    return f"{n_missing} of {counted(n, what)} {'is' if n_missing == 1 else 'are'} missing"


def number(value: float, scale: float) -> str:
    """Return a number with as many digits as a scale, such as its standard deviation, deserves.

    Examples
    --------
    >>> number(1234.5678, 40.0), number(1234.5678, 400.0), number(0.012345, 0.001)
    ('1,235', '1,230', '0.0123')
    """
    if not (np.isfinite(value) and np.isfinite(scale) and scale > 0):
        return f"{value:.5g}"
    decimals = 1 - math.floor(math.log10(scale))
    if decimals > 8 or abs(value) > 1e15:
        return f"{value:.4g}"
    return f"{round(value, decimals) + 0.0:,.{max(0, decimals)}f}"  # + 0.0: no minus zero


def observed(value: float, scale: float, whole: bool) -> str:
    """Return a value as it can be observed: whole numbers stay whole."""
    return f"{value:,.0f}" if whole and value == round(value) else number(value, scale)


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names one after the other, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b, 2 more')
    """
    more = len(names) - most
    return ", ".join([*names[:most], *([f"{more} more"] if more > 0 else [])])


def similar(name: str, names: Iterable[str]) -> str:
    """Return the name that may have been meant, "" if none is like it.

    Examples
    --------
    >>> similar("umsatz", ["Datum", "Umsatz"]), similar("--level", ["--levels"]), similar("a", "xy")
    ('Umsatz', '--levels', '')
    """
    by_letters = {other.casefold(): other for other in names}
    near = get_close_matches(name.casefold(), by_letters, n=1)
    return by_letters[near[0]] if near else ""


def meant(name: str, names: Iterable[str]) -> str:
    """Return the question whether a similar name was meant, to end a message; "" if none is.

    Examples
    --------
    >>> meant("umsatz", ["Datum", "Umsatz"]), meant("a", "xy")
    (" Did you mean 'Umsatz'?", '')
    """
    near = similar(name, names)
    return f" Did you mean {near!r}?" if near else ""


def point(text: str) -> str:
    """Return an item of a list in lines that are not too long."""
    return wrapped(text, "  - ", "    ")


def wrapped(text: str, first: str, rest: str | None = None) -> str:
    """Return text in lines that begin with `first`, or with `rest` after it if that is given."""
    together = " ".join(text.split()).replace(" %", "\xa0%")  # no line begins with a sign
    return textwrap.fill(
        together,
        _COLUMNS,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\xa0%", " %")


def named_lags(lags: Sequence[int]) -> str:
    """Return lags in words, as short as they go.

    Examples
    --------
    >>> [named_lags(lags) for lags in ([1], [1, 2, 3], [0, 3, 4, 7, 9], range(6, 97, 6))]
    ['lag 1', 'lags 1 to 3', 'lags 0, 3, 4, 7 and 9', 'lags 6, 12, ..., 96']
    """
    first, last, n = lags[0], lags[-1], len(lags)
    if n == 1:
        return f"lag {first}"
    if n > 2 and last - first == n - 1:
        return f"lags {first} to {last}"
    if n > 4 and first > 0 and list(lags) == list(range(first, last + 1, first)):
        return f"lags {first}, {2 * first}, ..., {last}"
    if n > 8:
        return f"{n} lags from {first} to {last}"
    return f"lags {', '.join(map(str, lags[:-1]))} and {last}"


def shown_in_html(
    caption: str, table: pd.DataFrame, notes: Iterable[str] = (), *, max_rows: int | None = None
) -> str:
    """Return a caption, a table and notes as HTML; an ellipsis stands for rows that are left out.

    Examples
    --------
    >>> shown = shown_in_html("a < b", pd.DataFrame({"mean": [1.0]}), ["few values"])
    >>> shown.splitlines()[0], shown.splitlines()[-1]
    ('<p>a &lt; b</p>', '<p>note: few values</p>')
    """
    rows = table.to_html(float_format="{:.6g}".format, border=0, na_rep="", max_rows=max_rows)
    lines_of_notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in notes)
    return f"<p>{escape(caption)}</p>\n{rows}{lines_of_notes}"


def folded_in_html(lines: Sequence[str], heading: str, text: str) -> str:
    """Return some lines as HTML, and a long text that is open only where one wants it.

    Examples
    --------
    >>> print(folded_in_html(["Forecaster(lags=2)", "a < b"], "Summary", "all of it"))
    <p>Forecaster(lags=2)<br>a &lt; b</p>
    <details><summary>Summary</summary><pre style="white-space: pre-wrap">all of it</pre></details>
    """
    head = "<br>".join(map(escape, lines))
    whole = f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'
    return f"<p>{head}</p>\n<details><summary>{escape(heading)}</summary>{whole}</details>"
