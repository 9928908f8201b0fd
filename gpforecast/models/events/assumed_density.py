r"""Assumed-density filtering, one row after the other, and the informative vector machine.

Each row's site is found once, at the marginal N(mu, zeta) of f there given the rows before it.
With s the column of the covariance of q that belongs to it,

.. math:: \mu \leftarrow \mu + a\, s, \qquad \zeta \leftarrow \zeta + b\, s^2

for all n rows. The informative vector machine takes a few rows only, those that lower the entropy
of f most (Lawrence, Seeger and Herbrich 2003).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.models.events.expectation_propagation import Sites, matched
from gpforecast.models.events.likelihoods import Likelihood


@dataclass(frozen=True, eq=False)
class Filtered:
    """Rows in the order in which they were taken, and what each of them gave.

    Attributes
    ----------
    rows : ndarray (m,) of int
    sites : Sites
        Of these rows.
    log_evidence : float
        The sum of log p(y_j | the rows before j), as assumed-density filtering has it.
    gains : ndarray (m,)
        By how much each of them lowered the entropy of f, in nats.
    log_rest : float
        The sum of log p(y_i | the rows taken) over all rows that were not.
    """

    rows: IntArray
    sites: Sites
    log_evidence: float
    gains: FloatArray
    log_rest: float


class Filter:
    """Means and variances of f at n rows, given those of the rows taken so far.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    likelihood : Likelihood
    X : ndarray (n, d)
    y : ndarray (n,) of int
    most : int
        Rows that can be taken; memory is O(n) for each of them.
    """

    def __init__(
        self, covariance: Covariance, likelihood: Likelihood, X: FloatArray, y: IntArray, most: int
    ) -> None:
        self.covariance, self.likelihood, self.X, self.y = covariance, likelihood, X, y
        self.mean, self.var = np.zeros(len(y)), covariance.diag(X)
        self._explained = np.zeros((most, len(y)))  # q has the covariance K - M'M
        self.rows: list[int] = []
        self.taken: list[tuple[float, float, float, float]] = []

    def entropy_falls(self) -> FloatArray:
        r"""Return :math:`\Delta H_i = -\tfrac12 \log(1 - \nu_i \zeta_i)` of each row, eq. (2).

        :math:`\nu = -b`; minus infinity for rows that are taken.
        """
        b = self.likelihood.tilted(self.y, self.mean, self.var).curvature
        falls = -0.5 * np.log1p(b * self.var)
        falls[self.rows] = -np.inf
        return np.asarray(falls)

    def expected_falls(self) -> FloatArray:
        """Return the same averaged over the classes, as probable as the rows taken make them.

        It does not depend on a row's own class, so that the choice of rows does not favour those
        whose class surprises.
        """
        likelihood, falls = self.likelihood, np.zeros(len(self.y))
        for c in range(likelihood.n_classes):
            tilted = likelihood.tilted(np.full_like(self.y, c), self.mean, self.var)
            falls -= 0.5 * np.exp(tilted.log_z) * np.log1p(tilted.curvature * self.var)
        falls[self.rows] = -np.inf
        return falls

    def take(self, i: int) -> None:
        """Find the site of row i, and what it says of all others: O(n m)."""
        mean, var = self.mean[i : i + 1], self.var[i : i + 1]
        tilted = self.likelihood.tilted(self.y[i : i + 1], mean, var)
        site = matched(tilted, mean, var)
        b = min(float(tilted.curvature[0]), 0.0)
        fall = -0.5 * float(np.log1p(b * var[0]))
        self.taken.append(
            (float(site.precision[0]), float(site.shift[0]), float(tilted.log_z[0]), fall)
        )
        M = self._explained[: len(self.rows)]
        s = self.covariance(self.X, self.X[i : i + 1])[:, 0] - M[:, i] @ M
        self._explained[len(self.rows)] = np.sqrt(-b) * s
        self.mean = self.mean + tilted.slope * s
        self.var = np.maximum(self.var + b * s**2, np.finfo(float).tiny)
        self.rows.append(i)

    def result(self) -> Filtered:
        """Return what was taken."""
        precision, shift, log_z, falls = np.array(self.taken).reshape(-1, 4).T
        rows = np.array(self.rows, dtype=np.int64)
        rest = np.setdiff1d(np.arange(len(self.y)), rows)
        tilted = self.likelihood.tilted(self.y[rest], self.mean[rest], self.var[rest])
        both = float(log_z.sum()), falls, float(tilted.log_z.sum())
        return Filtered(rows, Sites(precision, shift), *both)


def filtered(
    covariance: Covariance,
    likelihood: Likelihood,
    X: FloatArray,
    y: IntArray,
    order: Iterable[int] | None = None,
) -> Filtered:
    """Return the sites of assumed-density filtering, rows in their order: O(n^3), O(n^2) memory.

    Parameters
    ----------
    covariance : Covariance
    likelihood : Likelihood
    X : ndarray (n, d)
    y : ndarray (n,) of int
    order : iterable of int, optional
        In which the rows are taken; the result depends on it.
    """
    found = Filter(covariance, likelihood, X, y, len(y))
    for i in range(len(y)) if order is None else order:
        found.take(i)
    return found.result()


def informative_rows(
    covariance: Covariance,
    likelihood: Likelihood,
    X: FloatArray,
    y: IntArray,
    n_active: int,
    *,
    criterion: str = "entropy",
) -> Filtered:
    """Return the rows that the informative vector machine selects: O(n m^2) for m of them.

    The first is the one of greatest fall of the entropy among all, and so is each that follows,
    given those before. Of rows that are equally good the first is taken.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    likelihood : Likelihood
    X : ndarray (n, d)
    y : ndarray (n,) of int
    criterion : {"entropy", "expected_entropy"}
        What is compared: the fall with the row's class, or its expectation before the class is
        known.
    n_active : int
        m; all rows are taken where there are fewer.

    References
    ----------
    Lawrence, Seeger and Herbrich (2003); Lawrence (2011), eq. (2).
    """
    most = min(n_active, len(y))
    found = Filter(covariance, likelihood, X, y, most)
    falls = found.entropy_falls if criterion == "entropy" else found.expected_falls
    for _ in range(most):
        found.take(int(np.argmax(falls())))
    return found.result()
