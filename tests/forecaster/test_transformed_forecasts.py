"""Forecasts through transforms: which are taken, how they agree with themselves, closed forms."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import same
from transformed_cases import CHAINS, fixed, model_of, positive

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.propagation import MonteCarlo
from gpforecast.transforms import BoxCox, Difference, Log, SeasonalDifference, Standardise

# Forecasts through transforms agree with themselves, however they are asked for


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_total_has_the_mean_and_the_quantiles_of_sums_of_samples(chain):
    f, n = model_of(chain).fit(positive()).predict(8), 40_000
    drawn, total = f.sample(n, seed=0).to_numpy().sum(axis=0), f.sum()
    assert total.mean == pytest.approx(drawn.mean(), abs=5 * total.std / np.sqrt(n))
    assert total.quantile(0.9) == pytest.approx(np.quantile(drawn, 0.9), rel=0.02)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_monte_carlo_agrees_with_exact_moments(chain):
    # Little noise: what goes in stays nearly Gaussian.
    fc = gf.Forecaster([1, 2, 6], transforms=chain, model=fixed(1e-3)).fit(positive())
    f, n = fc.predict(2), 4000
    drawn = fc.predict(2, propagation=MonteCarlo(n, seed=0))
    assert (np.abs(f.mean - drawn.mean) < 5 * f.std / np.sqrt(n)).all()
    np.testing.assert_allclose(drawn.std, f.std, rtol=0.08)
    np.testing.assert_allclose(drawn.quantile(0.1), f.quantile(0.1), rtol=0.02)


def test_density_of_a_warped_forecast_has_the_jacobian_and_scores_agree():
    y = positive(130)
    f = model_of([Log(), SeasonalDifference(6)]).fit(y[:120]).predict(10)
    g = model_of(SeasonalDifference(6)).fit(np.log(y[:120])).predict(10)
    truth = y[120:]
    np.testing.assert_allclose(np.log(f.median), g.mean, rtol=1e-10)
    expected = g.logpdf(np.log(truth)) - np.log(truth).sum()
    assert f.logpdf(truth) == pytest.approx(expected, rel=1e-9)
    score, of_log = f.score(truth), g.score(np.log(truth))
    assert score["nlpd"] == pytest.approx(of_log["nlpd"] + np.log(truth).mean(), rel=1e-9)
    assert score["coverage_95"] == of_log["coverage_95"]
    sampled = gf.scores.crps_samples(truth.to_numpy(), f.sample(20_000, seed=1).to_numpy())
    assert score["crps"] == pytest.approx(sampled, rel=0.02)
    assert f.logpdf(-truth) == -np.inf


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_update_equals_many_origins_with_the_transforms_of_the_fit(chain):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    rows = fc.n_rows_
    before = fc.transforms_
    fc.update(y[120:140])
    assert fc.n_rows_ == rows + 20
    assert fc.transforms_ is before
    f = fc.predict(5)
    np.testing.assert_allclose(f.mean, fc.predict_from(y, [140], 5).mean[0], rtol=1e-9)


# Which transforms are taken, what is said of them, and what is refused


def test_summary_says_what_was_chosen_and_why():
    y = positive(index=pd.date_range("2020-01-01", periods=120, freq="MS"))
    y.iloc[10] = np.nan
    text = " ".join(gf.Forecaster([1, 2], model=fixed(), max_rows=60).fit(y).summary().split())
    assert "120 monthly values, 2020-01 to 2029-12, 1 of them missing" in text
    assert "Log()" in text
    assert "the one-step model of largest weight among" in text
    for word in ("lags", "1, 2", "model", "rows", "60", "Noise", "not learned from", "max_rows"):
        assert word in text


@pytest.mark.parametrize("chain", [Log(), BoxCox(0.0), [Log(), Difference()]])
def test_logarithm_of_what_is_not_positive_is_refused_and_nothing_changes(chain):
    fc = model_of(chain).fit(positive())
    state, before = dict(vars(fc)), fc.predict(3)
    with pytest.raises(ValueError, match="series must be positive"):
        fc.fit(positive() - 10)
    assert vars(fc) == state
    with pytest.raises(ValueError, match=r"new_values must be positive.*position 1"):
        fc.update([3.0, 0.0])
    same(fc.predict(3), before)


def test_a_standardisation_with_numbers_of_its_own_is_used():
    y = positive()
    fc = gf.Forecaster(2, transforms=[Log(), Standardise(1.0, 2.0)], model=fixed()).fit(y)
    np.testing.assert_allclose(fc.transforms_.transform(y), (np.log(y) - 1) / 2, rtol=1e-12)
    plain = gf.Forecaster(2, transforms=[Log(), Standardise], model=fixed()).fit(y)
    alone = gf.Forecaster(2, transforms=Log(), model=fixed()).fit(y)
    same(plain.predict(3), alone.predict(3), rtol=1e-9)
    assert "Log() -> Standardise(location=1.0, scale=2.0)\n" in fc.summary()
    assert "Log() -> Standardise\n" in plain.summary()


@pytest.mark.parametrize(
    ("transforms", "words"),
    [
        ("loq", '"auto", None, a transform'),
        ([Difference(), Log()], "logarithm or power comes first"),
        (3, "transforms must hold"),
        ([Difference], "such as gf.transforms.Difference(); got the class"),
        ([Standardise(0.0, 1.0), Difference()], "and Standardise last"),
        ([Standardise, Difference()], "and Standardise last"),
    ],
)
def test_transforms_that_make_no_sense_are_refused_at_once(transforms, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        gf.Forecaster(2, transforms=transforms)
    assert words in str(caught.value)


def test_series_too_short_for_its_transforms_is_refused():
    with pytest.raises(ValueError, match="5 values but SeasonalDifference"):
        model_of(SeasonalDifference(6)).fit(positive(5))


def exponentials(scale):
    return np.exp(scale * np.random.default_rng(0).standard_normal(200))


def test_mean_carried_off_by_the_tail_of_a_logarithm_is_noted():
    fc = gf.Forecaster(1, transforms=[Log()], model=gf.models.LinearAR()).fit(exponentials(5.0))
    f = fc.predict(7)
    (note,) = f.notes
    # Of a log-normal distribution the mean is exp(s^2/2) times the median.
    times = np.exp(np.diag(f.distribution.gaussian.covariance).max() / 2)
    assert f"at 7 of 7 steps, up to {times:.2g} times the median" in note
    assert (f.mean > f.interval(0.95)["upper"]).all()


# Forecasts through transforms against closed forms, another library and known series


def test_random_walk_with_drift_has_its_exact_mean_and_variance():
    # y(t+h) ~ N(y(t) + h drift, h s^2); the differences' mean and spread are estimated.
    y = 3 + 0.4 * np.arange(200) + np.cumsum(np.random.default_rng(0).standard_normal(200))
    fc = gf.Forecaster([1], transforms=Difference(), model=LinearAR()).fit(y)
    posterior = fc.model_.posterior_
    drift, s = np.diff(y).mean(), np.diff(y).std()
    f = fc.predict(30)
    # An autoregression of order 1 in the differences, ARIMA(1, 1, 0), iterated by hand.
    phi, c = float(posterior.linear[0]), float(posterior.constant)
    z, level, var_of = (np.diff(y)[-1] - drift) / s, y[-1], []
    expected = []
    for h in range(1, 31):
        z = c + phi * z
        level = level + drift + s * z
        expected.append(level)
        # psi weights of the integrated process: sums of phi^j
        psi = np.array([(1 - phi ** (j + 1)) / (1 - phi) for j in range(h)])
        var_of.append((psi**2).sum() * s**2 * posterior.noise_var)
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9)
    # With 198 rows the uncertainty of the weights adds about 2 / 198 at each step.
    assert (f.var.to_numpy() > np.array(var_of)).all()
    np.testing.assert_allclose(f.var[:5], var_of[:5], rtol=0.08)


AIR = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic" / "AirPassengers.csv"


@pytest.mark.skipif(not AIR.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("dated", [True, False])
def test_default_forecast_of_the_airline_passengers_errs_by_six_per_cent(dated):
    y = pd.read_csv(AIR).iloc[:, 0]
    if dated:
        y.index = pd.date_range("1949-01", periods=len(y), freq="MS")
    truth = y.iloc[-24:]
    f = gf.Forecaster().fit(y.iloc[:-24]).predict(24)
    assert ((f.median - truth) / truth).abs().mean() <= 0.06
    assert f.score(truth)["coverage_95"] >= 0.9
