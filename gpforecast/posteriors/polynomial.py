r"""Posteriors of polynomials of the inputs, by their coefficients: exact moments, and draws.

With :math:`\tilde x = [1; x]` a polynomial of degree g is a symmetric tensor,
:math:`h(x) = T(\tilde x, \dots, \tilde x)`. For x ~ N(u, S), S = R R', its expansion in Hermite
polynomials ends with the degree, so that

.. math::

    \operatorname{var} h(x) = \sum_{k=1}^{g} \frac{1}{k!}
        \bigl\| E[D^k h(x)](R, \dots, R) \bigr\|^2, \qquad
    E[D^k h(x)] = \frac{g!}{(g - k)!}\, T(\underbrace{\cdot, \dots, \cdot}_{k},
        E[\tilde x^{\otimes (g - k)}])

and the expected products of coordinates are Isserlis's. Where f has coefficients
:math:`w + A \epsilon`, its mean is that of w, and its variance the sum of the variance of w's
polynomial and of the second moments of those of the columns of A: sums of squares, nothing is
subtracted.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Draw, Moments
from gpforecast.posteriors.coefficients import Coefficients

EXACT_DEGREE = 3
"""The greatest degree of polynomials with exact moments at Gaussian inputs."""

_BLOCK_ELEMENTS = 250_000  # doubles of the tensors of a few polynomials: 2 MB, for the cache


@dataclass(frozen=True, eq=False)
class Lines:
    r"""A Gaussian distribution of lines :math:`h(x) = a'x + b` of d inputs, and constants.

    For x ~ N(u, S), :math:`E[h(x)] = a'u + b` and :math:`\operatorname{var} h(x) = a'Sa`.

    Attributes
    ----------
    lines : ndarray (d + 1, p + 1)
        Slopes and, in the last row, constants: first of the mean, then of the columns of A, with
        A A' the covariance of the coefficients.
    prior_var : float
        The variance of an independent function added to the lines.
    """

    lines: FloatArray
    prior_var: float

    @staticmethod
    def of(posterior: Coefficients) -> "Lines":
        """Return a posterior without basis functions by its coefficients."""
        mean = np.append(posterior.linear, posterior.constant)[:, None]
        return Lines(np.hstack([mean, posterior.A]), posterior.prior_var)

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs x ~ N(u, S), u (b, d), S (b, d, d): O(d^2 + d p) each."""
        levels = np.einsum("bd,dq->bq", u, self.lines[:-1]) + self.lines[-1]
        # tr(S sum a a') is the sum of all a'Sa
        var = np.maximum(np.einsum("bde,de->b", S, self._squares), 0.0)
        var += self.prior_var + (levels[:, 1:] ** 2).sum(axis=1)
        slopes = np.repeat(self.lines[None, :-1, 0], len(u), axis=0)
        return Moments(levels[:, 0].copy(), var, slopes)

    @cached_property
    def _squares(self) -> FloatArray:
        """The sum of all a a', (d, d)."""
        return self.lines[:-1] @ self.lines[:-1].T


