"""Series of classes for tests, and a model of them whose hyperparameters are fixed."""

import numpy as np
import pandas as pd

from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import OrdinalGP

FIXED = {"covariance": SquaredExponential(1.5, 1.0) + Linear(0.5), "optimizer": None}


def chain(n, transitions, seed=0):
    """A Markov chain of first order on months: places of classes."""
    rng, P = np.random.default_rng(seed), np.asarray(transitions)
    y = np.zeros(n, dtype=int)
    for t in range(1, n):
        y[t] = rng.choice(len(P), p=P[y[t - 1]])
    return pd.Series(y, pd.date_range("2000-01-01", periods=n, freq="MS"), name="state")


def binary(n=150, seed=0):
    return chain(n, [[0.85, 0.15], [0.3, 0.7]], seed) == 1


def ordered(n=200, seed=0):
    P = [[0.7, 0.25, 0.05], [0.2, 0.6, 0.2], [0.05, 0.35, 0.6]]
    labels = ["low", "middle", "high"]
    codes = chain(n, P, seed)
    states = pd.Categorical.from_codes(codes.to_numpy(), categories=labels, ordered=True)
    return pd.Series(states, codes.index, name="state")


def fixed():
    return OrdinalGP(**FIXED)


def next_probabilities(forecaster, past, exog=None):
    """The model's own probabilities after a past of codes, newest last, by plain loops."""
    C = len(forecaster.classes_)
    row = []
    for lag in forecaster.lags_:
        row += [float(past[-lag] > i) for i in range(C - 1)]
    row += [] if exog is None else list(exog)
    return forecaster.model_.predict_proba([row])[0]


def by_all_paths(forecaster, past, horizon, exog=None):
    """P(class) at every step: a sum over every path there is."""
    C = len(forecaster.classes_)
    total = np.zeros((horizon, C))

    def follow(past, k, weight):
        if k == horizon:
            return
        p = next_probabilities(forecaster, past, None if exog is None else exog[k])
        total[k] += weight * p
        for c in range(C):
            follow([*past, c], k + 1, weight * p[c])

    follow(list(past), 0, 1.0)
    return total
