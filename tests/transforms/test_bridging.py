import numpy as np
import pytest

from gpforecast.series import TimeAxis
from gpforecast.transforms import Compose, Difference, SeasonalDifference, bridging


def gap_in(y, places):
    values = y.copy()
    values[places] = np.nan
    return values


def bridge(steps, y, places):
    chain = Compose(*steps).fit(gap_in(y, places))
    return chain, *filled(chain, gap_in(y, places))


def filled(chain, values):
    return bridging.bridge(chain, values, TimeAxis.rows(len(values))).fill(values)


Y = 5.0 + np.cumsum(np.random.default_rng(0).standard_normal(60))


CHAINS = [
    [Difference()],
    [SeasonalDifference(7)],
    [Difference(2)],
    [Difference(), SeasonalDifference(4)],
]


@pytest.mark.parametrize("steps", CHAINS, ids=str)
def test_bridge_is_the_conditional_gaussian_of_independent_differences(steps):
    gap = [25, 26, 40]
    chain, mean, var = bridge(steps, Y, gap)
    n, lost = len(Y), chain.n_lost
    times = TimeAxis.rows(n)
    zero = chain.apply(np.zeros(n), times)[lost:]
    D = np.column_stack([chain.apply(e, times)[lost:] - zero for e in np.eye(n)])
    # Information form: z = zero + D y ~ N(0, I), y known but for the gap.
    P = D.T @ D
    known = np.setdiff1d(np.arange(n), gap)
    Pm = P[np.ix_(gap, gap)]
    right = -(D.T @ zero)[gap] - P[np.ix_(gap, known)] @ Y[known]
    np.testing.assert_allclose(mean[gap], np.linalg.solve(Pm, right), rtol=1e-8)
    np.testing.assert_allclose(var[gap], np.diag(np.linalg.inv(Pm)), rtol=1e-8)
    assert (var[known] == 0.0).all()
    np.testing.assert_array_equal(mean[known], Y[known])


@pytest.mark.parametrize("size", [1e-12, 1e16])
def test_no_digits_are_lost_whatever_the_units(size):
    gap = [20, 21, 40]
    _, mean, var = bridge([Difference()], Y, gap)
    _, scaled, scaled_var = bridge([Difference()], size * Y, gap)
    np.testing.assert_allclose(scaled, size * mean, rtol=1e-10)
    np.testing.assert_allclose(scaled_var, size**2 * var, rtol=1e-9)


@pytest.mark.parametrize("more", [[], [Difference()]], ids=["season", "season and difference"])
def test_a_season_whose_phase_is_missing_throughout_is_as_uncertain_as_the_series(more):
    t = np.arange(60)
    y = 100 + 10 * np.sin(2 * np.pi * t / 6) + np.random.default_rng(1).standard_normal(60)
    gap = t[np.isin(t % 6, [2, 4])]
    _, mean, var = bridge([SeasonalDifference(6), *more], y, gap)
    known = np.delete(y, gap)
    np.testing.assert_allclose(mean[gap].mean(), known.mean(), rtol=0.05)
    assert (var[gap] >= 0.999 * known.var()).all()
    assert (var[gap] < 1.5 * known.var()).all()


@pytest.mark.parametrize("steps", [[SeasonalDifference(6)], [Difference(), SeasonalDifference(6)]])
def test_groups_of_missing_values_are_those_of_one_least_squares_problem(steps):
    rng = np.random.default_rng(4)
    y = rng.standard_normal(80).cumsum()
    places = np.sort(rng.choice(80, 25, replace=False))
    values = gap_in(y, places)
    chain = Compose(*steps).fit(values)
    guess = np.where(np.isnan(values), 0.0, values)
    start, n = chain.apply(guess, TimeAxis.rows(80)), chain.n_lost
    D = np.zeros((80 - n, len(places)))
    for j, place in enumerate(places):
        moved = guess.copy()
        moved[place] += 1.0
        D[:, j] = (chain.apply(moved, TimeAxis.rows(80)) - start)[n:]
    assert np.linalg.matrix_rank(D) == len(places)
    found = bridging.bridge(chain, values, TimeAxis.rows(80))
    np.testing.assert_array_equal(found.places, places)
    np.testing.assert_allclose(found.mean, -np.linalg.lstsq(D, start[n:])[0], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        found.root @ found.root.T, np.linalg.inv(D.T @ D), rtol=1e-7, atol=1e-9
    )
    some = bridging.bridge(chain, values, TimeAxis.rows(80), places[-1:])
    np.testing.assert_allclose(some.mean, found.mean[np.isin(places, some.places)], rtol=1e-12)
    assert places[-1] in some.places