@dataclass(frozen=True, eq=False)
class Polynomials:
    """A Gaussian distribution of polynomials of d inputs.

    Attributes
    ----------
    powers : ndarray of int (p, d)
        Exponents of the monomials, all up to a degree.
    coefficients : ndarray (p,)
        w, the expected ones.
    root : ndarray (p, q)
        A, with A A' their covariance.
    """

    powers: IntArray
    coefficients: FloatArray
    root: FloatArray

    @staticmethod
    def of(posterior: Coefficients) -> "Polynomials":
        """Return a posterior by its coefficients; its covariance must be that of polynomials."""
        d, c = posterior.n_inputs, posterior.prior_var
        own, variances = posterior.kernel.monomials(d)
        powers = _powers(d, max(1, int(own.sum(axis=1).max())))
        place = {tuple(row): i for i, row in enumerate(powers.tolist())}
        at = [place[tuple(row)] for row in own.tolist()]
        root = np.sqrt(variances)
        Phi = _values(posterior.centers, own) * root  # k(x, x_i) = phi(x)' phi_i

        def placed(A: FloatArray) -> FloatArray:
            """Return coefficients of psi(x)' A for A (m + d + 1, q)."""
            found, m = np.zeros((len(powers), A.shape[1])), posterior.n_basis
            found[at] = root[:, None] * (Phi.T @ A[:m])
            found[[place[tuple(row)] for row in np.eye(d, dtype=int).tolist()]] += A[m : m + d]
            found[place[(0,) * d]] += A[m + d]
            return found

        mean = np.concatenate([posterior.weights, posterior.linear, [posterior.constant]])
        roots = [placed(posterior.A)]
        if c > 0.0:
            left = np.eye(len(variances))
            if posterior.chol is not None:
                left = _left(Phi, posterior.nugget / c)
            rest = np.zeros((len(powers), left.shape[1]))
            rest[at] = np.sqrt(c) * root[:, None] * left
            roots.append(rest)
        return Polynomials(powers, placed(mean[:, None])[:, 0], np.concatenate(roots, axis=1))

    @property
    def degree(self) -> int:
        """The degree of the polynomials, g."""
        return int(self.powers.sum(axis=1).max())

    def draw(self, n: int, rng: np.random.Generator) -> Draw:
        """Draw n functions, each to be evaluated at its own inputs: x (n, b, d) to f (n, b)."""
        eps = rng.standard_normal((n, self.root.shape[1]))
        theta = self.coefficients + eps @ self.root.T

        def f(x: FloatArray) -> FloatArray:
            phi = _values(x.reshape(-1, x.shape[-1]), self.powers).reshape(*x.shape[:2], -1)
            return np.asarray(np.einsum("nbp,np->nb", phi, theta))

        return f

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the exact moments at inputs x ~ N(u, S), u (b, d), S (b, d, d).

        Each costs O(q d^g r) for degree g, q columns of A, and the rank r of S.
        """
        mean, var, gradient = np.zeros(len(u)), np.zeros(len(u)), np.zeros(u.shape)
        scales = np.sqrt(np.maximum(np.einsum("bdd->bd", S).max(axis=0), 0.0))
        scales = np.where(scales > 0.0, scales, 1.0)
        s, V = eigenbasis(S, scales)
        R = np.zeros((len(u), u.shape[1] + 1, s.shape[1]))
        R[:, 1:] = V * np.sqrt(s)[:, None] * scales[:, None]
        entries = np.vstack([self.coefficients, self.root.T]) / self._ways
        step = max(1, _BLOCK_ELEMENTS // self._place.size)
        for a in range(0, len(entries), step):
            T = entries[a : a + step, self._place]  # (step, d + 1, ...)
            for i, (x, root) in enumerate(zip(u, R, strict=True)):
                level, slopes, spread = _expanded(T, np.append(1.0, x), root)
                if a == 0:
                    mean[i], gradient[i] = level[0], slopes[0, 1:]
                    level[0] = 0.0
                var[i] += float(level @ level + spread.sum())
        return Moments(mean, var, gradient)

    @cached_property
    def _place(self) -> IntArray:
        """The monomial of every entry of a tensor, (d + 1, ...) of g axes."""
        g, d = self.degree, self.powers.shape[1]
        place = {tuple(row): i for i, row in enumerate(self.powers.tolist())}
        found = np.zeros((d + 1,) * g, dtype=np.int64)
        for index in np.ndindex(found.shape):
            counts = Counter(index)
            found[index] = place[tuple(counts[j] for j in range(1, d + 1))]
        return found

    @cached_property
    def _ways(self) -> FloatArray:
        """How many entries of a tensor each monomial has, (p,)."""
        return np.bincount(self._place.ravel(), minlength=len(self.powers)).astype(np.float64)


def _powers(d: int, g: int) -> IntArray:
    """Return the exponents of all monomials of d inputs up to degree g, (p, d)."""
    chosen = combinations_with_replacement(range(d + 1), g)  # 0 stands for the factor 1
    return np.array([[row.count(j) for j in range(1, d + 1)] for row in chosen], dtype=np.int64)


def _values(X: FloatArray, powers: IntArray) -> FloatArray:
    """Return the monomials at X (n, d), (n, p)."""
    found = np.ones((len(X), len(powers)))
    for x, exponents in zip(X.T, powers.T, strict=True):
        there = exponents > 0  # few of many inputs are in a monomial
        found[:, there] *= x[:, None] ** exponents[there]
    return found


def _left(Phi: FloatArray, nugget: FloatArray | float) -> FloatArray:
    """Return a root of what data leave of independent weights: I - Phi' (Phi Phi' + N)^-1 Phi.

    N is a variance, variances (m,) or a matrix (m, m).
    """
    m, p = Phi.shape
    if not np.any(nugget):
        V = np.linalg.svd(Phi, full_matrices=False)[2]
        shrunk = np.zeros(len(V))  # what the rows span is known
    else:
        if np.ndim(nugget) == 2:
            scaled = scipy.linalg.solve_triangular(np.linalg.cholesky(nugget), Phi, lower=True)
        else:
            scaled = Phi / np.sqrt(np.broadcast_to(nugget, m))[:, None]
        _, s, V = np.linalg.svd(scaled, full_matrices=False)
        shrunk = 1.0 / np.hypot(1.0, s)
    if len(V) == p:
        return np.asarray(V.T * shrunk)
    return np.asarray(np.eye(p) - (V.T * (1.0 - shrunk)) @ V)


def _expanded(
    T: FloatArray, x: FloatArray, root: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return E h (q,), E D h (q, d + 1) and var h (q,) of polynomials T (q, d + 1, ...).

    x is their expected input preceded by a 1, (d + 1,), and root (d + 1, r) that of its
    covariance.
    """
    g, S = T.ndim - 1, root @ root.T
    spread = np.zeros(len(T))
    for k in range(g, 0, -1):
        D = math.perm(g, k) * _expected(T, g - k, x, S)
        if k == 1:
            slopes = D
        for _ in range(k):  # each contracts the first of the free axes, and appends its result
            D = np.tensordot(D, root, axes=(1, 0))
        spread += (D.reshape(len(T), -1) ** 2).sum(axis=1) / math.factorial(k)
    return _expected(T, g, x, S), slopes, spread


def _expected(T: FloatArray, m: int, x: FloatArray, S: FloatArray) -> FloatArray:
    """Contract the last m axes of T with the expected product of m inputs, Isserlis (1918)."""
    if m == 0:
        return T
    first = T @ x
    if m == 1:
        return first
    # E[x x x'] T = sum over what the last of them is paired with; m - 1 equal ways, as T is
    # symmetric.
    paired = np.tensordot(T, S, axes=2)
    return np.asarray(_expected(first, m - 1, x, S) + (m - 1) * _expected(paired, m - 2, x, S))
