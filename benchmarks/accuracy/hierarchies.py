"""Coherent forecasts: every level of hierarchies, unreconciled and reconciled.

Three kinds of hierarchies of three levels, with a total, groups, and bottom series:

- ``m3``: twelve monthly series of the M3 competition of the same length, in the order of the
  competition, four in a group. The default call forecasts the last 18 values of all sixteen series.
- ``correlated``: bottom series that are autoregressions of order 1 around a common season, whose
  innovations are correlated within groups; 12 steps by a linear model.
- ``seasonal``: positive bottom series, the exponential of a season and a random walk, forecast by
  the default call on 96 values, 12 steps.

Five ways to forecast all levels are compared: ``base``, each series by itself; ``bottom up``, sums
of the bottom series with the same correlations; ``ols``, the projection that weighs all series
alike; and ``reconcile``, by default and with ``weights="joint"``. Scores are the CRPS over the mean
absolute seasonal difference of the past of the series, and the share of values within 80 and 95 %
intervals. ``crps`` is the mean over the series of a level (over the three levels, for ``all``),
steps and hierarchies; ``ratio`` is that over the one of ``base``, ``error`` its standard error over
hierarchies, and ``better`` the share of hierarchies in which it is below 1.

Run it from the project's root: ``python benchmarks/accuracy/hierarchies.py``; ``study.py`` has its
options.
"""

import warnings
from collections import defaultdict
from functools import partial

import numpy as np
import pandas as pd
from everyday import cells, numbers
from study import run

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy
from gpforecast.reconciliation.projection import joint_covariance, joint_draws
from gpforecast.results import Gaussian, Paths

LEVELS = ("bottom", "groups", "total")


