"""Learn what is expected of the coefficients of the automatic choice's autoregressions.

Each series that does not judge (`prior_series`), but for chaotic ones, whose maps no line follows,
is transformed as each candidate has it. What this leaves is of a kind: values or changes, of which
a season of fewer than 12 steps or more was subtracted, differenced or left. The coefficients of a
kind are normal around means, with scales in standard deviations of the noise (`BayesianAR`);
expectation-maximisation finds the means and scales of most evidence, with a prior of a few series.

Writes ``gpforecast/automatic/coefficients.json``; a minute on two cores. `learn_prior.py` comes
after it::

    python benchmarks/accuracy/learn_coefficients.py
"""

import datetime as dt
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from everyday import Task
from joblib import Parallel, delayed
from learn_prior import shape_of
from prior_series import tasks

import gpforecast as gf
from gpforecast.automatic.candidates import (
    Autoregression,
    candidates,
    kind_of,
    roles_of,
)
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis

ROLES = [*roles_of((100, 1000)).values()]
ITERATIONS = 80
SERIES, SCALE = 5.0, 0.22  # of the prior of the scales: what it counts, and expects
LARGEST = 3.0, 100.0  # what one series counts at most, of means and of squares
OUTPUT = Path(gf.__file__).parent / "automatic" / "coefficients.json"


class Rows(NamedTuple):
    """Sums over the rows of a series, of which the mean square of the targets is 1.

    Attributes
    ----------
    G : ndarray (roles, roles)
        X'X, 0 for roles that no lag has.
    h : ndarray (roles,)
        X'y.
    n : int
    """

    G: np.ndarray
    h: np.ndarray
    n: int


def rows_of(task: Task) -> list[tuple[str, Rows]]:
    """Return the rows of each candidate that is an autoregression, and their kinds."""
    y, _, seasons, warps = shape_of(task)
    axis, found = TimeAxis.rows(len(y)), []
    for one in candidates(axis, seasons, warps):
        if isinstance(one, Autoregression):
            chain = one.transforms.fit_at(y, axis)
            z = chain.levels(y, axis)[-1][chain.n_lost :]
            lags = one.lags_after(chain, len(z)).value
            if len(z) < lags[-1] + 2:
                continue
            rows = LagEmbedding(list(lags)).transform(z)
            X, target = rows.X, rows.y
            if (v := float(np.mean(target**2))) > 0.0:
                at = [ROLES.index(roles_of(one.seasons)[lag]) for lag in lags]
                G, h = np.zeros((len(ROLES), len(ROLES))), np.zeros(len(ROLES))
                G[np.ix_(at, at)], h[at] = X.T @ X / v, X.T @ target / v
                found.append((kind_of(chain, one.seasons), Rows(G, h, len(target))))
    return found


def expected(series: list[Rows]) -> dict[str, list[float]]:
    """Return means and scales of the coefficients by role, of most evidence."""
    G, h, n = (np.array(each) for each in zip(*series, strict=True))
    means, squares = np.zeros(len(ROLES)), np.full(len(ROLES), 0.1)
    for _ in range(ITERATIONS):
        A = G + np.diag(1.0 / squares)
        off = np.linalg.solve(A, (h - G @ means)[..., None])[..., 0]
        rest = n - 2.0 * h @ means + np.einsum("i,kij,j->k", means, G, means)
        left = np.maximum(rest - np.sum((h - G @ means) * off, axis=1), 1e-9 * n)
        precision = (2.0 + n) / (left + 2.0)
        b, V = means + off, np.linalg.inv(A).diagonal(axis1=1, axis2=2)
        count = np.minimum(precision / precision.mean(), LARGEST[0])
        means = count @ b / count.sum()
        squared = np.minimum(precision, LARGEST[1]) @ (b - means) ** 2 + V.sum(axis=0)
        squares = (squared + SERIES * SCALE**2) / (len(n) + SERIES)
    each = zip(means.tolist(), np.sqrt(squares).tolist(), strict=True)
    return {role: [round(m, 3), round(s, 3)] for role, (m, s) in zip(ROLES, each, strict=True)}


def main() -> None:
    learning = [task for task, judges in tasks().values() if not judges]
    learning = [task for task in learning if not task.set.startswith("chaos")]
    every = Parallel(n_jobs=2)(delayed(rows_of)(task) for task in learning)
    by_kind = defaultdict(list)
    for kind, rows in (found for one in every for found in one):
        by_kind[kind].append(rows)
    found = {
        "learned from": f"{len(learning)} series",
        "by": "benchmarks/accuracy/learn_coefficients.py",
        "date": dt.date.today().isoformat(),
        "version": gf.__version__,
        "kinds": {kind: expected(by_kind[kind]) for kind in sorted(by_kind)},
    }
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
