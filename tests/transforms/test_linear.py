"""Linear transforms: forwards by hand, backwards by explicit A S A', and their regressions."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import toeplitz
from scipy.optimize import minimize_scalar
from series_cases import autoregression
from statsmodels.tsa.arima_process import arma_acovf
from statsmodels.tsa.deterministic import (
    CalendarFourier,
    CalendarSeasonality,
    DeterministicProcess,
    Fourier,
)
from transformed_cases import ahead_of

from gpforecast.propagation.recursion import Propagated
from gpforecast.series import TimeAxis
from gpforecast.transforms import Compose, Deterministic, Difference, SeasonalDifference
from gpforecast.transforms.regression import _most_likely, generalised_least_squares, stationary

# Linear transforms: forwards by hand, backwards by explicit A S A'


RNG = np.random.default_rng(0)
H = 9


def belief(b=2, h=H, n=None, seed=0):
    """A batch of joint Gaussians, with paths where they are wanted."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((b, h, h))
    S = root @ np.swapaxes(root, 1, 2) + np.eye(h)
    mean = rng.standard_normal((b, h))
    latent = np.einsum("bhh->bh", S) - 0.3
    paths = None if n is None else mean[:, :, None] + root @ rng.standard_normal((b, h, n))
    return Propagated(mean, S, latent, paths, n_clipped=3)


def difference_matrix(order, n):
    """D with D y the differences, by explicit multiplication."""
    D = np.eye(n)
    for _ in range(order):
        D = np.diff(D, axis=0)
    return D


def seasonal_matrix(period, n):
    return np.eye(n)[period:] - np.eye(n)[:-period]


