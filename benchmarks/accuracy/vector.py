"""Several series forecast together, apart, and by a VAR.

Growth rates and levels of the quarterly macroeconomic data of statsmodels, and simulated pairs in
which x drives y five steps later, by a curve. Every method is fitted anew at every origin:
`VectorForecaster` and a `Forecaster` for each column, both as they are by default, and statsmodels'
VAR, its order by AIC, its forecasts Gaussian. Of levels it has the differences of logarithms, whose
sums are log-normal. The table has the mean CRPS over origins and steps of each column, in its own
units; the last lines are the geometric mean over columns of the ratio to the forecasts apart.

Run it from the project's root: ``python benchmarks/accuracy/vector.py``; ``study.py`` has its
options.
"""

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import statsmodels.api as sm
from statsmodels.tsa.api import VAR
from study import Case, Row, autoregression, run

import gpforecast as gf

H, LOGS, METHODS = 8, ("realgdp", "realcons", "realinv"), ["together", "apart", "var"]


def driven(seed: int, n: int = 240, lag: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = autoregression(rng.standard_normal(n + lag - 1), 0.7)
    drive = np.tanh(x[1:n]) * x[1:n]  # of y that much later
    y = autoregression(drive + 0.3 * rng.standard_normal(n - 1), 0.4)
    return pd.DataFrame({"x": x[lag:], "y": y})


def frames() -> dict[str, pd.DataFrame]:
    table = sm.datasets.macrodata.load_pandas().data[[*LOGS, "unemp", "infl"]]
    table.index = pd.period_range("1959Q1", periods=len(table), freq="Q")
    rates = {c: 400 * np.log(table[c]).diff() for c in LOGS}  # annual growth in per cent
    pairs = {f"driven {seed}": driven(seed) for seed in range(10, 13)}
    return {"growth": table.assign(**rates).iloc[1:], "levels": table, **pairs}


def var_crps(past: pd.DataFrame, truth: pd.DataFrame, logs: list[str]) -> np.ndarray:
    """Return the mean CRPS of each column by a VAR."""
    z = past.assign(**{c: np.log(past[c]).diff() for c in logs}).iloc[1:]
    fit = VAR(z.to_numpy()).fit(maxlags=8, ic="aic")
    mean = fit.forecast(z.to_numpy()[-fit.k_ar :], H) if fit.k_ar else np.tile(z.mean(), (H, 1))
    # Of the errors at steps i and j: the sum over shocks before both.
    Psi = np.zeros((H, H, z.shape[1], z.shape[1]))
    for k, psi in enumerate(fit.ma_rep(H - 1)):
        Psi[np.arange(k, H), np.arange(H - k)] = psi
    S = np.einsum("ikab,bc,jkac->aij", Psi, np.asarray(fit.sigma_u), Psi)
    found = []
    for c, name in enumerate(z.columns):
        y, mu, C = truth[name].to_numpy(), mean[:, c], S[c]
        if name in logs:
            sums = np.tri(H)
            mu, var = np.log(past[name].iloc[-1]) + sums @ mu, np.diag(sums @ C @ sums.T)
            found.append(gf.scores.crps_log_normal(y, mu, var))
        else:
            found.append(gf.scores.crps(y, mu, np.diag(C)))
    return np.array(found)


def measure(name: str, frame: pd.DataFrame, end: int) -> list[Row]:
    past, truth = frame.iloc[:end], frame.iloc[end : end + H]
    together = gf.VectorForecaster().fit(past).predict(H)
    var = var_crps(past, truth, [c for c in LOGS if name == "levels"])
    rows = []
    for k, c in enumerate(frame.columns):
        alone = gf.Forecaster(progress=False).fit(past[c]).predict(H)
        both = {"together": together[c].score(truth[c]), "apart": alone.score(truth[c])}
        row = {"group": name.split()[0], "column": c}
        row |= {way: score["crps"] for way, score in both.items()} | {"var": var[k]}
        row |= {f"nlpd {way}": score["nlpd"] for way, score in both.items()}
        rows.append(row | {"held": both["together"]["coverage_80"]})
    return rows


def cases(quick: bool) -> Iterator[Case]:
    warnings.simplefilter("ignore")
    for name, frame in frames().items():
        for end in np.linspace(100, len(frame) - H, 1 if quick else 4).astype(int):
            yield {"frame": name, "origin": int(end)}, partial(measure, name, frame, int(end))


def means(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns=["frame", "origin"]).groupby(["group", "column"]).mean()


if __name__ == "__main__":
    found = means(run(__file__, cases, ["group", "column"], summary=means))
    ratio = np.log(found[METHODS].div(found["apart"], axis=0)).groupby("group").mean()
    print(f"\nover that of forecasts apart\n{np.exp(ratio).round(4)}")
