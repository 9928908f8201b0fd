"""Probabilities beyond a value, on either side."""

import numpy as np
import pytest
from distribution_cases import KINDS, WITHOUT_ATOMS, gaussian
from scipy.stats import norm

from gpforecast.results import Censored, Gaussian, Mixture, Paths, Support, Warped
from gpforecast.transforms import Log

FAR = np.array([[1.3, 0.7, 1.0, 9.0], [0.4, 2.0, 1.1, 0.9], [1.2, 1.0, np.nan, 3.0]])


@pytest.mark.parametrize("kind", KINDS)
def test_the_lower_tail_is_the_cdf_and_both_tails_cover_everything(kind):
    d = KINDS[kind]()
    below, above = d.tails(FAR)
    known = ~np.isnan(FAR)
    assert np.isnan(below[~known]).all()
    # Beyond 99 % of the paths both the share and the tail of the density are at most 1 %.
    off = 0.01 if "paths" in kind else 1e-9
    np.testing.assert_allclose(below[known], d.cdf(FAR)[known], atol=off)
    whole = (below + above)[known]
    assert (whole >= 1 - off - 1e-9).all()
    if kind in WITHOUT_ATOMS and "paths" not in kind:
        np.testing.assert_allclose(whole, 1.0, rtol=1e-9)


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_tails_of_one_of_a_batch_are_the_same_alone(make):
    d = make()
    for one, batch in zip(d.at(1).tails(FAR[1]), d.tails(FAR), strict=True):
        np.testing.assert_allclose(one, batch[1], rtol=1e-9)


def test_small_tails_keep_their_digits():
    d = Gaussian(np.zeros(1), np.eye(1), np.ones(1))
    y = np.array([30.0])
    np.testing.assert_allclose(d.tails(y)[1], norm.sf(30.0), rtol=1e-10)
    np.testing.assert_allclose(Warped(d, Log()).tails(np.exp(y))[1], norm.sf(30.0), rtol=1e-10)
    both = Mixture(np.array([0.25, 0.75]), (d, Gaussian(np.ones(1), np.eye(1), np.ones(1))))
    expected = 0.25 * norm.sf(30.0) + 0.75 * norm.sf(29.0)
    np.testing.assert_allclose(both.tails(y)[1], expected, rtol=1e-10)


def test_a_count_belongs_to_both_tails():
    d = Censored(Gaussian(np.array([2.0]), np.eye(1), np.ones(1)), Support(0.0, whole=True))
    below, above = d.tails(np.array([3.0]))
    np.testing.assert_allclose([below[0], above[0]], [norm.cdf(1.5), norm.sf(0.5)], rtol=1e-12)
    assert [float(tail[0]) for tail in d.tails(np.array([-1.0]))] == [0.0, 1.0]
    zero = d.tails(np.array([0.0]))
    np.testing.assert_allclose([zero[0][0], zero[1][0]], [norm.cdf(-1.5), 1.0], rtol=1e-12)


def test_beyond_the_paths_the_tail_is_that_of_their_density():
    source = gaussian(batch=None)
    drawn = source.sample(2000, np.random.default_rng(0))
    d = Paths.of(drawn, source.latent_var)
    y = d.mean + 6 * np.sqrt(d.var)
    np.testing.assert_allclose(d.tails(y)[1], norm.sf(6.0), rtol=1e-6)
    y = d.quantile([0.9])[..., 0]
    np.testing.assert_allclose(d.tails(y)[1], 0.1, atol=0.002)
