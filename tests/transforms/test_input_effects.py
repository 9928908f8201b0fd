"""Effects of inputs: dense least squares, shrinkage, and what a forecast gains."""

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.signal import lfilter
from series_cases import autoregression
from statsmodels.tsa.arima_process import arma_acovf
from transformed_cases import ahead_of

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Deterministic, Difference, InputEffects, Log
from gpforecast.transforms.effect_design import LaterTerms, shrunk
from gpforecast.transforms.input_effects import FittedEffects, KnownInputs, expected_after


def bound(U, terms=((0, 0),), **more):
    known = KnownInputs(U, np.nanmean(U, axis=0), **more)
    return InputEffects().with_inputs(known, terms, [f"u{j}" for j, _ in terms])


def fitted(y, U, *later, terms=((0, 0),)):
    return Compose(bound(U, terms), *later).fit_at(y, TimeAxis.rows(len(y))).effects


def generalised(w, X, rho):
    """Estimate with the dense covariance of an autoregression."""
    n = len(w)
    omega = toeplitz(arma_acovf(np.r_[1.0, -rho], [1.0], nobs=n))
    weight = np.linalg.inv(omega)
    A = np.linalg.inv(X.T @ weight @ X)
    beta = A @ X.T @ weight @ w
    e = w - X @ beta
    return beta, float(e @ weight @ e) / (n - X.shape[1]) * A


@pytest.mark.parametrize("later", ["none", "difference", "line"])
def test_an_effect_is_that_of_dense_generalised_least_squares_shrunk_by_its_t_value(later):
    rng = np.random.default_rng(2)
    n = 90
    u, e = rng.standard_normal((n, 1)), autoregression(n, 0.5, seed=rng)
    steps = {"none": [], "difference": [Difference()], "line": [Deterministic(1)]}[later]
    y = 0.6 * u[:, 0] + (np.cumsum(e) if later == "difference" else e)
    found = fitted(y, u, *steps)
    w, x = (np.diff(y), np.diff(u[:, 0])) if later == "difference" else (y, u[:, 0])
    others = [np.ones(len(w))] + ([np.arange(n)] if later == "line" else [])
    beta, V = generalised(w, np.column_stack([x, *others]), found.rho)
    kept = 1.0 - V[0, 0] / beta[0] ** 2
    np.testing.assert_allclose(found.beta, kept * beta[0], rtol=1e-6)
    np.testing.assert_allclose(found.V, kept * V[:1, :1], rtol=1e-6)


def test_shrinkage_maximises_the_evidence():
    beta, V = np.array([2.0, -1.5]), np.array([[0.5, 0.3], [0.3, 0.6]])
    mean, cov = shrunk(beta, V)
    grid = np.linspace(0.0, 8.0, 101)
    costs = np.empty((101, 101))
    for i, a in enumerate(grid):
        for j, b in enumerate(grid):
            C = V + np.diag([a, b])
            costs[i, j] = np.linalg.slogdet(C)[1] + beta @ np.linalg.solve(C, beta)
    i, j = np.unravel_index(costs.argmin(), costs.shape)
    A = np.diag(grid[[i, j]])
    gain = A @ np.linalg.inv(V + A)
    np.testing.assert_allclose(mean, gain @ beta, atol=0.08)  # as wide as the grid
    np.testing.assert_allclose(cov, A - gain @ A, atol=0.08)


def effects(U, *, beta=(1.0,), V=((1.0,),), rho=(), differences=(), terms=((0, 0),), **known):
    spec = bound(U, terms, **known)
    beside = LaterTerms(tuple(differences), 1.0)
    return FittedEffects(spec, np.array(beta), np.array(V), np.array(rho), beside)


