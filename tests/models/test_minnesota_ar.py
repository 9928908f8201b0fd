"""The Minnesota prior: closed forms, and what it does to coefficients."""

import numpy as np
import pytest
from scipy.stats import multivariate_t

import gpforecast as gf

ONE = {"persistence": (0.5,), "own": (0.3,), "others": (0.1,), "same_time": (0.6,)}


def rows(n=60, seed=0):
    """Own lags 1 and 2, lags 1 and 2 of another, and its value at the same time."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5)) * [1.0, 1.0, 3.0, 3.0, 3.0]
    return X, X @ [0.4, 0.1, 0.1, 0.0, 0.2] + 0.3 + 0.5 * rng.standard_normal(n)


def model(**options):
    return gf.models.MinnesotaAR(
        (1, 2, 1, 2, 0), n_own=2, units=(1.0, 1.0, 3.0, 3.0, 3.0), **options
    )


SCALES = np.array([0.3, 0.15, 0.1 / 3, 0.05 / 3, 0.2, 10.0])
MEANS = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_the_posterior_is_that_of_dense_formulas():
    X, y = rows()
    ar = model(**ONE).fit(X, y)
    H = np.column_stack([X, np.ones(len(X))])
    S = H @ np.diag(SCALES**2) @ H.T + np.eye(len(y))  # of the rows, over the noise
    gain = np.diag(SCALES**2) @ H.T @ np.linalg.inv(S)
    b = MEANS + gain @ (y - H @ MEANS)
    V = np.diag(SCALES**2) - gain @ H @ np.diag(SCALES**2)
    np.testing.assert_allclose(ar.posterior_.linear, b[:5], atol=1e-10)
    assert ar.posterior_.constant == pytest.approx(b[5], abs=1e-10)
    unit = np.mean((y - 0.5 * X[:, 0]) ** 2)
    rest = y - H @ MEANS
    noise = (2.0 * unit + rest @ np.linalg.solve(S, rest)) / len(y)
    assert ar.noise_var_ == pytest.approx(noise, rel=1e-10)
    x = np.array([0.3, -1.0, 2.0, 0.0, 1.0])
    _, std = ar.predict([x], return_std=True)
    assert std[0] ** 2 == pytest.approx(noise * np.append(x, 1.0) @ V @ np.append(x, 1.0), rel=1e-8)


def test_the_evidence_is_that_of_student_t():
    X, y = rows(12)
    H = np.column_stack([X, np.ones(12)])
    unit = np.mean((y - 0.5 * X[:, 0]) ** 2)
    shape = unit * (H @ np.diag(SCALES**2) @ H.T + np.eye(12))
    expected = multivariate_t.logpdf(y, H @ MEANS, shape, df=2)
    found = model(**ONE).fit(X, y).report_.log_marginal_likelihood
    assert found == pytest.approx(expected, rel=1e-9)


def test_several_priors_have_the_moments_of_their_mixture():
    X, y = rows()
    each = [model(**{**ONE, "others": (one,)}) for one in (0.1, 0.4)]
    logs = np.array([one.fit(X, y).report_.log_marginal_likelihood for one in each])
    w = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    both = model(**{**ONE, "others": (0.1, 0.4)}).fit(X, y)
    np.testing.assert_allclose(both.weights_, w, rtol=1e-8)
    means, stds = zip(*(one.predict(X[:3], return_std=True) for one in each), strict=True)
    mean, std = both.predict(X[:3], return_std=True)
    np.testing.assert_allclose(mean, w @ np.array(means), rtol=1e-8)
    second = w @ (np.array(stds) ** 2 + np.array(means) ** 2)
    np.testing.assert_allclose(std**2, second - mean**2, rtol=1e-6)


@pytest.mark.parametrize("n", [34, 20_000])
def test_inputs_that_repeat_each_other_and_the_target_leave_a_posterior(n):
    y = np.resize([1.0, -1.0, 0.5], n)
    ar = gf.models.MinnesotaAR().fit(np.column_stack([y, y, y]), y)
    mean, std = ar.predict([[2.0, 2.0, 2.0], [1.0, -1.0, 0.0]], return_std=True)
    assert mean[0] == pytest.approx(2.0, abs=1e-6)  # persistence 1 explains all
    assert 0.0 < std[0] < 1e-6
    assert std[1] > 1e3 * std[0]  # of what the rows do not tell, the prior is left
    assert any("a jitter of" in note for note in ar.report_.notes)
    X, y = rows()
    assert model().fit(X, y).report_.notes == []
