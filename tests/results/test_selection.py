"""Some steps of a forecast, by label and by position."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.results import Gaussian
from gpforecast.results.selection import NoSuchStepError


def monthly(h=24, last="1958-12"):
    history = pd.Series(np.arange(24.0), pd.date_range(end=last, periods=24, freq="MS"), name="y")
    root = np.random.default_rng(0).standard_normal((h, h))
    covariance = root @ root.T + np.eye(h)
    mean = np.linspace(1.0, 2.0, h)
    known = Gaussian(mean, covariance, np.diag(covariance) * 0.9, 0)
    index = pd.date_range("1959-01", periods=h, freq="MS")
    path = pd.Series(mean, index, name="trajectory")
    return gf.Forecast(known, index, history, propagation="exact", trajectory=path)


def test_a_year_of_a_forecast_is_the_joint_distribution_of_its_months():
    f = monthly()
    later = f["1960"]
    assert len(f) == 24
    assert len(later) == 12
    pd.testing.assert_frame_equal(
        later.covariance, f.covariance.loc["1960"].T.loc["1960"].T, check_freq=False
    )
    weights = np.repeat([0.0, 1.0], 12)
    assert later.sum().var == pytest.approx(f.aggregate(weights).var)
    assert later.trajectory.equals(f.trajectory["1960"])


@pytest.mark.parametrize(
    ("key", "n"),
    [
        ("1959-03", 1),
        (pd.Timestamp("1959-03-01"), 1),
        (slice("1959-03", "1959-06"), 4),
        (pd.date_range("1959-01", periods=24, freq="MS").month == 12, 2),
    ],
)
def test_keys_mean_what_they_mean_to_pandas(key, n):
    f = monthly()
    assert len(f[key]) == n
    assert f.loc[key].mean.tolist() == np.atleast_1d(f.mean.loc[key]).tolist()


def test_the_history_ends_right_before_the_first_step_that_is_selected():
    f = monthly()
    assert f.iloc[:3].history.equals(f.history)
    later = f["1960"].history
    assert later.index[-1] == pd.Timestamp("1959-12-01")
    assert later["1959"].isna().all()
    assert f.iloc[::2].history.empty
    f["1960"].plot()


@pytest.mark.parametrize("key", ["1962", "mean", 0, slice(0, 3)])
def test_a_label_that_is_no_step_is_refused_with_what_to_do(key):
    with pytest.raises(NoSuchStepError, match=r"goes from 1959-01-01 .* f\.iloc") as caught:
        monthly()[key]
    assert not str(caught.value).startswith('"')


def test_intervals_of_several_levels_stand_beside_each_other():
    f = monthly()
    both = f.interval([0.8, 0.95])
    for level in (0.8, 0.95):
        pd.testing.assert_frame_equal(both[level], f.interval(level), check_names=False)
    with pytest.raises(ValueError, match=r"Did you mean 0\.95"):
        f.interval([0.8, 95])
