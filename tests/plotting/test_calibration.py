import matplotlib.pyplot as plt
import numpy as np
import pytest

from gpforecast.plotting import observed_coverage, pit_histogram, reliability


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


class Result:
    """Anything with an attribute ``pit``, as a backtest has."""

    def __init__(self, pit):
        self.pit = np.asarray(pit)


def test_bars_are_densities_that_honest_forecasts_make_one():
    uniform = (np.arange(1000) + 0.5) / 1000
    ax = pit_histogram(uniform.reshape(10, 100), bins=20)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], 1.0)
    assert len(ax.patches) == 20


def test_a_backtest_is_as_good_as_its_pit_and_missing_values_are_left_out():
    ax = pit_histogram(Result([0.1, np.nan, 0.2, 0.9]), bins=2)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], [4 / 3, 2 / 3])


def test_coverage_counts_truths_within_the_central_interval():
    rng = np.random.default_rng(0)
    pit = rng.uniform(size=500)
    levels = np.array([0.0, 0.3, 0.5, 0.95, 1.0])
    expected = [np.mean((pit >= 0.5 - k / 2) & (pit <= 0.5 + k / 2)) for k in levels]
    np.testing.assert_allclose(observed_coverage(pit, levels), expected)


def test_narrow_intervals_lie_below_the_diagonal_and_wide_ones_above():
    z = np.random.default_rng(0).standard_normal(2000)
    from scipy.stats import norm

    ax = reliability({"narrow": norm.cdf(2 * z), "wide": norm.cdf(z / 2)})
    _, narrow, wide = (line.get_ydata() for line in ax.lines)
    assert (narrow[5:-5] < np.linspace(0, 1, 101)[5:-5]).all()
    assert (wide[5:-5] > np.linspace(0, 1, 101)[5:-5]).all()
    assert narrow[-1] == wide[-1] == 1.0


def test_axes_that_are_given_are_drawn_on_and_returned():
    _, ax = plt.subplots()
    assert pit_histogram([0.5], ax=ax) is ax
    assert reliability([0.5], ax=ax) is ax
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("draw", [pit_histogram, reliability])
def test_what_is_no_probability_is_refused(draw):
    with pytest.raises(ValueError, match=r"probabilities between 0 and 1; got 1.2"):
        draw([0.3, 1.2])
    with pytest.raises(ValueError, match=r"probabilities between 0 and 1; got -0.1"):
        draw([-0.1, 0.3])
    with pytest.raises(ValueError, match="at least one value"):
        draw([np.nan])
    with pytest.raises(ValueError, match="empty dict"):
        reliability({})
    assert not plt.get_fignums()
