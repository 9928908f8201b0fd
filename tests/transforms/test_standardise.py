import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.series import TimeAxis
from gpforecast.transforms import Compose, Deterministic, Difference, Standardise

RNG = np.random.default_rng(0)
Y = RNG.gamma(2.0, size=200)


@given(a=st.floats(1e-6, 1e6), sign=st.sampled_from([-1.0, 1.0]), b=st.floats(-1e3, 1e3, width=32))
@settings(deadline=None)
def test_units_disappear_and_come_back(a, sign, b):
    scaled = sign * a * Y + b
    plain, fitted = Standardise.fit(Y), Standardise.fit(scaled)
    z = plain.transform(Y)
    # Y + b / a is held to eps |b / a|, of a spread of order one.
    lost = 1e-14 * (1 + abs(b) / a) * 10
    np.testing.assert_allclose(fitted.transform(scaled), sign * z, atol=lost, rtol=1e-12)
    m = z[:4]
    np.testing.assert_allclose(
        fitted.inverse_mean(sign * m),
        sign * a * plain.inverse_mean(m) + b,
        rtol=1e-12,
        atol=lost * a * 10,
    )
    np.testing.assert_allclose(
        fitted.inverse_var(z[:4] ** 2), a**2 * plain.inverse_var(m**2), rtol=1e-12 + 10 * lost
    )


@pytest.mark.parametrize("scale", [0.0, np.nan])
def test_scale_must_be_positive(scale):
    with pytest.raises(ValueError, match="scale must be a positive number; got"):
        Standardise(0.0, scale)


@pytest.mark.parametrize("before", [(), (Difference(),), (Difference(), Difference())])
def test_a_chain_that_ends_with_a_location_and_a_scale_keeps_them(before):
    z = Compose(*before, Standardise(location=2.0, scale=4.0)).fit(Y).transform(Y)
    expected = (np.diff(Y, len(before)) - 2.0) / 4.0
    np.testing.assert_allclose(z[len(before) :], expected, rtol=1e-12, atol=1e-14)


def test_single_values_are_undone_where_they_were_standardised_about_a_line():
    y = pd.Series(5.0 * RNG.standard_normal(60) + 0.7 * np.arange(60))
    chain = gf.Forecaster(lags=1, transforms=[Deterministic(trend=1)]).fit(y).transforms_
    times = TimeAxis.of(y.index[20:30])
    mean, var = RNG.standard_normal(10), RNG.uniform(1.0, 2.0, 10)
    back, var_back = chain.undo_one_by_one(mean, var, times)
    np.testing.assert_allclose(chain.apply(back, times), mean)
    slope = chain.apply(back + 1.0, times) - chain.apply(back, times)
    np.testing.assert_allclose(var_back, var / slope**2)
