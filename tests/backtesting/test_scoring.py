"""How good forecasts from many origins are: scores, tables, pictures."""

import numpy as np
import pytest
from backtest_cases import fitted, wave

import gpforecast as gf
from gpforecast import scores
from gpforecast.propagation import MonteCarlo


@pytest.mark.parametrize("method", ["exact", "naive"])
def test_scores_equal_those_of_forecasts_made_one_by_one(method):
    y, fc = wave(), fitted()
    result = gf.backtest(fc, y, horizon=8, origins=10, seed=1, propagation=method)
    assert result.truth.shape == result.mean.shape == result.var.shape == (10, 8)
    assert result.propagation == method
    each = []
    for i, origin in enumerate(result.origins):
        # The same model, told the values up to the origin and no more.
        known = y.iloc[:origin]
        one = fc.predict_from(known, [origin], 8, propagation=method)
        truth = y.iloc[origin : origin + 8].to_numpy()
        mean, var = one.mean[0], np.diag(one.covariance[0])
        np.testing.assert_allclose(result.mean[i], mean, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.var[i], var, rtol=1e-8)
        np.testing.assert_array_equal(result.truth[i], truth)
        half = 1.959963984540054 * np.sqrt(var)
        each.append(
            {
                "mae": np.abs(truth - mean),
                "mse": (truth - mean) ** 2,
                "nlpd": scores.nlpd(truth, mean, var, axis=()),
                "crps": scores.crps(truth, mean, var, axis=()),
                "coverage_95": np.abs(truth - mean) <= half,
            }
        )
    for name in each[0]:
        losses = np.array([e[name] for e in each], dtype=float)
        np.testing.assert_allclose(result.losses[name], losses, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(result.scores[name], losses.mean(axis=0), rtol=1e-6, atol=1e-9)
        if not name.startswith("coverage"):
            steps = range(1, 1 + losses.shape[1])
            errors = [overlap_error(losses[:, s - 1], result.origins, s) for s in steps]
            np.testing.assert_allclose(result.standard_errors[name], errors, rtol=1e-6, atol=1e-9)


def overlap_error(each, origins, ahead):
    """Return the standard error of an average of b losses, by their matrix of weights."""
    apart = np.abs(origins[:, None] - origins[None, :])
    b, n = len(each), len(each) ** 2 / np.maximum(0.0, 1.0 - apart / ahead).sum()
    return np.sqrt(((each - each.mean()) ** 2).sum() / (b - b / n) / n)


def test_tables_are_by_step_and_summary_by_score():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=12)
    names = ["mae", "mse", "nlpd", "crps", "coverage_50", "coverage_80", "coverage_95"]
    assert list(result.scores.columns) == list(result.standard_errors.columns) == names
    assert list(result.scores.index) == [1, 2, 3, 4, 5]
    assert result.scores.index.name == "step"
    summary = result.summary()
    assert list(summary.columns) == ["average", "± average", "step 5", "± step 5"]
    np.testing.assert_allclose(summary["average"], result.scores.mean(), rtol=1e-12)
    np.testing.assert_allclose(summary["step 5"], result.scores.loc[5], rtol=1e-12)
    by_origin = overlap_error(result.losses["mae"].mean(axis=1), result.origins, 5)
    assert summary.loc["mae", "± average"] == pytest.approx(by_origin)
    last = result.standard_errors.loc[5]
    np.testing.assert_allclose(summary["± step 5"], last, rtol=1e-12, atol=1e-15)
    assert repr(result).startswith("Backtest of 5 steps from 12 origins (auto: exact)")


def test_single_origin_has_scores_but_no_standard_error():
    result = gf.backtest(fitted(), wave(), horizon=5, origins=1)
    assert np.isfinite(result.scores).all(axis=None)
    assert result.summary()["± average"].isna().all()
    assert result.standard_errors.isna().all(axis=None)


def test_monte_carlo_is_scored_by_its_paths():
    y, fc = wave(), fitted()
    method = MonteCarlo(60, seed=4)
    where = [70, 85, 100]
    result = gf.backtest(fc, y, horizon=6, origins=where, propagation=method)
    paths = fc.predict_from(y, where, 6, propagation=method).paths
    assert result.propagation == "monte_carlo"
    for level in (50, 80, 95):
        tail = 0.5 - level / 200
        low, high = np.quantile(paths, [tail, 1 - tail], axis=-1)
        np.testing.assert_allclose(result.lower[level], low, rtol=1e-12)
        np.testing.assert_allclose(result.upper[level], high, rtol=1e-12)
    np.testing.assert_allclose(result.mean, paths.mean(axis=-1), rtol=1e-12)
    np.testing.assert_allclose(result.crps, scores.crps_samples(result.truth, paths, axis=()))


@pytest.mark.parametrize(
    "options",
    [{"transforms": gf.transforms.LearnedWarp(), "propagation": "mixture"}, {"transforms": None}],
)
def test_a_forecast_without_width_has_errors_and_no_density(options):
    y = np.where(np.arange(50) == 47, 1e4, 1.0)
    forecaster = gf.Forecaster(2, model=gf.models.NearestNeighbours(), **options)
    bt = gf.backtest(forecaster, y, horizon=2, origins=4)
    assert bt.summary().loc["mae", "average"] == 0.0
    assert np.isnan(bt.nlpd[bt.var == 0.0]).all()
    assert (bt.var == 0.0).any()
