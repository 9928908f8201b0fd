"""Whether the evidence says where a learned warp forecasts better than the logarithm chosen.

Series of M1 and M3 with 40 values or more, to which the automatic choice gives a logarithm or a
root (all have logarithms). Their default forecast is compared with the same where a learned warp
takes the place of that warp; all else that is chosen follows as usual. Both warps have a log
evidence, the Jacobian included: that of a Gaussian process of the same at most 200 rows, lags and
form of covariance (a squared exponential and a linear one). That of the learned warp has the prior
of its steps taken off. The rule: learn the warp, and take it where its log evidence is higher by a
margin.

The margin was found by the half of the series called ``tune`` (``everyday.py``), where 4 nats had
the lowest mean of the log ratio of CRPS over all series; the other half judges it. For each half,
set and margin: how many series have a warp, how many take the learned one, and over these the mean
log ratio of CRPS, its standard error and the share of series where it is below 0 (better); ``all``
is the mean where series that do not take it count as 0. Seconds, of the processor, are those of a
default fit and of the two searches.

Prints a table and writes it as CSV beside this script. Run it from the project's root, with the
data of ``GPFORECAST_DATA``: ``python benchmarks/accuracy/learned_warps.py``; ``--every 10`` takes
every tenth series. ``--keep FILE`` also writes what was measured, a row a series, and ``--measured
FILE ...`` makes the table from such files.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from everyday import LEVELS, Task, one_score, tasks

import gpforecast as gf
from gpforecast.automatic import settings
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.trials import TransformPlan
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models.evidence import column_spread
from gpforecast.models.search import Search, optimise
from gpforecast.models.warped_evidence import WarpedSeriesEvidence, first_psi
from gpforecast.transforms import BoxCox, Compose, LearnedWarp, Log

ROWS, FEWEST_ROWS, SHORTEST = 200, 30, 40
MARGINS = (-np.inf, 0.0, 2.0, 4.0, 8.0)
CHOOSE = settings.choose_with_cycles


class NoWarpError(Exception):
    """The automatic choice gives the series neither logarithm nor root."""


def log_posterior(u: np.ndarray, places: np.ndarray, psi: np.ndarray) -> float:
    """Return the largest log evidence of standardised values, less what the prior of steps costs.

    Without steps (psi empty) it is that of the values as they are.
    """
    X, y = u[places[:, 1:]], u[places[:, 0]]
    n_lags = X.shape[1]
    width = float(np.mean(column_spread(X))) * np.sqrt(n_lags)
    k = SquaredExponential(width, 0.5) + Linear(1.0 / n_lags)
    problem = WarpedSeriesEvidence.started(X, y, k, None, psi=psi, values=u, places=places)
    found, _ = optimise(problem, Search(k, None, 200, 0, 0))
    return -found.negative(found.start)[0]


def gain(y: np.ndarray, warp: Log | BoxCox, learned: LearnedWarp) -> float:
    """Return by how much the log evidence of a learned warp is above that of another."""
    used, inverse = np.unique(learned._rows(y), return_inverse=True)
    places = inverse.reshape(-1, len(learned.lags) + 1)
    y, n = y[used], len(places)
    u, fitted = (y - y.mean()) / y.std(), warp.fit(y)
    own = log_posterior(u, places, first_psi(u, learned.n_tanh)) - n * np.log(y.std())
    z = fitted.forward(y)
    theirs = log_posterior((z - z.mean()) / z.std(), places, np.zeros(0)) - n * np.log(z.std())
    return own - theirs - float(fitted.log_gradient(y[places[:, 0]]).sum())


def crps(task: Task) -> tuple[float, float]:
    """Return the CRPS of the default forecast and the seconds of its fit."""
    start = time.process_time()
    fitted = gf.Forecaster().fit(task.series)
    seconds = time.process_time() - start
    quantiles = fitted.predict(task.horizon).distribution.quantile(LEVELS)
    return one_score(np.column_stack([quantiles, np.zeros(task.horizon)]), task)["crps"], seconds


def measured(half: str, every: int) -> Iterator[dict[str, object]]:
    """Yield what both forecasts of a series score, and the gain of evidence."""
    for key, task in tasks(half, every, 0).items():
        if len(task.past) < SHORTEST:
            continue
        seen: list[Decision[TransformPlan]] = []

        def noted(y, *, driven=False, seen=seen):
            plan = CHOOSE(y, driven=driven)
            steps = plan.value.transforms.steps
            if not steps or not isinstance(steps[0], Log | BoxCox):
                raise NoWarpError
            seen.append(plan)
            return plan

        settings.choose_with_cycles = noted
        try:
            usual, of_fit = crps(task)
        except NoWarpError:
            continue
        plan, y = seen[0], task.past
        warp, *rest = plan.value.transforms.steps
        m = plan.value.period
        lags = sorted({1, 2, 3, 4, *([m] if m and m < len(y) // 4 else [])})
        if len(y) - lags[-1] < FEWEST_ROWS:
            continue
        learned = LearnedWarp(lags=lags, n_rows=ROWS)
        value = replace(plan.value, transforms=Compose(learned, *rest))
        other = replace(plan, value=value)
        settings.choose_with_cycles = lambda *_, other=other, **__: other
        try:
            theirs, _ = crps(task)
        except ValueError:  # of values that look censored
            continue
        start = time.process_time()
        found = {"half": half, "set": task.set, "key": key, "usual": usual, "other": theirs}
        found |= {"gain": gain(y, warp, learned), "fit": of_fit}
        yield found | {"searches": time.process_time() - start}


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Return what each margin does, by half and set."""
    ratio = np.log((found["other"] + 1e-6) / (found["usual"] + 1e-6))
    found, rows = found.assign(ratio=ratio), []
    for half, part in found.groupby("half", sort=False):
        for name, group in [("all", part), *part.groupby("set")]:
            for margin in MARGINS:
                taken = group.loc[group["gain"] > margin, "ratio"]
                better = (taken < 0.0).mean()
                of_taken = {"mean": taken.mean(), "error": taken.sem(), "better": better}
                rows.append(
                    {"half": half, "set": name, "margin": margin, "series": len(group)}
                    | {"taken": len(taken), **of_taken, "all": taken.sum() / len(group)}
                    | {"fit": group["fit"].mean(), "searches": group["searches"].mean()}
                )
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every n-th series of a set")
    parser.add_argument("--keep", type=Path, help="CSV file of a row a series")
    parser.add_argument("--measured", type=Path, nargs="+", help="such files, instead of measuring")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.measured:
        found = pd.concat([pd.read_csv(path) for path in options.measured])
    else:
        halves = ("tune", "judge")
        found = pd.DataFrame([row for half in halves for row in measured(half, options.every)])
    if options.keep:
        found.to_csv(options.keep, index=False, float_format="%.6g")
    result = table(found)
    print(result.round(3).to_string(index=False))
    output = options.output or (None if options.every > 1 else Path(__file__).with_suffix(".csv"))
    if output:
        result.to_csv(output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
