"""Public holidays, by the package ``holidays``."""

from collections.abc import Sequence
from importlib import import_module

import numpy as np
import pandas as pd

from gpforecast.common.extras import missing_extra
from gpforecast.series.days import Days


def holidays_of(
    country: str, subdivision: str | None, years: Sequence[int]
) -> dict[object, object]:
    """Return the names of the holidays of some years, by date."""
    try:
        package = import_module("holidays")
    except ModuleNotFoundError as error:
        raise missing_extra("a calendar of holidays", "holidays", error) from None
    try:
        found = package.country_holidays(country, subdiv=subdivision, years=list(years))
        # Names do not depend on the language of the machine: English, or the country's own.
        english = "en_US" in found.supported_languages
        language = "en_US" if english else found.default_language
        given = package.country_holidays(
            country, subdiv=subdivision, years=list(years), language=language
        )
        return dict(given)
    except NotImplementedError:
        state = "" if subdivision is None else f" and {subdivision!r}"
        raise ValueError(
            f"country must be an ISO code that the package holidays knows, such as 'DE' or 'US', "
            f"and subdivision one of its states; got {country!r}{state}."
        ) from None


def days_off(country: str | None, subdivision: str | None, days: Days) -> Days:
    """Return the public holidays of a country in the years of some days."""
    years = range(pd.Timestamp(days[0]).year, pd.Timestamp(days[-1]).year + 1)
    off = () if country is None else holidays_of(country, subdivision, years)
    return np.array([*off], dtype="datetime64[D]")
