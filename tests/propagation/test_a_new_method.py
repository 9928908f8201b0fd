"""A propagation method of a user's own goes wherever the library's own go, and is saved."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from conformance import EVERY_MODEL, check_forecast, fitted

import gpforecast as gf
from gpforecast.posteriors.base import Moments
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Linearised:
    """First order in mean and variance: the plug-in variance and g'Sg."""

    name: ClassVar[str] = "linearised"

    def moments(self, predictive, u, S):
        at = predictive.predict(u)
        return Moments.linearised(at.mean, at.var, predictive.gradient(u), S)


def test_it_forecasts_and_is_saved(tmp_path):
    series = gf.datasets.mackey_glass(120, noise_var=1e-3, seed=0)
    fc = gf.Forecaster(6, transforms=None, propagation=Linearised()).fit(series)
    f = fc.predict(10)
    assert f.propagation == "linearised"
    fc.save(tmp_path / "saved.gpf")
    again = gf.load(tmp_path / "saved.gpf").predict(10)
    np.testing.assert_array_equal(f.covariance, again.covariance)


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_it_takes_every_model(model):
    check_forecast(fitted(model), Linearised(), (1, 2), 8)
