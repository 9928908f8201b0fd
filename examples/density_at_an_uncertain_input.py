"""
The density at an uncertain input
=================================

A Gaussian process predicts a Gaussian at a known input. If the input is uncertain, with a Gaussian
distribution, the prediction is not Gaussian: it may be skewed or have two peaks. Monte Carlo shows
the whole density, as in figure 4.1 of Quinonero-Candela's thesis (2004). Exact moments give its
mean and its variance in closed form, and these are what a forecast feeds back.
"""

# %%
# A function from few rows
# ------------------------

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import trapezoid
from scipy.stats import norm

import gpforecast as gf

rng = np.random.default_rng(1)
X = np.sort(rng.uniform(-6.0, 6.0, 25))[:, None]
y = np.sin(X[:, 0]) + 0.2 * X[:, 0] + 0.05 * rng.standard_normal(25)
gp = gf.models.GaussianProcess().fit(X, y)

# %%
# Three uncertain inputs
# ----------------------
# The density of f at x ~ N(u, S) is an average of the Gaussians at draws of x.

grid = np.linspace(-2.5, 2.5, 500)
inputs = {"narrow, on a slope": (0.0, 0.3), "on a peak": (1.6, 0.9), "over a wave": (-1.0, 1.6)}


def density(u, std, n_draws=4000):
    """Return the density of f on the grid, by draws of the input."""
    mean, spread = gp.predict(u + std * rng.standard_normal((n_draws, 1)), return_std=True)
    return norm.pdf(grid[:, None], mean, spread).mean(axis=1)


fig, axes = plt.subplots(1, 4, figsize=(13, 3.8), layout="constrained", width_ratios=[1.5, 1, 1, 1])
x = np.linspace(-6.5, 6.5, 300)
mean, std = gp.predict(x[:, None], return_std=True)
axes[0].plot(X[:, 0], y, "k.", label="rows")
axes[0].plot(x, mean, color="C0", label="f, 95 %")
axes[0].fill_between(x, mean - 1.96 * std, mean + 1.96 * std, color="C0", alpha=0.25, lw=0)
for k, (name, (u, s)) in enumerate(inputs.items()):
    axes[0].fill_between(x, -2.5, -2.5 + 0.7 * norm.pdf(x, u, s), color=f"C{k + 1}", alpha=0.5)
    f = gf.propagation.predict_uncertain(gp, [u], [[s**2]])
    linear = gf.propagation.predict_uncertain(gp, [u], [[s**2]], "taylor")
    drawn, panel = density(u, s), axes[k + 1]
    by_draws = trapezoid(grid * drawn, grid)
    print(f"{name}: mean {by_draws:.3f} by draws, {f.mean:.3f} exact, {linear.mean:.3f} by Taylor;")
    spread = np.sqrt(trapezoid((grid - by_draws) ** 2 * drawn, grid))
    print(f"   standard deviation {spread:.3f}, {f.var**0.5:.3f}, {linear.var**0.5:.3f}")
    panel.fill_between(grid, drawn, color=f"C{k + 1}", alpha=0.5, lw=0, label="density, by draws")
    panel.plot(grid, norm.pdf(grid, f.mean, f.var**0.5), "k", label="exact moments")
    panel.plot(grid, norm.pdf(grid, linear.mean, linear.var**0.5), "k:", label="Taylor")
    panel.set(title=name, xlabel="f", yticks=[])
axes[0].set(title="Three inputs, each a Gaussian", xlabel="x", ylim=(-2.5, 2.5))
axes[0].legend()
axes[2].legend(loc="upper left")
plt.show()

# %%
# Where the density has the shape of a Gaussian, moments say everything. Where it has two peaks,
# ``propagation="mixture"`` and Monte Carlo keep them (:doc:`/explanation/folded_maps`).
