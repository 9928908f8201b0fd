"""The evidence of a Gaussian process with weights at support inputs, and its predictions."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.slopes import MatrixSlopes
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import Evidence, kernel_of
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Parameters, in_parts
from gpforecast.models.sparse.likelihood import SparseFactors, factorise
from gpforecast.models.sparse.training import Slopes
from gpforecast.posteriors.augmented import AugmentedReducedRank
from gpforecast.posteriors.extended_linear import Posterior


class WholeParameters(Parameters):
    """Those of a process whose linear terms pass through the support inputs as well."""

    nugget = 1e-10  # the thesis's own code has 1e-8
    jitters = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)

    @cached_property
    def parts(self) -> Parts:
        """The covariance, all of it a kernel."""
        return Parts(self.covariance, self.covariance, np.zeros(self.inducing.shape[1] + 1))

    def cross(self, at: FloatArray) -> MatrixSlopes:
        """Return the kernel's matrix, exact where rows and support nearly coincide."""
        return self.kernel.with_slopes(at, self.inducing)


@dataclass(frozen=True, eq=False)
class SupportEvidence(Evidence):
    r"""The evidence at a fixed support, eqs. (3.23) to (3.25), and what follows from its factors.

    With :math:`L L' = K_{MM}`, :math:`V = L^{-1} K_{MN}` and :math:`B = \sigma^2 I + V V'`, the
    model is linear in a with independent standard normal weights w, :math:`f(x) = a(x)' w`,
    :math:`a(x) = L^{-1} k(x)`, and everything large is N x M. The covariance of the targets is
    :math:`\tilde Q = \sigma^2 I + V' V`.

    An evaluation with slopes costs O(n m^2 + n m d) time and four m x n matrices.

    Attributes
    ----------
    support : ndarray (m, d)
    """

    support: FloatArray

    @property
    def kernel(self) -> Covariance:
        """All of the covariance that is not linear."""
        parts = Parts.of(self.covariance, self.X.shape[1])
        return kernel_of(parts, "a reduced-rank Gaussian process")

    @cached_property
    def factors(self) -> SparseFactors:
        """Those of the deterministic training conditional, which has the same evidence."""
        p = WholeParameters(self.covariance, self.noise_var, self.support)
        rows = in_parts(self.X, self.y, np.zeros(self.X.shape[1]), len(self.support))
        return factorise(p, rows, APPROXIMATIONS["dtc"], keep=True)

    def degenerate(self) -> Posterior:
        r"""Return the process without a further weight, eqs. (3.26) and (3.27), as a posterior.

        :math:`k(x, x_i) = c\,b_i(x) + x' \Lambda x_i + v` makes basis functions, slopes and a
        constant of the weights :math:`\mu` and of a factor of their covariance,
        :math:`F = \sigma L^{-\top} C_B^{-\top}` with :math:`F F' = \Sigma`. O(m^3) time.
        """
        m, d = self.support.shape
        c, unit = self.kernel.unit()
        prior = Parts.of(self.covariance, d).prior
        f = self.factors
        root = scipy.linalg.solve_triangular(f.inner_chol, np.eye(m), lower=True)
        both = np.column_stack([f.gamma, root.T])
        both = scipy.linalg.solve_triangular(f.L, both, lower=True, trans=1)  # mu and F
        slopes, level = (self.support * prior[:d]).T, np.full((1, m), prior[d])
        features = np.concatenate([c * both, slopes @ both, level @ both])
        return Posterior(
            centers=self.support.copy(),
            lengthscales=scales_of(unit, np.ones(d)),
            weights=features[:m, 0].copy(),
            linear=features[m : m + d, 0].copy(),
            constant=float(features[m + d, 0]),
            noise_var=float(self.noise_var),
            added=features[:, 1:].copy(),
            covariance=unit,
        )

    def augmented(self) -> AugmentedReducedRank:
        """Return the process with a further weight at the test input, eq. (3.29).

        It keeps the training inputs: O(n m) memory, O(n m^2) time.
        """
        f, V = self.factors, self.factors.features().T
        chol_inner = np.sqrt(self.noise_var) * f.inner_chol
        return AugmentedReducedRank(
            base=self.degenerate(),
            covariance=self.covariance,
            X=self.X.copy(),
            chol=f.L,
            chol_inner=chol_inner,
            Q1=scipy.linalg.solve_triangular(chol_inner, V, lower=True, check_finite=False).T,
            weights=f.gamma,
            pull=(self.y - f.gamma @ V) / self.noise_var,
        )

    def of_full_process(self, n_rows: int) -> Evidence:
        """Return the evidence of the full process on at most so many of the rows."""
        others = self.covariance, self.noise_var, self.scale, self.y_var, self.weak_prior
        return Evidence(self.X, self.y, *others).on_few_rows(min(len(self.y), n_rows))

    def with_best_noise(self) -> Self:
        r"""Return the same function, to start from the noise of greatest evidence.

        What a small support cannot explain must count as noise. A search that starts from less
        meets an evidence so low that its first step can go anywhere.

        Notes
        -----
        With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
        costs O(m), so that all of them cost one factorisation.
        """
        V = self.factors.features().T
        values, U = np.linalg.eigh(V @ V.T)
        values, fitted = np.maximum(values, 0.0), (U.T @ (V @ self.y)) ** 2
        total, n_rest = float(self.y @ self.y), len(self.y) - len(values)

        def negative(log_noise: float) -> float:
            noise = np.exp(log_noise)
            quadratic = (total - np.sum(fitted / (noise + values))) / noise
            return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

        low, high = self.log_bounds[-1].tolist()
        grid = np.linspace(float(low), float(high), 200)
        return replace(self, noise_var=float(np.exp(min(grid, key=negative))))

    def _log_evidence(self, covariance: Covariance, noise_var: float) -> float:
        return replace(self, covariance=covariance, noise_var=noise_var).factors.log_evidence

    def _with_slopes(self, covariance: Covariance, noise_var: float) -> tuple[float, FloatArray]:
        f = replace(self, covariance=covariance, noise_var=noise_var).factors
        by = Slopes(f, np.ones(self.X.shape[1]))
        return f.log_evidence, np.append(by.by_kernel, by.log_noise)
