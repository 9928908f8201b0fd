"""Direct forecasts: a model for each lead, joined by the correlations of held-out errors."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from direct_cases import H, Means, ar3, direct, least_squares
from forecaster_cases import driven, fixed, same, wave

import gpforecast as gf
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.pipeline.direct import correlations, held_out_errors
from gpforecast.pipeline.rows import TrainingRows
from gpforecast.transforms import Difference, Log

# What the models learn and predict


def test_each_step_is_the_least_squares_prediction_of_its_lead():
    y = ar3()
    forecast = direct().fit(y).predict(H)
    for h in range(1, H + 1):
        b, error, X = least_squares(y, h)
        x = np.array([1.0, y[-1], y[-3]])
        noise = error @ error / (len(error) - 3)
        var = noise * (1.0 + x @ np.linalg.solve(X.T @ X, x))
        np.testing.assert_allclose(forecast.mean.iloc[h - 1], x @ b, rtol=1e-9)
        np.testing.assert_allclose(forecast.std.iloc[h - 1] ** 2, var, rtol=1e-8)


def test_inputs_are_those_at_the_time_that_is_predicted():
    y, exog = driven()
    y, u = y.to_numpy(), exog["u"].to_numpy()
    n = 120
    fc = direct(exog_lags=[0, 1]).fit(y[:n], exog=u[:n])
    forecast = fc.predict(4, exog=u[n : n + 4])
    for h in range(1, 5):
        ahead = u[h - 1 :], np.roll(u, 1)[h - 1 :]  # u(t + h - 1), u(t + h - 2)
        b = least_squares(y[:n], h, *ahead)[0]
        x = [1.0, y[n - 1], y[n - 3], u[n + h - 1], u[n + h - 2]]
        np.testing.assert_allclose(forecast.mean.iloc[h - 1], x @ b, rtol=1e-8)


@pytest.mark.parametrize("model", [fixed(), GaussianProcess()])
def test_the_first_step_is_that_of_the_iterated_strategy(model):
    options = {"transforms": None, "model": model, "noise": "process"}
    iterated = gf.Forecaster(3, **options).fit(wave()).predict(1)
    same(direct((1, 2, 3), **options).fit(wave()).predict(1), iterated, rtol=1e-9)


def test_each_lead_is_trained_as_if_there_were_no_others():
    # From the hyperparameters of lead 3, the search for lead 4 ends where all is noise.
    y = gf.datasets.mackey_glass(8000, normalise=True, noise_var=0.0, seed=3)
    fc = direct(range(1, 17), max_horizon=4, model=GaussianProcess(), max_rows=100, seed=3).fit(y)
    leads = fc.fitted_.leads
    for model, rows in zip(leads.models, leads.rows, strict=True):
        alone = GaussianProcess().fit(rows.X, rows.y)
        assert model.covariance_ == alone.covariance_
        assert model.noise_var_ == alone.noise_var_ < 1e-6


def test_rows_that_are_too_many_come_from_the_same_origins_for_every_lead():
    fitted = direct(max_rows=40).fit(ar3()).fitted_
    origins = [set(fitted.rows.places)]
    origins += [set(rows.places - lead + 1) for lead, rows in enumerate(fitted.leads.rows, 2)]
    assert len(origins[0]) == 40
    assert all(later <= origins[0] for later in origins)
    assert len(set.intersection(*origins)) > 30


# The joint distribution


def test_held_out_errors_are_those_of_fifths_predicted_from_the_rest():
    y = ar3()
    rows = gf.embedding.LagEmbedding([1, 3], lead=2).transform(y)
    given = TrainingRows(rows.X, rows.y, places=np.asarray(rows.index))
    model = LinearAR().fit(rows.X, rows.y)
    origins, z = held_out_errors(model, given, lead=2)
    np.testing.assert_array_equal(origins, np.asarray(rows.index) - 1)
    n, X = len(rows.y), np.column_stack([np.ones(len(rows.y)), rows.X])
    bounds = np.cumsum([0, *(n // 5 + (i < n % 5) for i in range(5))])
    for a, b in pairwise(bounds):
        rest = (np.arange(n) < a) | (np.arange(n) >= b)
        G = X[rest].T @ X[rest]
        w = np.linalg.solve(G, X[rest].T @ rows.y[rest])
        spread = 1.0 + np.einsum("ni,ij,nj->n", X[a:b], np.linalg.inv(G), X[a:b])
        expected = (rows.y[a:b] - X[a:b] @ w) / np.sqrt(model.noise_var_ * spread)
        np.testing.assert_allclose(z[a:b], expected, rtol=1e-7, atol=1e-9)


def test_correlations_are_shrunk_by_the_variance_of_averages_of_stretches():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((33, 3)) @ np.array([[1.0, 0.8, 0.3], [0, 1, 0.5], [0, 0, 1]])
    # Lead 2 has no row at one origin, and origins need not come without gaps.
    origins = np.sort(rng.choice(60, 33, replace=False))
    errors = [(origins, Z[:, 0]), (np.delete(origins, 7), np.delete(Z[:, 1], 7))]
    R = correlations([*errors, (origins, Z[:, 2])])
    Z = np.delete(Z, 7, axis=0)
    above = below = 0.0
    r = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            w = Z[:, i] * Z[:, j] / np.sqrt((Z[:, i] ** 2).mean() * (Z[:, j] ** 2).mean())
            r[i, j] = w.mean()
            if i != j:
                # 32 origins in 10 stretches: two of 4 and eight of 3.
                means = [w[:4].mean(), w[4:8].mean(), *w[8:].reshape(8, 3).mean(axis=1)]
                above, below = above + np.var(means, ddof=1) / 10, below + r[i, j] ** 2
    np.testing.assert_allclose(R, (1 - above / below) * r + above / below * np.eye(3), rtol=1e-12)


def test_errors_of_a_random_walk_are_correlated_as_its_sums_are():
    y = np.cumsum(np.random.default_rng(0).standard_normal(4000))
    R = direct(lags=[1], max_horizon=4).fit(y).fitted_.leads.correlation
    k = np.arange(1, 5)
    expected = np.sqrt(np.minimum.outer(k, k) / np.maximum.outer(k, k))
    # Standard errors of correlations from 4000 overlapping origins are below 0.02.
    np.testing.assert_allclose(R, expected, atol=0.08)


@pytest.mark.parametrize("few", [[], [0, 1, 2]])
def test_too_few_common_origins_make_errors_independent(few):
    z = np.arange(1.0, 4.0)
    R = correlations([(np.arange(3), z), (np.array(few, int), z[: len(few)])])
    np.testing.assert_array_equal(R, np.eye(2))


def test_steps_of_a_forecast_have_the_correlations_of_held_out_errors():
    fc = direct().fit(ar3())
    forecast, R = fc.predict(H), fc.fitted_.leads.correlation
    sd = forecast.std.to_numpy()
    np.testing.assert_allclose(forecast.covariance / np.outer(sd, sd), R, rtol=1e-10)
    leads = fc.fitted_.leads
    every = zip((fc.model_, *leads.models), (fc.fitted_.rows, *leads.rows), strict=True)
    errors = [held_out_errors(model, rows, lead) for lead, (model, rows) in enumerate(every, 1)]
    np.testing.assert_array_equal(R, correlations(errors))


def test_transforms_are_undone_on_the_joint_distribution():
    y = np.cumsum(ar3(120) - 20.0)
    fc = direct(transforms=Difference()).fit(y)
    changes = direct().fit(np.diff(y))
    of_changes, forecast = changes.predict(H), fc.predict(H)
    sums = np.tril(np.ones((H, H)))
    expected = sums @ of_changes.covariance.to_numpy() @ sums.T
    np.testing.assert_allclose(forecast.mean, y[-1] + np.cumsum(of_changes.mean), rtol=1e-8)
    np.testing.assert_allclose(forecast.covariance, expected, rtol=1e-6)


# Missing values


def test_a_missing_lag_has_the_distribution_that_the_one_step_model_gives_it():
    y = ar3()
    fc = direct().fit(y)
    known, cut = fc.fitted_, y.copy()
    cut[-3] = np.nan  # lag 3 of the forecast; the last two values say something of it too
    forecast = fc.predict_from(cut, [len(y)], H)
    gone = gf.Forecaster([1, 3], transforms=None, model=LinearAR(), noise="process").fit(y)
    start = replace(gone.fitted_, history=pd.Series(cut))
    filled = gf.pipeline.retrospective.fill_missing(start, "exact").iloc[-3]
    slopes = [m.posterior_.linear[1] for m in (fc.model_, *known.leads.models)]
    cut[-3] = filled["mean"]
    plain = fc.predict_from(cut, [len(y)], H)
    # Weights are uncertain too: to first order in that, the value adds slope^2 times its variance.
    added = forecast.var[0] - plain.var[0]
    np.testing.assert_allclose(forecast.mean, plain.mean, rtol=1e-9)
    np.testing.assert_allclose(added, np.square(slopes) * filled["std"] ** 2, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("transforms", [None, [Log(), Difference()]])
def test_values_missing_before_the_origin_leave_a_forecast_of_all_steps(transforms):
    y = ar3() + 100.0
    whole = direct(transforms=transforms).fit(y)
    y[[40, 41, -9, -2, -1]] = np.nan
    fc = direct(transforms=transforms).fit(y)
    forecast = fc.predict(H)
    assert np.isfinite(forecast.mean).all()
    assert (forecast.std > whole.predict(H).std).iloc[0]
    assert np.linalg.eigvalsh(forecast.covariance).min() > 0.0


# Everything else that a forecaster does


def test_forecasts_from_many_origins_and_backtests_are_those_at_each():
    y = ar3()
    fc = direct((1, 2, 3), model=fixed()).fit(y[:100])
    origins = [100, 121, 150]
    batch, scored = fc.predict_from(y, origins, H), gf.backtest(fc, y, H, origins)
    assert scored.propagation == fc.predict(H).propagation == "direct"
    for i, t in enumerate(origins):
        none = replace(fc.fitted_.exog, past=np.empty((t, 0)))
        at = replace(fc.fitted_, history=pd.Series(y[:t]), exog=none)
        alone = gf.pipeline.predict.predict(at, H, "auto")
        np.testing.assert_allclose(batch.mean[i], alone.mean, rtol=1e-11)
        np.testing.assert_allclose(batch.covariance[i], alone.covariance, rtol=1e-10)
        np.testing.assert_allclose(scored.mean[i], alone.mean, rtol=1e-11)


def test_an_update_conditions_the_model_of_every_lead():
    y = ar3()
    fc = direct().fit(y[:120]).update(y[120:])
    for h, model in enumerate([fc.model_, *fc.fitted_.leads.models], 1):
        slopes = least_squares(y, h)[0][1:]
        np.testing.assert_allclose(model.posterior_.linear, slopes, rtol=1e-7)
    n_rows = [len(rows.y) for rows in fc.fitted_.leads.rows]
    assert n_rows == [len(y) - 2 - h for h in range(2, H + 1)]


@pytest.mark.parametrize("kind", ["variance", "adaptive"])
def test_a_calibration_has_the_steps_that_there_are_models_for(kind):
    fc = direct(calibrate=kind).fit(ar3(300))
    assert fc.calibration_.horizon == H
    assert np.isfinite(fc.update([20.0, 22.0]).predict(H).quantile([0.05, 0.95])).all(axis=None)


def test_values_in_sample_and_missing_ones_are_those_of_the_one_step_model():
    y = ar3()
    y[[50, 90]] = np.nan
    iterated = gf.Forecaster([1, 3], transforms=None, model=LinearAR(), noise="process").fit(y)
    fc = direct().fit(y)
    pd.testing.assert_frame_equal(fc.fill_missing(), iterated.fill_missing())
    pd.testing.assert_frame_equal(fc.smooth(), iterated.smooth())
    pd.testing.assert_frame_equal(fc.predict_in_sample(), iterated.predict_in_sample())


def test_a_model_that_cannot_be_conditioned_is_joined_by_the_errors_of_its_own_rows():
    rows = TrainingRows(np.zeros((30, 2)), np.arange(30.0), places=np.arange(3, 33))
    origins, z = held_out_errors(Means().fit(rows.X, rows.y), rows, 2)
    np.testing.assert_array_equal(origins, np.arange(2, 32))
    np.testing.assert_allclose(z, np.arange(30.0) - 14.5)
    assert direct(model=Means()).fit(ar3()).predict(3).std.iloc[0] > 0.0


# What direct forecasts refuse, or say that they lack


OPTIONS = [
    ({}, "set max_horizon to the longest horizon"),
    ({"max_horizon": 0}, "max_horizon must be a positive integer or None; got 0"),
    ({"max_horizon": 5, "strategy": "iterated"}, "leave max_horizon=5 out, or set strategy="),
    ({"strategy": "recursive"}, "strategy must be"),
    *(({"max_horizon": 5, "noise": noise}, 'must be "process" or "auto" with strategy="direct"')
      for noise in ("measurement", 0.1)),
]  # fmt: skip
Y, DRIVEN = ar3(), driven()
TABLE = pd.DataFrame({"unique_id": "a", "ds": range(160), "y": Y})
CALLS = [
    *((partial(gf.Forecaster, **{"strategy": "direct"} | options), said)
      for options, said in OPTIONS),
    # Before it is fitted, for which these values are too few, or any series of a panel is.
    (lambda: gf.backtest(direct(), Y[:13], 7), "horizon must be at most 6, the max_horizon"),
    (lambda: gf.forecast_panel(TABLE, 7, forecaster=direct()), "^horizon must be at most 6"),
    (lambda: gf.forecast_panel(TABLE, 5, forecaster=direct(), mode="global"),
     'mode="global" has one iterated model'),
    (lambda: direct().fit(Y).predict(8), "Fit one with max_horizon=8"),
    (lambda: direct().fit(Y).predict_from(Y, [50], 7), "horizon must be at most 6"),
    (lambda: direct(max_horizon=10).fit(ar3(13)), "with lead=10, 2 of them to learn"),
    (lambda: direct().fit(*DRIVEN).simulate(DRIVEN[1].iloc[:10]),
     'do not; fit a forecaster with strategy="iterated"'),
    (lambda: direct(model=Means()).fit(Y).update([20.0]), "Means cannot be updated; fit again"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_what_direct_forecasts_cannot_do_is_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_paths_that_a_direct_forecast_does_not_have_are_said():
    y = gf.datasets.mackey_glass(120, seed=0)
    direct = gf.Forecaster(lags=3, transforms=None, strategy="direct", max_horizon=3)
    f = direct.fit(y).predict(3, propagation="monte_carlo")
    assert any("no paths of their own" in note for note in f.notes)
