"""Learn the prior of the automatic choice: weights of candidates, and the width of intervals.

Each series of the halves set aside for it (M1, M3, tourism, hospital, M4 hourly and weekly, chaotic
systems, and textbook processes) is forecast from origins in its past and at its end, by every
candidate of `gpforecast.automatic`. From these

1. B and kappa of the weights softmax(B phi - kappa (n + 100) log(CRPS_c / CRPS_best)), with n
   values forecast in the past, minimise the logarithm of the mean CRPS of the mixture over the
   series of a set, weighted by the root of their size, with a ridge on the mean square of what each
   feature adds to a log weight;
2. the width, and how many standardised errors of trial forecasts it counts as, minimise the mean of
   the interval scores of 95 and 80 % over the median of their set, of mixtures by weights that had
   not seen the series (six folds).

Prints, for the halves that judge, the learned mixture beside equal weights, the best alone and
weights by score with one kappa; with ``--leave-out``, each set by a prior that has not seen it.
Writes ``gpforecast/automatic/prior.json``::

    python benchmarks/accuracy/learn_prior.py --records records.pkl

About an hour on two cores; forecasts are kept in ``--records`` and made once.
"""

import argparse
import datetime as dt
import json
import logging
import warnings
import zlib
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import scipy
from everyday import Task
from joblib import Parallel, delayed
from prior_series import tasks

import gpforecast as gf
from gpforecast.automatic.candidates import names
from gpforecast.automatic.judge import Scores, horizon_of, judge, origins_of
from gpforecast.automatic.lags.candidates import related
from gpforecast.automatic.learning import Lesson, learned_weights
from gpforecast.automatic.portfolio import every_candidate, restricted
from gpforecast.automatic.prior import (
    FEATURES,
    InTrials,
    features,
    log_ratios,
    log_width,
    softmax,
    worth,
)
from gpforecast.transforms import Log

FOLDS = 6
MOST_STEPS = 60  # of a forecast that teaches, evenly spaced in their logarithms
RIDGE_OF_WIDTH, N_ERRORS = 0.003, 100.0
RANGE = (0.01, 0.99)  # quantiles of features, beyond which nothing was learned
LEVELS = np.array([0.025, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.975])
NODES = scipy.stats.norm.ppf((np.arange(99) + 0.5) / 99)
WIDTHS = np.linspace(-1.5, 1.5, 16)  # logarithms of the factors between which is interpolated
OUTPUT = Path(gf.__file__).parent / "automatic" / "prior.json"


