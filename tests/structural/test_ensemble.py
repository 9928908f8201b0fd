"""Ensemble of a one-step model: mixtures, and what has no logarithm."""

import numpy as np
from scipy import stats

from gpforecast.propagation.propagated import Propagated
from gpforecast.results import Warped
from gpforecast.results.warped import distribution_of
from gpforecast.structural import Ensemble, Member, StructuralModel
from gpforecast.transforms import Log

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
