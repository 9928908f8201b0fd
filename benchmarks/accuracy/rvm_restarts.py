"""Figures 2.2 and 2.3 of Quinonero-Candela's thesis: 100 starts of a relevance vector machine.

The data are those of figure 2.1: 20 rows, evenly spaced on [-10, 10], of sin(x)/x with noise of
variance 0.01. A basis function of width 1 stands at each of them; there is no bias. Precisions
start at powers of ten uniform in [-3, 3], the noise variance in [-8, 0], and no width is learned.
Test errors are mean squares over 1000 inputs on [-12, 12], against the function without noise.

- *gradient*: L-BFGS-B on the logarithms of all precisions and of the noise, as the thesis does it
  with conjugate gradients; precisions are bounded at 1e9, the noise variance at 1e-16
- *prior, 1 %* and *10 %*: the same with a prior against tiny noise, that of one more residual,
  whose square is 1 or 10 % of the targets' mean square p: -(log s + 0.01 p / s) / 2 is added to the
  log evidence, for noise variance s
- *FullEM*: `RelevanceVectorMachine` with ``FullEM(initial_precision=...)`` from the same starts
- *FullEM, 1 %* and *10 %*: the same with that prior, ``noise_prior=0.01`` and ``0.1``
- *FullEM, not flagged*: the same less those whose report has ``n_relevant`` or ``noise_var`` in
  ``at_bounds``
- *default*: one fit of ``RelevanceVectorMachine(1.0, adapt=None, bias=False)``, and with the prior

For each: starts that end in tiny noise (below 1e-9) and with more relevance vectors than half of
the rows, the highest evidence (with a prior the highest posterior) with its noise, vectors and test
error, the correlation of evidence and test error over the starts that did not end in tiny noise,
and the least test error of any.
The thesis has one draw of the data; here there are 5, and the table has one line for each.

Writes every start as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/rvm_restarts.py``; ``--quick`` is 10 starts on one draw.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, minimize

import gpforecast as gf
from gpforecast.models.sparse_bayes.machine import Basis, Machine
from gpforecast.models.sparse_bayes.training import evidence_slopes

N = 20
TINY = 1e-9
GRADIENT = {"gradient": 0.0, "prior, 1 %": 0.01, "prior, 10 %": 0.1}
FULL_EM = {"FullEM": None, "FullEM, 1 %": 0.01, "FullEM, 10 %": 0.1}
WIDTH = np.ones(1)
AT = np.linspace(-12.0, 12.0, 1000)[:, None]


def sinc(X: np.ndarray) -> np.ndarray:
    return np.sinc(X[:, 0] / np.pi)


def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.linspace(-10.0, 10.0, N)[:, None]
    return X, sinc(X) + 0.1 * np.random.default_rng(seed).standard_normal(N)


def starts(seed: int, n: int) -> Iterator[tuple[np.ndarray, float]]:
    """Yield precisions and a noise variance."""
    rng = np.random.default_rng([seed, 1])
    for _ in range(n):
        yield 10.0 ** rng.uniform(-3.0, 3.0, N), float(10.0 ** rng.uniform(-8.0, 0.0))


def by_gradient(X, y, alpha, noise_var, expected: float) -> dict[str, float]:
    """Climb the evidence, with a prior on the noise if one is expected (a part of the power)."""
    basis = Basis(X, y, False)
    expected, strength = expected * basis.power, float(expected > 0.0)

    def machine(theta: np.ndarray) -> Machine:
        return Machine(basis, np.arange(N), np.exp(theta[:N]), float(np.exp(theta[N])), WIDTH)

    def negative(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, _, by_alpha, by_noise = evidence_slopes(machine(theta))
        ratio = expected * np.exp(-theta[N])
        value -= 0.5 * strength * (theta[N] + ratio)
        by_noise -= 0.5 * strength * (1.0 - ratio)
        return -value, -np.append(by_alpha, by_noise)

    lowest, highest = np.log([1e-9] * N + [1e-16]), np.log([1e9] * N + [1e2])
    theta = np.log(np.append(alpha, noise_var))
    found = minimize(
        negative, theta, jac=True, method="L-BFGS-B", bounds=Bounds(lowest, highest),
        options={"maxiter": 2000, "maxfun": 4000, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-6},
    )  # fmt: skip
    best = machine(found.x)
    mean = basis.functions(best.active, WIDTH, AT) @ best.weights.mean
    return {
        "objective": -found.fun,
        "evidence": best.weights.log_evidence,
        "noise_var": best.noise_var,
        "vectors": int((best.weights.gamma > 0.01).sum()),  # the others are as good as pruned
        "test": float(np.mean((mean - sinc(AT)) ** 2)),
        "flagged": False,
    }


def by_library(X, y, **options) -> dict[str, float]:
    model = gf.models.RelevanceVectorMachine(1.0, adapt=None, bias=False, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        model.fit(X, y)
    return {
        "objective": float(model.evidence_trace_.max()),  # with the prior, if there is one
        "evidence": model.log_marginal_likelihood_,
        "noise_var": model.noise_var_,
        "vectors": len(model.relevant_),
        "test": float(np.mean((model.predict(AT) - sinc(AT)) ** 2)),
        "flagged": bool(model.report_.at_bounds),
    }


def all_starts(draw: int, n: int) -> Iterator[dict[str, object]]:
    X, y = rows(draw)
    for start, (alpha, noise_var) in enumerate(starts(draw, n)):
        where = {"draw": draw, "start": start}
        for method, expected in GRADIENT.items():
            yield {**where, "method": method, **by_gradient(X, y, alpha, noise_var, expected)}
        units = tuple(np.mean(y**2) * alpha)  # of the inverse of the targets' variance
        algorithm = gf.models.FullEM(initial_precision=units)
        options = {"algorithm": algorithm, "noise_var": noise_var, "tol": 1e-4, "max_iter": 5000}
        for method, prior in FULL_EM.items():
            found = by_library(X, y, noise_prior=prior, **options)
            yield {**where, "method": method, **found}
    for method, prior in FULL_EM.items():
        found = by_library(X, y, noise_prior=prior)
        yield {"draw": draw, "start": 0, "method": method.replace("FullEM", "default"), **found}


def show(draw: int, method: str, part: pd.DataFrame) -> None:
    best = part.loc[part["objective"].idxmax()]
    rest = part[part["noise_var"] >= TINY]
    together = rest["evidence"].corr(rest["test"]) if rest["evidence"].std() > 1e-3 else np.nan
    minima = part["evidence"].round(2).nunique()
    print(
        f"{draw:4d}  {method:<22}{len(part):7d}{minima:8d}{(part['noise_var'] < TINY).sum():6d}"
        f"{(2 * part['vectors'] > N).sum():6d}{best['evidence']:10.2f}{best['noise_var']:10.1e}"
        f"{best['vectors']:9.0f}{best['test']:9.4f}{together:7.2f}{part['test'].min():9.4f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10 starts on one draw")
    parser.add_argument("--draws", type=int, default=5, help="of the data")
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    draws, n = (1, 10) if options.quick else (options.draws, options.starts)
    print(
        f"{'draw':>4}  {'method':<22}{'starts':>7}{'maxima':>8}{'tiny':>6}{'many':>6}"
        f"{'evidence':>10}{'noise':>10}{'vectors':>9}{'test':>9}{'corr':>7}{'least':>9}"
    )
    print("thesis: evidence 11.2, noise 1e-4, 16 vectors; least test error 0.029 with 11")
    tables = []
    for draw in range(draws):
        table = pd.DataFrame(all_starts(draw, n))
        tables.append(table)
        for method, part in table.groupby("method", sort=False):
            show(draw, str(method), part)
            if method == "FullEM" and not part["flagged"].all():
                show(draw, "FullEM, not flagged", part[~part["flagged"]])
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        pd.concat(tables).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
