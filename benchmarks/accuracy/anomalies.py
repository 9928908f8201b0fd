"""Anomalies at known places: `Forecaster.surprise` and residual z-scores of ETS.

Four kinds of series (seasonal, autoregressive, chaotic, trending), 300 values to learn from and 300
to judge, among these three spikes of 5 to 8 standard deviations of the noise that drives the
series, or a lasting level shift of as many, or forty values with four times the noise. ETS
(`statsmodels.tsa.exponential_smoothing.ets.ETSModel`) is fitted to the same 300 values, the form
with the least AICc, and filters the others with these parameters; its score is the standardised
residual.

An event is found if a value from its begin on (a spike: itself; a shift: the first four; a spread:
all of them) is flagged. Flags elsewhere are false alarms, but for the ten values after an event,
which count neither way. Both methods are judged at the limit 0.001 a value ("nominal"), and
with thresholds at which each flags 0.5 % of the values of series without anomalies ("matched").
Average precision ranks all events, by their largest score, among all ordinary values.

The rules of `surprise` were set on seeds 0 to 7; the table is of seeds 100 to 128. Standard errors
(``_se``) are over seeds; rows named ``difference`` are those of `surprise` less those of ETS.

    python benchmarks/accuracy/anomalies.py
"""

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from study import autoregression

import gpforecast as gf

HERE = Path(__file__).parent
N = 300  # values to learn from, and to judge
SERIES, EVENTS = ("seasonal", "autoregressive", "chaotic", "trending"), ("spike", "level", "spread")
RATE, MATCHED = 0.001, 0.005
AFTER = 10  # values after an event that count neither way


def simulated(kind, event, seed):
    """Return a series (2 N,) and its events, pairs of first and last position."""
    rng = np.random.default_rng([seed, SERIES.index(kind)])
    n, t = 2 * N, np.arange(2 * N)
    e = rng.standard_normal(n)
    places = np.random.default_rng([seed, 99])
    size = places.choice([-1, 1], 3) * places.uniform(5, 8, 3)
    events = []
    if event == "spread":
        begin = N + int(places.integers(60, 200))
        e[begin : begin + 40] *= 4
        events = [(begin, begin + 39)]
    if kind == "seasonal":
        y, unit = 10 * np.sin(t * np.pi / 6) + 4 * np.cos(t * np.pi / 3) + e, 1.0
    elif kind == "autoregressive":
        y, unit = autoregression(e[2:], 1.2, -0.5), 1.0
    elif kind == "chaotic":
        unit = 0.03
        y = gf.datasets.mackey_glass(n, seed=seed).to_numpy() + unit * e
    else:
        y, unit = 0.1 * t + np.cumsum(0.3 * rng.standard_normal(n)) + e, 1.0
    if event == "spike":
        at = N + np.sort(places.choice(np.arange(20, N - 20, 25), 3, replace=False))
        y[at] += unit * size
        events = [(i, i) for i in at.tolist()]
    if event == "level":
        begin = N + int(places.integers(60, 240))
        y[begin:] += unit * size[0]
        events = [(begin, begin + 3)]
    months = pd.period_range("1970-01", periods=n, freq="M")  # ETS gets the season of 12, too
    return pd.Series(y, months if kind == "seasonal" else None), events


def by_surprise(past, kind):
    """Return what gives -log10 of the tail probabilities (N,) of a series that begins so."""
    options = {"lags": 16} if kind == "chaotic" else {}
    fc = gf.Forecaster(**options).fit(past)

    def score(y):
        found = fc.surprise(y.iloc[N:], false_alarms=RATE)
        return -np.log10(np.maximum(found.table["tail_probability"].to_numpy(), 1e-300))

    return score


