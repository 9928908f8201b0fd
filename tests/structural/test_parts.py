"""Parts of a structural forecast: they add up, and are the states of an explicit Kalman filter."""

import numpy as np
import pytest

from gpforecast.structural import StructuralModel
from gpforecast.structural.model import space_at


def series(n=90, seed=0):
    rng, t = np.random.default_rng(seed), np.arange(n)
    y = 50.0 + 0.2 * t + 4.0 * np.sin(2 * np.pi * t / 12) + rng.standard_normal(n).cumsum()
    y[30:33] = np.nan
    return y


@pytest.mark.parametrize("period", [None, 12])
def test_parts_add_up_to_the_forecast_and_its_variance(period):
    y = series()
    posterior = StructuralModel(period).fit(y)
    whole = posterior.ahead(y, np.array([80]), 30)
    found = posterior.parts(y, 80, 30)
    np.testing.assert_allclose(sum(found.mean.values()), whole.mean[0], rtol=1e-12)
    variance = np.einsum("hh->h", whole.covariance[0])
    np.testing.assert_allclose(found.noise + found.past + found.map, variance, rtol=1e-10)
    assert (found.noise > 0.0).all()
    assert (found.past > 0.0).all()
    if period is None:
        assert not found.mean["season"].any()


def test_parts_are_the_states_of_a_kalman_filter_with_explicit_matrices():
    y, period, horizon = series(40)[34:], 4, 6
    posterior = StructuralModel(period).fit(y)
    found = posterior.parts(y, len(y), horizon)
    means, squares = np.zeros((2, 3, horizon))
    for point, weight, scale in zip(
        posterior.points, posterior.weights, posterior.scales, strict=True
    ):
        space = space_at(point, StructuralModel(period))
        m = len(space.q)
        F = np.eye(m)
        F[0, 1:3] = 1.0
        F[1, 1], F[3, 3] = space.phi, space.rho
        a, P = np.zeros(m), np.diag(space.start)
        for t in range(len(y) + horizon):
            z = space.Z[t % period]
            if t < len(y):
                gain = P @ z / (z @ P @ z + space.r)
                a = a + gain * ((y[t] - y[0]) / posterior.unit - z @ a)
                P = P - np.outer(gain, z @ P)
            else:
                for j, which in enumerate((slice(0, 3), slice(4, None), slice(3, 4))):
                    own = np.zeros(m)
                    own[which] = z[which]
                    mean = posterior.unit * own @ a
                    means[j, t - len(y)] += weight * mean
                    var = posterior.unit**2 * scale * own @ P @ own
                    squares[j, t - len(y)] += weight * (var + mean**2)
            a, P = F @ a, F @ P @ F.T + np.diag(space.q)
    stds = np.sqrt(squares - means**2)
    means[0] += y[0]
    # The variance of a level is known from values of 1e4 at the start: seven digits are left.
    np.testing.assert_allclose([*found.mean.values()], means, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose([*found.std.values()], stds, rtol=1e-5)
