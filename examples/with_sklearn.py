"""
Inside a scikit-learn search
============================

`gpforecast.adapters.sklearn` makes the one-step models scikit-learn regressors, which work in
pipelines, searches and cross-validation. Here a grid search in time order selects the number of
lags of El Niño's sea-surface temperatures, and the length-scale, by the error one month ahead. For
comparison, a second Gaussian process learns one length-scale for every lag by maximum marginal
likelihood, without a grid.
"""

# %%
# Rows of lags
# ------------
# A row holds the 24 months before the one to predict, newest first. A pipeline must not change the
# number of rows, so its first step selects the newest lags of all 24.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import gpforecast as gf
from gpforecast.adapters.sklearn import GPRegressor

QUICK = "--quick" in sys.argv
rows = gf.embedding.LagEmbedding(24).transform(gf.datasets.load_elnino())
X, y = rows.X, rows.y
n_train = 300 if QUICK else 500


def newest(X, n):
    """Return the n newest lags."""
    return X[:, :n]


# %%
# The search
# ----------
# ``optimizer=None`` keeps the given hyperparameters, so that the grid selects them.

pipeline = Pipeline(
    [
        ("lags", FunctionTransformer(newest, kw_args={"n": 24})),
        ("scale", StandardScaler()),
        ("gp", GPRegressor(optimizer=None, noise_var=0.1)),
    ]
)
n_lags = [1, 2, 4, 8, 16, 24]
lengthscales = [1.0, 3.0, 10.0, 30.0]
grid = {
    "lags__kw_args": [{"n": n} for n in n_lags],
    "gp__covariance": [gf.covariances.SquaredExponential(ell, 1.0) for ell in lengthscales],
}
search = GridSearchCV(
    pipeline, grid, cv=TimeSeriesSplit(3 if QUICK else 5), scoring="neg_mean_absolute_error"
)
search.fit(X[:n_train], y[:n_train])

tried = search.cv_results_["params"]
errors = pd.DataFrame(
    {
        "lags": [p["lags__kw_args"]["n"] for p in tried],
        "length-scale": [p["gp__covariance"].lengthscales for p in tried],
        "error": -search.cv_results_["mean_test_score"],
    }
).pivot_table(index="lags", columns="length-scale", values="error")
print(errors.round(3))

# %%
# Grid search and marginal likelihood
# -----------------------------------
# Errors on months that neither model has seen. The second model is the same pipeline with all 24
# lags and learned hyperparameters.

learned = Pipeline([("scale", StandardScaler()), ("gp", GPRegressor())]).fit(
    X[:n_train], y[:n_train]
)
unseen = slice(n_train, None)
models = {"grid search": search.best_estimator_, "marginal likelihood": learned}
table = {}
for name, model in models.items():
    mean, std = model.predict(X[unseen], return_std=True)
    table[name] = {
        "MAE (°C)": mean_absolute_error(y[unseen], mean),
        "coverage of 95 %": np.mean(np.abs(y[unseen] - mean) < 1.96 * std),
    }
print(pd.DataFrame(table).T.round(3))

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ell, column in errors.items():
    axes[0].plot(column.index, column, marker="o", label=f"length-scale {ell:g}")
axes[0].set(xlabel="lags", ylabel="mean absolute error (°C)", title="The grid")
axes[0].legend()
mean, std = learned.predict(X[unseen][:48], return_std=True)
months = np.arange(1, len(mean) + 1)
axes[1].fill_between(months, mean - 1.96 * std, mean + 1.96 * std, alpha=0.25, label="95 %")
axes[1].plot(months, mean, label="one month ahead")
axes[1].plot(months, y[unseen][:48], "k.", label="observed")
axes[1].set(
    xlabel="months after the training rows", ylabel="°C", title="Predictions of unseen months"
)
axes[1].legend(loc="lower right")
plt.show()
