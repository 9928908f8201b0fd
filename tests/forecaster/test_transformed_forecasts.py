"""Forecasts through transforms agree with themselves, however they are asked for."""

import numpy as np
import pandas as pd
import pytest
from transformed_cases import CHAINS, fixed, model_of, positive

import gpforecast as gf
from gpforecast.propagation import MonteCarlo
from gpforecast.transforms import BoxCox, Deterministic, Difference, Log, SeasonalDifference


@pytest.mark.parametrize("chain", [Difference(), [SeasonalDifference(6)], Deterministic(1, 2, 6)])
@pytest.mark.parametrize(("a", "b"), [(100.0, -7.0), (-0.01, 3.0)])
def test_linear_chains_are_affinely_equivariant(chain, a, b):
    y = positive()
    f, g = model_of(chain).fit(y).predict(10), model_of(chain).fit(a * y + b).predict(10)
    np.testing.assert_allclose(g.mean, a * f.mean + b, rtol=1e-7)
    np.testing.assert_allclose(g.covariance, a**2 * f.covariance, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("chain", [Log(), [Log(), SeasonalDifference(6)], BoxCox(0.3), BoxCox(1.0)])
def test_logarithm_or_power_is_equivariant_to_scale(chain):
    y = positive()
    f = model_of(chain).fit(y).predict(10)
    size = 1e-15
    g = model_of(chain).fit(size * y).predict(10)
    np.testing.assert_allclose(g.mean, size * f.mean, rtol=1e-7)
    np.testing.assert_allclose(g.quantile(0.9), size * f.quantile(0.9), rtol=1e-7)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("method", ["exact", MonteCarlo(30, seed=0)], ids=["exact", "paths"])
def test_forecast_of_10_is_the_start_of_a_forecast_of_20(chain, method):
    fc = model_of(chain).fit(positive())
    short, long = (fc.predict(h, propagation=method) for h in (10, 20))
    np.testing.assert_allclose(short.mean, long.mean.iloc[:10], rtol=1e-10)
    np.testing.assert_allclose(short.covariance, long.covariance.iloc[:10, :10], rtol=1e-8)
    np.testing.assert_allclose(short.latent_var, long.latent_var.iloc[:10], rtol=1e-8)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_samples_have_the_moments_and_quantiles_of_the_forecast(chain):
    f, n = model_of(chain).fit(positive()).predict(8), 40_000
    drawn = f.sample(n, seed=0).to_numpy()
    assert (np.abs(drawn.mean(axis=1) - f.mean) < 5 * f.std / np.sqrt(n)).all()
    off = drawn - f.mean.to_numpy()[:, None]
    products = off[:, None] * off[None]
    error = products.std(axis=-1) / np.sqrt(n)
    assert (np.abs(products.mean(axis=-1) - f.covariance) < 5 * error).all(axis=None)
    below = (drawn < f.quantile(0.9).to_numpy()[:, None]).mean(axis=1)
    assert (np.abs(below - 0.9) < 5 * np.sqrt(0.09 / n)).all()
    total = f.sum()
    assert total.mean == pytest.approx(drawn.sum(axis=0).mean(), abs=5 * total.std / np.sqrt(n))
    assert total.quantile(0.9) == pytest.approx(np.quantile(drawn.sum(axis=0), 0.9), rel=0.02)


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


@pytest.mark.parametrize("chain", [*CHAINS.values(), "auto", None], ids=[*CHAINS, "auto", "None"])
def test_a_forecaster_with_transforms_comes_back_from_a_file(chain, tmp_path):
    index = pd.date_range("2020-01-01", periods=120, freq="MS")
    fc = gf.Forecaster([1, 2, 6], transforms=chain, model=fixed()).fit(positive(index=index))
    fc.save(tmp_path / "fc")
    again = gf.load(tmp_path / "fc")
    assert again.summary() == fc.summary()
    assert repr(again) == repr(fc)
    pd.testing.assert_frame_equal(again.predict(9).covariance, fc.predict(9).covariance)
    a, b = (f.update([30.0, 31.0]).predict(3).mean for f in (again, fc))
    pd.testing.assert_series_equal(a, b)
