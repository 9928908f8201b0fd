"""Free simulation, fitted values and forecasts over gaps, through the front door."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import LinearAR


def driven(n=200, seed=0, noise=0.1):
    """y_t = 0.6 y_t-1 - 0.2 y_t-3 + 0.8 u_t-1 - 0.3 w_t + e, on days."""
    rng = np.random.default_rng(seed)
    u, w = rng.standard_normal((2, n))
    y = np.zeros(n)
    for t in range(3, n):
        y[t] = 0.6 * y[t - 1] - 0.2 * y[t - 3] + 0.8 * u[t - 1] - 0.3 * w[t]
        y[t] += noise * rng.standard_normal()
    index = pd.date_range("2024-01-01", periods=n, freq="D")
    return pd.Series(5.0 + 2.0 * y, index=index, name="y"), pd.DataFrame(
        {"u": u, "w": 10.0 + w}, index=index
    )


EXOG_LAGS = {"u": [1], "w": [0]}


def linear(y, exog, **options):
    options = {"model": LinearAR(), "transforms": None, "noise": "process"} | options
    return gf.Forecaster(lags=[1, 3], exog_lags=EXOG_LAGS, **options).fit(y, exog=exog)


def coefficients(fc):
    """Of the fitted linear model, in the units of the data: on y lags, u, w, and the constant."""
    p, scale = fc.model_.posterior_, fc.transforms_.linear[-1]
    b = p.linear * scale.scale / np.array([scale.scale] * 2 + list(fc.fitted_.exog.scale))
    location = np.array([scale.location] * 2 + list(fc.fitted_.exog.location))
    constant = scale.location + scale.scale * p.constant - b @ location
    return b, constant


def run_by_hand(fc, exog, first):
    b, constant = coefficients(fc)
    out, u, w = list(first), exog["u"].to_numpy(), exog["w"].to_numpy()
    for t in range(len(first), len(exog)):
        out.append(constant + b @ [out[t - 1], out[t - 3], u[t - 1], w[t]])
    return np.array(out[len(first) :])


# Simulation


def test_simulation_of_a_linear_model_is_its_difference_equation():
    y, exog = driven()
    fc = linear(y[:100], exog[:100])
    run = fc.simulate(exog[100:], y[100:103], propagation="naive")
    np.testing.assert_allclose(run.mean, run_by_hand(fc, exog[100:], y[100:103]), rtol=1e-10)
    pd.testing.assert_index_equal(run.index, y.index[103:])
    assert run.history.tolist() == y[100:103].tolist()


def test_simulation_knows_no_output_but_the_first():
    y, exog = driven()
    fc = linear(y[:100], exog[:100])
    a = fc.simulate(exog[100:], y[100:103])
    b = fc.simulate(exog[100:].to_numpy(), y[100:103].to_numpy())  # by position
    np.testing.assert_array_equal(a.covariance, b.covariance)
    np.testing.assert_array_equal(a.mean, b.mean)
    assert list(b.index) == list(range(3, 100))


def test_simulation_from_the_end_of_the_series_is_its_forecast():
    y, exog = driven()
    fc = linear(y[:100], exog[:100])
    run, forecast = fc.simulate(exog[100:150]), fc.predict(50, exog=exog[100:150])
    np.testing.assert_array_equal(run.mean, forecast.mean)
    np.testing.assert_array_equal(run.covariance, forecast.covariance)
    # And the end of the series given as a start is that too.
    again = fc.simulate(exog[97:150], y[97:100])
    np.testing.assert_allclose(again.mean, forecast.mean, rtol=1e-12)
    np.testing.assert_allclose(again.covariance, forecast.covariance, rtol=1e-10, atol=1e-15)


def test_gaps_among_the_first_outputs_are_more_uncertain():
    y, exog = driven()
    fc = linear(y[:100], exog[:100])
    start = y[100:110].copy()
    whole = fc.simulate(exog[100:], start)
    start.iloc[[8, 9]] = np.nan
    gap = fc.simulate(exog[100:], start)
    assert gap.var.iloc[0] > 1.2 * whole.var.iloc[0]
    np.testing.assert_allclose(gap.var.iloc[-1], whole.var.iloc[-1], rtol=1e-3)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (slice(100, 102), "at least the 3 outputs.*got 2"),
        (slice(100, 200), "fewer than the 100 rows.*got 100"),
        (slice(90, 95), "first outputs at the times of exog, 2024-04-10.*got 2024-03-31"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(start, words):
    y, exog = driven()
    fc = linear(y[:100], exog[:100])
    with pytest.raises(ValueError, match=words):
        fc.simulate(exog[100:], y[start])


@pytest.mark.parametrize("transforms", [None, gf.transforms.Deterministic(1)])
def test_a_simulation_over_float_times_starts_from_one_output(transforms):
    y, exog = driven()
    runs = []
    for times in (np.arange(len(y)), 2.0 + 0.25 * np.arange(len(y))):
        fc = gf.Forecaster(1, exog_lags=[0, 1], transforms=transforms, model=gf.models.LinearAR())
        out, inputs = y.set_axis(times), exog.set_axis(times)
        fc.fit(out.iloc[:100], inputs.iloc[:100])
        runs.append(fc.simulate(inputs.iloc[120:150], out.iloc[120:121]))
    np.testing.assert_allclose(runs[1].mean, runs[0].mean, rtol=1e-9)
    np.testing.assert_allclose(runs[1].covariance, runs[0].covariance, rtol=1e-9)
    np.testing.assert_allclose(runs[1].index, 2.0 + 0.25 * np.arange(121, 150))


# Uncertain inputs


@pytest.mark.parametrize("method", ["exact", "cubature"])
def test_uncertain_inputs_add_their_propagated_covariance(method):
    """Of a linear model: G cov G' beside the forecast with known inputs, G by hand."""
    y, exog = driven(noise=1e-3)
    fc, h = linear(y[:150], exog[:150]), 6
    b, _ = coefficients(fc)
    rng = np.random.default_rng(1)
    root = rng.standard_normal((2 * h, 3))
    cov = 0.1 * root @ root.T
    future = exog[150 : 150 + h]
    known = fc.predict(h, exog=future, propagation=method)
    uncertain = fc.predict(h, exog=future, exog_cov=cov, propagation=method)
    G = np.zeros((h, 2 * h))
    for t in range(h):
        G[t, 2 * t + 1] = b[3]
        if t >= 1:
            G[t, 2 * (t - 1)] = b[2]
            G[t] += b[0] * G[t - 1]
        if t >= 3:
            G[t] += b[1] * G[t - 3]
    added = (uncertain.covariance - known.covariance).to_numpy()
    # Weights are all but known: their variance times the inputs' is left over.
    np.testing.assert_allclose(added, G @ cov @ G.T, atol=1e-4 * np.abs(G @ cov @ G.T).max())