@pytest.mark.parametrize(
    ("transform", "matrix"),
    [
        (Difference(3), lambda n: difference_matrix(3, n)),
        (SeasonalDifference(4), lambda n: seasonal_matrix(4, n)),
    ],
    ids=["3", "seasonal 4"],
)
def test_differences_undo_to_the_explicit_solution_of_the_linear_equations(transform, matrix):
    lost = transform.n_lost
    y = RNG.standard_normal(lost + H)
    D = matrix(lost + H)  # (h, lost + h): D [past; future] = z
    np.testing.assert_allclose(transform.transform(y)[lost:], D @ y, rtol=1e-12, atol=1e-14)
    assert np.isnan(transform.transform(y)[:lost]).all()

    past = RNG.standard_normal((2, lost))
    z = belief(n=7)
    A = np.linalg.inv(D[:, lost:])
    found = transform.undo(z, past, np.array([5, 6]), TimeAxis(pd.RangeIndex(20)))
    for i in range(2):
        b = -A @ D[:, :lost] @ past[i]
        np.testing.assert_allclose(found.mean[i], A @ z.mean[i] + b, rtol=1e-9, atol=1e-11)
        S = A @ z.covariance[i] @ A.T
        np.testing.assert_allclose(found.covariance[i], S, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(
            found.paths[i], A @ z.paths[i] + b[:, None], rtol=1e-9, atol=1e-10
        )
        # The own noise of a step, 0.3, is all that the latent variance leaves out.
        np.testing.assert_allclose(found.latent_var[i], np.diag(S) - 0.3, rtol=1e-9)
    assert found.n_clipped == 3


# Deterministic


def test_columns_are_those_of_statsmodels():
    index = pd.date_range("2023-01-01", periods=60, freq="D")
    terms = Deterministic(2, 3, 7, calendar=[("ME", 2), ("D", "W")])
    D = terms.design(TimeAxis(index), 1.0)
    # statsmodels counts time from 1 and takes another phase: the columns span the same space.
    process = DeterministicProcess(
        index,
        constant=True,
        order=2,
        additional_terms=[
            Fourier(7, 3), CalendarFourier("ME", 2), CalendarSeasonality("D", "W")
        ],
        drop=True,
    )  # fmt: skip
    theirs = process.in_sample().to_numpy()
    both = np.column_stack([D, theirs])
    assert np.linalg.matrix_rank(D) == np.linalg.matrix_rank(theirs) == np.linalg.matrix_rank(both)


def test_with_white_errors_a_forecast_gains_the_variance_of_its_coefficients():
    rng = np.random.default_rng(6)
    t = np.arange(400)
    y = 2 + 0.01 * t + np.sin(2 * np.pi * t / 12) + 0.1 * rng.standard_normal(400)
    fitted = Deterministic(1, 1, 12).fit(y)
    assert len(fitted.rho) == 0
    # With white errors the forecast of theta's part gains the plain D V D'.
    found = ahead_of(fitted, 400, 20)
    s = np.arange(400, 420)
    D = np.column_stack([np.ones(20), s / 400, np.cos(np.pi * s / 6), np.sin(np.pi * s / 6)])
    np.testing.assert_allclose(found.mean[0], D @ fitted.theta, rtol=1e-9)
    np.testing.assert_allclose(found.covariance[0], D @ fitted.V @ D.T, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(found.latent_var[0], np.diag(D @ fitted.V @ D.T), rtol=1e-9)


def ar_line(n, rng, phi=0.8):
    return 5 + 0.05 * np.arange(n) + autoregression(n, phi, seed=rng)


def test_forecast_with_known_autoregression_has_the_variance_of_generalised_least_squares():
    # Goldberger (1962): the joint GLS predictor, written out with n x n algebra.
    rng = np.random.default_rng(3)
    n, h = 120, 10
    y = ar_line(n, rng)
    fitted = Deterministic(1).fit(y)
    (phi,) = fitted.rho
    gap = np.abs(np.subtract.outer(np.arange(n + h), np.arange(n + h)))
    Omega = phi**gap / (1 - phi**2)
    t = np.arange(n + h) / n
    D = np.column_stack([np.ones(n + h), t])
    W, C = np.linalg.inv(Omega[:n, :n]), Omega[n:, :n]
    d = D[n:] - C @ W @ D[:n]
    np.testing.assert_allclose(ahead_of(fitted, n, h).covariance[0], d @ fitted.V @ d.T, rtol=1e-8)


def test_paths_gain_draws_of_theta():
    y = ar_line(100, np.random.default_rng(4))
    fitted = Deterministic(1).fit(y)
    n = 20_000
    zero = Propagated(np.zeros((1, 5)), np.zeros((1, 5, 5)), np.zeros((1, 5)), np.zeros((1, 5, n)))
    found = fitted.undo(zero, np.empty((1, 0)), np.array([100]), TimeAxis(pd.RangeIndex(105)))
    S = found.covariance[0]
    band = 5 * np.sqrt((np.outer(np.diag(S), np.diag(S)) + S**2) / n)
    assert (np.abs(np.cov(found.paths[0]) - S) < band).all()
    offset = np.abs(found.paths[0].mean(axis=1) - found.mean[0])
    assert (offset < 5 * np.sqrt(np.diag(S) / n)).all()


# Where a stretch of the series stands


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(7, 7 + 40 * 5, 5),
        pd.Index(0.25 * np.arange(40)),
        pd.date_range("2024-03-20", periods=40, freq="D", tz="Europe/Berlin"),
        pd.period_range("1990Q1", periods=40, freq="Q"),
        pd.timedelta_range("0s", periods=40, freq="30s"),
    ],
    ids=lambda i: f"{type(i).__name__} {getattr(i, 'freqstr', '')}",
)
def test_an_axis_tells_where_a_stretch_of_the_series_stands(index):
    axis = TimeAxis.of(index[10:30]).head
    for first in (0, 10, 13, 25):
        times = axis.locate(TimeAxis.of(index[first : first + 10])).extended(5)
        assert times.first == first - 10
        assert len(times.index) == 15
    late = axis.locate(TimeAxis.of(index[20:30])).extended(10)
    np.testing.assert_array_equal(late.positions, np.arange(10, 30))
    assert list(late.index) == list(index[20:40])


# Several


def test_chain_undoes_to_the_explicit_matrix_of_all_its_steps():
    y = np.cumsum(RNG.standard_normal(60)) + 3 * np.sin(2 * np.pi * np.arange(60) / 4)
    chain = Compose(SeasonalDifference(4), Difference()).fit(y)
    assert chain.n_lost == 5
    assert chain.period == 4
    times = TimeAxis.rows(60 + H)
    levels = chain.levels(y, times)
    z = belief(1)
    found = chain.undo(z, levels, np.array([60]), times)
    n = 5 + H
    D = difference_matrix(1, n - 4) @ seasonal_matrix(4, n)  # (h, 5 + h)
    scale = chain.linear[-1]
    A = scale.scale * np.linalg.inv(D[:, 5:])
    np.testing.assert_allclose(found.covariance[0], A @ z.covariance[0] @ A.T, rtol=1e-9)
    b = np.linalg.inv(D[:, 5:]) @ (scale.location - D[:, :5] @ y[-5:])
    np.testing.assert_allclose(found.mean[0], A @ z.mean[0] + b, rtol=1e-9)