def by_ets(past, kind):
    """Return the same of the standardised residuals of the ETS with the least AICc."""
    fits = []
    seasons = ("add", None) if kind == "seasonal" else (None,)
    for trend, damped, season in itertools.product(("add", None), (True, False), seasons):
        if damped and trend is None:
            continue
        form = {"trend": trend, "damped_trend": damped, "seasonal": season}
        form |= {"seasonal_periods": 12} if season else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits.append((ETSModel(past.to_numpy(), **form).fit(disp=False), form))
    fit, form = min(fits, key=lambda one: one[0].aicc)

    def score(y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Estimated initial states are parameters, so all of it is filtered as it was fitted.
            e = np.asarray(ETSModel(y.to_numpy(), **form).smooth(fit.params).resid)
        z = e[N:] / np.std(e[:N])
        return -np.log10(np.maximum(2 * norm.sf(np.abs(z)), 1e-300))

    return score


METHODS = {"surprise": by_surprise, "ETS": by_ets}


def judged(score, events, limit):
    """Return events found, events, and false alarms; and scores of events and other values."""
    ordinary = np.ones(len(score), dtype=bool)
    for first, last in events:
        ordinary[first - N : last - N + 1 + AFTER] = False
    of_events = [float(score[first - N : last - N + 1].max()) for first, last in events]
    found = sum(s >= limit for s in of_events)
    return found, len(events), int((score[ordinary] >= limit).sum()), of_events, score[ordinary]


def average_precision(of_events, others):
    """Return the mean precision at each event, in the order of the scores."""
    others = np.sort(others)
    ranked = np.sort(of_events)[::-1]
    above = len(others) - np.searchsorted(others, ranked, side="left")
    k = np.arange(1, len(ranked) + 1)
    return float(np.mean(k / (k + above)))


def scores_of(seed):
    """Return the scores (N,) and the events of every series of a seed, by every method."""
    found = {}
    for kind, (name, method) in itertools.product(SERIES, METHODS.items()):
        score = method(simulated(kind, None, seed)[0].iloc[:N], kind)  # all begin alike
        for event in (None, *EVENTS):
            y, events = simulated(kind, event, seed)
            found[kind, event, name] = score(y), events
    return found


def table_of(scores):
    """Return what the scores of some seeds come to, for each kind, event and method."""
    rows = {}
    for kind, name in itertools.product(SERIES, METHODS):
        clean = np.concatenate([each[kind, None, name][0] for each in scores])
        limits = {"nominal": -np.log10(RATE), "matched": float(np.quantile(clean, 1 - MATCHED))}
        for event in EVENTS:
            row = {"clean_alarms": float(np.mean(clean >= limits["nominal"]))}
            for label, limit in limits.items():
                each = [judged(*one[kind, event, name], limit) for one in scores]
                found, total, false = (sum(case[i] for case in each) for i in range(3))
                row[f"precision_{label}"] = found / (found + false) if found + false else 0.0
                row[f"recall_{label}"] = found / total
                row[f"f1_{label}"] = 2 * found / (found + false + total)
            row["average_precision"] = average_precision(
                np.concatenate([case[3] for case in each]),
                np.concatenate([case[4] for case in each]),
            )
            rows[kind, event, name] = row
    table = pd.DataFrame(rows).T.rename_axis(["series", "event", "method"])
    over_series = table.groupby(["event", "method"]).mean()
    over_all = table.groupby("method").mean()
    parts = {
        **{kind: table.xs(kind) for kind in SERIES},
        "all": pd.concat([over_series, pd.concat({"all": over_all}, names=["event"])]),
    }
    table = pd.concat(parts, names=["series"])
    ours, theirs = (table.xs(name, level="method") for name in METHODS)
    difference = pd.concat({"difference": ours - theirs}, names=["method"])
    return pd.concat([table, difference.reorder_levels(table.index.names)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(100, 129))
    parser.add_argument("--out", type=Path, default=HERE / "anomalies.csv")
    options = parser.parse_args()
    scores = []
    for seed in range(*options.seeds):
        scores.append(scores_of(seed))
        print("seed", seed, flush=True)
    table, n = table_of(scores), len(scores)
    # Standard errors by the jackknife: each seed is left out in turn.
    without = np.stack([table_of(scores[:i] + scores[i + 1 :]).to_numpy() for i in range(n)])
    errors = pd.DataFrame(np.sqrt(n - 1) * without.std(axis=0), table.index, table.columns)
    both = table.join(errors.add_suffix("_se")).sort_index()
    both.to_csv(options.out, float_format="%.4g")
    shown = table.round(3).astype(str) + " (" + errors.round(3).astype(str) + ")"
    print(shown.sort_index().loc["all"].to_string())


if __name__ == "__main__":
    main()
