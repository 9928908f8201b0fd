"""An autoregression, direct forecasters of it, and the least squares they are compared with."""

import numpy as np
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR

H = 6


def ar3(n=160, seed=0):
    return 20.0 + 3.0 * autoregression(n, 0.9, 0.0, -0.5, seed=seed)


def direct(lags=(1, 3), max_horizon=H, **options):
    options = {"transforms": None, "model": LinearAR(), "noise": "process", **options}
    return gf.Forecaster(list(lags), strategy="direct", max_horizon=max_horizon, **options)


def least_squares(y, lead, *more):
    """Coefficients of y(t + lead - 1) on 1, y(t - 1), y(t - 3) and more columns; errors, rows."""
    t = np.arange(3, len(y) - lead + 1)
    X = np.column_stack([np.ones(len(t)), y[t - 1], y[t - 3], *(x[t] for x in more)])
    target = y[t + lead - 1]
    b = np.linalg.lstsq(X, target, rcond=None)[0]
    return b, target - X @ b, X


class Means:
    """A model of a user's own that cannot be conditioned."""

    noise_var, n_inputs, lengthscales = 1.0, 2, np.ones(2)

    def fit(self, X, y):
        self.d, self.y = X.shape[1], y
        return self

    def predict(self, X):
        return gf.posteriors.base.Prediction(np.full(len(X), self.y.mean()), np.zeros(len(X)))

    def gradient(self, X):
        return np.zeros_like(X)
