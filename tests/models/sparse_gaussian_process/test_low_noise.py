"""Where there is no noise, FITC with inducing inputs at rows is the subset of data; DTC is not."""

import numpy as np
import pytest
from sparse_cases import SE, data, fixed

# Noise of variance s^2 moves what is predicted by a multiple of it. The inducing variables have a
# nugget of 1e-8 of their variance, 1.3, which stands for noise where there is less.
NOISES = 10.0 ** np.arange(-4.0, -8.0, -1.0)


def subset_without_noise(X, y, at):
    """Mean and variance of f from exact values of a few rows: Snelson (2007), (2.35), (2.37)."""
    T = SE(X, at).T @ np.linalg.inv(SE(X))
    return T @ y, SE.diag(at) - np.einsum("ij,ji->i", T, SE(X, at))


def distances(kind):
    """How far mean and variance of each noise are from those of the first nine rows alone."""
    X, y = data()
    at = data(50, seed=1)[0]
    mean, var = subset_without_noise(X[:9], y[:9], at)
    found = []
    for noise_var in NOISES:
        model = fixed(kind, noise_var=noise_var).fit(X, y)
        own_mean, own_std = model.predict(at, return_std=True)
        found.append([np.abs(own_mean - mean).max(), np.abs(own_std**2 - var).max()])
    return np.array(found)


def test_fitc_tends_to_the_subset_of_data_as_the_noise_vanishes():
    mean, var = distances("fitc").T
    # Ten times less noise, ten times closer; the nugget is a tenth of the last.
    np.testing.assert_allclose(mean[1:] / mean[:-1], 0.1, atol=0.02)
    np.testing.assert_allclose(var[1:] / var[:-1], 0.1, atol=0.03)
    assert mean[-1] < 1e-4


def test_dtc_does_not_and_is_certain_beside_the_data():
    mean, _ = distances("dtc").T
    assert mean[-1] > 0.9 * mean[0] > 0.05
    X, y = data()
    model = fixed("dtc", noise_var=NOISES[-1]).fit(X, y)
    at_rows, std = model.predict(X[:9], return_std=True)
    missed = np.abs(y[:9] - at_rows) / np.sqrt(std**2 + model.noise_var_)
    assert missed.max() > 30.0


@pytest.mark.parametrize("noise_var", NOISES)
def test_the_evidence_of_fitc_survives_low_noise_where_that_of_dtc_does_not(noise_var):
    X, y = data(noise=noise_var**0.5)
    evidence = {
        kind: fixed(kind, noise_var=noise_var).fit(X, y).log_marginal_likelihood_
        for kind in ("fitc", "dtc")
    }
    assert evidence["fitc"] > evidence["dtc"]
