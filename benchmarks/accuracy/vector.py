"""Several series forecast together, beside each by itself and beside a VAR.

python benchmarks/accuracy/vector.py [--find] [--out vector.csv]

Frames: growth rates and levels of the quarterly macroeconomic data of statsmodels, and simulated
pairs in which x drives y five steps later, by a curve. Every method is fitted anew at every origin.
``--find`` runs other columns and seeds, on which the rules of the choice were found.

- together: `VectorForecaster`; apart: a `Forecaster` for each column; both as they are by default.
- var: statsmodels' VAR, its order by AIC, its forecasts Gaussian. Of levels it has the differences
  of logarithms, whose sums are log-normal.

The table has the mean CRPS over origins and steps of each column, in its own units; its last lines
are the geometric mean over columns of the ratio to the forecasts apart. The file beside this script
is of ``--origins 4``.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from joblib import Parallel, delayed
from statsmodels.tsa.api import VAR

import gpforecast as gf
from gpforecast import scores

H, LOGS = 8, ("realgdp", "realcons", "realinv", "realgovt", "realdpi", "m1")


def macro():
    table = sm.datasets.macrodata.load_pandas().data
    return table.set_axis(pd.period_range("1959Q1", periods=len(table), freq="Q"))


def growth(table):
    """Annual growth in per cent of what has a logarithm, the rest as it is."""
    logs = {c: 400 * np.log(table[c]).diff() for c in table.columns if c in LOGS}
    return table.assign(**logs).iloc[1:]


def driven(seed, n=240, lag=5):
    rng = np.random.default_rng(seed)
    x = np.zeros(n + lag)
    for t in range(1, n + lag):
        x[t] = 0.7 * x[t - 1] + rng.standard_normal()
    y = np.zeros(n)
    for t in range(1, n):
        y[t] = 0.4 * y[t - 1] + np.tanh(x[t]) * x[t] + 0.3 * rng.standard_normal()  # x is 5 earlier
    return pd.DataFrame({"x": x[lag:], "y": y})


def frames(find):
    table = macro()
    found = ["realgovt", "realdpi", "m1", "tbilrate", "realint"]
    judged = ["realgdp", "realcons", "realinv", "unemp", "infl"]
    own = table[found if find else judged]
    result = {"growth": growth(own), "levels": own}
    for seed in range(2) if find else range(10, 13):
        result[f"driven {seed}"] = driven(seed)
    return result


def var_crps(past, truth, levels):
    """CRPS (h, M) of a VAR."""
    logs = [c for c in past.columns if levels and c in LOGS]
    z = past.assign(**{c: np.log(past[c]).diff() for c in logs}).iloc[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = VAR(z.to_numpy()).fit(maxlags=8, ic="aic")
    mean = fit.forecast(z.to_numpy()[-fit.k_ar :], H) if fit.k_ar else np.tile(z.mean(), (H, 1))
    m = z.shape[1]
    psi = fit.ma_rep(H)
    S = np.zeros((H, m, H, m))
    for i in range(H):
        for j in range(H):
            S[i, :, j] = sum(
                psi[i - k] @ np.asarray(fit.sigma_u) @ psi[j - k].T for k in range(min(i, j) + 1)
            )
    found = np.empty((H, m))
    for c, name in enumerate(z.columns):
        y, mu, C = truth[name].to_numpy(), mean[:, c], S[:, c, :, c]
        if name in logs:
            sums = np.tri(H)
            mu, var = np.log(past[name].iloc[-1]) + sums @ mu, np.diag(sums @ C @ sums.T)
            found[:, c] = scores.crps_log_normal(y, mu, var, axis=())
        else:
            found[:, c] = scores.crps(y, mu, np.diag(C), axis=())
    return found


def held(interval, y):
    """Share of the values within an interval."""
    return float(np.mean((interval["lower"] <= y) & (interval["upper"] >= y)))


def one(name, frame, end):
    past, truth = frame.iloc[:end], frame.iloc[end : end + H]
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vector = gf.VectorForecaster().fit(past)
        together = vector.predict(H)
        for c in frame.columns:
            y = truth[c].to_numpy()
            alone = gf.Forecaster(progress=False).fit(past[c]).predict(H)
            inputs = sorted({other for other, _ in vector.inputs_[c]})
            rows.append(
                {
                    "frame": name,
                    "origin": end,
                    "column": c,
                    "inputs": " ".join(inputs),
                    "together": together[c].distribution.crps(y).mean(),
                    "apart": alone.distribution.crps(y).mean(),
                    "nlpd together": together[c].distribution.nlpd(y).mean(),
                    "nlpd apart": alone.distribution.nlpd(y).mean(),
                    "held": held(together[c].interval(0.8), y),
                }
            )
    every = var_crps(past, truth, name == "levels").mean(axis=0)
    for row, crps in zip(rows, every, strict=True):
        row["var"] = crps
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--find", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".csv"))
    parser.add_argument("--origins", type=int, default=12)
    parser.add_argument("--frames", default="")
    options = parser.parse_args()
    jobs = []
    for name, frame in frames(options.find).items():
        if options.frames in name:
            for end in np.linspace(100, len(frame) - H, options.origins).astype(int):
                jobs.append(delayed(one)(name, frame, int(end)))
    table = pd.DataFrame([row for rows in Parallel(n_jobs=1)(jobs) for row in rows])
    methods = ["together", "apart", "var"]
    table["group"] = table["frame"].str.split().str[0]
    means = table.groupby(["group", "column"])[
        [*methods, "nlpd together", "nlpd apart", "held"]
    ].mean()
    print(means.round(4))
    ratio = np.log(means[methods].div(means["apart"], axis=0)).groupby("group").mean()
    print(np.exp(ratio).round(4))
    if options.out.name != "none":
        means.reset_index().round(6).to_csv(options.out, index=False)


if __name__ == "__main__":
    main()
