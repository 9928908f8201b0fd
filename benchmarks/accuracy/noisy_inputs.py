"""Training on noisy inputs: the toys of section 4.3 of Quinonero-Candela's thesis, over seeds.

The thesis shows one draw of each; here every toy is drawn anew for each seed.

- *sine* (figure 4.4): 20 points of sin x on [-3, 3], output noise .01, input noise 1.2 (standard
  deviations). cleanGP at the true output noise, against a GP that takes the inputs as exact:
  RMSE of f on [-3, 3], and of the inputs. The thesis's claim is a better fit and better inputs.
- *sinc, cleaning* (figure 4.5): 50 points of sin(x)/x on [-10, 10], output noise .01, input noise
  1, 100 test inputs: negative log predictive density (NLPD) along the annealing path, at the point
  that ``NoisyInputGP`` stops at (the smallest slope), at the best point and at its end.
- *sinc, EM* (figure 4.6): the same with output noise .05, which the thesis's GP estimates as .16
  and its stochastic EM as .06. Ours with the input noise given and learned.

At ten seeds: EM finds an output noise of .061 (median; a GP .20), and its NLPD is better than a
GP's at every seed, with the input noise learned as well. Cleaning down to the best point of its
path is better at every seed too, but the smallest slope finds a better point than the GP at five
only, and at the end of the path the inputs are overfitted as the thesis describes. On the sine,
cleanGP moves the inputs closer to the truth at nine seeds, yet its f is better than a GP's at three
only; EM's is at eight.

Draws a figure too. Run it from the project's root:
``python benchmarks/accuracy/noisy_inputs.py``; ``study.py`` has its options.
"""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import logsumexp
from study import Case, Row, run

from gpforecast.models import GaussianProcess, NoisyInputGP


def sine(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.linspace(-3.0, 3.0, 20)
    y = np.sin(x) + 0.01 * rng.standard_normal(20)
    return x[:, None], (x + 1.2 * rng.standard_normal(20))[:, None], y


def sinc(seed: int, output_std: float):
    rng = np.random.default_rng(seed)
    x, x_test = np.linspace(-10.0, 10.0, 50), rng.uniform(-10.0, 10.0, 100)
    y, y_test = (
        np.sinc(at / np.pi) + output_std * rng.standard_normal(len(at)) for at in (x, x_test)
    )
    return x[:, None], (x + rng.standard_normal(50))[:, None], y, x_test[:, None], y_test


def rmse(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))


def nlpd(model, X: np.ndarray, y: np.ndarray) -> float:
    """Of the mixture itself, not of a Gaussian with its moments."""
    parts = model.predictive_.parts if hasattr(model, "predictive_") else (model.posterior_,)
    found = [part.predict(X) for part in parts]
    var = np.array([p.var for p in found]) + model.noise_var_
    off = y - np.array([p.mean for p in found])
    density = -0.5 * (np.log(2.0 * np.pi * var) + off**2 / var)
    return float(np.mean(np.log(len(parts)) - logsumexp(density, axis=0)))


def coverage(model, X: np.ndarray, y: np.ndarray) -> float:
    mean, std = model.predict(X, return_std=True)
    return float(np.mean(np.abs(y - mean) <= 1.96 * np.sqrt(std**2 + model.noise_var_)))


def on_path(path, i: int, y: np.ndarray) -> GaussianProcess:
    """Return the process of one point of a cleaning path."""
    gp = GaussianProcess(path.covariances[i], noise_var=float(path.noise_vars[i]), optimizer=None)
    return gp.fit(path.inputs[i], y)


def clean_sine(seed: int) -> Row:
    x, U, y = sine(seed)
    at = np.linspace(-3.0, 3.0, 100)[:, None]
    models = {
        "GP": GaussianProcess(),
        "cleanGP": NoisyInputGP(method="cleaning", input_noise_var=1.44, noise_var=1e-4),
        "smallest slope": NoisyInputGP(method="cleaning", input_noise_var=1.44),
        "EM": NoisyInputGP(input_noise_var=1.44, seed=seed),
    }
    row = {f"RMSE, {n}": rmse(m.fit(U, y).predict(at), np.sin(at[:, 0])) for n, m in models.items()}
    row |= {f"inputs, {n}": rmse(m.inputs_, x) for n, m in models.items() if n != "GP"}
    return row | {"inputs as measured": rmse(U, x)}


