"""Inputs that act two steps later, and inputs of no use, where the index has dates.

Neither effects at the time of the value nor a model with lag 0 alone can see an input that acts
with a delay; a trial with lags 0 to 3 can (`INPUT_EARLIER_HELP`). Short simulated series are
forecast six steps ahead with the true inputs, by the defaults with and without these. Mean absolute
error; ``least_squares`` regresses the value on lags 0 to 2 of the input, where it acts. ``enter``
says for each seed where the input entered: m the model, e effects, - nowhere, as it explains
nothing.

- ``development``: even seeds. The threshold was set with these.
- ``set aside``: odd seeds.

Prints a table and writes it as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/delayed_inputs.py``; ``--seeds 2`` takes fewer seeds.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

AHEAD = 6
CASES = [
    *[("delayed", n, freq) for freq in ("D", "MS") for n in (60, 100)],
    *[("saturated", n, "MS") for n in (48, 120)],
    *[(f"{kind}, no effect", n, "MS") for kind in ("walk", "season") for n in (36, 120)],
    *[(f"{kind}, no effect", n, "D") for kind in ("noise", "season") for n in (20, 60)],
]


def series(kind: str, n: int, freq: str, seed: int) -> tuple[pd.Series, pd.DataFrame]:
    """Return n values and an input that acts two steps later, or that does not act."""
    rng = np.random.default_rng(seed)
    u, noise = rng.standard_normal((2, n))
    times = pd.date_range("2000-01-01", periods=n, freq=freq)
    y = 10.0 + 0.5 * noise
    if kind == "delayed":
        y[2:] += 2.0 * u[:-2]
    elif kind == "saturated":
        y = 0.3 * noise
        for t in range(2, n):
            y[t] += 0.7 * y[t - 1] + np.tanh(u[t - 2])
    elif kind.startswith("walk"):
        y = 50.0 + noise.cumsum()
    elif kind.startswith("season"):
        season = 2.0 * np.pi * np.arange(n) / (12 if freq == "MS" else 7)
        y = 50.0 + 0.1 * np.arange(n) + 5.0 * np.sin(season) + noise
    return pd.Series(y, times), pd.DataFrame({"u": u}, times)


def scored(y: pd.Series, inputs: pd.DataFrame) -> dict[str, object]:
    """Return the mean absolute errors of the last steps, and where the input entered."""
    known, truth = y[:-AHEAD], y[-AHEAD:]
    found: dict[str, object] = {}
    fc = gf.Forecaster(progress=False)
    found["without"] = fc.fit(known).predict(AHEAD).score(truth)["mae"]
    fc = gf.Forecaster(progress=False).fit(known, exog=inputs[:-AHEAD])
    found["with"] = fc.predict(AHEAD, exog=inputs[-AHEAD:]).score(truth)["mae"]
    u = inputs["u"].to_numpy()
    X = np.column_stack([np.ones(len(u) - 2), u[2:], u[1:-1], u[:-2]])
    beta = np.linalg.lstsq(X[:-AHEAD], known.to_numpy()[2:], rcond=None)[0]
    found["least_squares"] = float(np.abs(X[-AHEAD:] @ beta - truth.to_numpy()).mean())
    effects = fc.transforms_.effects
    found["enter"] = "m" if fc.fitted_.exog.in_model else ("e" if effects else "-")
    return found


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=6, help="of each part")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for first, part in enumerate(("development", "set aside")):
        for kind, n, freq in CASES:
            each = [
                scored(*series(kind, n + AHEAD, freq, first + 2 * i)) for i in range(options.seeds)
            ]
            row = {"part": part, "series": kind, "n": n, "freq": freq}
            row |= {k: np.mean([one[k] for one in each]) for k in ("without", "with")}
            acts = not kind.endswith("no effect")
            row["least_squares"] = np.mean([e["least_squares"] for e in each]) if acts else np.nan
            rows.append(row | {"enter": "".join(str(one["enter"]) for one in each)})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    print(table.to_string(index=False, float_format="%.3g"))


if __name__ == "__main__":
    main()
