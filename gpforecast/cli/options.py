"""The options of the commands: their names, what they take, their help, and sentences in them."""

import argparse
import re
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

N = TypeVar("N", int, float)

METHODS = ("exact", "taylor", "cubature", "naive", "monte_carlo")
CHOICES = (*METHODS, "mixture", "auto")
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
--label: whether dates name the start or the end of their steps (default: as usual for the step)
--lags L: past values to use: 16 (that is 1 to 16), 1,2,12 or auto
--season-length N: steps in a season: 12, or 24,168 for several; 1 for none, or auto
--strategy: direct has a model for each step
--calibrate: correct the intervals by past errors: each level, the variance, or each level with \
more weight on the newest errors (default: not)
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
--interactive: let plotly draw the pictures; needs the package plotly
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
--ignore TEXT: a text at an end of numbers to leave out, such as a unit; may be repeated
--date-format FORMAT: such as %%d.%%m.%%Y; or number, excel (days) or unix (seconds)
--dayfirst: 03/04/2019 is in April or, with --no-dayfirst, in March
--timezone ZONE: of the times, such as Europe/Paris; offsets from UTC are brought to it
--sort: bring the rows in the order of times
--duplicates: what to take of rows of the same time
--count: number the rows from 0, whatever dates there are"""
FILE = """\
file --value --time --horizon --exog --exog-lags --forecast-exog --holidays --label --lags
--season-length --strategy --calibrate --seed --output --force"""


@dataclass(frozen=True)
class FileOptions:
    """How a file is read, each as the option of its name; what is None is detected.

    Attributes
    ----------
    value, time : str, optional
        Names of columns, or their numbers from 1. `time` may name several, with commas between
        them, that say together when, such as ``Date,Time``.
    exog : tuple of str
        Columns that are known beforehand, each entry a name or number, or several as of `time`.
    """

    value: str | None = None
    time: str | None = None
    exog: tuple[str, ...] = ()
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip_rows: int | None = None
    skip_footer: int = 0
    sheet: str | None = None
    missing: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    date_format: str | None = None
    dayfirst: bool | None = None
    timezone: str | None = None
    sort: bool = False
    duplicates: str | None = None
    count: bool = False


READING = [f"--{field.name.replace('_', '-')}" for field in fields(FileOptions)[3:]]

_WORDS = "season_length|exog_lags|label|lags|calibrate|refit|origins|horizon|exog|propagation"
_QUOTE = "(?:&quot;|[\"'])"
_ARGUMENT = re.compile(
    rf"(\bForecaster\()?\b({_WORDS})=(?:{_QUOTE}(\w+){_QUOTE}|\[([\d, ]+)\]|(\w+))"
    r"(?: in predict)?(?(1)\)|)"
)


def _number(kind: type[N], least: int, below: float, what: str, text: str) -> N:
    with suppress(ValueError):
        if least <= kind(text) < below:
            return kind(text)
    raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}.")


positive = partial(_number, int, 1, float("inf"), "a positive integer")
_seed = partial(_number, int, 0, float("inf"), "an integer from 0 up")
_level = partial(_number, float, 1, 100.0, "per cent, from 1 to under 100")


def _refit(text: str) -> int | str | None:
    return {"auto": "auto", "never": None}[text] if text in ("auto", "never") else positive(text)


def _horizon(text: str) -> int | str:
    """Return a number of steps; or a date or a length of time as it is."""
    return int(text) if text.isdecimal() else text


def _steps(text: str) -> list[int] | int | str:
    if text == "auto":
        return text
    first, dash, last = text.partition("-")
    with suppress(ValueError):
        if dash:
            return [*range(int(first), int(last) + 1)]
        return [int(part) for part in text.split(",")] if "," in text else int(text)
    expected = 'a whole number, several such as 1,2,12 or 0-24, or "auto"'
    raise argparse.ArgumentTypeError(f"must be {expected}; got {text!r}.")


_TEXTS = {"action": "append", "default": []}
_EITHER = {"action": argparse.BooleanOptionalAction}
_KINDS: dict[str, dict[str, Any]] = {
    "--horizon": {"type": _horizon, "required": True},
    "--exog": _TEXTS,
    "--exog-lags": {"type": _steps},
    "--label": {"choices": ("start", "end")},
    "--lags": {"type": _steps, "default": "auto"},
    "--season-length": {"type": _steps, "default": "auto"},
    "--strategy": {"choices": ("iterated", "direct"), "default": "iterated"},
    "--calibrate": {"choices": ("conformal", "variance", "adaptive")},
    "--method": {"choices": CHOICES, "default": "auto"},
    "--levels": {"nargs": "+", "type": _level, "default": [80, 95]},
    "--total": _EITHER,
    "--origins": {"type": positive, "default": 100},
    "--refit": {"type": _refit, "default": "auto"},
    "--rows": {"type": positive, "default": 200},
    "--seed": {"type": _seed, "default": 0},
    "--output": {"type": Path},
    "--plot": {"type": Path},
    "--decimal": {"choices": (".", ",")},
    "--header": _EITHER,
    "--skip-rows": {"type": _seed},
    "--skip-footer": {"type": _seed, "default": 0},
    "--missing": _TEXTS,
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


def in_options(text: str) -> str:
    """Return a text that names options where the command line has them.

    Examples
    --------
    >>> in_options("a season of 12 (season_length=1 leaves it out)")
    'a season of 12 (--season-length 1 leaves it out)'
    >>> in_options("season_length must be at least 1")
    '--season-length must be at least 1'
    """

    def option(found: re.Match[str]) -> str:
        _, name, word, several, one = found.groups("")
        flag = "method" if name == "propagation" else name.replace("_", "-")
        whole = f"--{flag} {word or several.replace(' ', '') or one}"
        return "--forecast-exog" if whole == "--exog forecast" else whole

    text = re.sub(r"\b(combine|outliers|support|transforms)=None\b", r"\g<0> in Python", text)
    text = text.replace(", fewer lags or a smaller train_fraction", " or fewer --lags")
    first = re.match(rf"({_WORDS})(?= must\b)", text)
    text = f"--{first[1].replace('_', '-')}{text[first.end() :]}" if first else text
    return re.sub(r"\bgf\.(backtest|report)\b", r"gpforecast \1", _ARGUMENT.sub(option, text))


def summary_in_options(summary: str) -> str:
    """Return a summary that names options; its technical details stay as they are."""
    sentences, mark, details = summary.partition("\nTechnical details")
    return in_options(sentences) + mark + details