# Fitted values


def test_fitted_values_of_a_linear_model_are_its_regression():
    y, exog = driven()
    fc = linear(y, exog)
    fitted = fc.predict_in_sample()
    b, constant = coefficients(fc)
    u, w, v = exog["u"].to_numpy(), exog["w"].to_numpy(), y.to_numpy()
    expected = constant + b[0] * v[2:-1] + b[1] * v[:-3] + b[2] * u[2:-1] + b[3] * w[3:]
    np.testing.assert_allclose(fitted["mean"], expected, rtol=1e-10)
    np.testing.assert_allclose(fitted["residual"], v[3:] - expected, atol=1e-9)
    pd.testing.assert_index_equal(fitted.index, y.index[3:])
    assert fitted["observed"].tolist() == v[3:].tolist()
    noise = fc.model_.noise_var_ * fc.transforms_.linear[-1].scale ** 2
    assert (fitted["std"] ** 2 > noise).all()
    assert (fitted["std"] ** 2 < 1.2 * noise).all()


def test_fitted_values_beside_gaps_know_less():
    y, exog = driven()
    y.iloc[50] = np.nan
    exog.iloc[80, 1] = np.nan
    fc = linear(y, exog)
    fitted = fc.predict_in_sample()
    assert np.isfinite(fitted.loc[y.index[50], ["mean", "std"]].astype(float)).all()
    assert np.isnan(fitted.loc[y.index[50], "residual"])
    assert np.isnan(fitted.loc[y.index[80], "mean"])  # w at lag 0 is missing there
    usual = fitted["std"].median()
    assert fitted.loc[y.index[51], "std"] > 1.1 * usual
    assert fitted["mean"].isna().sum() == 1


# Gaps


def test_fit_counts_what_is_missing_and_learns_from_the_rest():
    y, _ = driven()
    given = y.copy()
    given.iloc[[30, 31, 120]] = np.nan
    given = given.drop(y.index[150])
    given.iloc[:3] += [0.0, 0.1, 0.2]  # they are equal, as if a sensor was stuck
    fc = gf.Forecaster(lags=3, model=LinearAR()).fit(given)
    assert fc.history_.isna().sum() == 4
    assert len(fc.history_) == 200
    notes = " ".join(fc.notes_)
    assert "1 time was missing from the index, 2024-05-30" in notes
    assert "4 of 200 values are missing" in notes
    # 3 lags: 5 rows for the pair, 4 for each of the others.
    assert "not learned from: 13 of 197 rows" in notes
    assert fc.n_rows_ == 197 - 13
    assert fc.predict(3).notes == fc.notes_


def test_batch_of_origins_over_gaps_equals_forecasters_that_end_there():
    y, exog = driven(120)
    fc = linear(y[:100], exog[:100])
    late = y.copy()
    late.iloc[[60, 70, 71, 90]] = np.nan
    origins = [59, 61, 62, 72, 92, 100]
    batch = fc.predict_from(late, origins, 4, exog=exog)
    for i, t in enumerate(origins):
        one = fc.predict_from(late[: t + 4], [t], 4, exog=exog[: t + 4])
        np.testing.assert_allclose(batch.mean[i], one.mean[0], rtol=1e-11)
        np.testing.assert_allclose(batch.covariance[i], one.covariance[0], rtol=1e-9)


def test_missing_future_inputs_are_refused_with_a_way_out():
    y, exog = driven(120)
    fc = linear(y[:100], exog[:100])
    future = exog[100:105].copy()
    future.iloc[2, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"known at each of the 5 times of the forecast.*; got 1 missing.*'w'"
    ):
        fc.predict(5, exog=future)
