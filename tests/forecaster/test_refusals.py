"""Bad series and parameters get a sentence, and nothing changes."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted, same, wave

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

DAYS = pd.date_range("2024-01-01", periods=20, freq="D")
SHORT = wave(20)
BAD_SERIES = {
    "nothing but NaN": (np.full(20, np.nan), ValueError, "at least one value; all 20 are missing"),
    "infinite": (np.r_[np.inf, SHORT], ValueError, "infinite.*position 0"),
    "too short": (SHORT[:4], ValueError, "4 values but lags=3 needs at least 5"),
    "two days": (pd.Series(SHORT[:2], [*DAYS[:2]]), ValueError, "only 2 values.*3"),
    "two known": (np.r_[SHORT[:2], np.full(18, np.nan)], ValueError, "only 2 values.*least 3"),
    "empty": ([], ValueError, "series is empty"),
    "an empty Series": (pd.Series([], dtype=float), ValueError, "series is empty"),
    "numbers as text": (pd.Series(["1", "2", "3"] * 5), TypeError, "to_numeric"),
    "complex":
        (SHORT + 1j, TypeError, "^series .* real numbers; got .{,99} Times belong in the index"),
    "a matrix": (SHORT.reshape(10, 2), ValueError, "one column"),
    "irregular": (
        pd.Series(
            SHORT[:19], index=DAYS.delete(7) + pd.to_timedelta(1 * (np.r_[0:19] > 6), unit="h")
        ),
        ValueError,
        "regular step.*2024-01-07",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("series", "error", "words"), BAD_SERIES.values(), ids=BAD_SERIES)
def test_bad_series_gets_a_sentence_and_leaves_the_fit_as_it_was(series, error, words):
    fc = fitted(3)
    before, state = fc.predict(4), dict(vars(fc))
    with pytest.raises(error, match=words) as caught:
        fc.fit(series)
    assert str(caught.value).endswith(".")
    assert vars(fc) == state
    same(fc.predict(4), before)


SIZE = "keeps a covariance of h\\^2 numbers; got "
HORIZONS = [(h, "must be a positive integer; got ") for h in (0, 2.5, True, "5", None)]


@pytest.mark.parametrize(("horizon", "words"), [*HORIZONS, (22_361, SIZE), (2**70, SIZE)])
def test_horizon_must_be_a_positive_integer_whose_square_fits_somewhere(horizon, words):
    for predict in (fitted().predict, partial(fitted().predict_from, wave(), [20])):
        with pytest.raises(ValueError, match=rf"horizon .*{words}{horizon!r}.*\."):
            predict(horizon)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lags": 0}, "lags must be a positive integer; got 0"),
        ({"lags": "all"}, 'list of ints or "auto"'),
        ({"lags": range(1, 10**6)}, "at most 100000; got range"),
        ({"lags": 2, "max_rows": 0}, "max_rows"),
        ({"max_rows": "x"}, "positive integer, \"auto\", or None for all rows; got 'x'"),
        ({"lags": 2, "propagation": "magic"},
         "'exact', 'taylor', 'cubature', 'mixture', 'naive', 'monte_carlo'"),
        ({"lags": 2, "propagation": MonteCarlo}, "name or an instance"),
        ({"lags": 2, "exog_lags": [-1]}, "exog_lags"),
        ({"model": 3}, "model must be a one-step model"),
        ({"model": gf.models.LinearAR}, "got the class LinearAR; call it: LinearAR()"),
        ({"model": gf.Forecaster}, "such as gf.models.GaussianProcess(); got the class"),
        ({"model": gf.Forecaster(3)}, "GaussianProcess(); got Forecaster(lags=3)."),
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense_are_refused_at_once(options, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        gf.Forecaster(**options)


def test_a_model_that_is_set_later_is_checked_as_well():
    fc = fitted(3)
    before = fc.fitted_
    for wrong in ("gp", 3, gf.models.LinearAR, gf.Forecaster):
        fc.model = wrong
        with pytest.raises(TypeError, match=r"^model must be a "):
            fc.fit(wave())
    assert fc.fitted_ is before


WAVE = np.sin(np.arange(60.0))


def with_input(lags):
    return gf.Forecaster(exog_lags=lags).fit(WAVE, exog=np.cos(np.arange(60.0))[:, None])


def panel(n_jobs):
    table = pd.DataFrame({"unique_id": "a", "ds": range(60), "y": WAVE})
    return gf.forecast_panel(table, 3, n_jobs=n_jobs)


def drawn(seed):
    return fitted().predict(2).sample(3, seed=seed)


SEED = "seed must be a whole number from 0 up"
UNFITTED, EARLY = gf.Forecaster(3), ".*not fitted yet; call fit"
REFUSED = {
    "a forecast before the fit": (lambda: UNFITTED.predict(3), EARLY),
    "an update before the fit": (lambda: UNFITTED.update([1.0]), EARLY),
    "origins before the fit": (lambda: UNFITTED.predict_from(wave(), [20], 3), EARLY),
    "a past before the fit": (lambda: UNFITTED.n_past, EARLY),
    **{f"seed {seed} of {name}": (partial(makes, seed=seed), SEED)
       for seed in ("a", -1, 0.5)
       for name, makes in {"paths": MonteCarlo, "a forecaster": gf.Forecaster, "draws": drawn,
                           "data": partial(gf.datasets.mackey_glass, 9)}.items()},
    "n_jobs": (lambda: panel("a"), "n_jobs must be a number of wo"),
    "exog_lags": (lambda: with_input([10**9]), "series has 60 values but exog_lags up to 10000000"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED.values(), ids=REFUSED)
def test_a_call_before_the_fit_or_that_fits_no_series_is_refused(call, said):
    with pytest.raises((ValueError, RuntimeError), match=f"^{said}"):
        call()
