"""What every one-step model becomes: an extended linear model, frozen after training."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.basis import means
from gpforecast.numerics.compiled.exact import exact_moments, subtract_explained
from gpforecast.numerics.compiled.pairs import pair_remainders
from gpforecast.numerics.compiled.panels import WIDTH
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.numerics.linear_algebra import solve_rows
from gpforecast.numerics.packing import padded, panels, symmetric_tiles, triangular_blocks
from gpforecast.numerics.threads import one_blas_thread, run_shared
from gpforecast.posteriors.base import Draw, Moments, Prediction, in_blocks
from gpforecast.posteriors.coefficients import Coefficients
from gpforecast.posteriors.function_draws import draw_functions
from gpforecast.posteriors.joint import Joint
from gpforecast.posteriors.polynomial import EXACT_DEGREE, Lines, Polynomials
from gpforecast.storage import storable

_BATCH_ELEMENTS = 64_000  # doubles in one block of the working arrays: 0.5 MB, for the cache
_BLOCK_ELEMENTS = 4_000_000  # doubles of k(x, x_i) at a time: 32 MB
_WORTH_SHARING = 1000  # basis functions from which one input is shared out among threads


@storable
@dataclass(frozen=True, eq=False)
class Posterior(Coefficients):
    r"""An extended linear model of f, ready to predict at known and at Gaussian inputs.

    With features :math:`\psi(x) = [k_1(x), \dots, k_m(x);\ x;\ 1]`, where
    :math:`k_i(x) = k(x, x_i)`,

    .. math::

        E[f(x)] = \psi(x)' w, \qquad
        \operatorname{cov}(f(x), f(x')) = c\, k(x, x')
            - k(x)' (C C')^{-1} k(x') + \psi(x)' A A' \psi(x')

    where C is `chol` and A is `added`. A Gaussian process has c its signal variance and
    :math:`C C' = (K + \sigma^2 I)/c^2`; A carries the uncertainty of linear and constant terms.
    A relevance vector machine has c = 0, no C, and :math:`A A' = \Sigma`. The factors are kept
    instead of their products because products of them lose the digits that a variance is made of.

    Memory is O(m^2); a prediction costs O(m^2) time, its mean alone O(m d).

    Attributes
    ----------
    centers : ndarray (m, d)
        Where the basis functions sit; m may be 0.
    lengthscales : ndarray (d,)
        The distance along each input over which f varies.
    weights : ndarray (m,)
        The part of w that weighs the basis functions.
    linear : ndarray (d,)
        The linear part of w.
    constant : float
        The constant part of w.
    noise_var : float
        Variance of an observation around f.
    prior_var : float
        c.
    chol : ndarray (m, m) or None
        C, lower triangular.
    nugget : float, ndarray (m,) or ndarray (m, m)
        What :math:`c^2 C C'` has beyond the covariance c k of the basis functions, as variances on
        its diagonal or as a matrix: a GP's noise and jitter. Only drawing functions needs it.
    added : ndarray (m + d + 1, p) or None
        A.
    covariance : Covariance or None
        k. ``None`` stands for a squared exponential of these length-scales and variance 1. What
        can be done with the posterior beyond predictions at known inputs depends on it; see
        `supports`.
    """

    @property
    def model(self) -> str:
        """What it is, for messages."""
        degree = self.kernel.polynomial_degree or 0
        of_degree = f" of degree {degree} (exact up to {EXACT_DEGREE})" if degree else ""
        return f"a posterior with the covariance {type(self.kernel).__name__}{of_degree}"

    @cached_property
    def polynomials(self) -> Polynomials | None:
        """The same by coefficients, where all functions are polynomials of a low degree."""
        degree = self.kernel.polynomial_degree
        low = degree is not None and self.n_basis > 0 and degree <= EXACT_DEGREE
        return Polynomials.of(self) if low else None

    @cached_property
    def lines(self) -> Lines:
        """The same without basis functions."""
        return Lines.of(self)

    @cached_property
    def supports(self) -> frozenset[str]:
        """What the covariance allows beyond what always works, as `offered` names it."""
        linear, k = self.n_basis == 0, self.kernel
        low = k.polynomial_degree is not None and k.polynomial_degree <= EXACT_DEGREE
        found = {"exact": linear or k.has_expectations or low, "taylor": linear or k.is_smooth}
        found["straight"] = linear
        return frozenset({"function", "joint", *(name for name in found if found[name])})

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean at known inputs X (n, d), (n,): O(m d) each."""
        if self.n_basis and self.kernel.has_expectations:
            return means(self._read(X), *self._packed_mean, float(self.constant))
        return np.asarray(self.features(X) @ self.weights + X @ self.linear + self.constant)

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d), in bounded memory."""
        return in_blocks(self._predict, max(1, _BLOCK_ELEMENTS // max(1, self.n_basis)), X)

    def _predict(self, X: FloatArray) -> Prediction:
        k = self.features(X)
        mean = k @ self.weights + X @ self.linear + self.constant
        var = self.prior_var * self.kernel.diag(X) if self.prior_var else np.zeros(len(X))
        var += self.factors_of(k, X) ** 2 @ self.signs
        return Prediction.clipped(mean, var)

    def joint(self, X: FloatArray) -> Joint:
        """Return mean and covariance of f at known inputs X (n, d) jointly; Snelson (1.17b)."""
        factors = self.factors(X)
        cov = (self.signs * factors) @ factors.T
        if self.prior_var:
            cov += self.prior_var * self.kernel(X)
        return Joint.gaussian(self.mean(X), cov)

    @cached_property
    def signs(self) -> FloatArray:
        """The sign of each of the `factors`: what the data explain is subtracted."""
        explained = 0 if self.chol is None else self.n_basis
        return np.repeat([-1.0, 1.0], [explained, self.A.shape[1]])

    def factors(self, X: FloatArray) -> FloatArray:
        """Return [C^-1 k(x), A' psi(x)] at inputs X (n, d), of which cov(f(x), f(x')) is made."""
        return self.factors_of(self.features(X), X)

    def factors_of(self, k: FloatArray, x: FloatArray) -> FloatArray:
        """Return [C^-1 k, A' [k; x; 1]] of values k (n, m) of the basis functions, x (n, d)."""
        A_k, A_x, A_1 = self._split(self.A)
        added = k @ A_k + x @ A_x + A_1
        return added if self.chol is None else np.hstack([solve_rows(self.chol, k.copy()), added])

    def prior_pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return c k(x_i, z_i), (n,)."""
        return np.asarray(self.prior_var * self.kernel.pairs(X, Z))

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d), O(m d) each; memory O(n m)."""
        matrix = self.kernel.with_slopes(X, self.centers)
        weights = np.broadcast_to(self.weights, matrix.K.shape)
        return np.asarray(matrix.rows(weights) + self.linear)

    def draw(self, n: int, rng: np.random.Generator, *, n_features: int = 256) -> Draw:
        """Draw n functions, each to be evaluated at inputs of its own; see `draw_functions`."""
        if self.polynomials is not None:
            return self.polynomials.draw(n, rng)
        return draw_functions(self, n, rng, n_features=n_features)

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        r"""Return the exact moments of f at inputs x ~ N(u, S).

        The law of total variance, arranged so that nothing large is subtracted from anything
        large. Every row of w, A' and C^-1 is the weight vector of a function h; with
        :math:`m = E[h(x)]` and g its expected gradient,

        .. math::

            \operatorname{var} h(x) = g' S g + \sum_r \frac{s_r^3}{(1+2s_r)(1+s_r)^2} \zeta_r^2
                - 2 m \rho + \sum_{ij} h_i h_j l_i l_j (e^{T_{ij}} - 1 - T_{ij})

        (derived in the explanation pages), where the last term is summed once for all of them.

        Parameters
        ----------
        u : ndarray (b, d)
        S : ndarray (b, d, d)

        Returns
        -------
        Moments

        Raises
        ------
        ValueError
            If u and S are not of these shapes: compiled code would read beyond them.

        Notes
        -----
        Each input costs m^2/2 exponentials, as many dot products of the length of the rank r of
        S, and r + 2 triangular solves; memory is O(m r) beyond the result, and on the first call
        m^2 once for the model. One input is shared out among threads from a thousand basis
        functions on (see `gpforecast.numerics.threads.run_shared`); several are not, their caller
        can. The result does not depend on the number of threads, to the last bit.
        """
        d = self.n_inputs
        if u.shape[1:] != (d,) or S.shape != (len(u), d, d):
            raise ValueError(
                f"u and S must be means and covariances of b inputs, shapes (b, {d}) and "
                f"(b, {d}, {d}); got {u.shape} and {S.shape}. Of one input, pass u[None], S[None]."
            )
        if self.polynomials is not None:
            return self.polynomials.moments(u, S)
        if self.n_basis == 0:
            return self.lines.moments(u, S)
        return in_blocks(self._moments, self._block, u, S)

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        r"""Return moments from the mean to first and the variance to second order around u.

        .. math::

            m = \mu(u), \quad g = \nabla\mu(u), \quad
            v = \sigma^2(u) + \tfrac12 \operatorname{tr}(\nabla\nabla\sigma^2(u)\, S) + g' S g

        (Girard et al. 2003, eqs. 8 and 9). The two terms that stand for :math:`E[\sigma^2(x)]` can
        sum to a negative number far from the training data; they are then set to zero and counted
        in ``n_clipped``.

        Parameters
        ----------
        u : ndarray (b, d)
        S : ndarray (b, d, d)

        Returns
        -------
        Moments
        """
        return in_blocks(self._taylor, self._block, u, S)

    def _moments(self, u: FloatArray, S: FloatArray) -> Moments:
        model, tiles, blocks, corners = self._packed
        # Copies: numba would compile again for read-only or strided arrays.
        u, S = np.array(u, np.float64, order="C"), np.array(S, np.float64, order="C")
        mean, var, gradient, Y, rho, zs = exact_moments(u, S, *model)
        n_panels = len(model[0])
        sums = np.zeros((len(u), n_panels))
        if len(u) == 1 and self.n_basis >= _WORTH_SHARING:
            l_ = Y[:, :, :WIDTH].copy()  # the solve overwrites Y
            cuts = [round(n_panels * np.sqrt(k / 6)) for k in range(7)]  # of a triangle
            pairs = [
                partial(pair_remainders, l_, rho, zs, tiles, self.n_basis, a, b, sums)
                for a, b in pairwise(cuts)
            ]
            run_shared([partial(subtract_explained, blocks, corners, Y, var), *pairs])
        else:
            pair_remainders(Y, rho, zs, tiles, self.n_basis, 0, n_panels, sums)
            subtract_explained(blocks, corners, Y, var)
        whole = var[:, 0] + (var[:, 1] + np.add.reduce(sums, axis=1))
        return Moments.above(var[:, 2], mean, whole, gradient)

    def _taylor(self, u: FloatArray, S: FloatArray) -> Moments:
        s, V = eigenbasis(S, self.lengthscales)
        # With steps along these directions, a Laplacian is tr(S Hess) and squares of slopes g'Sg.
        directions = V * np.sqrt(s)[:, None] * self.lengthscales[:, None]
        Y = self.kernel.jets(u, directions, self.centers)  # (b, r + 2, m)
        prior = self.prior_var * self.kernel.diag_jets(u, directions)[:, :2, 0]
        mean = Y[:, 0] @ self.weights + u @ self.linear + self.constant
        expected = prior[:, 0] + 0.5 * prior[:, 1]
        if self.chol is not None:
            E = solve_rows(self.chol, Y.copy())
            expected -= (E[:, 0] * (E[:, 0] + E[:, 1]) + (E[:, 2:] ** 2).sum(axis=1)).sum(axis=1)
        A_k, A_x, A_1 = self._split(self.A)
        E = Y @ A_k
        level = E[:, 0] + u @ A_x + A_1
        slope = E[:, 2:] + np.swapaxes(directions, 1, 2) @ A_x
        expected += (level * (level + E[:, 1]) + (slope**2).sum(axis=1)).sum(axis=1)
        return Moments.linearised(mean, expected, self.gradient(u), S)

    def _read(self, X: FloatArray) -> FloatArray:
        """Return known inputs as compiled code reads them, which would read beyond others."""
        if X.shape[1] != self.n_inputs:
            raise ValueError(
                f"X must have the {self.n_inputs} inputs of the model; got {X.shape[1]}."
            )
        return np.array(X, np.float64, order="C")

    @cached_property
    def _packed_mean(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """What the compiled mean reads, rearranged once a model."""
        return (
            panels(self.centers.T),
            self.lengthscales.copy(),
            padded(self.weights),
            self.linear.copy(),
        )

    @cached_property
    def _packed(self) -> tuple[Any, ...]:
        """What the compiled moments read, rearranged once a model."""
        # In the first column stands the mean; its weights are taken as the basis functions are.
        of_mean = np.concatenate([0.0 * self.weights, self.linear, [self.constant]])
        H_k, H_x, H_1 = self._split(np.column_stack([of_mean, self.A]))
        blocks, corners = triangular_blocks(self.chol)
        W = np.outer(self.weights, self.weights) + H_k @ H_k.T  # and - (C C')^-1
        if self.chol is not None:
            with one_blas_thread():  # otherwise the last bits depend on the order of calls
                inverse = scipy.linalg.cho_solve((self.chol, True), np.eye(self.n_basis))
            W -= 0.5 * (inverse + inverse.T)
        model = (
            *self._packed_mean,
            float(self.prior_var),
            self.n_basis,
            np.zeros((1, 0)) if self.added is None else panels(H_k, WIDTH),
            panels(self.lengthscales[:, None] * H_x),
            panels(H_1[None], 1),
        )
        return model, symmetric_tiles(W), blocks, corners

    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        m, d = self.centers.shape
        return A[:m], A[m : m + d], A[m + d]

    @property
    def _block(self) -> int:
        """How many inputs are worked on at a time."""
        m, d = self.centers.shape
        return int(max(1, _BATCH_ELEMENTS // max(1, m * (d + 2))))