@pytest.mark.parametrize("case", ["walk", "slope", "season", "autoregression", "seasonal walk"])
def test_an_error_of_an_effect_counts_as_far_as_inputs_differ_from_what_is_carried_on(case):
    rng = np.random.default_rng(0)
    U, n, h, m = rng.standard_normal((40, 1)), 30, 6, 4
    u = U[:, 0]
    ahead = u[n : n + h]
    seasonal = gf.transforms.SeasonalDifference(m)
    last = u[n - m + np.arange(h) % m]
    of = {
        "walk": ([Difference()], (), ahead - u[n - 1]),
        "slope": (
            [Difference(2)],
            (),
            ahead - u[n - 1] - (u[n - 1] - u[n - 2]) * np.arange(1, h + 1),
        ),
        "season": ([seasonal], (), ahead - last),
        "autoregression": ([], (0.7,), ahead - 0.7 ** np.arange(1, h + 1) * u[n - 1]),
        # y(t) = y(t-1) + y(t-m) - y(t-m-1) carries on the last season, moved by the last step.
        "seasonal walk": ([seasonal, Difference()], (), None),
    }
    differences, rho, d = of[case]
    if d is None:
        carried = list(u[:n])
        for _ in range(h):
            carried.append(carried[-1] + carried[-m] - carried[-m - 1])
        d = ahead - carried[n:]
    found = effects(U, rho=rho, differences=differences)
    y = ahead_of(found, n, h)
    np.testing.assert_allclose(y.mean[0], ahead, rtol=1e-12)
    np.testing.assert_allclose(y.covariance[0], np.outer(d, d), atol=1e-12)


def test_uncertain_future_inputs_bring_their_joint_covariance_along():
    rng = np.random.default_rng(1)
    n, h, q = 20, 3, 2
    U, root = rng.standard_normal((n + h, q)), rng.standard_normal((h * q, h * q))
    S, terms = root @ root.T, ((0, 0), (0, 1), (1, 0))
    beta = np.array([1.0, -0.5, 2.0])
    found = effects(U, beta=beta, V=np.zeros((3, 3)), terms=terms, covariance=S)
    y = ahead_of(found, n, h)
    draws = rng.multivariate_normal(np.zeros(h * q), S, size=200_000).reshape(-1, h, q)
    lagged = np.concatenate([np.zeros((len(draws), 1)), draws[:, :-1, 0]], axis=1)
    moved = draws[:, :, 0] * beta[0] + lagged * beta[1] + draws[:, :, 1] * beta[2]
    np.testing.assert_allclose(y.covariance[0], np.cov(moved.T), rtol=0.05, atol=0.1)


def test_an_effect_on_a_logarithm_is_a_factor():
    rng = np.random.default_rng(5)
    u = (rng.uniform(size=100) < 0.3).astype(float)
    y = np.exp(3.0 + 0.4 * u + 0.01 * rng.standard_normal(100))
    steps = [Log(), InputEffects()]
    fc = gf.Forecaster(lags=1, transforms=steps, support=None).fit(y, exog=u)
    off, on = (fc.predict(1, exog=[value]).median.iloc[0] for value in (0.0, 1.0))
    assert on / off == pytest.approx(np.exp(fc.transforms_.effects.beta[0]), rel=1e-6)
    assert on / off == pytest.approx(np.exp(0.4), rel=0.02)


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.995])
def test_missing_inputs_are_expected_by_those_before_them(phi):
    rng, n = np.random.default_rng(8), 30
    covariance = phi ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    u = 5.0 + np.linalg.cholesky(covariance) @ rng.standard_normal(n)
    missing = np.array([0, 1, 7, 12, 13, 14, 20, 29])
    gaps = u.copy()
    gaps[missing] = np.nan
    filled = expected_after(gaps[:, None], np.array([5.0]), np.array([phi]))[:, 0]
    for t in missing:
        past = np.setdiff1d(np.arange(t), missing)
        weights = np.linalg.solve(covariance[np.ix_(past, past)], covariance[past, t])
        np.testing.assert_allclose(filled[t], 5.0 + weights @ (u[past] - 5.0), rtol=1e-10)
    np.testing.assert_array_equal(np.delete(filled, missing), np.delete(u, missing))


def test_the_memory_of_a_column_is_measured_once_and_is_that_of_its_known_pairs():
    rng, n = np.random.default_rng(9), 4000
    slow = lfilter([1.0], [1.0, -0.9], rng.standard_normal(n))
    U = np.column_stack([slow, rng.standard_normal(n), np.full(n, 3.0), np.full(n, np.nan)])
    U[::5, 0] = np.nan
    known = KnownInputs.of(U, np.array([0.0, 0.0, 3.0, 1.0]))
    np.testing.assert_allclose(known.memory, [0.9, 0.0, 0.0, 0.0], atol=0.03)
    assert (known.at(np.arange(n), [(3, 0)]) == 1.0).all()
    inputs = InputEffects().with_inputs(KnownInputs.of(U[:, :1], np.zeros(1)), [(0, 0)], ["u"])
    later = inputs.fit_at(slow, TimeAxis.rows(n)).given(U[:9, :1])
    np.testing.assert_array_equal(later.spec.known.memory, known.memory[:1])


