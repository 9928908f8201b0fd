"""Counts, rain and other series that end at zero: forecasts that know it, and those that do not.

Series of eleven kinds, most of them intermittent, and default forecasts of the 12 values after the
first 60 or 150: as they are (``free``), censored at zero and rounded where they are counts
(``censored``), and with the moments kept as well (``kept``, the default), and the quantiles of
all past values (``past``), which is hard to beat without a pattern. The table has CRPS over that of
the past, coverage of 80 and 95 % intervals, and the mean of the forecast over that of the series.
*detected* is of how many series of each kind a support is detected.

Run it from the project's root: ``python benchmarks/accuracy/support.py``; ``study.py`` has
its options.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from study import Case, run

import gpforecast as gf
from gpforecast.automatic.support import choose_support
from gpforecast.results import Censored, Paths
from gpforecast.results.censored import within

HORIZON = 12


def negative_binomial(rng, mean, size, n):
    return rng.poisson(rng.gamma(size, mean / size, n))


def autoregressive_counts(rng, mean, kept, n):
    y = [0]
    for _ in range(n + 50):
        y.append(rng.binomial(y[-1], kept) + rng.poisson(mean * (1 - kept)))
    return np.array(y[-n:])


def rain(rng, n):
    wet = [False]
    for _ in range(n):
        wet.append(rng.random() < (0.6 if wet[-1] else 0.3))
    return np.array(wet[1:]) * rng.gamma(0.8, 6.0, n)


KINDS = {
    "Poisson 0.3": lambda rng, n: rng.poisson(0.3, n),
    "Poisson 1": lambda rng, n: rng.poisson(1.0, n),
    "Poisson 4": lambda rng, n: rng.poisson(4.0, n),
    "Poisson 15": lambda rng, n: rng.poisson(15.0, n),
    "negative binomial 0.5": lambda rng, n: negative_binomial(rng, 0.5, 0.4, n),
    "negative binomial 3": lambda rng, n: negative_binomial(rng, 3.0, 0.7, n),
    "autoregressive 0.5": lambda rng, n: autoregressive_counts(rng, 0.5, 0.6, n),
    "autoregressive 3": lambda rng, n: autoregressive_counts(rng, 3.0, 0.7, n),
    "lumpy": lambda rng, n: (rng.random(n) < 0.25) * (1 + rng.poisson(6.0, n)),
    "seasonal": lambda rng, n: rng.poisson(2 + 1.6 * np.sin(np.arange(n) * np.pi / 6)),
    "rain": rain,
}


def scored(kind, n, draw):
    """Return one row for each way to forecast a series."""
    rng = np.random.default_rng([draw, n, list(KINDS).index(kind)])
    values = KINDS[kind](rng, n + HORIZON).astype(float)
    index = pd.date_range("2000-01-01", periods=len(values), freq="MS")
    series = pd.Series(values, index if kind == "seasonal" else range(len(values)))
    past, truth = series.iloc[:n], values[n:]
    declared = "positive" if kind == "rain" else "count"
    support = choose_support(past.to_numpy(), declared).value
    free = gf.Forecaster(support=None).fit(past).predict(HORIZON).distribution
    repeated = np.tile(past.to_numpy(), (HORIZON, 1))
    ways = {
        "free": free,
        "censored": Censored(free, support),
        "kept": within(free, support),
        "past": Paths.of(repeated, repeated.var(axis=-1)),
    }
    detected = choose_support(past.to_numpy()).value
    rows = []
    for way, d in ways.items():
        low_95, low_80, high_80, high_95 = d.quantile([0.025, 0.1, 0.9, 0.975]).T
        rows.append({
            "way": way,
            "crps": d.crps(truth).mean(),
            "coverage 80": ((truth >= low_80) & (truth <= high_80)).mean(),
            "coverage 95": ((truth >= low_95) & (truth <= high_95)).mean(),
            "mean": d.mean.mean() / values.mean(),
            "detected": float(detected is not None and detected.whole == support.whole),
        })  # fmt: skip
    return rows


def cases(quick: bool) -> Iterator[Case]:
    for kind, n, draw in product(KINDS, (60, 150), range(1 if quick else 4)):
        yield {"series": kind, "values": n, "draw": draw}, partial(scored, kind, n, draw)


if __name__ == "__main__":
    table = run(__file__, cases, ["series", "way"])
    shown = table.pivot_table("crps", "series", "way", sort=False)
    ratios = shown.div(shown["past"], axis=0)
    print(f"\nCRPS over that of the past\n{ratios.round(3)}")
    print(f"\ngeometric mean\n{np.exp(np.log(ratios).mean()).round(3)}")
