"""Notes of the library in words of the command line: options in place of Python arguments."""

import re
from html import escape, unescape
from inspect import signature

from gpforecast import Forecaster, backtest, forecast_panel, models, report
from gpforecast.common.wording import point

_FORECAST_EXOG = re.compile(r"\bexog=([\"'])forecast\1(?: in predict)?")
_OPTIONS = [
    (re.compile(r"\bseason_length=(\d+)"), r"--season-length \1"),
    (_FORECAST_EXOG, "--forecast-exog"),
    (re.compile(r"\blags=(\d+)"), r"--lags \1"),
    (re.compile(r"\bpropagation= takes\b"), "--method takes"),
    (re.compile(r"\brefit=(\w+)"), r"--refit \1"),
    (re.compile(r"\borigins=(\d+)"), r"--origins \1"),
    (re.compile(r"\b(?:propagation|method)=\"(\w+)\""), r"--method \1"),
    (re.compile(r'\bForecaster\(calibrate="(\w+)"\)'), r"--calibrate \1"),
    (re.compile(r"\bcalibrate=\"(conformal|variance)\""), r"--calibrate \1"),
    (re.compile(r"\bcalibrate=True\b"), "--calibrate conformal"),
    (re.compile(r"\bgf\.(backtest|report)\b"), r"gpforecast \1"),
]
_LIST = re.compile(r"\b(exog_lags|lags|season_length)=\[([\d, ]+)\]")
_RANGE = re.compile(r"\bexog_lags=range\((\d+)\)")
_METHODS = (getattr(Forecaster, name) for name in vars(Forecaster) if name[0] != "_")
_CALLS = [Forecaster, *filter(callable, _METHODS), backtest, report, forecast_panel]
_CALLS += [kind for kind in vars(models).values() if isinstance(kind, type)]
_ARGUMENTS = {name for call in _CALLS for name in signature(call).parameters if len(name) > 2}
# A category such as weather=rain is no argument.
_ARGUMENT = rf"\b(?:{'|'.join(sorted(_ARGUMENTS))})=[^=]"
_PYTHON = re.compile(rf"{_ARGUMENT}|\bgf\.|\bForecaster\(")
_BRACKETS = re.compile(rf"\s\([^()]*{_ARGUMENT}[^()]*\)")
_ADVICE = re.compile(r'(<p class="note">Note: |<span class="what-to-do">)(.*?)(?=</)', re.DOTALL)
_SUMMARY = re.compile(r"(?<=<pre>).*?(?=</pre>)", re.DOTALL)
_QUOTED = re.compile(r"(?<![=\w])([\"'])(?:(?!\1).)*\1")  # no value of an argument, no apostrophe
_HIDDEN = re.compile("\0(\\d+)\0")
_BETWEEN = re.compile(r"(; |, and |, or |\. )")


def in_options(note: str) -> str:
    """Return a note that names options, without what only Python can do; "" if nothing is left.

    Examples
    --------
    >>> in_options("a season of 12 (season_length=1 leaves it out)")
    'a season of 12 (--season-length 1 leaves it out)'
    >>> in_options("the forecast stays above 0; support=None lets it go beyond")
    'the forecast stays above 0'
    """
    note, quoted = _hidden(note)
    note = _RANGE.sub(lambda m: f"--exog-lags 0-{int(m[1]) - 1}", note)
    note = _LIST.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2].replace(' ', '')}", note)
    for pattern, option in _OPTIONS:
        note = pattern.sub(option, note)
    note = _BRACKETS.sub("", note)
    first, *rest = _BETWEEN.split(note)
    kept = "" if _PYTHON.search(first) else first
    for between, part in zip(rest[::2], rest[1::2], strict=True):
        if not _PYTHON.search(part):
            kept += between + part if kept else part
    if kept and kept != note:
        kept = kept.rstrip(" ;,:.") + ("." if note.endswith(".") else "")
    return _shown(kept, quoted)


def error_in_options(message: str) -> str:
    """Return an error that names options, without the advice to fit again; the rest stays.

    Examples
    --------
    >>> error_in_options("exog='forecast' forecasts numbers.")
    '--forecast-exog forecasts numbers.'
    >>> error_in_options("season_length must be at least 1; leave season_length out.")
    '--season-length must be at least 1; leave --season-length out.'
    """
    message = re.sub(r",? or fit with it\b", "", _FORECAST_EXOG.sub("--forecast-exog", message))
    message = re.sub(r"^(exog|horizon|lags|origins|refit) must\b", r"--\1 must", message)
    message, quoted = _hidden(message)
    message = re.sub(
        r"\b(season_length|exog_lags)\b", lambda m: f"--{m[1].replace('_', '-')}", message
    )
    return _shown(message, quoted)


def _hidden(text: str) -> tuple[str, list[str]]:
    """Return a text without what stands in quotes, such as names in a user's file, and that."""
    quoted: list[str] = []

    def hide(found: re.Match[str]) -> str:
        quoted.append(found[0])
        return f"\0{len(quoted) - 1}\0"

    return _QUOTED.sub(hide, text), quoted


def _shown(text: str, quoted: list[str]) -> str:
    """Return a text with what stands in quotes in its places."""
    return _HIDDEN.sub(lambda found: quoted[int(found[1])], text)


def summary_in_options(summary: str) -> str:
    """Return a summary whose points name options; its technical details stay as they are."""
    sentences, mark, details = summary.partition("\nTechnical details")
    blocks = re.split(r"\n(?!    )", sentences)  # the lines of a point belong together
    kept = []
    for block in blocks:
        if not block.startswith("  - "):
            kept.append(block)
        elif text := in_options(" ".join(block[4:].split())):
            kept.append(point(text))
    text = "\n".join(kept)
    if text.rstrip().endswith("\nNotes"):  # and all of them were for Python
        text = text.rstrip().removesuffix("Notes").rstrip() + "\n"
    return text + mark + details


def page_in_options(page: str) -> str:
    """Return a report's page whose notes, advice and reasons name options.

    Examples
    --------
    >>> page_in_options('<p class="note">Note: 12 (season_length=12).</p>')
    '<p class="note">Note: 12 (--season-length 12).</p>'
    """

    def advice(found: re.Match[str]) -> str:
        text = unescape(found[2])
        return found[1] + escape(in_options(text) or text)

    def summary(found: re.Match[str]) -> str:
        return escape(summary_in_options(unescape(found[0])))

    return _SUMMARY.sub(summary, _ADVICE.sub(advice, page))
