"""
A one-step model, structural models and their mixture
=====================================================

Eight years of carbon dioxide at Mauna Loa, of which the last two are held back. A one-step model
knows the series as a map from past values, and structural models know it as a level, a slope and a
season that change slowly. The default forecast is their mixture. :doc:`/explanation/structural`
derives it.
"""

# %%
# Fit, and see who contributes
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

HORIZON = 24

co2 = gf.datasets.load_co2().resample("MS").mean().rename("CO2 (ppm)").iloc[-96:]
past, truth = co2.iloc[:-HORIZON], co2.iloc[-HORIZON:]
fc = gf.Forecaster().fit(past)
forecast = fc.predict(HORIZON)
print(fc.summary())

# %%
# The parts
# ---------
# The distribution of the forecast is a `Mixture`. The first part is the one-step model's, and the
# others are the structural models'.

mixture = forecast.distribution
own = np.arange(len(mixture.parts)) == 0


def among(chosen):
    """Return the mixture of some of the parts, and their share of the whole."""
    weights, parts = mixture.weights[chosen], [mixture.parts[i] for i in np.flatnonzero(chosen)]
    return gf.results.Mixture(weights / weights.sum(), tuple(parts)), weights.sum()


shown = {
    "one-step model": among(own),
    "structural models": among(~own),
    "mixture of both": (mixture, 1.0),
}

# %%
# The three fans
# --------------
# Where parts err in opposite directions, the mixture is better than each of them. It is never much
# worse than the better one, which nobody knows beforehand.

fig, axes = plt.subplots(1, 3, figsize=(13, 4.2), sharey=True, layout="constrained")
colors = ("#d55e00", "#009e73", "#0072b2")
for ax, (name, (part, share)), color in zip(axes, shown.items(), colors, strict=True):
    fan = gf.Forecast(part, forecast.index, past, propagation=name)
    gf.plotting.fan_chart(fan, truth=truth, ax=ax, color=color, n_history=30)
    crps = part.crps(truth.to_numpy()).mean()
    ax.set_title(f"{name} ({share:.0%}), CRPS {crps:.2f}", fontsize=10)
axes[0].set_ylabel(co2.name)
for ax in axes[1:]:
    ax.set_ylabel("")
    ax.get_legend().remove()

# %%
# Quantiles, samples, totals and the joint covariance are those of the mixture, too. The standard
# deviation of the mean of the last year:

last_year = np.repeat([0.0, 1.0 / 12], 12)
for name, (part, _) in shown.items():
    print(f"{name:18} {np.sqrt(part.linear(last_year[None]).var[0]):.2f} ppm")
