"""Training again on the way, through the protocol that all forecasters meet."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import wave
from series_cases import autoregression

import gpforecast as gf
from gpforecast.backtesting.plan import affordable, by_cost
from gpforecast.pipeline.observed import ObservedSeries

# Training again on the way


AR = {"model": gf.models.LinearAR(), "transforms": None, "noise": "process"}


def test_refitting_equals_training_by_hand_on_what_came_before_each_origin():
    y = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    origins = [100, 140, 118, 85]  # 85 is served by the first training, on 80 values; 118 by 100's
    model = gf.models.GaussianProcess()
    result = gf.backtest(gf.Forecaster(4, transforms=None, model=model), y, 6, origins, refit=20)
    fc = gf.Forecaster(4, transforms=None, model=model).fit(y[:80])
    for start, members in ((80, [3]), (100, [0, 2]), (140, [1])):
        if start > 80:
            warm = fc.model_.warm_started()
            fc = gf.Forecaster((1, 2, 3, 4), transforms=None, model=warm).fit(y[:start])
        for place in members:
            by_hand = fc.predict_from(y, [origins[place]], 6)
            np.testing.assert_allclose(result.mean[place], by_hand.mean[0], rtol=1e-9)
            var = np.diag(by_hand.covariance[0])
            np.testing.assert_allclose(result.var[place], var, rtol=1e-7)
    np.testing.assert_array_equal(result.origins, origins)


def test_refitting_needs_the_history_in_the_series():
    y = gf.datasets.mackey_glass(300, noise_var=1e-3, seed=0)
    fc = gf.Forecaster(4).fit(y[:200])
    with pytest.raises(ValueError, match="does not hold what the forecaster was fitted to"):
        gf.backtest(fc, y.iloc[200:].to_numpy(), 5, 8, refit=20)


def growing(n=120):
    """A level that grows by a constant share, with a season in proportion: a logarithm helps."""
    t = np.arange(n)
    noise = np.exp(0.03 * np.random.default_rng(0).standard_normal(n))
    values = 100 * np.exp(0.02 * t) * (1 + 0.3 * np.sin(2 * np.pi * t / 12)) * noise
    return pd.Series(values, index=pd.period_range("2000-01", periods=n, freq="M"))


def test_automatic_transforms_are_chosen_again_at_each_training():
    """All is as if fitted afresh, with its ensemble."""
    y, first, last = growing(), 30, 96
    early = gf.Forecaster().fit(y[:first])
    late = gf.Forecaster().fit(y[:last])
    assert not early.candidates_.equals(late.candidates_)
    result = gf.backtest(early, y, 6, [last], refit=10)
    f = late.predict(6)
    np.testing.assert_allclose(result.mean[0], f.mean, rtol=1e-8)
    np.testing.assert_allclose(result.var[0], f.var, rtol=1e-7)


def test_one_training_far_behind_the_last_origin_is_said():
    y = growing()
    fc = gf.Forecaster(2, **AR)
    result = gf.backtest(fc, y, 6, [60, 73], refit=None)
    (note,) = result.notes
    assert note.startswith("trained once, on the first 60 of 120 values")
    assert gf.backtest(fc, y, 6, [60, 72], refit=None).notes == ()  # a fifth of 60 is not far
    assert gf.backtest(fc.fit(y[:60]), y, 6, [60, 110]).notes == ()  # as the user chose it


def test_an_unfitted_forecaster_is_judged_as_it_would_be_used():
    """A cheap one learns from all values before each origin, as it does before the last value."""
    y, origins = wave(), [70, 83, 104]
    result = gf.backtest(gf.Forecaster(3, **AR), y, 8, origins)
    assert result.trained.tolist() == origins
    assert result.notes[0].startswith("trained 3 times, on all values known by then (refit=")
    assert ("chosen for speed" in result.notes[0]) == (result.refit > 1)
    assert "e+0" not in repr(gf.backtest(gf.Forecaster(3, **AR), 1e5 * y, 8, origins))
    for row, origin in enumerate(origins):
        f = gf.Forecaster(3, **AR).fit(y[:origin]).predict(8)
        np.testing.assert_allclose(result.mean[row], f.mean, rtol=1e-9)
        np.testing.assert_allclose(result.var[row], f.var, rtol=1e-9)


def test_trainings_cost_at_most_so_many_values_whatever_the_length():
    automatic, cheap = gf.Forecaster(), gf.Forecaster(3, **AR)
    for n in (50, 144, 700, 1300, 4000, 30_000):
        for forecaster, most in ((automatic, 5000), (cheap, 100_000)):
            times = affordable(n, forecaster)
            assert 1 <= times <= 60
            assert times == 1 or times * n <= most
            every = by_cost(np.arange(n // 2, n), n // 2, forecaster)
            assert every is None or every * (times - 1) >= n - 1 - n // 2
    direct = gf.Forecaster(strategy="direct", max_horizon=12)
    assert affordable(100, direct) == 4  # a model for each of 12 leads
    assert affordable(1000, cheap) == 60  # all of it is given
    assert affordable(1000, gf.Forecaster("auto", **AR)) == affordable(1000, automatic) == 5


# One protocol for one series, several, and classes: what backtests and updates ask of a fit


N, M = 90, 8


def ar(n, seed):
    y = autoregression(n, 1.2, -0.5, seed=seed)
    return pd.Series(y, pd.date_range("2024-01-01", periods=n), name=f"y{seed}")


def one_series():
    y = ar(N + M, 0)
    own = gf.Forecaster(lags=2, transforms=None, model=gf.models.LinearAR())
    return own, y, lambda: ObservedSeries.at_end(own.fitted_, own)


def several():
    y = pd.concat([ar(N + M, 1), ar(N + M, 2)], axis=1)
    own = gf.VectorForecaster(lags=2, transforms=None, model=gf.models.LinearAR())
    return own, y, lambda: own.fitted_


def classes():
    y = ar(N + M, 3) > 0
    own = gf.EventForecaster(lags=2)
    return own, y, lambda: own.fitted_


KINDS = [one_series, several, classes]


def numbers(ahead):
    joint = ahead.distribution
    return joint.probabilities if hasattr(joint, "probabilities") else np.atleast_2d(joint.mean)


@pytest.mark.parametrize("kind", KINDS)
def test_what_observed_new_values_forecasts_as_the_forecaster_that_was_updated(kind):
    own, y, observed = kind()
    own.fit(y.iloc[:N])
    before = observed()
    after = before.observe(y.iloc[N:])
    own.update(y.iloc[N:])
    given = np.array([N + M]), 4, own.propagation
    np.testing.assert_allclose(numbers(after.ahead(*given)), numbers(observed().ahead(*given)))
    assert len(getattr(before, "fitted", before).axis) == N, "the one before was changed"
    assert len(own.fitted_.axis) == N + M


@pytest.mark.parametrize("kind", KINDS)
def test_every_origin_is_forecast_once_by_a_part_that_knows_the_values_before_it(kind):
    own, y, observed = kind()
    own.fit(y)
    known, every = observed(), np.arange(N)
    usable = known.usable(every[5:], 4)
    assert usable.tolist() == every[5:].tolist()
    where = usable[[40, 3, 60]]
    places = list(known.parts(where))
    assert sorted(np.concatenate([part for part, _ in places])) == [0, 1, 2]
    for part, one in places:
        together = numbers(one.ahead(where[part], 4, own.propagation))
        alone = [numbers(one.ahead(where[[i]], 4, own.propagation)) for i in part]
        np.testing.assert_allclose(together, np.concatenate(alone), rtol=1e-9)


def test_classes_that_follow_are_learned_from_at_the_hyperparameters_of_the_fit():
    own, y, _ = classes()
    own.fit(y.iloc[:N])
    k, n_rows = own.fitted_.model.covariance_, own.n_rows_
    own.update(y.iloc[N:])
    assert own.n_rows_ == n_rows + M
    assert own.fitted_.model.covariance_ == k
    fixed = gf.models.OrdinalGP(k, thresholds=own.fitted_.model.thresholds_, optimizer=None)
    whole = gf.EventForecaster(lags=2, model=fixed, season_length=1).fit(y)
    np.testing.assert_allclose(
        own.predict(5).probabilities, whole.predict(5).probabilities, atol=1e-5
    )


def test_classes_that_the_fit_does_not_know_are_refused_and_nothing_is_lost():
    own, y, _ = classes()
    own.fit(y.iloc[:N])
    with pytest.raises(ValueError, match="new_values has the class 'rain' but"):
        own.update(["rain"])
    assert len(own.fitted_.axis) == N