def tree(names, size):
    """The total of all, and groups of so many."""
    groups = {f"g{k}": list(part) for k, part in enumerate(np.split(names, len(names) // size))}
    return Hierarchy.of({"total": list(groups), **groups})


def m3(count):
    """Hierarchies of twelve series of one length, the longest first, one of each length in turn."""
    by_length = defaultdict(list)
    for name, _, _, *row in cells("m1m3/m3_monthly"):
        values = numbers(row)
        by_length[len(values)].append((name, values))
    chunks = [
        (k, -length, rows[k : k + 12])
        for length, rows in by_length.items()
        for k in range(0, len(rows) - 11, 12)
    ]
    for *_, rows in sorted(chunks, key=lambda chunk: chunk[:2])[:count]:
        wide = pd.DataFrame(dict(rows))
        yield wide.set_axis(pd.date_range("1990-01", periods=len(wide), freq="MS")), 18, None


def correlated(count):
    for seed in range(count):
        rng, n, m = np.random.default_rng(seed), 132, 6
        R = 0.2 + 0.5 * np.kron(np.eye(2), np.ones((3, 3))) + 0.3 * np.eye(m)
        shocks = rng.standard_normal((n + 50, m)) @ np.linalg.cholesky(R).T
        phi, y = rng.uniform(0.3, 0.9, m), np.zeros((n + 50, m))
        for t in range(1, n + 50):
            y[t] = phi * y[t - 1] + rng.uniform(0.9, 1.1) * shocks[t]
        wide = pd.DataFrame(y[50:] + 20.0, columns=[f"s{k}" for k in range(m)])
        yield wide, 12, gf.Forecaster(lags=2, model=gf.models.LinearAR(), transforms=None)


def seasonal(count):
    for seed in range(count):
        rng, n, m = np.random.default_rng(1000 + seed), 108, 6
        t = np.arange(n)
        shocks = 0.7 * rng.standard_normal((n, m)) + 0.7 * rng.standard_normal((n, 1))
        log = 0.04 * shocks.cumsum(axis=0) + 0.08 * rng.standard_normal((n, m))
        log += rng.uniform(0.1, 0.3, m) * np.cos(
            2 * np.pi * (t[:, None] - rng.uniform(0, 12, m)) / 12
        )
        wide = pd.DataFrame(np.exp(log + rng.uniform(2, 4, m)), columns=[f"s{k}" for k in range(m)])
        yield wide.set_axis(pd.date_range("2015-01", periods=n, freq="MS")), 12, None


KINDS = {"m3": (m3, 36), "correlated": (correlated, 100), "seasonal": (seasonal, 36)}


def ways(hierarchy, panel):
    """The distribution of every series, by each way."""
    names, S = hierarchy.names, hierarchy.matrix
    base = [panel.forecasts[name] for name in names]
    h = base[0].horizon
    yield "base", [f.distribution for f in base]
    for way, weights in (("reconcile", "auto"), ("reconcile, joint", "joint")):
        found = gf.reconcile(panel, hierarchy, weights=weights)
        yield way, [found[name].distribution for name in names]
    own = np.array([f.distribution.covariance for f in base])
    W = joint_covariance(own, found.correlation.to_numpy())
    mean = np.concatenate([f.distribution.mean for f in base])
    zeros = np.zeros((S.shape[1], hierarchy.n_totals))
    G_ols, G_bottom = np.linalg.pinv(S), np.hstack([zeros, np.eye(S.shape[1])])
    draws = joint_draws(base, W, np.random.default_rng(0), 4000).reshape(len(names) * h, -1)
    for way, G in (("bottom up", G_bottom), ("ols", G_ols)):
        P = np.kron(S @ G, np.eye(h))
        m, V = (P @ mean).reshape(-1, h), (P @ W @ P.T).reshape(len(names), h, len(names), h)
        of = [Gaussian(m[k], V[k, :, k], np.diag(V[k, :, k])) for k in range(len(names))]
        if isinstance(found.distribution, Paths):  # as reconcile does
            paths = (P @ draws).reshape(len(names), h, -1)
            of = [Paths(each, one, one) for each, one in zip(paths, of, strict=True)]
        yield way, of


def scored(kind, wide, horizon, forecaster):
    """Return a row for each series and way of a hierarchy."""
    hierarchy = tree(np.array(wide.columns), 4 if wide.shape[1] == 12 else 3)
    long = wide.rename_axis("ds").reset_index().melt("ds", var_name="unique_id", value_name="y")
    table, truth = hierarchy.aggregate(long), wide.iloc[-horizon:]
    past, options = table[~table["ds"].isin(truth.index)], {"keep": True, "n_jobs": 1}
    panel = gf.forecast_panel(past, horizon, forecaster=forecaster, progress=False, **options)
    came, season = truth.to_numpy() @ hierarchy.matrix.T, 1 if kind == "correlated" else 12
    rows, sizes = [], sorted(set(hierarchy.levels))
    for way, distributions in ways(hierarchy, panel):
        for k, of in enumerate(distributions):
            past = panel.forecasts[hierarchy.names[k]].history.to_numpy()
            low95, low80, high80, high95 = of.quantile([0.025, 0.1, 0.9, 0.975]).T
            rows.append({
                "level": LEVELS[sizes.index(hierarchy.levels[k])],
                "way": way,
                "crps": of.crps(came[:, k]).mean() / np.mean(abs(past[season:] - past[:-season])),
                "coverage_80": gf.scores.coverage(came[:, k], low80, high80),
                "coverage_95": gf.scores.coverage(came[:, k], low95, high95),
            })  # fmt: skip
    return rows


def summary(rows):
    """Mean scores of each kind, level and way, and ratios to those of single series."""
    levels = rows.groupby(["kind", "level", "way", "hierarchy"]).mean(numeric_only=True)
    every = levels.groupby(["kind", "way", "hierarchy"]).mean().assign(level="all").reset_index()
    rows = pd.concat([levels.reset_index(), every])
    base = rows[rows["way"] == "base"].rename(columns={"crps": "base"})
    keys = ["kind", "level", "hierarchy"]
    rows = rows.merge(base[[*keys, "base"]], on=keys)
    columns = ["crps", "base", "coverage_80", "coverage_95"]
    return rows.groupby(["kind", "level", "way"])[columns].apply(compared)


def compared(part):
    crps, base = part["crps"], part["base"]
    ratio = crps.mean() / base.mean()
    return pd.Series({
        "hierarchies": len(part), "crps": crps.mean(), "ratio": ratio,
        "error": (crps - ratio * base).sem() / base.mean(), "better": (crps < base).mean(),
        "coverage_80": part["coverage_80"].mean(), "coverage_95": part["coverage_95"].mean(),
    })  # fmt: skip


def cases(quick):
    warnings.simplefilter("ignore")
    for kind, (make, count) in KINDS.items():
        for place, given in enumerate(make(2 if quick else count)):
            yield {"kind": kind, "hierarchy": place}, partial(scored, kind, *given)


if __name__ == "__main__":
    table = run(__file__, cases, ["kind", "level", "way"], summary=summary)
    print(f"\n{summary(table).round(3).to_string()}")
