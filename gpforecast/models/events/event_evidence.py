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


def filtered(
    covariance: Covariance,
    likelihood: Likelihood,
    X: FloatArray,
    y: IntArray,
    n_active: int | None = None,
    *,
    criterion: str = "entropy",
) -> Filtered:
    r"""Return the sites of assumed-density filtering: O(n m^2) for m of n rows.

    Rows are taken in their order, or those that the informative vector machine selects: the first
    is the one of greatest fall of the entropy among all, and so is each that follows, given those
    before. Of rows that are equally good the first is taken.

    Each row's site is found once, at the marginal N(mu, zeta) of f there given the rows before it.
    With s the column of the covariance of q that belongs to it,

    .. math:: \mu \leftarrow \mu + a\, s, \qquad \zeta \leftarrow \zeta + b\, s^2

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    likelihood : Likelihood
    X : ndarray (n, d)
    y : ndarray (n,) of int
    n_active : int, optional
        m; all rows are taken where there are fewer. None: all, in their order. Memory is O(n m).
    criterion : {"entropy", "expected_entropy"}
        What is compared: the fall with the row's class, or its expectation before the class is
        known.

    References
    ----------
    Lawrence, Seeger and Herbrich (2003); Lawrence (2011), eq. (2).
    """
    n = len(y)
    most = n if n_active is None else min(n_active, n)
    mean, var = np.zeros(n), covariance.diag(X)  # of f, given the rows taken so far
    explained = np.zeros((most, n))  # M: q has the covariance K - M'M
    rows, taken = list[int](), list[FloatArray]()
    for step in range(most):
        i = step
        if n_active is not None:
            falls = _entropy_falls(likelihood, y, mean, var, criterion)
            falls[rows] = -np.inf
            i = int(np.argmax(falls))
        own, M = slice(i, i + 1), explained[:step]
        tilted = likelihood.tilted(y[own], mean[own], var[own])
        site = Sites.matched(tilted, mean[own], var[own])
        taken.append(np.concatenate([site.precision, site.shift, tilted.log_z]))
        b = min(float(tilted.curvature[0]), 0.0)
        s = covariance(X, X[own])[:, 0] - M[:, i] @ M
        explained[step] = np.sqrt(-b) * s
        mean = mean + tilted.slope * s
        var = np.maximum(var + b * s**2, np.finfo(float).tiny)
        rows.append(i)
    precision, shift, log_z = np.array(taken).reshape(-1, 3).T
    rest = np.setdiff1d(np.arange(n), rows)
    log_rest = float(likelihood.tilted(y[rest], mean[rest], var[rest]).log_z.sum())
    sites, log_evidence = Sites(precision, shift), float(log_z.sum())
    return Filtered(np.array(rows, dtype=np.int64), sites, log_evidence, log_rest)


def _entropy_falls(
    likelihood: Likelihood, y: IntArray, mean: FloatArray, var: FloatArray, criterion: str
) -> FloatArray:
    """Return -log(1 - nu zeta) / 2 of each row, its fall of the entropy; nu = -b.

    ``"expected_entropy"`` averages it over the classes, as probable as the rows taken make them. It
    does not depend on a row's own class, so that the choice of rows does not favour those whose
    class surprises.
    """
    if criterion == "entropy":
        return np.asarray(-0.5 * np.log1p(likelihood.tilted(y, mean, var).curvature * var))
    falls = np.zeros(len(y))
    for c in range(likelihood.n_classes):
        tilted = likelihood.tilted(np.full_like(y, c), mean, var)
        falls -= 0.5 * np.exp(tilted.log_z) * np.log1p(tilted.curvature * var)
    return falls


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
        return Sites.matched(self.likelihood.tilted(y.astype(np.int64), *at), *at)

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
        by_covariance = q.slopes(covariance, self.X)
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
