"""Sentences of the library in words of the command line: options in place of Python arguments."""

import re

_WORDS = "season_length|exog_lags|label|lags|calibrate|refit|origins|horizon|exog|propagation"
_QUOTE = "(?:&quot;|[\"'])"
_ARGUMENT = re.compile(
    rf"(\bForecaster\()?\b({_WORDS})=(?:{_QUOTE}(\w+){_QUOTE}|\[([\d, ]+)\]|(\w+))"
    r"(?: in predict)?(?(1)\)|)"
)
_WHOLE = {"--exog forecast": "--forecast-exog", "--calibrate True": "--calibrate conformal"}


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
        return _WHOLE.get(whole, whole)

    text = re.sub(r"\b(combine|outliers|support|transforms)=None\b", r"\g<0> in Python", text)
    text = text.replace(", fewer lags or a smaller train_fraction", " or fewer --lags")
    first = re.match(rf"({_WORDS})(?= must\b)", text)
    text = f"--{first[1].replace('_', '-')}{text[first.end() :]}" if first else text
    return re.sub(r"\bgf\.(backtest|report)\b", r"gpforecast \1", _ARGUMENT.sub(option, text))


def summary_in_options(summary: str) -> str:
    """Return a summary that names options; its technical details stay as they are."""
    sentences, mark, details = summary.partition("\nTechnical details")
    return in_options(sentences) + mark + details
