"""Calibration over time: intervals that follow their errors, and those that stay.

Every series is forecast from all origins of its later part by one model, without calibration and
with each kind (`gpforecast.Forecaster(calibrate=)`). The same table has the default, which combines
with structural models where that helps.

- Simulated autoregressions whose noise stays, doubles, halves, swells and ebbs, or wanders.
- Long real series.
- Mackey-Glass with measurement noise, which the models of this table take for noise that drives it.

Columns: coverage of 95 and 80 % intervals over all origins and steps, the same over the worst 50
origins in a row, and CRPS and the interval score at 95 % as ratios to no calibration.

Run it from the project's root: ``python benchmarks/accuracy/adaptive.py``; ``study.py`` has its
options.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from everyday import cells
from study import Case, Row, autoregression, column, run

import gpforecast as gf

KINDS = {"none": None, "variance": "variance", "conformal": "conformal", "adaptive": "adaptive"}
WINDOW = 50  # origins
PHI = 0.7


def scales(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the standard deviation of the noise at n times."""
    t = np.arange(n)
    if kind == "wanders":
        return np.exp(autoregression(0.1 * rng.standard_normal(n - 1), 0.98))
    return {
        "stays": np.ones(n),
        "doubles": np.where(t < 0.6 * n, 1.0, 2.0),
        "halves": np.where(t < 0.6 * n, 1.0, 0.5),
        "swells and ebbs": 2.0 ** np.sin(2.0 * np.pi * t / 400),
    }[kind]


def simulated(kind: str, seed: int, n: int = 900) -> np.ndarray:
    """Return an autoregression whose noise changes."""
    rng = np.random.default_rng(seed)
    noise = scales(kind, n, rng) * rng.standard_normal(n)
    return autoregression(noise[1:], PHI)


def real() -> dict[str, tuple[np.ndarray, int, int]]:
    """Return long series, each with the number of values to learn from and the horizon."""

    def classic(name: str) -> np.ndarray:
        return column(f"classic/{name}").to_numpy()

    name, *values = (cell.strip('"') for cell in cells("m4/Hourly-train")[0])
    noisy = gf.datasets.mackey_glass(420, normalise=True, noise_var=0.01, seed=0)
    return {
        "El Nino, months": (gf.datasets.load_elnino().to_numpy(), 360, 12),
        "sunspots, years": (gf.datasets.load_sunspots().to_numpy(), 185, 10),
        "gas, months": (classic("gas"), 238, 12),
        "load, half-hours": (classic("taylor")[:1100], 600, 24),
        f"M4 hourly {name}": (np.array(values, float), 400, 24),
        "carbon dioxide, months": (classic("co2"), 350, 36),
        "noisy Mackey-Glass": (noisy.to_numpy(), 250, 60),
    }


def judged(result: gf.Backtest) -> dict[str, float]:
    """Return coverage over all and over the worst origins in a row, CRPS and interval score."""
    found = {}
    for level in (95.0, 80.0):
        held = result.losses[f"coverage_{level:g}"].mean(axis=1)
        sums = np.cumsum(np.concatenate([[0.0], held]))
        found[f"cover {level:g}"] = held.mean()
        found[f"worst {level:g}"] = (sums[WINDOW:] - sums[:-WINDOW]).min() / WINDOW
    low, high = result.lower[95], result.upper[95]
    score = gf.scores.interval_score(result.truth, low, high, 0.05)
    return found | {"crps": result.crps.mean(), "is 95": score}


def compared(y: np.ndarray, n: int, horizon: int, **options: object) -> list[Row]:
    """Forecast from all origins after n values by each kind of calibration."""
    default = gf.Forecaster(**options).fit(y[:n])
    same = {"lags": default.lags_, "transforms": default.transforms_.spec}
    forecasters = {
        kind: gf.Forecaster(
            **same, model=default.model_, calibrate=calibrate, combine=None, noise="process"
        ).fit(y[:n])
        for kind, calibrate in KINDS.items()
    }
    if default.fitted_.ensemble is not None:
        forecasters["default"] = default
    origins = np.arange(n, len(y) - horizon + 1)
    rows = {
        kind: judged(gf.backtest(fc, y, horizon, origins, n_jobs=1))
        for kind, fc in forecasters.items()
    }
    table = pd.DataFrame(rows).T
    table[["crps", "is 95"]] /= table.loc["none", ["crps", "is 95"]]
    return table.rename_axis("calibrate").reset_index().to_dict("records")


def cases(quick: bool) -> Iterator[Case]:
    linear = {"lags": 1, "transforms": None, "model": gf.models.LinearAR()}
    for kind in ("stays", "doubles", "halves", "swells and ebbs", "wanders"):
        for seed in range(1 if quick else 5):
            names = {"series": kind, "seed": seed}
            yield names, partial(compared, simulated(kind, seed), 400, 12, **linear)
    for name, given in list(real().items())[: 1 if quick else None]:
        own = {"lags": 12, "model": gf.models.LinearAR()} if quick else {}
        yield {"series": name, "seed": 0}, partial(compared, *given, **own)


def means(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seed").groupby(["series", "calibrate"], sort=False).mean()


if __name__ == "__main__":
    run(__file__, cases, ["series", "calibrate"], summary=means)
