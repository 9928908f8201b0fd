"""The Mackey-Glass integrator against its twin, closed forms and its own order."""

import numpy as np
import pytest
from entries import entry
from twins.delay import mackey_glass_by_steps

from gpforecast.numerics.compiled import delay
from gpforecast.numerics.compiled.delay import integrate_mackey_glass

hermite = entry(delay.hermite)
CHAOS = {"a": 0.2, "b": 0.1, "exponent": 10.0, "x0": 1.2}


def integrate(n, tau, *, start=0.0, period=1.0, n_sub, a, b, exponent, x0):
    return integrate_mackey_glass(n, tau, a, b, exponent, x0, start, period, n_sub)


@pytest.mark.parametrize(
    ("tau", "period"),
    [(17.0, 1.0), (13.37, 1.0), (17.0, 0.3), (0.7, 1.0)],
    ids=["step divides period", "awkward delay", "awkward period", "delay below period"],
)
def test_integrator_matches_method_of_steps(tau, period):
    times = 5.0 + period * np.arange(60)
    n_sub = int(np.ceil(tau / 0.05))
    values = integrate(60, tau, start=5.0, period=period, n_sub=n_sub, **CHAOS)
    # 2e-10 is 20 times the error measured at this step; the twin is good to about 1e-11.
    np.testing.assert_allclose(values, mackey_glass_by_steps(times, tau, **CHAOS), atol=2e-10)


@pytest.mark.parametrize("tau", [17.0, 13.37])
def test_error_falls_with_the_fourth_power_of_the_step(tau):
    n_sub = int(np.ceil(tau / 0.4))
    coarse, middle, fine = (integrate(80, tau, n_sub=k * n_sub, **CHAOS) for k in (1, 2, 4))
    ratio = np.abs(coarse - middle).max() / np.abs(middle - fine).max()
    assert 14.0 < ratio < 20.0  # 16 in the limit
