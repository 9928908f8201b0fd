"""Gaussian processes of classes: the toys of Lawrence's slides, digits, and Laplace and EP.

Parts, each with errors and the mean log probability of the class that came, on test rows:

``square``     500 points of a Gaussian process on the unit square, its sign drawn by a cumulative
               Gaussian: all rows, 50 to 200 rows selected three ways, and the relevance vectors.
``crescents``  two interlocking crescents, 400 points of which each has a label with probability
               0.1: with the labelled rows alone, and with the null category.
``ordinal``    five ordered classes along a line, and in rings around a point.
``digits``     scikit-learn's 8 x 8 digits, one class against the rest, 1000 rows, 200 of them
               active. The slides have USPS (7291 rows of 16 x 16, 500 active): 4.58 % overall.
``laplace``    two classes of public data sets, 5 folds: also scikit-learn's classifier by
               Laplace's approximation, the relevance vector classifier, and logistic regression.

Run it from the project's root: ``python benchmarks/accuracy/events.py``; ``study.py`` has its
options.
"""

import time
import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from study import Case, Row, run

from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import NullCategoryGP, OrdinalGP, RelevanceVectorClassifier


def scores(p: np.ndarray, y: np.ndarray) -> Row:
    """Return the share of errors in percent, and the mean log probability of what came."""
    log = np.log(np.maximum(p[np.arange(len(y)), y], 1e-12))
    return {"error": 100.0 * float((p.argmax(axis=1) != y).mean()), "log": float(log.mean())}


def row(part: str, draw: int, label: str, model, train, test) -> Row:
    """Fit a model, and return its scores and seconds."""
    start = time.perf_counter()
    fitted = model.fit(*train)
    seconds = time.perf_counter() - start
    found = scores(fitted.predict_proba(test[0]), test[1])
    return {"part": part, "draw": draw, "model": label, **found, "seconds": seconds}


def square(n_draws: int) -> Iterator[Row]:
    """A process on the unit square; a random subset is the selection to beat."""
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        X = rng.uniform(size=(1500, 2))
        K = SquaredExponential(0.2, 10.0)(X)
        f = np.linalg.cholesky(K + 1e-6 * np.eye(1500)) @ rng.standard_normal(1500)
        y = (f + rng.standard_normal(1500) > 0.0).astype(int)
        train, test = (X[:500], y[:500]), (X[500:], y[500:])
        yield row("square", draw, "all rows", OrdinalGP(), train, test)
        for m in (50, 100, 200):
            for selection in ("entropy", "expected_entropy"):
                gp = OrdinalGP(n_active=m, selection=selection)
                yield row("square", draw, f"{selection}, {m}", gp, train, test)
            yield row("square", draw, f"random, {m}", OrdinalGP(), (X[:m], y[:m]), test)
        yield row("square", draw, "relevance vectors", RelevanceVectorClassifier(), train, test)


def crescents(n: int, spread: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return points of two half circles with noise, and whose they are."""
    side, angle = rng.integers(0, 2, n), rng.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[side == 1] = np.array([1.0, 0.5]) - X[side == 1]
    return X + spread * rng.standard_normal((n, 2)), side


def labelled(n_draws: int) -> Iterator[Row]:
    """The crescents, with few labels."""
    for spread, draw in ((s, k) for s in (0.1, 0.15) for k in range(n_draws)):
        rng = np.random.default_rng(draw)
        X, side = crescents(400, spread, rng)
        known = rng.random(400) < 0.1
        y, test = np.where(known, side, np.nan), crescents(2000, spread, rng)
        part = f"crescents, spread {spread}"
        yield row(part, draw, "labelled rows", OrdinalGP(), (X[known], side[known]), test)
        yield row(part, draw, "null category", NullCategoryGP(), (X, y), test)


def ordinal(n_draws: int) -> Iterator[Row]:
    """Five ordered classes: along a line, and in rings."""
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        X = rng.uniform(-1.0, 1.0, (1300, 2))
        for name, level in (("line", X @ [0.8, 0.6]), ("rings", np.hypot(*X.T))):
            cuts = np.quantile(level, [0.2, 0.4, 0.6, 0.8])
            y = np.searchsorted(cuts, level + 0.05 * rng.standard_normal(1300))
            for label, model in (
                ("ordinal", OrdinalGP()),
                ("ordinal, 100 active", OrdinalGP(n_active=100)),
                ("ordinal, linear + SE", OrdinalGP(SquaredExponential() + Linear())),
                ("logistic", LogisticRegression(max_iter=1000)),
            ):
                data = (X[:300], y[:300]), (X[300:], y[300:])
                yield row(f"ordinal, {name}", draw, label, model, *data)


def digits(n_digits: int) -> Iterator[Row]:
    """One digit against the rest, and the most probable of all."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    X, y = data.data[order] / 16.0, data.target[order]
    covariance = SquaredExponential(2.0) + Linear(0.1)
    for selection in ("expected_entropy", "entropy"):
        latent = np.zeros((len(y) - 1000, n_digits))
        for digit in range(n_digits):
            own = (y == digit).astype(int)
            gp = OrdinalGP(covariance, n_active=200, selection=selection, n_rounds=3)
            parts = (X[:1000], own[:1000]), (X[1000:], own[1000:])
            yield row("digits", digit, selection, gp, *parts)
            mean, std = gp.predict(X[1000:], return_std=True)
            latent[:, digit] = (mean - gp.thresholds_[0]) / np.sqrt(1.0 + std**2)
        if n_digits == 10:
            error = 100.0 * float((latent.argmax(axis=1) != y[1000:]).mean())
            found = {"error": error, "log": np.nan, "seconds": np.nan}
            yield {"part": "digits", "draw": -1, "model": f"{selection}, overall", **found}


def laplace(n_folds: int) -> Iterator[Row]:
    """Two classes of public data, one length-scale for all inputs."""
    for name, load in (("cancer", load_breast_cancer), ("wine", load_wine), ("iris", load_iris)):
        X, y = load(return_X_y=True)
        if name != "cancer":  # the two classes that overlap most
            kept = y != (2 if name == "wine" else 0)
            X, y = X[kept], y[kept]
        if name == "wine":
            X = X[:, 1:5]  # with all inputs there are no errors
        y = (y == y.max()).astype(int)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        parts = np.array_split(np.random.default_rng(0).permutation(len(y)), 5)
        for fold, test in enumerate(parts[:n_folds]):
            train, width = np.setdiff1d(np.arange(len(y)), test), float(np.sqrt(X.shape[1]))
            kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(width, (1e-2, 1e3))
            for label, model in (
                ("EP", OrdinalGP(SquaredExponential(width, 1.0))),
                ("Laplace", GaussianProcessClassifier(kernel)),
                ("relevance vectors", RelevanceVectorClassifier()),
                ("logistic", LogisticRegression(max_iter=1000)),
            ):
                data = (X[train], y[train]), (X[test], y[test])
                yield row(f"laplace, {name}", fold, label, model, *data)


PARTS = {"square": (square, 10), "crescents": (labelled, 10), "ordinal": (ordinal, 5),
         "digits": (digits, 10), "laplace": (laplace, 5)}  # fmt: skip


def cases(quick: bool) -> Iterator[Case]:
    warnings.simplefilter("ignore")  # of searches that end on a bound
    for name, (rows, n) in PARTS.items():
        few = min(n, 3 if name == "digits" else 2)
        yield {"group": name}, partial(lambda rows, n: [*rows(n)], rows, few if quick else n)


if __name__ == "__main__":
    run(__file__, cases, ["part", "model"])
