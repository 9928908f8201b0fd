"""Forecasts that run away are said to, whatever the model; and inputs that enter at once only."""

import warnings

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.pipeline.plausible import runaway
from gpforecast.results import Paths


def exploding(n=60):
    """An unstable autoregression in its quiet beginning: its mean doubles every few steps."""
    t = np.arange(n)
    rng = np.random.default_rng(0)
    return pd.Series(1.08**t * np.cos(t) + 0.01 * rng.standard_normal(n))


def henon(n=400):
    x, y, values = 0.1, 0.1, []
    for _ in range(n):
        x, y = 1.0 - 1.4 * x * x + y, 0.3 * x
        values.append(x)
    return pd.Series(values[100:])


@pytest.mark.parametrize("propagation", ["exact", "naive", "monte_carlo"])
def test_a_mean_far_beyond_all_values_is_said_once(propagation):
    y = exploding()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), propagation=propagation)
    with pytest.warns(NumericalWarning, match="standard deviations of the series beyond") as said:
        f = fc.fit(y).predict(60)
    assert len(said) == 1
    (note,) = [n for n in f.notes if "beyond all its values" in n]
    spread = y.std(ddof=0)
    off = np.maximum(f.mean - y.max(), y.min() - f.mean) / spread
    assert f"up to {float(f'{off.max():.2g}'):.0f} standard" in note
    assert note.startswith(f"from step {int(np.argmax(off > 10)) + 1} on")


def test_exact_moments_that_leave_a_chaotic_attractor_are_said():
    """Where the map is extrapolated, a Gaussian drops off the attractor: Monte Carlo does not."""
    fc = gf.Forecaster(2, transforms=None, propagation="exact").fit(henon())
    with pytest.warns(NumericalWarning, match='unless the series grows so fast.*"monte_carlo"'):
        assert fc.predict(40).mean.min() < -5.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = fc.predict(40, propagation=gf.propagation.MonteCarlo(100, seed=0))
    assert f.mean.abs().max() < 2.0


@pytest.mark.parametrize("response", [[0.0, 0.5, 0.3], [1.0]])
def test_earlier_inputs_are_let_in_where_simulations_are_better_with_them(response):
    """Intervals of a heated room were 3.5 times as wide as with its lags named."""
    rng = np.random.default_rng(0)
    u = rng.standard_normal(150)
    y = np.convolve(u, response)[:150] + 0.05 * rng.standard_normal(150)
    fc = gf.Forecaster(1, model=gf.models.LinearAR()).fit(y[:120], exog=u[:120])
    assert fc.predict(30, exog=u[120:]).score(y[120:])["rmse"] < 0.1


def test_a_mean_that_a_few_paths_run_away_with_is_said():
    """Quantiles do not show one path of a hundred."""
    paths = np.random.default_rng(0).standard_normal((1, 3, 100))
    paths[0, 1, 0] = 1e9
    known = np.array([[-1.0], [np.nan], [1.0]])
    with pytest.warns(NumericalWarning, match="from step 2 on the mean or the 95 % interval lies"):
        assert runaway(Paths.of(paths, paths.var(axis=-1)), known)
    paths[0, 1, 0] = 1e3
    assert runaway(Paths.of(paths, paths.var(axis=-1)), known) == ""


def test_several_series_that_run_away_are_named():
    y = pd.DataFrame({"calm": np.random.default_rng(1).standard_normal(60), "wild": exploding()})
    fc = gf.VectorForecaster(2, transforms=None, model=gf.models.LinearAR(), propagation="exact")
    fc.fit(y)
    assert not any("run away" in note for note in fc.predict(5).notes)
    with pytest.warns(NumericalWarning, match="95 % interval of 'wild' lies more than 1,000 times"):
        assert any("run away" in note for note in fc.predict(200).notes)
