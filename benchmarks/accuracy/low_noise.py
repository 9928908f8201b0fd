"""Section 2.3.8 of Snelson's thesis: sparse approximations where there is almost no noise.

*Evidence* (the figures under figure 2.5): 200 rows, evenly spaced on [0, 10], of a process with
length-scale 1 and variance 1, with noise of standard deviation 0.01, and 8 inducing inputs in the
middle, on [3.5, 6.5]. The covariance is the true one. The thesis shows one draw and does not give
its setting; this one was chosen so that the evidence of the full process and of FITC are near the
published ones. The table has the median, the least and the largest of the draws.

*Predictions* (figure 2.6): the same rows, and as inducing inputs 8 of them, one at random from each
eighth of the range. Over the standard deviation of the noise: how far the prediction of FITC is
from that of a Gaussian process on those 8 rows alone (SD), root mean square over 1000 inputs; and
by how many of its standard deviations (noise included) each approximation misses the targets at the
inducing inputs, the median over draws of the largest of the 8. The claim (2.35): without noise FITC
is SD, and DTC (PP in the thesis) is certain near the data.

Run it from the project's root: ``python benchmarks/accuracy/low_noise.py``; ``study.py`` has its
options.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from study import Case, Row, run

import gpforecast as gf

N, M = 200, 8
COVARIANCE = gf.covariances.SquaredExponential(1.0, 1.0)
PUBLISHED = {"full": 534.0, "fitc": 142.0, "dtc": -1.14e5, "sr": -1.14e5}
NOISES = 10.0 ** np.arange(-1.0, -6.5, -1.0)  # standard deviations


def draw(seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of one function; the noise is the same draw in every size."""
    rng = np.random.default_rng(seed)
    X = np.linspace(0.0, 10.0, N)[:, None]
    return X, COVARIANCE.sample(X, seed=rng)[0] + noise * rng.standard_normal(N)


def full(noise: float) -> gf.models.GaussianProcess:
    return gf.models.GaussianProcess(COVARIANCE, noise_var=noise**2, optimizer=None)


def sparse(kind: str, noise: float, inducing: np.ndarray) -> gf.models.SparseGaussianProcess:
    return gf.models.SparseGaussianProcess(
        COVARIANCE, approximation=kind, noise_var=noise**2, optimizer=None, inducing=inducing
    )


def evidences(seed: int, noise: float = 0.01) -> Row:
    X, y = draw(seed, noise)
    Z = np.linspace(3.5, 6.5, M)[:, None]
    models = {"full": full(noise)}
    models |= {kind: sparse(kind, noise, Z) for kind in ("fitc", "dtc", "sr", "vfe")}
    return {name: m.fit(X, y).log_marginal_likelihood_ for name, m in models.items()}


def predictions(seed: int, noise: float) -> Row:
    X, y = draw(seed, noise)
    eighths = np.array_split(np.arange(N), M)
    rows = [int(np.random.default_rng(seed).choice(part)) for part in eighths]
    at = np.linspace(0.0, 10.0, 1000)[:, None]
    sd = full(noise).fit(X[rows], y[rows])
    mean, std = sd.predict(at, return_std=True)
    found = {}
    for kind in ("fitc", "dtc"):
        model = sparse(kind, noise, X[rows]).fit(X, y)
        own_mean, own_std = model.predict(at, return_std=True)
        found[f"mean, {kind} - sd"] = float(np.sqrt(np.mean((own_mean - mean) ** 2)))
        found[f"std, {kind} - sd"] = float(np.sqrt(np.mean((own_std - std) ** 2)))
        middle, width = model.predict(X[rows], return_std=True)
        missed = np.abs(y[rows] - middle) / np.sqrt(width**2 + noise**2)
        found[f"missed, {kind}"] = float(missed.max())
    return found


def cases(quick: bool) -> Iterator[Case]:
    tables = [("evidence", 0.01, evidences), *(("predictions", s, predictions) for s in NOISES)]
    for table, noise, measure in tables:
        for seed in range(3 if quick else 20):
            names = {"table": table, "noise": noise, "seed": seed}
            yield names, partial(listed, measure, seed, noise)


def listed(measure: Callable[[int, float], Row], seed: int, noise: float) -> list[Row]:
    return [{"what": what, "value": v} for what, v in measure(seed, noise).items()]


if __name__ == "__main__":
    published = {("evidence", 0.01, name): value for name, value in PUBLISHED.items()}
    run(
        __file__, cases, ["table", "noise", "what"], statistic=["median", "min", "max"],
        published=published,
    )  # fmt: skip