def test_no_forecast_knows_inputs_beyond_its_horizon():
    rng, n = np.random.default_rng(11), 200
    u = lfilter([1.0], [1.0, -0.97], rng.standard_normal(n))
    y = 3.0 * u + rng.standard_normal(n)
    fc = gf.Forecaster(lags=1, transforms=InputEffects(), model=LinearAR()).fit(y, exog=u)
    u[100:104] = np.nan
    moved = u + 50.0 * (np.arange(n) >= 104)
    two = [fc.predict_from(y, [101], 2, exog=column).mean for column in (u, moved)]
    np.testing.assert_array_equal(*two)


def test_effects_without_inputs_or_of_too_many_are_refused():
    with pytest.raises(ValueError, match="needs exogenous inputs"):
        gf.Forecaster(transforms=InputEffects()).fit(np.arange(30.0))
    rng = np.random.default_rng(7)
    terms = [(j, 0) for j in range(15)]
    with pytest.raises(ValueError, match="too few for 15 inputs"):
        fitted(rng.standard_normal(20), rng.standard_normal((20, 15)), terms=terms)


@pytest.mark.parametrize(("offset", "phi"), [(0.0, 0.0), (300.0, 0.6)])
@pytest.mark.parametrize("later", ["none", "line", "week"])
def test_an_error_of_an_effect_counts_times_the_deviation_from_what_is_found_beside_it(
    offset, phi, later
):
    """Level, line and season are found with the same error: dense least squares, explicitly."""
    rng = np.random.default_rng(8)
    n, h = 200, 4
    u, e = rng.normal(0.0, 5.0, n + h) + offset, autoregression(n, phi, seed=rng)
    t = np.arange(n + h)
    u += {"none": 0.0, "line": 0.3 * t, "week": 9.0 * (t % 7 == 3)}[later]
    week = gf.transforms.DampedMean(1.0, 7)
    steps = {"none": [], "line": [Deterministic(1)], "week": [week]}[later]
    rest = {"none": [], "line": [t], "week": [t % 7 == k for k in range(1, 7)]}[later]
    rest = np.column_stack([np.ones(n + h), *rest])
    found = fitted(0.5 * u[:n] + e[:n], u[:n, None], *steps)
    ahead = found.given(u[:, None])
    got = ahead_of(ahead, n, h).covariance[0]
    off = u - rest @ generalised(u[:n], rest[:n], found.rho)[0]
    d = list(off)
    for k in range(h):
        d[n + k] = sum(rho * d[n + k - j] for j, rho in enumerate(found.rho, start=1))
    d = off[n:] - d[n:]
    assert len(found.rho) == (phi > 0.0)
    np.testing.assert_allclose(got, found.V[0, 0] * np.outer(d, d), rtol=1e-6)
    assert np.sqrt(got.diagonal()).max() < 0.5


@pytest.mark.parametrize(
    ("later", "value", "unit"), [((), 0.1, 1.0), ((Difference(),), 1.0, 1000.0)]
)
def test_a_column_that_never_changed_counts_only_where_it_changes_whatever_its_units(
    later, value, unit
):
    n, h = 60, 4
    y = np.cumsum(np.random.default_rng(4).standard_normal(n))
    U = np.full((n + h, 1), value)
    U[30] = np.nan
    found = fitted(y, unit * U[:n], *later, terms=((0, 2),))
    assert found.never_seen == (0,)

    def variance(inputs):
        return ahead_of(found.given(unit * inputs), n, h).covariance[0].diagonal()

    np.testing.assert_array_equal(variance(U), 0.0)
    U[n + 1] += 1.0  # two steps later, by the lag
    np.testing.assert_allclose(variance(U), [0.0, 0.0, 0.0, found.V[0, 0]], atol=1e-12)


def test_an_effect_does_not_depend_on_the_level_of_its_input():
    rng = np.random.default_rng(3)
    u, e = 10.0 * rng.standard_normal((130, 1)), rng.standard_normal(130)
    found = fitted(100.0 + 2.0 * u[:, 0] + e, 1e9 + u)
    assert abs(found.beta[0] - 2.0) < 0.05
    assert 0.001 < found.std[0] < 0.05
