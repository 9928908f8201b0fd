"""
Error bars that shrink where nothing is known
=============================================

A relevance vector machine is a sum of a few basis functions. Far from its relevance vectors they
are all zero, whatever their weights, and so are the prediction and its uncertainty. The model is
most certain where there are no data. RVM* has the same training, but adds a basis function at each
test input. The data near that input determine its weight; where there are none, the error bar is
the spread of the targets.

This is figure 2.9 of Quinonero-Candela (2004).
"""

# %%
# Data with a gap, and two machines
# ---------------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

rng = np.random.default_rng(3)
x = np.sort(np.concatenate([rng.uniform(-9, 1, 40), rng.uniform(6, 10, 14)]))


def truth(x):
    """Return what the data are noisy values of."""
    return np.sinc(x / np.pi) - 0.4 * np.cos(x / 3)


y = truth(x) + 0.08 * rng.standard_normal(len(x))

machine = gf.models.RelevanceVectorMachine(bias=False)
star = gf.models.RelevanceVectorMachineStar(machine).fit(x[:, None], y)
rvm = star.machine_  # RVM* trains an ordinary relevance vector machine
print(f"{len(rvm.relevant_)} relevance vectors of {len(y)} rows, width {rvm.lengthscales_[0]:.2f}")

# %%
# The picture
# -----------
# Above is the standard deviation of the function, and below are 95 % intervals of a new
# observation, which include the noise. Between the two groups of data and outside them, the RVM's
# standard deviation falls towards zero, and only the noise remains.

grid = np.linspace(-15, 16, 621)
models = {"RVM*": (star, "tab:orange", 0.3), "RVM": (rvm, "tab:blue", 0.5)}

fig, (upper, lower) = plt.subplots(
    2, 1, figsize=(9, 7), sharex=True, height_ratios=[1, 2], layout="constrained"
)
for name, (model, color, alpha) in models.items():
    mean, std = model.predict(grid[:, None], return_std=True)
    band = 1.96 * np.sqrt(std**2 + model.noise_var_)
    upper.semilogy(grid, std, color=color, label=name)
    lower.fill_between(
        grid, mean - band, mean + band, color=color, alpha=alpha, linewidth=0, label=f"{name}, 95 %"
    )
    lower.plot(grid, mean, color=color)
lower.plot(grid, truth(grid), color="black", linestyle=":", label="truth")
lower.plot(x, y, "x", color="black", markersize=4, label="data")
lower.plot(
    x[rvm.relevant_],
    y[rvm.relevant_],
    "o",
    markersize=11,
    markerfacecolor="none",
    markeredgecolor="tab:red",
    markeredgewidth=1.5,
    label="relevance vectors",
)
upper.set(ylabel="standard deviation of f", ylim=(1e-3, 1))
upper.set_title("Away from the data the RVM's error bar shrinks, and that of RVM* grows")
upper.legend(frameon=False, loc="lower center")
lower.set(xlabel="x", ylabel="y", xlim=(grid[0], grid[-1]), ylim=(-0.65, 0.95))
lower.legend(frameon=False, ncols=3, loc="upper left")
for ax in (upper, lower):
    ax.spines[["top", "right"]].set_visible(False)
    ax.vlines(x, 0, 0.03, transform=ax.get_xaxis_transform(), color="black", linewidth=0.6)
plt.show()

# %%
# In the middle of the gap, and far away
# --------------------------------------

for at in (3.5, 16.0):
    for name, (model, _, _) in models.items():
        mean, std = model.predict([[at]], return_std=True)
        std = np.sqrt(std[0] ** 2 + model.noise_var_)
        print(f"x = {at:4.1f}  {name:<4} {mean[0]:6.3f} ± {std:.3f}   truth {truth(at):6.3f}")
