"""Simulated situations, of which collections of series hold few: what happens, and what comes back.

Spikes, shifts of the level, episodes, launches, ends, stuck sensors, days of the month, closed
times, running totals, cycles, years, counts, shares, values that stop at zero, and inputs; each on
series of several frequencies, lengths and seasons, by chance. Prints the CRPS of the default call
over that of the level and spread of the last 30 values, and the coverage of its 80 and 95 %
intervals::

    python benchmarks/accuracy/situations.py --only spikes
"""

import warnings
import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from everyday import LEVELS
from study import Row, run

import gpforecast as gf

N_SITUATIONS = 64  # of each kind
KINDS = {  # frequencies of the situations
    "spikes": "MS W D h", "shift": "MS W D h", "episode": "MS W D h", "dent": "MS W D",
    "launch": "MS W D", "end": "MS W D", "stuck": "D h", "heavy tails": "MS W D h",
    "habit": "MS D", "every year": "MS QS", "day of the month": "D", "working day": "B",
    "closed days": "D", "closed nights": "h", "total": "D W", "cycle": "-", "cycle of 12": "-",
    "year": "W D", "counts": "MS D", "shares": "D MS", "zeros": "D MS", "promotions": "D W",
    "driven": "-",
}  # fmt: skip
SEASONS = {"MS": 12, "QS": 4, "W": 1, "D": 7, "h": 24, "B": 5, "-": 1}


@dataclass(frozen=True)
class Case:
    """A series to forecast: its group, its past (n,), what came (h,), inputs of both (n + h, q)."""

    group: str
    past: pd.Series
    truth: np.ndarray
    inputs: pd.DataFrame | None = None

    def quantiles(self) -> np.ndarray | None:
        """Return the quantiles (h, q) of the default call; None if it raises an error."""
        n, X = len(self.past), self.inputs
        given = ({}, {}) if X is None else ({"exog": X[:n]}, {"exog": X[n:]})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fc = gf.Forecaster(progress=False).fit(self.past, **given[0])
                f = fc.predict(len(self.truth), **given[1])
                return np.asarray(f.distribution.quantile(LEVELS))
        except Exception as error:
            print(f"{self.group}: {type(error).__name__}: {error}", flush=True)
            return None

    def scores(self, q: np.ndarray) -> np.ndarray:
        """Return CRPS and interval score of quantiles, each above a thousandth of the steps."""
        error = self.truth[:, None] - q
        pinball = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
        crps = float(np.trapezoid(pinball, LEVELS, axis=1).mean())
        width = gf.scores.interval_score(self.truth, q[:, 0], q[:, -1], 0.05)
        return np.array([crps, width]) + 1e-3 * float(self.past.diff().abs().mean())


def situation(kind: str, seed: int) -> Case:
    """Return a simulated series in which something happens: sizes, places and lengths by chance."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    freqs = KINDS[kind].split()
    freq = freqs[seed % len(freqs)]
    m = SEASONS[freq]
    n, h = int(rng.integers(max(60, 5 * m), 260)), max(12, m)
    n = {"W": 230, "D": 900}[freq] if kind == "year" else 3 * n if freq == "D" else n
    n = 4 * n if kind == "closed nights" else n
    n = int(rng.integers(2 * m + 12, 6 * m)) if kind == "every year" else n
    t, at = np.arange(n + h), int(rng.integers(n // 4, 3 * n // 4))
    index = t if freq == "-" else pd.date_range("2019-01-01", periods=n + h, freq=freq)
    noise = scipy.signal.lfilter([1.0], [1.0, -rng.uniform(0, 0.8)], rng.standard_normal(n + h))
    y = 50 + rng.uniform(0, 4) * rng.standard_normal(m)[t % m] + rng.choice([0, 0.02]) * t + noise
    size, length = rng.choice([-1, 1]) * rng.uniform(6, 20), int(rng.integers(3, 9))
    inputs = None
    if kind == "spikes":
        y[rng.choice(n, int(rng.integers(1, 4)), replace=False)] += size
    elif kind == "habit":
        y += size * (rng.random(n + h) < rng.uniform(0.1, 0.25))
    elif kind == "shift":
        y[at:] += size
    elif kind == "episode":
        y[at : at + length] += size
    elif kind == "dent":  # which recovers
        y[at : at + length] += size * np.linspace(1.0, 0.2, length) * rng.uniform(0.7, 1.3, length)
    elif kind == "launch":
        y[: at // 2] = 0.0
    elif kind == "end":
        y[n - min(n // 6, 30) :] = 0.0
    elif kind == "stuck":
        y[at : at + 2 * length] = y[at]
    elif kind == "heavy tails":
        y += rng.standard_t(2.5, n + h)
    elif kind == "every year":
        y += size * (t % m == at % m)
    elif kind == "day of the month":
        y += size * (index.day == 1 + at % 28)
    elif kind == "working day":
        y += size * ~pd.Series(index).dt.to_period("M").duplicated().to_numpy()
    elif kind == "closed days":
        y[(index.day_of_week == at % 7) | (index.day_of_year % 365 == 1)] = 0.0
    elif kind == "closed nights":
        holiday = index.day_of_year == index[at].day_of_year
        y[(index.hour < 7) | (index.hour > 19) | holiday] = 0.0
    elif kind == "total":
        y = np.cumsum(rng.poisson(rng.uniform(0.3, 5.0), n + h)).astype(float)
    elif kind in ("cycle", "cycle of 12", "year"):
        year = {"W": 52.18, "D": 365.25, "-": rng.uniform(5, 15)}[freq]
        y += size / 3 * np.sin(2 * np.pi * t / (12 if kind == "cycle of 12" else year))
    elif kind == "counts":
        y = rng.poisson(rng.uniform(0.3, 6.0) * np.exp(0.02 * (y - 50))).astype(float)
    elif kind == "shares":
        y = np.clip(0.5 + rng.uniform(0.05, 0.3) * (y - 50), 0.0, 1.0)
    elif kind == "zeros":
        y = np.maximum(y - 50 + rng.uniform(-1, 2), 0.0)
    elif kind == "promotions":
        inputs = pd.DataFrame({"promotion": (rng.random(n + h) < 0.06) * 1.0}, index)
        y += size * inputs["promotion"].to_numpy()
    elif kind == "driven":
        inputs = pd.DataFrame({"u": rng.standard_normal(n + h)}, index)
        y += scipy.signal.lfilter([0.0, size / 10], [1.0, -0.7], inputs["u"])
    past = pd.Series(y, index)[:n]
    past = past if freq == "-" else past.asfreq(freq)
    return Case(f"situation: {kind}", past, y[n:], inputs)


def measured(case: Case) -> Row:
    """Return the scores of the default call."""
    q = case.quantiles()
    if q is None:
        return {"CRPS": np.nan}
    newest = case.past[-30:]
    normal = newest.mean() + newest.std() * scipy.stats.norm.ppf(LEVELS)
    plain = case.scores(np.tile(normal, (len(case.truth), 1)))
    return {
        "CRPS": float(case.scores(q)[0] / plain[0]),
        "cover 80": gf.scores.coverage(case.truth, q[:, 2], q[:, -3]),
        "cover 95": gf.scores.coverage(case.truth, q[:, 0], q[:, -1]),
    }


def cases(quick: bool) -> list:
    seeds = range(2 if quick else N_SITUATIONS)
    return [
        ({"kind": kind, "seed": seed}, lambda k=kind, s=seed: measured(situation(k, s)))
        for kind in KINDS
        for seed in seeds
    ]


if __name__ == "__main__":
    run(__file__, cases, ["kind"])
