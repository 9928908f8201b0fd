"""The default forecast is a mixture with structural models, and nothing else is."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.pipeline.predict import predict
from gpforecast.results import Mixture
from gpforecast.results.warped import Warped, distribution_of

H = 6


def sales(n=60, seed=0):
    t, rng = np.arange(n), np.random.default_rng(seed)
    y = np.exp(4 + 0.01 * t + 0.3 * np.sin(2 * np.pi * t / 12) + 0.05 * rng.standard_normal(n))
    return pd.Series(y, pd.period_range("2010-01", periods=n, freq="M"), name="sales")


Y = sales()
FITTED = gf.Forecaster().fit(Y)


def plain(**options):
    return gf.Forecaster(combine=None, **options)


def widened(part, factors):
    """Return a part of a mixture around the same medians, with multiples of its deviations."""
    if isinstance(part, Warped):
        return replace(part, gaussian=widened(part.gaussian, factors))
    square = np.outer(factors, factors)
    latent = factors**2 * part.latent_var
    return replace(part, joint=square * part.covariance, latent_var=latent)


def other(one, y):
    """Return the forecast of a further autoregression, as a user would make it."""
    options = {"combine": None, "noise": "process", "support": None, "transforms": one.chain.spec}
    lags, model = list(one.inputs.lags), one.model
    return gf.Forecaster(lags, model=model, **options).fit(y).predict(H).distribution


def parts_of(forecaster, own, others, y):
    """Return the parts of a default forecast and their weights, made from scratch."""
    ensemble, ends = forecaster.fitted_.ensemble, np.array([len(y)])
    members = [distribution_of(one.ahead(y, ends, H), one.warp) for one in ensemble.members]
    usual = [own, *(member.at(0) for member in members), *others]
    wide = [widened(part, ensemble.factors(H)) for part in usual]
    return list(zip(ensemble.weights, wide, strict=True))


def test_the_default_is_the_mixture_of_the_one_step_model_and_its_ensemble():
    forecast, own = FITTED.predict(H), plain().fit(Y).predict(H).distribution
    assert isinstance(forecast.distribution, Mixture)
    others = [other(one, Y.to_numpy()) for one in FITTED.fitted_.others]
    parts = parts_of(FITTED, own, others, Y.to_numpy())
    mean = sum(w * part.mean for w, part in parts)
    np.testing.assert_allclose(forecast.mean, mean, rtol=1e-12)
    y = Y.to_numpy()[-H:]
    cdf = sum(w * part.cdf(y) for w, part in parts)
    np.testing.assert_allclose(forecast.distribution.cdf(y), cdf, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"combine": None},
        {"lags": [1, 12]},
        {"model": gf.models.LinearAR()},
        {"transforms": gf.transforms.Log()},
        {"transforms": None},
        {"propagation": "exact"},
        {"propagation": gf.propagation.MonteCarlo(seed=0)},
    ],
    ids=lambda options: ", ".join(options),
)
def test_whoever_sets_something_gets_what_is_set_alone(options):
    forecaster = gf.Forecaster(**options).fit(Y)
    forecast = forecaster.predict(H)
    alone = gf.Forecaster(**{**options, "combine": None}).fit(Y).predict(H)
    pd.testing.assert_series_equal(forecast.mean, alone.mean)
    assert not isinstance(forecast.distribution, Mixture)
    assert "weighted average" not in forecaster.summary()


def test_an_update_conditions_members_on_the_new_values():
    longer = sales(63)
    updated = gf.Forecaster().fit(longer.iloc[:60])
    known = updated.fitted_.others
    updated.update(longer.iloc[60:])
    fitted = updated.fitted_
    alone = [replace(one, ensemble=None) for one in (fitted, *fitted.others)]
    own, *others = (predict(one, H, "auto").distribution for one in alone)
    parts = parts_of(updated, own, others, longer.to_numpy())
    np.testing.assert_allclose(
        updated.predict(H).mean, sum(w * part.mean for w, part in parts), rtol=1e-10
    )
    assert all(
        len(one.rows.y) > len(old.rows.y) for one, old in zip(fitted.others, known, strict=True)
    )


@pytest.mark.parametrize("value", [np.nan, 0.0, -5.0])
def test_an_update_without_a_logarithm_leaves_a_forecast(value):
    forecaster = gf.Forecaster().fit(Y)
    logs, n = forecaster.transforms_.warp is not None, len(Y)
    assert np.isfinite(forecaster.update([value]).predict(H).to_frame()).all(axis=None)
    if not np.isnan(value) and logs:
        assert n in forecaster.fitted_.set_aside
        assert any("since the fit, 1 value" in note for note in forecaster.notes_)
