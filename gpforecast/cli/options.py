"""The options of the commands: what they are called, what they take, and their help."""

import argparse
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

N = TypeVar("N", int, float)

METHODS = ("exact", "taylor", "cubature", "naive", "monte_carlo")
CHOICES = (*METHODS, "mixture", "auto")
_STRATEGIES = ("iterated", "direct")
_MOST_LAGS = 10_000  # of an input: more than any series has rows for
_HELP = """\
file FILE: the data; - for the standard input
--value COL: the column to forecast; not needed if only one holds numbers
--time COL: the column of times, or Date,Time for two; not needed if only one holds dates
--horizon H: steps ahead; or up to a date, such as 2026-12, or a length, such as '18 months'
--exog COL: a column known beforehand that moves the values, such as promotions, or A,B for two; \
rows after the last value hold its future
--exog-lags L: steps by which they may act later, such as 0,1,2 or 0-24 (default: chosen)
--forecast-exog: forecast these columns, too, instead of reading their future
--holidays CODE: public holidays of a country or of a state in it, such as FR or DE-BY
--lags L: past values to use: 16 (that is 1 to 16), 1,2,12 or auto
--season-length N: steps in a season: 12, or 24,168 for several; 1 for none, or auto
--strategy: direct has a model for each step
--calibrate: correct the intervals by past errors: each level, or the variance (default: not)
--method: how the uncertainty of a step is carried to the next
--levels P: intervals in per cent (default: 80 95)
--units TEXT: of the values, such as 'thousand euros' (default: their currency)
--total: give the total of the horizon, or leave it out with --no-total (default: of money and \
counts, but not of prices, rates and the like)
--origins N: how many origins to forecast from
--refit N: train again after N values; never; or auto, as often as is cheap
--rows N: values to learn from
--seed N: for monte_carlo and other random choices
--title TEXT: of the page (default: the name of the column)
--date TEXT: of the report; the page names that of the last value anyway
--interactive: let plotly draw the pictures; needs the extra [plotly]
--output OUT.csv: write the table here; also .xlsx, .json or .parquet
--plain-csv: write commas and decimal points even if FILE has semicolons and decimal commas
--plot OUT.png: draw a picture here
--summary: print what was selected, and why
--force: replace files that exist
--delimiter C: between fields: a character, or comma, semicolon, tab, pipe, space
--decimal: the decimal mark; the other is then between thousands
--encoding CODE: of the text, such as utf-8, cp1252, utf-16-le
--header: the first row has names or, with --no-header, data; columns are then 1, 2, 3
--skip-rows N: lines before the table
--skip-footer N: rows after the table, such as totals
--sheet NAME: of a spreadsheet
--missing TEXT: another text for a missing value; may be repeated
--zero TEXT: a text that stands for 0, such as -; may be repeated
--ignore TEXT: a text at an end of numbers to leave out, such as a unit; may be repeated
--date-format FORMAT: such as %%d.%%m.%%Y; or number, excel (days) or unix (seconds)
--dayfirst: 03/04/2019 is in April or, with --no-dayfirst, in March
--timezone ZONE: of the times, such as Europe/Paris; offsets from UTC are brought to it
--sort: bring the rows in the order of times
--duplicates: what to take of rows of the same time
--count: number the rows from 0, whatever dates there are"""
READING = """\
--delimiter --decimal --encoding --header --skip-rows --skip-footer --sheet --missing --zero
--ignore --date-format --dayfirst --timezone --sort --duplicates --count"""
FILE = """\
file --value --time --horizon --exog --exog-lags --forecast-exog --holidays --lags --season-length
--strategy --calibrate --seed --output --force"""


@dataclass(frozen=True)
class FileOptions:
    """What the user says about a file; what is None is detected.

    Attributes
    ----------
    value, time : str, optional
        Names of columns, or their numbers from 1. `time` may name several, with commas between
        them, that say together when, such as ``Date,Time``.
    exog : tuple of str
        Columns that are known beforehand, each entry a name or number, or several as of `time`.
    count : bool
        Count the rows from 0, whatever dates there are.
    sep, decimal, encoding : str, optional
        The delimiter of fields, the decimal mark of numbers, the encoding of text.
    header : bool, optional
        Whether the first row holds names.
    skip_rows : int, optional
        Lines before the table.
    skip_footer : int
        Rows after it.
    sheet : str, optional
        Of a spreadsheet.
    missing, zero : tuple of str
        Further texts that stand for a missing value, and for 0.
    ignore : tuple of str
        Texts before or behind numbers that are left out.
    date_format : str, optional
        A format of ``strptime``, or one of ``number``, ``excel`` and ``unix``.
    dayfirst : bool, optional
        Whether 03/04/2019 is the third of April.
    timezone : str, optional
        The zone that the times are in, or are brought to if they have offsets from UTC.
    sort : bool
        Bring the rows in the order of their times.
    duplicates : str, optional
        What to make of rows of the same time: ``mean``, ``sum``, ``first`` or ``last``.
    """

    value: str | None = None
    time: str | None = None
    exog: tuple[str, ...] = ()
    count: bool = False
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip_rows: int | None = None
    skip_footer: int = 0
    sheet: str | None = None
    missing: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    date_format: str | None = None
    dayfirst: bool | None = None
    timezone: str | None = None
    sort: bool = False
    duplicates: str | None = None


