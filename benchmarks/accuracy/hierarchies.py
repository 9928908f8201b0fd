"""Coherent forecasts: every level of hierarchies before and after reconciliation.

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
hierarchies, and ``better`` the share of hierarchies in which it is below 1::

    python benchmarks/accuracy/hierarchies.py

Writes ``hierarchies.csv``. The data are the folder ``m1m3`` of the one named by the environment
variable ``GPFORECAST_DATA``, or of ``../shared/data``. ``--cache`` names a folder where the
forecasts of single series are kept.
"""

import argparse
import gzip
import os
import pickle
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy
from gpforecast.reconciliation.projection import joint_covariance, joint_draws
from gpforecast.results import Gaussian, Paths

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "m1m3"
OUT = Path(__file__).with_suffix(".csv")
LEVELS = ("total", "groups", "bottom")
WAYS = ("base", "bottom up", "ols", "reconcile, joint", "reconcile")


def tree(names, size):
    """The total of all, and groups of so many."""
    groups = {f"g{k}": list(part) for k, part in enumerate(np.split(names, len(names) // size))}
    return Hierarchy.of({"total": list(groups), **groups})


def m3(count):
    """Hierarchies of twelve series of one length; the lengths take turns."""
    by_length = defaultdict(list)
    with gzip.open(DATA / "m3_monthly.csv.gz", "rt") as file:
        for line in file:
            name, _, _, *values = (part for part in line.strip().split(",") if part)
            by_length[len(values)].append((name, np.array(values, dtype=float)))
    chunks = {
        length: [rows[k : k + 12] for k in range(0, len(rows) - 11, 12)]
        for length, rows in by_length.items()
    }
    turns = [
        chunk[k] for k in range(20) for _, chunk in sorted(chunks.items(), reverse=True)
        if k < len(chunk)
    ]  # fmt: skip
    for rows in turns[:count]:
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


def forecast(wide, horizon, forecaster, cache):
    """The hierarchy, the panel of all its series and what came."""
    hierarchy = tree(np.array(wide.columns), 4 if wide.shape[1] == 12 else 3)
    long = wide.rename_axis("ds").reset_index().melt("ds", var_name="unique_id", value_name="y")
    table = hierarchy.aggregate(long)
    truth = wide.iloc[-horizon:]
    past = table[~table["ds"].isin(truth.index)]
    if cache is not None and cache.exists():
        return hierarchy, pickle.loads(cache.read_bytes()), truth
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        panel = gf.forecast_panel(
            past, horizon, forecaster=forecaster, keep=True, n_jobs=1, progress=False
        )
    if cache is not None:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_bytes(pickle.dumps(panel))
    return hierarchy, panel, truth


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


def scored(hierarchy, panel, truth, kind, place):
    came = truth.to_numpy() @ hierarchy.matrix.T
    level = np.where(
        hierarchy.levels == 1, 2, np.where(hierarchy.levels < hierarchy.levels[0], 1, 0)
    )
    for way, distributions in ways(hierarchy, panel):
        for k, of in enumerate(distributions):
            past = panel.forecasts[hierarchy.names[k]].history.to_numpy()
            season = 1 if kind == "correlated" else 12
            scale = np.mean(abs(past[season:] - past[:-season]))
            low95, low80, high80, high95 = of.quantile([0.025, 0.1, 0.9, 0.975]).T
            y = came[:, k]
            yield {
                "kind": kind,
                "hierarchy": place,
                "way": way,
                "level": LEVELS[level[k]],
                "crps": of.crps(y).mean() / scale,
                "coverage_80": gf.scores.coverage(y, low80, high80),
                "coverage_95": gf.scores.coverage(y, low95, high95),
            }


def table_of(rows):
    """Mean scores of each kind, level and way, and ratios to those of single series."""
    levels = rows.groupby(["kind", "level", "way", "hierarchy"], as_index=False).mean()
    every = levels.groupby(["kind", "way", "hierarchy"], as_index=False).mean(numeric_only=True)
    rows = pd.concat([levels, every.assign(level="all")])
    each = rows.pivot_table("crps", ["kind", "level", "hierarchy"], "way", sort=False)
    out = []
    for (kind, level), part in each.groupby(["kind", "level"], sort=False):
        base = part["base"].to_numpy()
        for way in WAYS:
            crps = part[way].to_numpy()
            ratio = crps.mean() / base.mean()
            error = np.std(crps - ratio * base, ddof=1) / len(base) ** 0.5 / base.mean()
            same = rows.query("kind == @kind and level == @level and way == @way")
            out.append({
                "kind": kind, "level": level, "way": way, "hierarchies": len(base),
                "crps": crps.mean(), "ratio": ratio, "error": error,
                "better": float(np.mean(crps < base)),
                "coverage_80": same["coverage_80"].mean(),
                "coverage_95": same["coverage_95"].mean(),
            })  # fmt: skip
    return pd.DataFrame(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kind", choices=[*KINDS], action="append")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--output", type=Path, default=OUT)
    options = parser.parse_args()
    rows = []
    for kind in options.kind or KINDS:
        make, count = KINDS[kind]
        for place, (wide, horizon, forecaster) in enumerate(make(count)):
            cache = options.cache and options.cache / f"{kind}_{place}.pickle"
            hierarchy, panel, truth = forecast(wide, horizon, forecaster, cache)
            rows += scored(hierarchy, panel, truth, kind, place)
            print(kind, place, flush=True)
    table = table_of(pd.DataFrame(rows))
    table.round(4).to_csv(options.output, index=False)
    print(table.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
