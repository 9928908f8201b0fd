"""
Functions of a covariance
=========================

A covariance says which functions are likely before any data. ``covariance.sample`` draws some of
them, and ``model.sample`` draws from what is left after data.
"""

# %%
# Before data
# -----------
# Each covariance has functions of its own: smooth, rough, repeated, bounded, polynomial.

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

c = gf.covariances
x = np.linspace(-3.0, 3.0, 200)[:, None]
priors = {
    "squared exponential": c.SquaredExponential(0.8, 1.0),
    "Matern 1/2": c.Matern(0.8, 1.0, nu=0.5),
    "periodic": c.Periodic(1.0, 1.0, 2.0),
    "neural network": c.NeuralNetwork(0.3, 1.0, 1.0),
    "Wiener": c.Wiener(0.5),
    "polynomial, degree 3": c.Polynomial(2.0, 0.3, degree=3),
    "basis functions in [-1, 1]": c.BoundedBasis(0.4, 1.0, -1.0, 1.0),
    "squared exponential x linear": c.SquaredExponential(0.8, 1.0) * c.Linear(0.4),
}
fig, axes = plt.subplots(2, 4, figsize=(10, 4.5), sharex=True, layout="constrained")
for ax, (name, k) in zip(axes.flat, priors.items(), strict=True):
    ax.plot(x[:, 0], k.sample(x, 4, seed=1).T, linewidth=1)
    ax.set_title(name, fontsize=9)

# %%
# After data
# ----------
# ``predict(..., return_cov=True)`` has the covariance of f at all inputs. Near the data all
# functions agree, and far from them each goes its own way.

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 1.0, (8, 1))
y = np.sin(2.0 * X[:, 0]) + 0.05 * rng.standard_normal(8)
gp = gf.models.GaussianProcess(c.SquaredExponential(0.8, 1.0), noise_var=0.05**2, optimizer=None)
gp.fit(X, y)
mean, cov = gp.predict(x, return_cov=True)
std = np.sqrt(cov.diagonal())
near = np.searchsorted(x[:, 0], [2.0, 2.3])
print(f"correlation of f(2) and f(2.3): {cov[near[0], near[1]] / std[near].prod():.2f}")

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.fill_between(x[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.2, label="mean, 2 sd")
ax.plot(x[:, 0], gp.sample(x, 6, seed=0).T, linewidth=1)
ax.plot(X, y, "ko", label="data")
ax.legend()
plt.show()
