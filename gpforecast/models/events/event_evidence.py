"""The evidence of classes as a function of the hyperparameters, with its gradient."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.models.events.expectation_propagation import (
    Approximation,
    Converged,
    Sites,
    gram,
    gram_slopes,
    matched,
    propagate_expectations,
)
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.models.evidence import PRIOR_STD, Evidence

_TOLERANCE = 1e-4  # of the sites during the search; the evidence changes by its square


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
    log_rest : float
        The sum of log p(y_i | the rows taken) over all rows that were not.
    """

    rows: IntArray
    sites: Sites
    log_evidence: float
    log_rest: float


class Filter:
    r"""Means and variances of f at n rows, given those of the rows taken so far.

    Each row's site is found once, at the marginal N(mu, zeta) of f there given the rows before it.
    With s the column of the covariance of q that belongs to it,

    .. math:: \mu \leftarrow \mu + a\, s, \qquad \zeta \leftarrow \zeta + b\, s^2

    (Lawrence, Seeger and Herbrich 2003).

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
        self.taken: list[FloatArray] = []

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
        self.taken.append(np.concatenate([site.precision, site.shift, tilted.log_z]))
        M = self._explained[: len(self.rows)]
        s = self.covariance(self.X, self.X[i : i + 1])[:, 0] - M[:, i] @ M
        self._explained[len(self.rows)] = np.sqrt(-b) * s
        self.mean = self.mean + tilted.slope * s
        self.var = np.maximum(self.var + b * s**2, np.finfo(float).tiny)
        self.rows.append(i)

    def result(self) -> Filtered:
        """Return what was taken."""
        precision, shift, log_z = np.array(self.taken).reshape(-1, 3).T
        rows = np.array(self.rows, dtype=np.int64)
        rest = np.setdiff1d(np.arange(len(self.y)), rows)
        tilted = self.likelihood.tilted(self.y[rest], self.mean[rest], self.var[rest])
        sites, log_rest = Sites(precision, shift), float(tilted.log_z.sum())
        return Filtered(rows, sites, float(log_z.sum()), log_rest)


def filtered(
    covariance: Covariance,
    likelihood: Likelihood,
    X: FloatArray,
    y: IntArray,
    n_active: int | None = None,
    *,
    criterion: str = "entropy",
) -> Filtered:
    """Return the sites of assumed-density filtering: O(n m^2) for m of n rows.

    Rows are taken in their order, or those that the informative vector machine selects: the first
    is the one of greatest fall of the entropy among all, and so is each that follows, given those
    before. Of rows that are equally good the first is taken.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    likelihood : Likelihood
    X : ndarray (n, d)
    y : ndarray (n,) of int
    n_active : int, optional
        m; all rows are taken where there are fewer. None: all, in their order.
    criterion : {"entropy", "expected_entropy"}
        What is compared: the fall with the row's class, or its expectation before the class is
        known.

    References
    ----------
    Lawrence, Seeger and Herbrich (2003); Lawrence (2011), eq. (2).
    """
    most = len(y) if n_active is None else min(n_active, len(y))
    found = Filter(covariance, likelihood, X, y, most)
    falls = found.entropy_falls if criterion == "entropy" else found.expected_falls
    for i in range(most):
        found.take(i if n_active is None else int(np.argmax(falls())))
    return found.result()


@dataclass
class Memory:
    """The sites of the last evaluation, from which the next one starts."""

    sites: Sites | None = None


@dataclass(frozen=True, eq=False)
class EventEvidence(Evidence):
    """The log evidence of EP, of theta = (covariance's logarithms, likelihood's parameters).

    Its targets are classes, `noise_var` is the likelihood's and `y_var` is 1, the unit of f. At
    the fixed point of EP it does not depend on the sites to first order, so its slopes are those
    with the sites held.

    Attributes
    ----------
    likelihood : Likelihood
    memory : Memory
    prior_std : float
        Of the covariance's logarithms under the weak prior.
    held : tuple or None
        Sites, and the means and variances of their cavities, that EP is not to move.
    """

    likelihood: Likelihood
    memory: Memory = field(default_factory=Memory)
    prior_std: float = PRIOR_STD
    held: tuple[Sites, tuple[FloatArray, FloatArray]] | None = None

    @property
    def codes(self) -> IntArray:
        """The classes as whole numbers, (n,)."""
        return self.y.astype(np.int64)

    @property
    def start(self) -> FloatArray:
        """Theta of the covariance and likelihood it was made with."""
        return np.append(self.covariance.log_parameters, self.likelihood.parameters)

    @property
    def _bounds(self) -> FloatArray:
        of_covariance = self.covariance.log_bounds(self.scale, 1.0)
        return np.concatenate([of_covariance, self.likelihood.bounds])

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.covariance.parameter_names, *self.likelihood.parameter_names)

    def read(self, theta: FloatArray) -> tuple[Covariance, Likelihood]:
        """Return the covariance and the likelihood that theta stands for."""
        n_own = len(self.covariance.log_parameters)
        covariance = self.covariance.with_log_parameters(theta[:n_own])
        return covariance, self.likelihood.with_parameters(theta[n_own:])

    def at(self, theta: FloatArray) -> Self:
        """Return the same function, to start from theta."""
        covariance, likelihood = self.read(theta)
        return replace(self, covariance=covariance, likelihood=likelihood)

    def on_few_rows(self, n_rows: int) -> Self:
        """Return the same function of theta for so many of the rows, evenly spaced."""
        return replace(super().on_few_rows(n_rows), memory=Memory())

    def selected(self, n_active: int, criterion: str) -> tuple[Self, float]:
        """Return the same function for the informative rows alone, and how they explain all.

        The latter is the log probability of all rows: the active ones by assumed-density
        filtering, each of the others given these.
        """
        found = filtered(
            self.covariance, self.likelihood, self.X, self.codes, n_active, criterion=criterion
        )
        few = replace(self, X=self.X[found.rows], y=self.y[found.rows], memory=Memory(found.sites))
        return few, found.log_evidence + found.log_rest

    def sites_for(self, X: FloatArray, y: FloatArray) -> Sites | None:
        """Return sites of all rows to start from, given those of the rows of this function.

        With other rows than its own, each matches its tilted moments at what these say of f there.
        None if the last evaluation left no sites.
        """
        sites = self.memory.sites
        if sites is None or len(y) == len(self.y):
            return sites
        q = Approximation(gram(self.covariance, self.X), sites)
        k = self.covariance(X, self.X)
        var = self.covariance.diag(X) - np.einsum("nm,nm->n", k @ q.explained(), k)
        at = k @ q.pull, np.maximum(var, np.finfo(float).tiny)
        return matched(self.likelihood.tilted(y.astype(np.int64), *at), *at)

    def _height(self, theta: FloatArray) -> float:
        if self.held is not None:
            return self._rise(theta)[0]
        return self._converged(*self.read(theta)).log_evidence

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        covariance, likelihood = self.read(theta)
        if self.held is None:
            found = self._converged(covariance, likelihood)
            q, cavity, height = found.q, found.q.cavity, found.log_evidence
        else:
            sites, cavity = self.held
            q = Approximation(gram(covariance, self.X), sites)
            log_z = float(likelihood.tilted(self.codes, *cavity).log_z.sum())
            log_det = float(np.log(q.chol.diagonal()).sum())
            height = 0.5 * float(sites.shift @ q.mean) - log_det + log_z
        # With sites held, the slopes by K are those of regression on them.
        by_covariance = gram_slopes(covariance, self.X, q)
        by_likelihood = likelihood.parameter_slopes(self.codes, *cavity).sum(axis=0)
        return height, np.append(by_covariance, by_likelihood)

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta: those of the covariance are `prior_std`."""
        start, stds = super().prior
        if self.weak_prior:
            stds[: len(self.covariance.log_parameters)] = self.prior_std
        return start, stds

    def with_sites_held(self) -> tuple[Self, float]:
        """Return it with EP's sites and cavities at its start held, and the evidence of EP there.

        For likelihoods whose sites cannot match: where a site's precision stops at zero, the
        evidence of EP depends on the sites, and has other slopes. Lawrence (2011), "Optimising
        Kernel Parameters".
        """
        found = self._converged(self.covariance, self.likelihood)
        return replace(self, held=(found.q.sites, found.q.cavity)), found.log_evidence

    def _converged(self, covariance: Covariance, likelihood: Likelihood) -> Converged:
        """Return EP's fixed point; the search goes on from its sites."""
        K, start = gram(covariance, self.X), self.memory.sites
        found = propagate_expectations(K, likelihood, self.codes, start, tolerance=_TOLERANCE)
        self.memory.sites = found.q.sites if found.converged else None
        return found