def test_a_phase_that_was_never_seen_is_as_uncertain_as_the_series():
    rng = np.random.default_rng(0)
    t = np.arange(96)
    y = 5 + 2 * np.sin(2 * np.pi * t / 12) + 0.3 * rng.standard_normal(96)
    y[t % 12 == 3] = np.nan
    std = np.sqrt(ahead_of(Deterministic(0, 6, 12).fit(y), 96, 12).latent_var[0])
    assert (np.delete(std, 3) < 0.3).all()
    assert 0.5 * np.nanstd(y) < std[3] < 10 * np.nanstd(y)


def test_an_autoregression_keeps_the_roots_that_are_stationary():
    roots = np.array([1.2, 0.5, -0.3])
    rho = -np.poly(roots)[1:]
    found = np.sort(np.roots(np.r_[1, -stationary(rho)]).real)
    np.testing.assert_allclose(found, [-0.3, 0.5, 0.999], rtol=1e-9)
    np.testing.assert_array_equal(stationary(rho := np.array([0.5, 0.0, 0.2])), rho)
    np.testing.assert_allclose(stationary(np.array([1.5, 0.0])), [0.999, 0.0])


@pytest.mark.parametrize(("fourier", "period", "n"), [(1, 2, 1), (5, 12, 10), (6, 12, 11)])
def test_a_sine_of_two_steps_is_left_out_and_counted_as_left_out(fourier, period, n):
    terms, axis = Deterministic(1, fourier, period), TimeAxis.of(pd.RangeIndex(24))
    D = terms.design(axis, 24.0)
    assert terms.n_fourier == D.shape[1] - 2 == np.linalg.matrix_rank(D) - 2 == n


# Generalised least squares, against explicit covariances of the known times


RHOS = [[], [0.98], [0.4, 0.19, 0.3, 0.1]]


def covariance(rho, n):
    """The covariance of n values of an autoregression of unit innovations."""
    return toeplitz(arma_acovf(np.r_[1, -np.asarray(rho)], [1.0], nobs=n))


def holes(kind, n=60):
    known = np.ones(n, dtype=bool)
    if kind == "gap":
        known[20:33] = False
    elif kind == "ends":
        known[[0, 1, 2, -1]] = False
    elif kind == "scattered":
        known = np.random.default_rng(5).random(n) < 0.6
    return known


@pytest.mark.parametrize("kind", ["none", "gap", "ends", "scattered"])
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_coefficients_and_covariance_are_those_of_the_explicit_covariance(rho, kind):
    n = 60
    known = holes(kind)
    t = np.arange(n) / n
    D = np.column_stack([np.ones(n), t, np.cos(20 * t)])
    y = D @ [50, -3, 1] + np.random.default_rng(0).standard_normal(n).cumsum()
    W = np.linalg.inv(covariance(rho, n)[np.ix_(known, known)])
    X = D[known]
    C = np.linalg.inv(X.T @ W @ X)
    theta = C @ X.T @ W @ y[known]
    e = y[known] - X @ theta
    found, V = generalised_least_squares(np.where(known, y, np.nan), D, np.array(rho))
    np.testing.assert_allclose(found, theta, rtol=1e-8)
    np.testing.assert_allclose(V, C * (e @ W @ e) / (known.sum() - 3), rtol=1e-7)


@pytest.mark.parametrize("kind", ["none", "gap", "ends", "scattered"])
def test_the_autoregression_has_the_largest_restricted_likelihood_of_the_known_values(kind):
    n, rng = 60, np.random.default_rng(4)
    known = holes(kind)
    D = np.column_stack([np.ones(n), np.arange(n) / n, np.cos(np.arange(n)), np.arange(n) ** 2])
    e = autoregression(n, 0.7, seed=rng)
    X, y = D[known], e[known]

    def explicit(rho):
        S = covariance([rho], n)[np.ix_(known, known)]
        W = np.linalg.inv(S)
        inner = X.T @ W @ X
        rss = y @ W @ y - y @ W @ X @ np.linalg.solve(inner, X.T @ W @ y)
        logs = np.linalg.slogdet(S)[1] + np.linalg.slogdet(inner)[1]
        return (known.sum() - 4) * np.log(rss) + logs

    best = minimize_scalar(explicit, bounds=(0.0, 0.99), method="bounded", options={"xatol": 1e-9})
    found = _most_likely(np.where(known, e, np.nan), D, known, np.array([0.5]))
    assert found[0] == pytest.approx(best.x, abs=2e-3)
