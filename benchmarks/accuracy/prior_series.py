"""Series that the prior of the automatic choice is learned from, and those that judge it."""

import everyday
import numpy as np
import pandas as pd
import scipy
from everyday import Task, half_of
from study import DATA

N_SIMULATED, N_LONG = 250, 60


def tasks() -> dict[str, tuple[Task, bool]]:
    """Return every series, and whether it judges."""
    every = everyday.tasks("all", 1, 1000)
    judging = {*everyday.tasks("judge", 1, 0)}
    judging |= {k for k, one in every.items() if one.set.startswith("m4") and half_of(k) == "judge"}
    found = {key: (task, key in judging) for key, task in every.items()}
    for points in (15, 100):
        table = pd.read_csv(DATA / f"dysts/train_pts{points}.csv.gz")
        for k, (key, y) in enumerate(table.items()):
            values, cut = y.to_numpy(float), int(5 / 6 * len(y))
            task = Task(f"chaos_{points}", len(y) - cut, 1, values[:cut], values[cut:])
            found[f"{key} {points}"] = task, k % 2 == 0
    for seed in range(N_SIMULATED):
        found[f"simulated {seed}"] = simulated(seed), seed % 2 == 0
    for seed in range(N_LONG):
        found[f"long {seed}"] = long(seed), seed % 2 == 0
    return {k: pair for k, pair in found.items() if len(pair[0].past) >= 8 and np.ptp(pair[0].past)}


def simulated(seed: int) -> Task:
    """Return a series of a textbook process, of which the collections have few that are long.

    A level that wanders, reverts or stays, with a drift or none, noise, and a season that stays,
    changes or is not there; of any length from 20 to 2000, some of them exponentials.
    """
    rng = np.random.default_rng(seed)
    season = int(rng.choice([1, 1, 4, 7, 12, 24, 96]))
    n, h = int(np.exp(rng.uniform(np.log(20 + 3 * season), np.log(2000)))), max(8, season)
    phi = rng.choice([0.0, 0.5, 0.8, 0.95, 1.0, 1.0, 1.0])
    steps = rng.standard_normal(n + h) + rng.choice([0.0, 0.0, 0.1, 0.3])
    level = scipy.signal.lfilter([1.0], [1.0, -phi], steps)
    level += rng.choice([0.0, 0.0, 0.05]) * np.arange(n + h)
    y = level + rng.choice([0.0, 1.0, 3.0]) * rng.standard_normal(n + h)
    if season > 1:
        shape = rng.choice([0.0, 2.0, 6.0]) * rng.standard_normal(season)
        changes = rng.choice([0.0, 0.0, 0.3]) * rng.standard_normal((n + h) // season + 1)
        wander = np.cumsum(changes[:, None] * rng.standard_normal(season), axis=0)
        y += (shape + wander).ravel()[: n + h]
    kind = rng.integers(3)
    if kind == 0:  # an exponential, whose changes are some per cent
        y = np.exp(5.0 + y * rng.choice([0.02, 0.05]))
    elif kind == 1:  # far above 0
        y += 10.0 * np.abs(y).max()
    return Task("simulated", h, season, y[:n], y[n:])


def long(seed: int) -> Task:
    """Return ten to forty seasons around which a level reverts or wanders, forecast for three."""
    rng = np.random.default_rng(10_000 + seed)
    season = int(rng.choice([7, 24, 24, 48, 96, 288]))
    n, h = min(max(season * int(rng.integers(10, 40)), 300), 6000), 3 * season
    phi = rng.choice([0.0, 0.5, 0.8, 0.9, 0.95, 1.0])
    t = np.arange(n + h)
    level = scipy.signal.lfilter([1.0], [1.0, -phi], rng.standard_normal(n + h))
    size = level.std() * rng.choice([1.0, 2.0, 5.0])
    if rng.integers(2):
        shape = np.sin(2 * np.pi * t / season + rng.uniform(0, 6))
    else:
        shape = rng.standard_normal(season)[t % season]
    y = level + rng.choice([0.0, 1.0]) * rng.standard_normal(n + h) + size * shape
    if rng.integers(2):
        y += 2.0 * np.abs(y).max()
    return Task("long", h, season, y[:n], y[n:])
