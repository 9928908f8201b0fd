"""Which transforms are taken, what is said of them, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from transformed_cases import fixed, model_of, positive

import gpforecast as gf
from gpforecast.transforms import BoxCox, Difference, Log, SeasonalDifference, Standardise


def same(a, b, rtol=1e-9):
    np.testing.assert_allclose(a.mean, b.mean, rtol=rtol)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=rtol, atol=1e-12)


def test_summary_says_what_was_chosen_and_why():
    y = positive(index=pd.date_range("2020-01-01", periods=120, freq="MS"))
    y.iloc[10] = np.nan
    text = " ".join(gf.Forecaster([1, 2], model=fixed(), max_rows=60).fit(y).summary().split())
    assert "120 monthly values, 2020-01 to 2029-12, 1 of them missing" in text
    assert "Log()" in text
    assert "the one-step model of largest weight among" in text
    for word in ("lags", "1, 2", "model", "rows", "60", "Noise", "not learned from", "max_rows"):
        assert word in text


@pytest.mark.parametrize("chain", [Log(), BoxCox(0.0), [Log(), Difference()]])
def test_logarithm_of_what_is_not_positive_is_refused_and_nothing_changes(chain):
    fc = model_of(chain).fit(positive())
    state, before = dict(vars(fc)), fc.predict(3)
    with pytest.raises(ValueError, match="series must be positive"):
        fc.fit(positive() - 10)
    assert vars(fc) == state
    with pytest.raises(ValueError, match=r"new_values must be positive.*position 1"):
        fc.update([3.0, 0.0])
    same(fc.predict(3), before)


def test_a_standardisation_with_numbers_of_its_own_is_used():
    y = positive()
    fc = gf.Forecaster(2, transforms=[Log(), Standardise(1.0, 2.0)], model=fixed()).fit(y)
    np.testing.assert_allclose(fc.transforms_.transform(y), (np.log(y) - 1) / 2, rtol=1e-12)
    plain = gf.Forecaster(2, transforms=[Log(), Standardise], model=fixed()).fit(y)
    same(plain.predict(3), gf.Forecaster(2, transforms=Log(), model=fixed()).fit(y).predict(3))
    assert "Log() -> Standardise(location=1.0, scale=2.0)\n" in fc.summary()
    assert "Log() -> Standardise\n" in plain.summary()


@pytest.mark.parametrize(
    ("transforms", "words"),
    [
        ("loq", '"auto", None, a transform'),
        ([Difference(), Log()], "logarithm or power comes first"),
        (3, "transforms must hold"),
        ([Difference], "such as gf.transforms.Difference(); got the class"),
        ([Standardise(0.0, 1.0), Difference()], "and Standardise last"),
        ([Standardise, Difference()], "and Standardise last"),
    ],
)
def test_transforms_that_make_no_sense_are_refused_at_once(transforms, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        gf.Forecaster(2, transforms=transforms)
    assert words in str(caught.value)


def test_series_too_short_for_its_transforms_is_refused():
    with pytest.raises(ValueError, match="5 values but SeasonalDifference"):
        model_of(SeasonalDifference(6)).fit(positive(5))


def exponentials(scale):
    return np.exp(scale * np.random.default_rng(0).standard_normal(200))


def test_mean_carried_off_by_the_tail_of_a_logarithm_is_noted():
    fc = gf.Forecaster(1, transforms=[Log()], model=gf.models.LinearAR()).fit(exponentials(5.0))
    f = fc.predict(7)
    (note,) = f.notes
    # Of a log-normal distribution the mean is exp(s^2/2) times the median.
    times = np.exp(np.diag(f.distribution.gaussian.covariance).max() / 2)
    assert f"at 7 of 7 steps, up to {times:.2g} times the median" in note
    assert (f.mean > f.interval(0.95)["upper"]).all()