def _number(kind: type[N], least: int, below: float, what: str, text: str) -> N:
    with suppress(ValueError):
        if least <= kind(text) < below:
            return kind(text)
    raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}.")


_HORIZON = "a positive integer, a date such as 2026-12, or a length such as '18 months'"
positive = partial(_number, int, 1, float("inf"), "a positive integer")
_seed = partial(_number, int, 0, float("inf"), "an integer from 0 up")
_level = partial(_number, float, 1, 100.0, "per cent, from 1 to under 100")


def _refit(text: str) -> int | str | None:
    return {"auto": "auto", "never": None}[text] if text in ("auto", "never") else positive(text)


def _horizon(text: str) -> int | str:
    """Return a number of steps; or a date or a length of time as it is."""
    try:
        float(text)
    except ValueError:
        if text[:1].isdigit():
            return text
        raise argparse.ArgumentTypeError(f"must be {_HORIZON}; got {text!r}.") from None
    return _number(int, 1, float("inf"), _HORIZON, text)


def _exog_lags(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    try:
        near = range(int(first), int(last) + 1) if dash else range(0)
        steps = [*near[: _MOST_LAGS + 1]] if dash else [int(k) for k in text.split(",")]
    except ValueError:
        steps = []
    if not steps or min(steps) < 0 or len(steps) > _MOST_LAGS:
        raise argparse.ArgumentTypeError(
            f"must be steps back from the value, such as 0,1,2 or 0-24; got {text!r}."
        )
    return steps


def _steps(text: str) -> list[int] | int | str:
    if text == "auto":
        return text
    try:
        steps = [int(part) for part in text.split(",")]
    except ValueError:
        expected = 'a whole number, several such as 1,2,12, or "auto"'
        raise argparse.ArgumentTypeError(f"must be {expected}; got {text!r}.") from None
    return steps if "," in text else steps[0]


def _season(text: str) -> list[int] | int | str:
    try:
        steps = _steps(text)
    except argparse.ArgumentTypeError:
        steps = 0
    if isinstance(steps, str) or min(np.atleast_1d(steps)) > 0:
        return steps
    raise argparse.ArgumentTypeError(
        f"must be a number of steps such as 12, several such as 24,168, 1 for no season, or auto; "
        f"got {text!r}."
    )


_TEXTS = {"action": "append", "default": []}
_EITHER = {"action": argparse.BooleanOptionalAction}
_KINDS: dict[str, dict[str, Any]] = {
    "--horizon": {"type": _horizon, "required": True},
    "--exog": _TEXTS,
    "--exog-lags": {"type": _exog_lags},
    "--lags": {"type": _steps, "default": "auto"},
    "--season-length": {"type": _season, "default": "auto"},
    "--strategy": {"choices": _STRATEGIES, "default": "iterated"},
    "--calibrate": {"choices": ("conformal", "variance")},
    "--method": {"choices": CHOICES, "default": "auto"},
    "--levels": {"nargs": "+", "type": _level, "default": [80, 95]},
    "--total": _EITHER,
    "--origins": {"type": positive, "default": 100},
    "--refit": {"type": _refit, "default": "auto"},
    "--rows": {"type": positive, "default": 200},
    "--seed": {"type": _seed, "default": 0},
    "--output": {"type": Path},
    "--plot": {"type": Path},
    "--delimiter": {"dest": "sep"},
    "--decimal": {"choices": (".", ",")},
    "--header": _EITHER,
    "--skip-rows": {"type": _seed},
    "--skip-footer": {"type": _seed, "default": 0},
    "--missing": _TEXTS,
    "--zero": _TEXTS,
    "--ignore": _TEXTS,
    "--dayfirst": _EITHER,
    "--duplicates": {"choices": ("mean", "sum", "first", "last")},
}


def settings(flag: str, **own: Any) -> dict[str, Any]:
    """Return what argparse takes for an option.

    Parameters
    ----------
    flag : str
    **own
        What a command says otherwise.
    """
    names, _, text = next(
        line.partition(": ") for line in _HELP.splitlines() if re.match(rf"{flag}[: ]", line)
    )
    metavar = names.partition(" ")[2]
    kind = _KINDS.get(flag, {}) | ({"metavar": metavar} if metavar else {})
    found = {"help": text} | (kind or {"action": "store_true"}) | own
    if found.get("default") and "default:" not in text and found.get("action") is None:
        found["help"] += " (default: %(default)s)"
    return found