def shape_of(task: Task) -> tuple[np.ndarray, int | None, tuple[int, ...], list[Log | None]]:
    """Return the values of a series over their largest, its season, all seasons, and warps."""
    n = len(task.past)
    y = task.past / float(np.abs(task.past).max())
    period = 52 if task.set == "m4_weekly" and n > 104 else task.season
    found = period if period > 1 else None
    seasons = () if found is None else tuple(related(found, n // 2)) or (found,)
    return y, found, seasons, [None, Log()] if y.min() > 0.0 else [None]


def record_of(task: Task, judges: bool) -> dict:
    """Return features of a series, scores of the candidates in its past, and their forecasts."""
    warnings.simplefilter("ignore")
    logging.disable()
    y, period, seasons, warps = shape_of(task)
    unit, h, n = float(np.abs(task.past).max()), task.horizon, len(task.past)
    at = np.unique(np.geomspace(1, h, min(h, MOST_STEPS)).round().astype(int)) - 1
    at = at if h > MOST_STEPS else np.arange(h)
    truth = task.truth[at] / unit
    crps, z, final = {}, {}, {}
    every = every_candidate(y, seasons, warps)
    horizon = horizon_of(n, period)
    found = judge(every, y, origins_of(n, period, horizon), horizon)
    for c, one in enumerate(every):
        try:
            mean, var = one.forecast(y, np.array([n]), h)
        except ValueError:
            continue
        if np.isfinite(found.mean[c]) and np.isfinite(var).all():
            crps[one.name], z[one.name] = found.mean[c], found.z[c].astype(np.float32)
            std = np.sqrt(np.maximum(var[0, at], 1e-300))
            final[one.name] = mean[0, at], std, one.warp is not None
    m = task.season if n > task.season else 1
    scale = max(float(np.abs(task.past[m:] - task.past[:-m]).mean()) / unit, 1e-9)
    naive = np.resize(task.past[-m:] / unit, h)
    apart = np.sqrt(np.mean((task.past[m:] - task.past[:-m]) ** 2)) / unit
    return {
        "set": task.set, "judges": judges, "phi": features(y, period), "crps": crps,
        "n": found.n, "z": z, "final": final, "truth": truth, "step": at + 1, "unit": unit,
        "scale": scale, "naive": (naive[at], apart * np.sqrt(at // m + 1.0)),
    }  # fmt: skip


class Data:
    """Records as arrays."""

    def __init__(self, records: list[dict], rows: list[str]) -> None:
        self.records, self.names = records, rows
        self.phi = np.array([one["phi"] for one in records])
        self.there = np.array([[name in one["final"] for name in rows] for one in records])
        each = [[one["crps"].get(name, np.inf) for name in rows] for one in records]
        self.crps = np.where(self.there, np.array(each), np.inf)
        for one in records:
            if "lesson" not in one:
                final = [one["final"].get(name) for name in rows]
                scores = np.array([one["crps"].get(name, np.inf) for name in rows])
                later = one["truth"], one["scale"]
                one["lesson"] = Lesson.of(one["phi"], scores, one["n"], final, *later)

    def learned(self) -> tuple[np.ndarray, float]:
        """Return B and kappa."""
        sets = [one["set"] for one in self.records]
        return learned_weights([one["lesson"] for one in self.records], sets=sets)

    def in_trials(self, weights: np.ndarray) -> np.ndarray:
        """Return what trials show of mixtures, (n, 4): see `InTrials`."""
        found = np.empty((len(weights), 4))
        for i, (one, w) in enumerate(zip(self.records, weights, strict=True)):
            z = np.array([one["z"][name] for name in self.names if name in one["z"]], dtype=float)
            found[i] = Scores(z, z).of_mixture(w[[name in one["z"] for name in self.names]])
        return found

    def part(self, which: np.ndarray) -> "Data":
        """Return some of the records."""
        return Data([self.records[i] for i in np.flatnonzero(which)], self.names)

    def weights(self, B: np.ndarray, kappa: float) -> np.ndarray:
        """Return the weights of all candidates, (n, c)."""
        counts = worth(np.array([[one["n"]] for one in self.records]))
        logs = self.phi @ B.T - kappa * counts * np.minimum(log_ratios(self.crps), 50.0)
        return softmax(np.where(self.there, logs, -np.inf))


def best_kappa(data: Data) -> float:
    """Return the kappa of least loss where nothing else is known."""
    flat = np.zeros((len(data.names), len(FEATURES)))
    a, D = (np.array([getattr(one["lesson"], k) for one in data.records]) for k in ("a", "D"))

    def loss(kappa: float) -> float:
        w = data.weights(flat, kappa)
        return float(np.log(np.sum(w * (a - 0.5 * np.einsum("nij,nj->ni", D, w)), axis=1)).mean())

    return float(scipy.optimize.minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded").x)


def few(weights: np.ndarray) -> np.ndarray:
    """Return the weights of the mixtures that are made, (n, c)."""
    return np.array([restricted(w) for w in weights])


def quantiles(
    record: dict, w: np.ndarray, rows: list[str], width: float | np.ndarray
) -> np.ndarray:
    """Return the quantiles (h, levels) of a mixture whose standard deviations have a factor."""
    values, mass = [], []
    for name, weight in zip(rows, w, strict=True):
        if weight > 0.0:
            mean, std, in_logs = record["final"][name]
            z = mean[:, None] + (std * width)[:, None] * NODES
            values.append(np.exp(z) if in_logs else z)
            mass.append(np.full(len(NODES), weight / len(NODES)))
    x, p = np.hstack(values), np.concatenate(mass)
    order = np.argsort(x, axis=1)
    x, below = np.take_along_axis(x, order, axis=1), np.cumsum(p[order], axis=1) - 0.5 * p[order]
    return np.array([np.interp(LEVELS, at, of) for at, of in zip(below, x, strict=True)])


def log_factors(data: Data, shown: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the logarithms of factors of the width at the first step, (n,)."""
    (error, n), psi = shown[:, :2].T, np.hstack([data.phi, shown[:, 2:]])
    return log_width(psi @ x[:-2], error, n / (n + np.exp(x[-2])))


def learned_width(data: Data, weights: np.ndarray, rows: list[str]) -> np.ndarray:
    """Return weights of psi, log number of errors, power of the step, of least interval scores."""
    shown = data.in_trials(weights)
    h = max(len(one["truth"]) for one in data.records)
    ends = np.full((len(weights), h, len(WIDTHS), 4), np.nan)  # 95 and 80 %, lower and upper
    truth, step = np.full((len(weights), h), np.nan), np.zeros((len(weights), h))
    for i, (one, w) in enumerate(zip(data.records, weights, strict=True)):
        steps = len(one["truth"])
        truth[i, :steps], step[i, :steps] = one["truth"] / one["scale"], np.log(one["step"])
        for k, log in enumerate(WIDTHS):
            q = quantiles(one, w, rows, np.full(steps, np.exp(log)))
            ends[i, :steps, k] = q[:, [0, -1, 1, -2]] / one["scale"]
    sets = np.array([one["set"] for one in data.records])

    def scores(x: np.ndarray) -> np.ndarray:
        log = log_factors(data, shown, x)[:, None] + x[-1] * step
        place = np.clip((log - WIDTHS[0]) / (WIDTHS[1] - WIDTHS[0]), 0.0, len(WIDTHS) - 1.001)
        k, part = place.astype(int), (place % 1.0)[..., None]
        low, high = (
            np.take_along_axis(ends, (k + j)[..., None, None], axis=2)[:, :, 0] for j in (0, 1)
        )
        at = (1.0 - part) * low + part * high
        found = []
        for lower, upper, alpha in ((0, 1, 0.05), (2, 3, 0.2)):
            a, b = at[..., lower], at[..., upper]
            miss = np.maximum(a - truth, 0.0) + np.maximum(truth - b, 0.0)
            found.append(np.nanmean(b - a + 2.0 / alpha * miss, axis=1))
        return np.array(found)

    start = np.append(np.zeros(len(FEATURES) + 2), [np.log(N_ERRORS), 0.0])
    base = scores(np.append(start[:-2], [50.0, 0.0]))  # as forecast
    unit = {name: np.median(base[:, sets == name], axis=1) for name in set(sets)}
    units = np.array([unit[name] for name in sets]).T

    def loss(x: np.ndarray) -> float:
        ridge = RIDGE_OF_WIDTH * np.sum((x - start) ** 2)
        return float(np.minimum(scores(x) / units, 30.0).mean() + ridge)

    found = scipy.optimize.minimize(loss, start, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x)


def factors(data: Data, weights: np.ndarray, width: np.ndarray) -> list[np.ndarray]:
    """Return the factors of the standard deviations of every series, (h,) each."""
    logs = log_factors(data, data.in_trials(weights), width)
    steps = (one["step"] for one in data.records)
    return [np.exp(log) * step ** width[-1] for log, step in zip(logs, steps, strict=True)]


def scores_of(data: Data, forecasts: list[np.ndarray]) -> pd.DataFrame:
    """Return MASE, WQL, MSIS and coverage of each set, of quantiles (h, levels)."""
    rows = []
    for one, q in zip(data.records, forecasts, strict=True):
        error = one["truth"][:, None] - q
        pinball = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
        inside = [(error[:, a] >= 0.0) & (error[:, b] <= 0.0) for a, b in ((0, -1), (1, -2))]
        miss = np.maximum(-error[:, 0], 0.0) + np.maximum(error[:, -1], 0.0)
        rows.append(
            {
                "set": one["set"],
                "mase": np.abs(error[:, 5]).mean() / one["scale"],
                "pinball": pinball[:, 1:-1].sum() / 9 * one["unit"],
                "size": np.abs(one["truth"]).sum() * one["unit"],
                "msis": (q[:, -1] - q[:, 0] + 40.0 * miss).mean() / one["scale"],
                "cover 95": inside[0].mean(),
                "cover 80": inside[1].mean(),
            }
        )
    table = pd.DataFrame(rows)
    found = table.groupby("set").mean()
    sums = table.groupby("set")[["pinball", "size"]].sum()
    return found.assign(wql=sums["pinball"] / sums["size"])


def line(name: str, found: pd.DataFrame, naive: pd.DataFrame) -> str:
    """Return one line of the table over sets: ratios to seasonal naive, and coverage."""
    every = [one for one in found.index if not one.startswith(("chaos", "simulated", "long"))]
    ratio = np.exp(np.log(found.loc[every] / naive.loc[every])[["mase", "wql", "msis"]].mean())
    cover = found.loc[every, ["cover 95", "cover 80"]].mean()
    figures = "  ".join(f"{value:.4f}" for value in [*ratio, *cover])
    return f"{name:28s}  {figures}"


def learn(records: list[dict], leave_out: bool) -> dict:
    """Learn from the series that do not judge, print how those that do are forecast, return it."""
    rows = names()
    phi = np.array([one["phi"] for one in records if not one["judges"]])
    lowest, highest = np.quantile(phi, RANGE, axis=0)
    for one in records:
        one["phi"] = np.clip(one["phi"], lowest, highest)
    every = Data([one for one in records if one["final"]], rows)
    judges = np.array([one["judges"] for one in every.records])
    tune, test = every.part(~judges), every.part(judges)
    print(f"{len(tune.records)} series to learn from, {len(test.records)} to judge by")
    normal = scipy.stats.norm.ppf(LEVELS)
    naive = scores_of(
        test, [m[:, None] + s[:, None] * normal for m, s in (o["naive"] for o in test.records)]
    )

    def show(name: str, weights: np.ndarray, width: np.ndarray | None = None) -> pd.DataFrame:
        by = [np.ones(len(one["truth"])) for one in test.records]
        by = by if width is None else factors(test, weights, width)
        each = zip(test.records, weights, by, strict=True)
        found = scores_of(test, [quantiles(one, w, rows, f) for one, w, f in each])
        print(line(name, found, naive), flush=True)
        return found

    print(f"{'':28s}  MASE    WQL     MSIS    95 %    80 %")
    show("equal weights", test.there / test.there.sum(axis=1, keepdims=True))
    best = test.crps.argmin(axis=1)
    show("best score alone", np.eye(len(rows))[best])
    kappa = best_kappa(tune)
    show(f"kappa {kappa:.3f} alone", test.weights(np.zeros((len(rows), len(FEATURES))), kappa))
    B, kappa = tune.learned()
    full = test.weights(B, kappa)
    show(f"learned, kappa {kappa:.3f}", full)
    weights = few(full)
    show("learned, few members", weights)
    fold = np.array(
        [zlib.crc32(f"{one['set']}{one['unit']}".encode()) % FOLDS for one in tune.records]
    )
    unseen = np.zeros(tune.there.shape)
    for f in range(FOLDS):
        unseen[fold == f] = tune.part(fold == f).weights(*tune.part(fold != f).learned())
    width = learned_width(tune, few(unseen), rows)
    found = show("learned, with width", weights, width)
    print(found.join(naive[["mase", "wql", "msis"]].add_suffix(" naive")).round(3).to_string())
    if leave_out:
        for name in sorted(set(found.index)):
            kept = np.array([one["set"] != name for one in tune.records])
            own = np.array([one["set"] == name for one in test.records])
            part = test.part(own)
            w = few(part.weights(*tune.part(kept).learned()))
            each = zip(part.records, w, factors(part, w, width), strict=True)
            without = scores_of(part, [quantiles(one, w1, rows, f) for one, w1, f in each])
            print(without.round(3).to_string(header=False))
    return {
        "learned from": f"{len(tune.records)} series of {', '.join(sorted(set(found.index)))}",
        "by": "benchmarks/accuracy/learn_prior.py",
        "date": dt.date.today().isoformat(),
        "version": gf.__version__,
        "kappa": round(kappa, 5),
        "growth": round(float(width[-1]), 4),
        "lowest": np.round(lowest, 4).tolist(),
        "highest": np.round(highest, 4).tolist(),
        "width": np.round(width[:-2], 4).tolist(),
        "n_errors": round(float(np.exp(width[-2])), 1),
        "features": (*FEATURES, *InTrials._fields[2:]),
        "candidates": {name: np.round(b, 4).tolist() for name, b in zip(rows, B, strict=True)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=Path, required=True, help="kept forecasts")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    if not options.records.exists():
        every = [*tasks().values()]
        every = [every[k] for k in np.random.default_rng(0).permutation(len(every))]
        found: list[dict] = []
        for k in range(0, len(every), 100):
            some = every[k : k + 100]
            found += Parallel(n_jobs=options.jobs)(delayed(record_of)(*one) for one in some)
            print(f"{len(found)} of {len(every)}", flush=True)
            joblib.dump(found, part := options.records.with_suffix(".part"))
            part.replace(options.records)  # no half of a file
    learned = learn(joblib.load(options.records), options.leave_out)
    options.output.write_text(json.dumps(learned, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
