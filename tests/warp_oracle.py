"""The evidence of warped targets by explicit matrices, sharing no code with the package."""

import numpy as np
from scipy import stats


def f_of(psi, u, two_slopes=False):
    """Snelson (2007), eq. (5.11), term by term, or (5.12) beside the steps."""
    log_a, log_b, c = np.asarray(psi).reshape(3, -1)
    n = len(c) - two_slopes
    total = np.array(u, float)
    if two_slopes:
        m1, m2, x = np.exp(-log_a[-1]), np.exp(log_a[-1]), u + c[-1]
        beta = np.exp(log_b[-1]) / (m2 - m1)
        total = np.logaddexp(beta * m1 * x, beta * m2 * x) / beta
    for i in range(n):
        total = total + np.exp(log_a[i]) * np.tanh(np.exp(log_b[i]) * (u + c[i]))
    return total


def slope_of(psi, u, h=1e-6, two_slopes=False):
    return (f_of(psi, u + h, two_slopes) - f_of(psi, u - h, two_slopes)) / (2 * h)


def standardised(psi, values, two_slopes=False):
    """z of all values, and by how much its slope is that of f."""
    f = f_of(psi, values, two_slopes)
    s = np.sqrt(np.mean((f - f.mean()) ** 2))
    return (f - f.mean()) / s, s


def gram(X, lengthscales, variance, slope_var=0.0):
    apart = (X[:, None] - X[None]) / lengthscales
    return variance * np.exp(-0.5 * (apart**2).sum(axis=2)) + slope_var * X @ X.T


def log_prior(psi, two_slopes=False):
    """Up to its constant; what the documentation of `WarpedGP` says."""
    log_a, log_b, c = np.asarray(psi).reshape(3, -1)
    if two_slopes:
        rise, log_a = log_a[-1], np.append(log_a[:-1], np.log(0.3))
        return -0.5 * rise**2 + log_prior([log_a, log_b, c])
    off = ((log_a - np.log(0.3)) / 2.5, (log_b - np.log(1.0)) / 0.7, c / 2.0)
    return -0.5 * sum(float(x @ x) for x in off)


def negative_log_evidence(psi, values, targets, z, K, noise_var, s, two_slopes=False):
    """Eq. (5.4), of rows whose targets are some of the values."""
    Q = K + noise_var * np.eye(len(targets))
    density = stats.multivariate_normal(np.zeros(len(targets)), Q).logpdf(z[targets])
    jacobian = np.log(slope_of(psi, values[targets], two_slopes=two_slopes) / s).sum()
    return -density - jacobian