def clean_sinc(seed: int) -> Row:
    x, U, y, X_test, y_test = sinc(seed, 0.01)
    start = time.process_time()
    model = NoisyInputGP(method="cleaning", input_noise_var=1.0).fit(U, y)
    seconds, path = time.process_time() - start, model.path_
    along = [nlpd(on_path(path, i, y), X_test, y_test) for i in range(len(path.slopes))]
    best, plain = int(np.argmin(along)), GaussianProcess().fit(U, y)
    return {
        "NLPD, GP": nlpd(plain, X_test, y_test),
        "NLPD, smallest slope": along[path.stopped_at],
        "NLPD, best on path": along[best],
        "NLPD, end of path": along[-1],
        "noise variance, GP": plain.noise_var_,
        "noise variance, smallest slope": model.noise_var_,
        "noise variance, best on path": float(path.noise_vars[best]),
        "inputs, smallest slope": rmse(model.inputs_, x),
        "inputs as measured": rmse(U, x),
        "seconds, cleaning": seconds,
    }


def em_sinc(seed: int) -> Row:
    x, U, y, X_test, y_test = sinc(seed, 0.05)
    models = {
        "GP": GaussianProcess(),
        "EM": NoisyInputGP(input_noise_var=1.0, seed=seed),
        "EM, input noise learned": NoisyInputGP(seed=seed),
    }
    row: Row = {}
    for name, model in models.items():
        start = time.process_time()
        model.fit(U, y)
        row[f"seconds, {name}"] = time.process_time() - start
        row[f"noise std, {name}"] = float(np.sqrt(model.noise_var_))
        row[f"RMSE, {name}"] = rmse(model.predict(X_test), np.sinc(X_test[:, 0] / np.pi))
        row[f"NLPD, {name}"] = nlpd(model, X_test, y_test)
        row[f"coverage of 95 %, {name}"] = coverage(model, X_test, y_test)
        if name != "GP":
            row[f"least acceptance, {name}"] = float(model.acceptance_.min())
            row[f"rows on which chains disagree, {name}"] = float((model.spread_ > 1.5).sum())
    row["input noise std, learned"] = float(np.sqrt(model.input_noise_var_[0]))
    row["input noise std, as drawn"] = rmse(U, x)
    return row


TOYS = {"sine": clean_sine, "sinc, cleaning": clean_sinc, "sinc, EM": em_sinc}
PUBLISHED = {("sinc, EM", "noise std, GP"): 0.16, ("sinc, EM", "noise std, EM"): 0.06}


def draw(file: Path, seed: int) -> None:
    """Draw figures 4.5 and 4.6 for one seed."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    _, U, y, X_test, y_test = sinc(seed, 0.01)
    model, plain = (
        m.fit(U, y)
        for m in (NoisyInputGP(method="cleaning", input_noise_var=1.0), GaussianProcess())
    )
    path = model.path_
    along = [nlpd(on_path(path, i, y), X_test, y_test) for i in range(len(path.slopes))]
    left.plot(path.noise_vars, along, ".-", label="cleanGP, annealed")
    left.plot(plain.noise_var_, nlpd(plain, X_test, y_test), "g*", ms=12, label="GP")
    left.plot(model.noise_var_, along[path.stopped_at], "rD", label="smallest slope")
    left.set(xscale="log", yscale="symlog", xlabel="output noise variance", ylabel="test NLPD")
    left.legend()
    x, U, y, _, _ = sinc(seed, 0.05)
    at = np.linspace(-10.0, 10.0, 300)
    for m, colour, name in (
        (GaussianProcess(), "C2", "GP"),
        (NoisyInputGP(input_noise_var=1.0, seed=seed), "C0", "stochastic EM"),
    ):
        mean, std = m.fit(U, y).predict(at[:, None], return_std=True)
        half = 1.96 * np.sqrt(std**2 + m.noise_var_)
        right.plot(at, mean, colour, label=name)
        right.fill_between(at, mean - half, mean + half, color=colour, alpha=0.2, lw=0)
    right.plot(m.draws_[:, :, 0].T, np.tile(y[:, None], len(m.draws_)), ",", color="0.4")
    right.plot(U, y, "kx", ms=5, label="as measured")
    right.plot(x, y, "ko", ms=3, mfc="none", label="true inputs")
    right.set(xlabel="x", ylabel="y")
    right.legend()
    figure.savefig(file, dpi=110)


def measure(toy: str, seed: int) -> list[Row]:
    return [{"measure": name, "value": value} for name, value in TOYS[toy](seed).items()]


def cases(quick: bool) -> Iterator[Case]:
    for toy in TOYS:
        for seed in range(2 if quick else 10):
            yield {"toy": toy, "seed": seed}, partial(measure, toy, seed)


if __name__ == "__main__":
    run(
        __file__, cases, ["toy", "measure"], statistic=["median", "min", "max"], published=PUBLISHED
    )
    if "--quick" not in sys.argv:
        draw(Path(__file__).with_suffix(".png"), seed=1)
