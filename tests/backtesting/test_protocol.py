"""One protocol for one series, several, and classes: what backtests and updates ask of a fit."""

import numpy as np
import pandas as pd
import pytest
from series_cases import autoregression

import gpforecast as gf
from gpforecast.pipeline.observed import ObservedSeries

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
