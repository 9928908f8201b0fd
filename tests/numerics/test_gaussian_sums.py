"""Parts of a Gaussian, and the grouping and merging of many."""

import numpy as np
import pytest

from gpforecast.numerics.gaussian_sums import LEFT, OFFSETS, SHARES, groups, merged


@pytest.mark.parametrize(("power", "moment"), [(0, 1), (1, 0), (2, 1), (3, 0), (4, 3), (5, 0)])
def test_the_parts_of_a_normal_variable_have_its_moments_up_to_the_fifth(power, moment):
    t, w = np.polynomial.hermite_e.hermegauss(6)  # exact for polynomials of degree 11
    x = OFFSETS[:, None] + np.sqrt(LEFT) * t
    got = (SHARES[:, None] * (w / w.sum()) * x**power).sum()
    np.testing.assert_allclose(got, moment, atol=1e-14)


def test_merging_preserves_mean_and_second_moment():
    rng = np.random.default_rng(0)
    mean, root, w = rng.standard_normal((4, 3)), rng.standard_normal((4, 3, 3)), rng.random(4)
    covariance, w = root @ np.swapaxes(root, 1, 2), w / w.sum()
    m, C = merged(mean, covariance, w)
    second = sum(p * (S + np.outer(u, u)) for p, u, S in zip(w, mean, covariance, strict=True))
    np.testing.assert_allclose(m, w @ mean, rtol=1e-14)
    np.testing.assert_allclose(C + np.outer(m, m), second, rtol=1e-13, atol=1e-14)


def test_groups_are_the_clusters_that_are_there_and_hold_every_point_once():
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    label = rng.integers(0, 3, 30)
    points = centres[label] + 0.1 * rng.standard_normal((30, 2))
    found = groups(points, np.ones(30), 3)
    assert sorted(np.concatenate(found)) == list(range(30))
    assert all(len(set(label[group])) == 1 for group in found)
