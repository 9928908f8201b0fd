"""What a fit learned is one frozen value, and which values a forecast of it is made from."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted

import gpforecast as gf
from gpforecast.pipeline.observed import update
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import within_series
from gpforecast.propagation import ExactMoments
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Difference, SeasonalDifference

# What a fit learned is one frozen value: others are made of it, and a failure leaves it alone


LEARNED = (
    "model_", "transforms_", "lags_", "n_rows_", "history_", "calibration_", "notes_", "n_past",
)  # fmt: skip


def test_what_is_learned_is_there_after_a_fit_and_cannot_be_set():
    fc, learned = gf.Forecaster(3), fitted(3)
    for name in LEARNED:
        assert not hasattr(fc, name)
        with pytest.raises(RuntimeError, match=r"not fitted yet; call fit\(series\) first"):
            getattr(fc, name)
        assert hasattr(learned, name)
        with pytest.raises(AttributeError):
            setattr(learned, name, None)


def test_an_update_is_another_value_and_leaves_the_first():
    before = fitted(3).fitted_
    copy = before.history.copy(), before.exog.past.shape, before.rows.y.copy(), before.notes
    after = update(before, [52.3, 52.1], None, Options())
    assert len(after.history) == len(before.history) + 2
    assert len(after.rows.y) == len(before.rows.y) + 2
    pd.testing.assert_series_equal(before.history, copy[0])
    assert before.exog.past.shape == copy[1]
    np.testing.assert_array_equal(before.rows.y, copy[2])
    assert before.notes == copy[3]
    with pytest.raises(dataclasses.FrozenInstanceError):
        before.history = after.history


def test_the_method_is_asked_once_a_step():
    calls = []

    class Counting(ExactMoments):
        def moments(self, predictive, u, S):
            calls.append(len(u))
            return super().moments(predictive, u, S)

    fitted(3, propagation=Counting()).predict(7)
    assert calls == [1] * 7


def test_trouble_is_warned_of_where_the_user_called():
    y = 1.08 ** np.arange(60) * np.cos(np.arange(60))
    y += 0.01 * np.random.default_rng(0).standard_normal(60)
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR()).fit(y)
    calls = {
        "predict": lambda: fc.predict(60),
        "predict_from": lambda: fc.predict_from(y, [59], 60),
        "backtest": lambda: gf.backtest(
            fc, np.r_[y, y], 50, origins=[60], propagation="naive", n_jobs=1
        ),
    }
    for name, call in calls.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", gf.NumericalWarning)
            call()
        assert [w.filename for w in caught] == [__file__], name


def rows_left_out(lags, gaps, **options):
    """The note on rows that are not learned from, of daily values with gaps."""
    y = pd.Series(np.random.default_rng(0).standard_normal(120), pd.date_range("2024", periods=120))
    y.iloc[gaps] = np.nan
    exog = options.pop("exog", None)
    fc = gf.Forecaster(lags, transforms=None, model=gf.models.LinearAR(), **options)
    fc.fit(y, exog=None if exog is None else exog.set_axis(y.index))
    (note,) = (note for note in fc.notes_ if note.startswith("not learned from"))
    return note


def test_rows_are_lost_by_inputs_only_where_there_are_some():
    """Columns of a calendar are never missing."""
    days = gf.calendars.DayOfWeek()
    lost = "not learned from: 4 of 117 rows, where "
    assert rows_left_out(3, [50], calendar=days) == f"{lost}the value or one of its lags is missing"
    u = pd.Series(np.arange(120.0) % 7)
    assert rows_left_out(3, [50], exog=u) == f"{lost}the value, a lag or an input is missing"


# The values that a forecast is made from: all others may change without changing it


CHAINS = {
    "values": [],
    "differences": [Difference()],
    "a season": [SeasonalDifference(12)],
    "both": [Difference(), SeasonalDifference(12)],
}


@pytest.mark.parametrize("strategy", ["iterated", "direct"])
@pytest.mark.parametrize("horizon", [1, 15])
@pytest.mark.parametrize("steps", CHAINS.values(), ids=CHAINS)
def test_only_sources_change_a_forecast(steps, horizon, strategy):
    rng = np.random.default_rng(0)
    y = 10 + np.sin(np.arange(150) * np.pi / 6) + 0.3 * rng.standard_normal(150)
    options = {"transforms": steps, "model": gf.models.LinearAR(), "combine": None}
    if strategy == "direct":
        options |= {"strategy": "direct", "max_horizon": 15}
    fc = gf.Forecaster([1, 2, 11], noise="process", **options).fit(y)
    sources = fc.fitted_.sources(horizon, TimeAxis.rows(150 + horizon))
    usual = fc.predict_from(y, [150], horizon).mean[0]
    changes = []
    for back in range(1, 40):
        moved = y.copy()
        moved[-back] += 1.0
        if np.abs(fc.predict_from(moved, [150], horizon).mean[0] - usual).max() > 1e-9:
            changes.append(back)
    assert set(changes) <= set(sources.tolist())
    if strategy == "iterated":  # and each of them does
        assert set(changes) == set(sources.tolist())


def test_variances_that_were_clipped_before_the_origins_are_counted_once(monkeypatch):
    shop = np.tile([0.0, 3.0, 5.0, 4.0, 0.0, 0.0], 9) * np.arange(1, 55)
    fc = gf.Forecaster(lags=6, transforms=gf.transforms.ClosedTimes(6)).fit(shop)
    start = Origins.start
    clipped = {"n_clipped": 2}
    monkeypatch.setattr(
        Origins, "start", lambda self, method: dataclasses.replace(start(self, method), **clipped)
    )
    at = within_series(fc.fitted_, shop, [40, 43], 4)  # other steps ahead are closed
    assert at.follow(ExactMoments()).n_clipped == 2
