"""
When tomorrow's inputs are forecasts themselves
===============================================

Demand follows temperature, and the temperatures of next week come from a weather forecast with
error bars of its own. Passing on only its best guess gives intervals that are too narrow.
``exog_cov`` takes the uncertainty of the inputs, and exact moments carry it through the model
along with that of the demand.
"""

# %%
# A process driven by a weather-like input
# ----------------------------------------
# The input is autocorrelated; the output remembers itself and answers the input nonlinearly, with
# little noise of its own.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
rng = np.random.default_rng(2)
n, horizon = 600, 24
phi, shock = 0.95, 0.3


def weather(n, start=0.0):
    """Return an autoregressive path."""
    x = np.empty(n)
    for t in range(n):
        start = phi * start + shock * rng.standard_normal()
        x[t] = start
    return x


def demand(x, y):
    """Return the outputs that follow y on inputs x."""
    result = np.empty(len(x))
    for t in range(len(x)):
        y = 0.6 * y + 0.8 * np.tanh(1.5 * x[t]) + 0.03 * rng.standard_normal()
        result[t] = y
    return result


x = weather(n)
y = demand(x, 0.0)
past = pd.Series(y)
inputs = pd.DataFrame({"temperature": x})
fc = gf.Forecaster(lags=2, exog_lags=[0, 1], model=gf.models.GaussianProcess(prior="weak"))
fc.fit(past[:300], exog=inputs[:300])

# %%
# The weather forecast, as a mean and a joint covariance
# ------------------------------------------------------
# Of an autoregression both are known: errors grow and hang together.

step = np.arange(1, horizon + 1)
gap = np.abs(step[:, None] - step)
input_cov = shock**2 / (1 - phi**2) * (phi**gap - phi ** (step[:, None] + step))


def both(origin):
    """Return the forecast with certain and with uncertain inputs, and what came."""
    here = gf.Forecaster(lags=2, exog_lags=[0, 1], model=fixed)
    here.fit(past[origin - 60 : origin], exog=inputs[origin - 60 : origin])
    guess = pd.DataFrame({"temperature": x[origin - 1] * phi**step}, index=range(origin, origin + 24))
    truth = past[origin : origin + horizon]
    return here.predict(horizon, exog=guess), here.predict(
        horizon, exog=guess, exog_cov=input_cov
    ), truth  # fmt: skip


# %%
# Do the intervals cover?
# -----------------------
# From many origins, each with the history before it and the trained hyperparameters kept.

found = fc.model_
fixed = gf.models.GaussianProcess(found.covariance_, noise_var=found.noise_var_, optimizer=None)
origins = range(320, 576, 32 if QUICK else 8)
pits = {"inputs taken for certain": [], "with their uncertainty": []}
for origin in origins:
    *answers, truth = both(origin)
    for name, answer in zip(pits, answers, strict=True):
        pits[name].append(gf.scores.pit(truth, answer.mean, answer.var))
for name, values in pits.items():
    held = gf.plotting.observed_coverage(np.array(values), [0.95])[0]
    print(f"{name}: 95 % intervals hold {held:.0%}")

fig = plt.figure(figsize=(11, 6.5), layout="constrained")
axes = fig.subplot_mosaic([["a", "c"], ["b", "c"]], width_ratios=[1.5, 1])
certain, uncertain, truth = both(400)
for key, answer, title in (
    ("a", certain, "The guess taken for a fact"),
    ("b", uncertain, "The guess with its error bars"),
):
    answer.plot(ax=axes[key], truth=truth, n_history=40)
    axes[key].set(title=title, ylim=(-4, 4), ylabel="demand")
gf.plotting.reliability({k: np.array(v) for k, v in pits.items()}, ax=axes["c"])
axes["c"].set_title("Over many origins")
plt.show()
