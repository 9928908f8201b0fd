"""A structural model against explicit N x N algebra, its symmetries, its parts, ensembles of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from structural_oracle import VALUES, conditioned, covariance, log_evidence

from gpforecast.propagation.propagated import Propagated
from gpforecast.results import Warped
from gpforecast.results.warped import distribution_of
from gpforecast.structural import (
    Ensemble,
    Member,
    StructuralModel,
    StructuralPosterior,
    model,
    state_space,
)
from gpforecast.structural.model import space_at
from gpforecast.structural.state_space import BELIEFS
from gpforecast.transforms import Log

# A structural model against explicit N x N algebra, quadrature, and its symmetries


PERIODS = [None, 2, 7]
START = state_space._LEVEL_AT_START, state_space._SLOPE_AT_START


def walk(n=40, seed=0, missing=(5, 6, 20)):
    rng = np.random.default_rng(seed)
    y = np.cumsum(0.7 * rng.standard_normal(n)) + rng.standard_normal(n)
    y[list(missing)] = np.nan
    return y


def seasonal(n=60, period=12, seed=0):
    t = np.arange(n)
    return 5.0 + 0.1 * t + 3.0 * np.sin(2.0 * np.pi * t / period) + walk(n, seed, ())


def named(period, **changed):
    """Hyperparameters in the order of the search."""
    return np.array([{**VALUES, **changed}[name] for name in StructuralModel(period).names])


def posterior(period, points, weights=(1.0,), scales=(1.0,), unit=1.0):
    return StructuralPosterior(period, unit, points, np.array(weights), np.array(scales), 0.0)


@pytest.mark.parametrize("period", PERIODS)
def test_a_forecast_is_that_of_explicit_algebra_with_missing_values(period):
    y, h = 50.0 + walk(), 9
    found = posterior(period, named(period)[None], scales=[2.5], unit=3.0).ahead(
        y, np.array([len(y)]), h
    )
    K = covariance(len(y) + h, VALUES, period, START)
    mean, expected = conditioned((y - y[0]) / 3.0, K, h)
    # The level's variance at the start, 1e4, takes four digits of the algebra.
    np.testing.assert_allclose(found.mean[0], y[0] + 3.0 * mean, rtol=1e-8)
    np.testing.assert_allclose(found.covariance[0], 2.5 * 9.0 * expected, rtol=1e-7)
    rest = 1.0 / (1.0 + np.exp(VALUES["level"])) / (1.0 + np.exp(VALUES["memory"])) + 1e-6
    latent = 2.5 * 9.0 * (np.diag(expected) - rest)
    np.testing.assert_allclose(found.latent_var[0], latent, rtol=1e-7)


@pytest.mark.parametrize("period", PERIODS)
def test_the_evidence_is_that_of_a_multivariate_t_but_for_a_constant(period):
    y = walk()
    x = y - y[0]
    search = model._Search(x, StructuralModel(period))

    def exact(values):
        K = covariance(len(x), values, period, START)
        belief = sum(
            -0.5 * ((values[n] - BELIEFS[n].mean) / BELIEFS[n].std) ** 2
            for n in StructuralModel(period).names
        )
        return log_evidence(x, K, model._FREEDOM, model._SCALE) + belief

    changes = [{}, {"level": -3.0}, {"rho": 2.0, "damping": 3.0}, {"slope": -6.0, "memory": 2.0}]
    changes += [{"drift": 1.0}]
    changes += [{"season": -1.0}, {"amplitude": 3.0}] if period else []
    constants = [
        -search.loss(named(period, **changed)) - exact({**VALUES, **changed}) for changed in changes
    ]
    np.testing.assert_allclose(constants, constants[0], atol=1e-6)


@pytest.mark.parametrize("period", PERIODS)
def test_the_gradient_is_that_of_differences(period):
    search = model._Search(walk(), StructuralModel(period))
    for changed in ({}, {"level": -4.0, "rho": 2.5, "damping": -2.0}):
        point = named(period, **changed)
        steps = 1e-5 * np.eye(len(point))
        expected = [(search.loss(point + e) - search.loss(point - e)) / 2e-5 for e in steps]
        loss, gradient = search.sloped(point)
        np.testing.assert_allclose(loss, search.loss(point), rtol=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)


def test_points_are_mixed_by_the_law_of_total_covariance():
    y, h, points = walk(), 5, np.array([named(4), named(4, level=-2.0, amplitude=2.0)])
    weights, scales = np.array([0.3, 0.7]), np.array([1.0, 2.0])
    found = posterior(4, points, weights, scales).ahead(y, np.array([len(y)]), h)
    each = []
    for changed, scale in zip([{}, {"level": -2.0, "amplitude": 2.0}], scales, strict=True):
        K = covariance(len(y) + h, {**VALUES, **changed}, 4, START)
        mean, P = conditioned(y - y[0], K, h)
        each.append((y[0] + mean, scale * P))
    mean = weights @ [m for m, _ in each]
    spread = sum(
        w * (P + np.outer(m - mean, m - mean)) for w, (m, P) in zip(weights, each, strict=True)
    )
    np.testing.assert_allclose(found.mean[0], mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.covariance[0], spread, rtol=1e-7)


@pytest.mark.parametrize("period", [None, 4])
def test_origins_in_one_call_are_those_of_one_call_each(period):
    y = seasonal(50, 4)
    y[[11, 30]] = np.nan
    found, origins = StructuralModel(period).fit(y), np.array([40, 12, 50, 12, 31])
    together = found.ahead(y, origins, 6)
    for i, origin in enumerate(origins):
        past = np.where(np.arange(len(y)) < origin, y, 1e9)  # what comes later plays no part
        alone = found.ahead(past, np.array([origin]), 6)
        np.testing.assert_allclose(together.mean[i], alone.mean[0], rtol=1e-10)
        np.testing.assert_allclose(together.covariance[i], alone.covariance[0], rtol=1e-10)


@pytest.mark.parametrize(("factor", "shift"), [(4.0, 0.0), (-0.3, 700.0), (2.0**-400, 0.0)])
def test_forecasts_follow_scale_and_shift(factor, shift):
    y, end = seasonal(48, 4), np.array([48])
    one, other = (StructuralModel(4).fit(each) for each in (y, factor * y + shift))
    np.testing.assert_allclose(other.unit, abs(factor) * one.unit, rtol=1e-9)
    change = -len(y) * np.log(abs(factor))
    np.testing.assert_allclose(other.log_evidence, one.log_evidence + change, atol=1e-3)
    before, after = one.ahead(y, end, 8), other.ahead(factor * y + shift, end, 8)
    # The search stops where its gradient is small, a little earlier or later.
    np.testing.assert_allclose(after.mean, factor * before.mean + shift, rtol=1e-3)
    spread = np.sqrt(np.einsum("bhh->bh", before.covariance))
    np.testing.assert_allclose(
        np.sqrt(np.einsum("bhh->bh", after.covariance)), abs(factor) * spread, rtol=1e-2
    )


def search_values(period):
    """Hyperparameters as far from their beliefs as the search goes."""
    names = StructuralModel(period).names
    each = [
        st.floats(BELIEFS[n].mean - 4 * BELIEFS[n].std, BELIEFS[n].mean + 4 * BELIEFS[n].std)
        for n in names
    ]
    return st.tuples(*each).map(np.array)


@given(data=st.data(), period=st.sampled_from([None, 2, 3, 12]), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_covariances_are_symmetric_and_positive_definite(data, period, seed):
    point, rng = data.draw(search_values(period)), np.random.default_rng(seed)
    y = rng.standard_normal(60).cumsum()
    y[rng.random(60) < 0.3] = np.nan
    y[0] = 0.0
    found = posterior(period, point[None]).ahead(y, np.array([3, 60]), 14)
    for covariance_, latent_var in zip(found.covariance, found.latent_var, strict=True):
        np.testing.assert_allclose(covariance_, covariance_.T, rtol=1e-12)
        assert np.linalg.eigvalsh(covariance_).min() > 0
        assert latent_var.min() > -1e-10 * covariance_.max()


def test_what_is_constant_stays_so_and_has_little_spread():
    for value in (3.0, 0.0, -1e-9):
        y = np.full(10, value)
        ahead = StructuralModel().fit(y).ahead(y, np.array([10]), 4)
        np.testing.assert_allclose(ahead.mean, value, atol=1e-9 * abs(value))
        assert np.sqrt(ahead.covariance.max()) <= 1e-6 * (abs(value) or 1.0)


def test_too_few_values_and_no_periods_are_refused():
    with pytest.raises(ValueError, match="at least 3 known values; got 2"):
        StructuralModel().fit(np.array([1.0, np.nan, 2.0]))
    with pytest.raises(ValueError, match="period must be at least 2 steps; got 1"):
        StructuralModel(period=1)
    with pytest.raises(ValueError, match="period must be a positive integer"):
        StructuralModel(period=-3)


# Parts of a structural forecast: they add up, and are the states of an explicit Kalman filter


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


# Ensemble of a one-step model: mixtures, and what has no logarithm


Y = np.exp(2.0 + 0.3 * np.random.default_rng(0).standard_normal(40).cumsum())
ENDS = np.array([30, 40])


def member(y=Y, warp=None, period=None):
    return Member(StructuralModel(period).fit(y if warp is None else np.log(y)), warp)


def test_a_member_of_the_logarithm_is_log_normal():
    found = member(warp=Log())
    z = found.ahead(Y, ENDS, 4)
    joint = Ensemble((), np.ones(1)).joint([(z, found.warp)]).parts[0]
    assert isinstance(joint, Warped)
    np.testing.assert_array_equal(z.mean, found.posterior.ahead(np.log(Y), ENDS, 4).mean)
    std = np.sqrt(np.einsum("bhh->bh", z.covariance))
    levels = [0.05, 0.5, 0.9]
    expected = [stats.lognorm(std, scale=np.exp(z.mean)).ppf(level) for level in levels]
    np.testing.assert_allclose(joint.quantile(levels), np.stack(expected, axis=-1), rtol=1e-10)


def test_what_has_no_logarithm_counts_as_missing():
    found, holes = member(warp=Log()), Y.copy()
    holes[[10, 35]] = np.nan
    expected = found.ahead(holes, ENDS, 4)
    for nothing in (0.0, -3.0):
        y = np.where(np.isnan(holes), nothing, holes)
        np.testing.assert_array_equal(found.ahead(y, ENDS, 4).mean, expected.mean)


def test_the_mixture_has_the_parts_and_their_weights():
    ensemble = Ensemble((member(), member(warp=Log())), np.array([0.5, 0.2, 0.3]))
    own = Propagated(np.zeros((2, 4)), np.tile(np.eye(4), (2, 1, 1)), np.ones((2, 4)))
    each = [(own, None), *((one.ahead(Y, ENDS, 4), one.warp) for one in ensemble.members)]
    joint = ensemble.joint(each)
    parts = [distribution_of(*part) for part in each]
    expected = sum(w * part.cdf(np.full((2, 4), 7.0)) for w, part in zip(
        ensemble.weights, parts, strict=True
    ))  # fmt: skip
    np.testing.assert_allclose(joint.cdf(np.full((2, 4), 7.0)), expected, rtol=1e-12)
    mean = sum(w * part.mean for w, part in zip(ensemble.weights, parts, strict=True))
    np.testing.assert_allclose(joint.mean, mean, rtol=1e-12)


def test_the_width_grows_with_the_step_and_leaves_means_and_medians():
    """Against distribution functions of scipy."""
    own = Propagated(np.full((2, 4), 5.0), np.tile(np.eye(4), (2, 1, 1)), np.ones((2, 4)))
    logs = member(warp=Log())
    z = logs.ahead(Y, ENDS, 4)
    ensemble = Ensemble((logs,), np.array([0.6, 0.4]), (np.log(1.5), 0.5))
    joint = ensemble.joint([(own, None), (z, logs.warp)])
    factor = 1.5 * np.sqrt([1.0, 2.0, 3.0, 4.0])
    std = np.sqrt(np.einsum("bhh->bh", z.covariance))
    y = np.full((2, 4), 7.0)
    expected = 0.6 * stats.norm.cdf(2.0 / factor)
    expected = expected + 0.4 * stats.norm.cdf((np.log(y) - z.mean) / (factor * std))
    np.testing.assert_allclose(joint.cdf(y), expected, rtol=1e-10)
