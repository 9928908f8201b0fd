"""Transforms of a user's own: whatever meets `Warp` comes first, whatever meets `Linear` later."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from transformed_cases import fixed

import gpforecast as gf
from gpforecast.storage import storable
from gpforecast.transforms import Compose, Difference, Linear, Warp


class Arcsinh:
    """z = arcsinh(y), which takes values of any sign."""

    lowest = -np.inf
    lowest_warped = -np.inf

    def check(self, values, name):
        pass

    def forward(self, values):
        return np.arcsinh(values)

    def backward(self, warped):
        return np.sinh(warped)

    def log_gradient(self, values):
        return -0.5 * np.log1p(np.asarray(values) ** 2)


@storable
@dataclass(frozen=True)
class ScaledArcsinh(Arcsinh):
    """Of the values over their median size."""

    size: float

    def forward(self, values):
        return np.arcsinh(np.asarray(values) / self.size)

    def backward(self, warped):
        return self.size * np.sinh(warped)

    def log_gradient(self, values):
        return -0.5 * np.log(np.asarray(values) ** 2 + self.size**2)


@storable
@dataclass(frozen=True)
class FitsArcsinh:
    """A specification that learns the size."""

    lowest: ClassVar[float] = -np.inf

    def fit(self, series):
        return ScaledArcsinh(float(np.nanmedian(np.abs(np.asarray(series)))))


@dataclass(frozen=True)
class Shift:
    """z = y - by."""

    by: float
    n_lost: ClassVar[int] = 0

    def apply(self, values, _times):
        return values - self.by

    def undo(self, z, _past, _ends, _times):
        paths = None if z.paths is None else z.paths + self.by
        return replace(z, mean=z.mean + self.by, paths=paths)


def swings(n=120):
    rng = np.random.default_rng(3)
    t = np.arange(n)
    values = 30 * np.sinh(1.5 * np.sin(2 * np.pi * t / 12) + 0.1 * rng.standard_normal(n))
    return pd.Series(values, index=pd.date_range("2015-01-01", periods=n, freq="MS"))


def forecast(y, transforms, **options):
    fc = gf.Forecaster([1, 2, 12], transforms=transforms, model=fixed(), **options).fit(y)
    return fc, fc.predict(8)


def test_a_warp_of_ones_own_forecasts_as_the_library_does_in_its_units():
    y = swings()
    assert isinstance(Arcsinh(), Warp)
    _, found = forecast(y, [Arcsinh()])
    _, inside = forecast(np.arcsinh(y), None)
    levels = [0.05, 0.5, 0.9]
    np.testing.assert_allclose(found.quantile(levels), np.sinh(inside.quantile(levels)), rtol=1e-9)
    np.testing.assert_allclose(found.trajectory, np.sinh(inside.trajectory), rtol=1e-9)
    # The mean is that of the image: sinh of a Gaussian has exp(v / 2) sinh(m).
    mean = np.exp(inside.var / 2) * np.sinh(inside.mean)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9)
    truth = found.quantile(0.7)
    warped = np.arcsinh(truth)
    jacobian = -0.5 * np.log1p(truth**2).sum()
    assert found.logpdf(truth) == pytest.approx(inside.logpdf(warped) + jacobian, rel=1e-9)


@pytest.mark.parametrize(
    "propagation", ["taylor", gf.propagation.MonteCarlo(seed=0), "cubature"], ids=str
)
def test_a_warp_of_ones_own_goes_through_every_method_with_linear_steps_after_it(propagation):
    y = swings()
    y.iloc[[40, 41, 100]] = np.nan
    _, found = forecast(y, [Arcsinh(), Difference()], propagation=propagation)
    assert np.isfinite(found.mean).all()
    inner = found.quantile([0.1, 0.5, 0.9]).to_numpy()
    assert (np.diff(inner, axis=1) > 0).all()


def test_a_warp_that_is_fitted_learns_from_the_series():
    y = swings()
    fc, found = forecast(y, [FitsArcsinh(), Difference()])
    assert fc.transforms_.warp == ScaledArcsinh(y.abs().median())
    _, larger = forecast(1000 * y, [FitsArcsinh(), Difference()])
    np.testing.assert_allclose(larger.mean, 1000 * found.mean, rtol=1e-8)


def test_a_linear_transform_of_ones_own_undoes_itself():
    y = swings()
    assert isinstance(Shift(5.0), Linear)
    _, found = forecast(y, [Difference(), Shift(5.0)])
    _, plain = forecast(y, [Difference()])  # the standardisation takes any shift away
    np.testing.assert_allclose(found.mean, plain.mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.covariance, plain.covariance, rtol=1e-8)


def test_what_fits_to_neither_a_warp_nor_a_linear_is_refused():
    class Scaler:
        def fit(self, _series):
            return self

    with pytest.raises(TypeError, match=r"fits to .*Scaler.*, which is neither"):
        Compose(Scaler()).fit([1.0, 2.0, 4.0])
