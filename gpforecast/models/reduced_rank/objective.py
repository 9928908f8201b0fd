"""The evidence of a reduced-rank Gaussian process and its slopes, at a fixed support."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import FAILED, Evidence
from gpforecast.models.sparse.approximations import APPROXIMATIONS
from gpforecast.models.sparse.likelihood import SparseFactors, factorise
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.row_parts import RowParts, in_parts
from gpforecast.models.sparse.slopes import slopes

NUGGET = 1e-10  # of the variance, part of every K_MM; the thesis's own code adds 1e-8
SR = replace(APPROXIMATIONS["sr"], careful=True)


@dataclass(frozen=True, eq=False)
class ReducedEvidence(Evidence):
    """The function that training maximises: eqs. (3.23) to (3.25).

    It is the evidence of the approximation ``"sr"`` with a smaller nugget, and all of the
    covariance, linear terms too, passes through the support. An evaluation costs
    O(n m^2 + n m d) time.

    Attributes
    ----------
    support : ndarray (m, d)
    """

    support: FloatArray

    @cached_property
    def rows(self) -> RowParts:
        """The rows, in parts."""
        return in_parts(self.X, self.y, len(self.support))

    @property
    def full(self) -> Evidence:
        """The evidence of the full process of these rows."""
        shown = (self.X, self.y, self.covariance, self.noise_var, self.scale, self.y_var)
        return Evidence(*shown, self.weak_prior)

    @property
    def first(self) -> Parameters:
        """The process that it starts from."""
        parts = Parts(self.covariance, self.covariance, np.zeros(self.X.shape[1] + 1))
        return Parameters(parts, self.noise_var, self.support, nugget=NUGGET)

    def factors(self, *, keep: bool = False) -> SparseFactors:
        """Factor the covariance of the targets of that process."""
        return factorise(self.first, self.rows, SR, keep=keep)

    def with_best_noise(self) -> "ReducedEvidence":
        r"""Return the same function, to start from the noise of greatest evidence.

        What a small support cannot explain must count as noise. A search that starts from less
        meets an evidence so low that its first step can go anywhere.

        Notes
        -----
        With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
        costs O(m), so that all of them cost one factorisation.
        """
        found = self.factors()
        values, U = np.linalg.eigh(self.noise_var * found.S)
        v = found.gamma + found.S @ found.gamma  # V y over the noise variance
        values, fitted = np.maximum(values, 0.0), (self.noise_var * (U.T @ v)) ** 2
        total, n_rest = float(self.y @ self.y), len(self.y) - len(values)

        def negative(log_noise: float) -> float:
            noise = np.exp(log_noise)
            quadratic = (total - np.sum(fitted / (noise + values))) / noise
            return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

        low, high = self.log_bounds[-1].tolist()
        grid = np.linspace(float(low), float(high), 200)
        return replace(self, noise_var=float(np.exp(min(grid, key=negative))))

    def value(self, theta: FloatArray) -> float:
        """Return the negative log posterior of theta."""
        return self.negative(theta)[0]

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient."""
        covariance, noise_var = self.unpack(theta)
        here = replace(self, covariance=covariance, noise_var=noise_var)
        try:
            found = here.factors(keep=True)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        by = slopes(here.first, here.rows, SR, found, moved=False)
        penalty, off = self._penalty(theta)
        return penalty - by.log_evidence, off - np.append(by.by_kernel, by.log_noise)
