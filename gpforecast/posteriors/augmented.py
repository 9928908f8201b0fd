"""Sparse models with one more weight, at the test input."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.numerics import jets
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.numerics.linear_algebra import solve_rows
from gpforecast.posteriors.base import Moments, Prediction, ReadOnly, in_blocks
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import storable

_BLOCK_ELEMENTS = 2_000_000  # doubles of one working array: 16 MB
_TINY = 1e-14  # of a prior variance, or of the largest precision: decides 0 / 0 at the support


class Augmented(ReadOnly, ABC):
    r"""A trained model that adds a basis function at the test input; its moments by Taylor.

    With m and V the moments without further weights, :math:`\Omega` the posterior precision of
    these, E their effect on f beyond that on all other weights, and q the pull of the targets on
    them,

    .. math:: m_* = m + E\, \Omega^{-1} q, \qquad V_* = V + E\, \Omega^{-1} E'

    A subclass is a frozen dataclass that has at least `base`, the model without the further
    weight, and `X` (n, d), its training inputs; it gives the terms of that sum.
    """

    model: ClassVar[str]  # it belongs to, for messages
    base: Posterior
    X: FloatArray

    @property
    def kernel(self) -> Covariance:
        """The covariance of which a further basis function is made."""
        return self.base.kernel

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return self.base.n_inputs

    @property
    def noise_var(self) -> float:
        """Variance of an observation around f."""
        return self.base.noise_var

    @property
    def lengthscales(self) -> FloatArray:
        """Widths of the basis functions, (d,)."""
        return self.base.lengthscales

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        return in_blocks(self._predict, self._step(0), X)

    def _predict(self, X: FloatArray) -> Prediction:
        prior, on_base = self.kernel.diag(X)[:, None, None], self.kernel(X, self.base.centers)
        mean, var = self._augmented(prior, on_base[:, None], self.kernel(X, self.X)[:, None])
        return Prediction(mean[:, 0, 0], var[:, 0, 0])

    def joint(self, X: FloatArray) -> Joint:
        """Return mean and covariance of f at known inputs X (n, d), with a weight for each.

        All of them enter the posterior at once (Quinonero-Candela 2004, section 3.3.3), so that
        mean and variance at one input are not quite those of `predict`.

        Costs O(n m) for each input and O(b^3) for b of them.
        """
        on_base, on_rows = (self.kernel(X, at)[:, None] for at in (self.base.centers, self.X))
        found = self._terms(on_base, on_rows)
        root, other = found.root[:, 0], found.other[:, 0]
        prior = self.kernel(X) - found.explained[:, 0] @ found.explained[:, 0].T
        precision = self._own(prior, np.eye(len(X)))
        precision = precision + sum(part[:, 0] @ part[:, 0].T for part in found.squares)
        values, vectors = np.linalg.eigh(0.5 * (precision + precision.T))
        # An input among those of the model adds nothing, nor does one that comes twice.
        half = vectors / np.sqrt(np.maximum(values, _TINY * values[-1]))
        further = (prior - root @ other.T) @ half
        mean = found.mean[:, 0, 0] + further @ (half.T @ found.pull[:, 0, 0])
        return Joint.gaussian(mean, root @ root.T + further @ further.T)

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods its covariance allows beyond those that always work."""
        return frozenset({"taylor"} if self.base.kernel.is_smooth else ())

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        gradient, axes, step = np.empty(X.shape), np.eye(X.shape[1]), self._step(X.shape[1])
        for here in (slice(a, a + step) for a in range(0, len(X), step)):
            directions = np.broadcast_to(axes, (len(X[here]), *axes.shape))
            gradient[here] = self._jets(X[here], directions)[0][:, 2:, 0]
        return gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return moments from the mean to first and the variance to second order around u.

        Arguments and result as those of `Posterior.taylor_moments`.
        """
        return in_blocks(self._taylor, self._step(self.n_inputs), u, S)

    def _taylor(self, u: FloatArray, S: FloatArray) -> Moments:
        s, V = eigenbasis(S, self.lengthscales)
        directions = V * np.sqrt(s)[:, None] * self.lengthscales[:, None]
        _, var = self._jets(u, directions)
        expected = var[:, 0, 0] + 0.5 * var[:, 1, 0]
        return Moments.linearised(self.predict(u).mean, expected, self.gradient(u), S)

    def _jets(self, u: FloatArray, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the jets of mean and variance, (b, r + 2, 1), as `Covariance.jets` does."""
        on_base = self.kernel.jets(u, directions, self.base.centers)
        on_rows = self.kernel.jets(u, directions, self.X)
        return self._augmented(self.kernel.diag_jets(u, directions), on_base, on_rows)

    def _augmented(
        self, prior: FloatArray, on_base: FloatArray, on_rows: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the jets of mean and variance from those of k(x, x), k(x, x_i) and k(x, X).

        It may write into the last.
        """
        found, tiny = self._terms(on_base, on_rows), _TINY * prior[:, 0]
        prior = prior - jets.sum_of_squares(found.explained)
        prior[:, 0] = np.maximum(prior[:, 0], 0.0)
        effect = prior - jets.times(found.root, found.other).sum(axis=-1, keepdims=True)
        unit = jets.plus(np.zeros_like(prior), 1.0)
        precision = self._own(prior, unit) + sum(map(jets.sum_of_squares, found.squares))
        gain = jets.over(effect, jets.plus(precision, tiny))
        # The variance is never less than that without the further weight.
        var = jets.sum_of_squares(found.root) + jets.times(gain, effect)
        return found.mean + jets.times(gain, found.pull), var

    @abstractmethod
    def _terms(self, on_base: FloatArray, on_rows: FloatArray) -> "_Terms":
        """Return the terms from the jets of k(x, x_i) and k(x, X), and may write into the last."""

    @abstractmethod
    def _own(self, prior: FloatArray, unit: FloatArray) -> FloatArray:
        """Return the prior precision of the further weights, scaled as the squares are."""

    def _step(self, n_directions: int) -> int:
        """Return how many inputs are worked on at a time."""
        width = max(1, len(self.X)) * (n_directions + 2 + self.n_inputs * (n_directions > 0))
        return max(1, _BLOCK_ELEMENTS // width)


@dataclass(frozen=True)
class _Terms:
    """Jets, (b, r + 2, p) each, of what moments with further weights are made of.

    Attributes
    ----------
    mean : ndarray (b, r + 2, 1)
        Without further weights.
    root : ndarray
        Its squares are the variance without them.
    other : ndarray
        E is the prior covariance, less what is `explained` of it, less root' other.
    squares : tuple of ndarray
        Their squares are what the data add to the precision.
    pull : ndarray (b, r + 2, 1)
        q.
    explained : ndarray
        Its squares are subtracted from the prior covariance.
    """

    mean: FloatArray
    root: FloatArray
    other: FloatArray
    squares: tuple[FloatArray, ...]
    pull: FloatArray
    explained: FloatArray


@storable
@dataclass(frozen=True, eq=False)
class AugmentedReducedRank(Augmented):
    r"""A trained reduced-rank process, and what it needs to add a weight anywhere.

    Let m and v be its degenerate moments at :math:`x_*`, :math:`a = L^{-1} k(x_*)`,
    :math:`c_* = k_{**} - a'a` the part of the prior variance that the support does not span, and
    :math:`v_* = k_* - V'a` the same part of the covariance with the training rows. A further
    weight at :math:`x_*` adds :math:`v_* v_*'/c_*` to :math:`\tilde Q`, and

    .. math::

        m_* = m + \frac{e q}{c_* + s}, \qquad v_{*} = v + \frac{e^2}{c_* + s}

        q = v_*' \tilde Q^{-1} y, \quad s = v_*' \tilde Q^{-1} v_*, \quad
        e = c_* - a' B^{-1} V v_*

    which is eq. (3.29), its variance with a minus sign, by Sherman and Morrison's identity: it
    never divides by :math:`c_*`, which is zero at the support inputs. The variance is never below
    the degenerate one.

    Attributes
    ----------
    base : Posterior
        The degenerate process.
    covariance : Covariance
    X : ndarray (n, d)
        The training inputs.
    chol, chol_inner : ndarray (m, m)
        L, and the Cholesky factor of :math:`B = \sigma^2 I + V V'`; see `WholeParameters`.
    Q1 : ndarray (n, m)
        :math:`V' C_B^{-\top}`.
    weights : ndarray (m,)
        :math:`B^{-1} V y`.
    pull : ndarray (n,)
        :math:`\tilde Q^{-1} y`.

    Notes
    -----
    s is a sum of squares: with :math:`t = Q_1' v_*`, :math:`\sigma^2 s = |v_* - Q_1 t|^2 +
    \sigma^2 |C_B^{-\top} t|^2`. A prediction costs O(n m), its Taylor moments O(n m r) for r
    uncertain inputs.

    References
    ----------
    Quinonero-Candela (2004), section 3.3.3 and appendix A.5.
    """

    model: ClassVar[str] = "an augmented ReducedRankGP"
    base: Posterior
    covariance: Covariance
    X: FloatArray = field(repr=False)
    chol: FloatArray = field(repr=False)
    chol_inner: FloatArray = field(repr=False)
    Q1: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        n, m = check_matrix(self, "X")[0], self.base.n_basis
        check_shapes(self, X=(n, self.base.n_inputs), weights=(m,), pull=(n,), Q1=(n, m))
        check_shapes(self, chol=(m, m), chol_inner=(m, m))

    @property
    def kernel(self) -> Covariance:
        """The covariance, with its linear and constant terms."""
        return self.covariance

    def _terms(self, on_base: FloatArray, on_rows: FloatArray) -> _Terms:
        a, noise = solve_rows(self.chol, on_base.copy()), np.sqrt(self.noise_var)
        h = solve_rows(self.chol_inner, a.copy())
        rest = on_rows  # k - V' a; in the end, its part orthogonal to Q1
        rest -= jets.through(jets.through(a, self.chol_inner), self.Q1.T)
        t, pull = jets.through(rest, self.Q1), jets.through(rest, self.pull)
        rest -= jets.through(t, self.Q1.T)
        inner = solve_rows(self.chol_inner, t.copy(), transposed=True)
        mean = jets.through(a, self.weights)
        return _Terms(mean, noise * h, t / noise, (rest / noise, inner), pull, explained=a)

    def _own(self, prior: FloatArray, unit: FloatArray) -> FloatArray:  # noqa: ARG002
        return prior


@storable
@dataclass(frozen=True, eq=False)
class AugmentedPosterior(Augmented):
    r"""RVM*: a trained relevance vector machine, and what it needs to add a basis function.

    With :math:`k = \phi_*(X)` the basis function of the test input at the training inputs,
    p the prior variance of its weight, :math:`\beta = 1/\sigma^2`, and :math:`m, v` the moments of
    the machine itself,

    .. math::

        m_* = m + \frac{p\, e q}{1 + p s}, \qquad v_* = v + \frac{p\, e^2}{1 + p s}

        q = \beta k' (y - \Phi\mu), \quad s = k' (\sigma^2 I + \Phi A^{-1} \Phi')^{-1} k, \quad
        e = 1 - \beta \phi(x_*)' \Sigma \Phi' k

    (Quinonero-Candela 2004, eq. 2.41, with :math:`p = \alpha_*^{-1}`).

    Attributes
    ----------
    base : Posterior
        The machine.
    X : ndarray (n, d)
        Its training inputs.
    pull : ndarray (n,)
        :math:`\beta (y - \Phi \mu)`, so that q = k' pull.
    factor : ndarray (m [+ 1], m [+ 1])
        F with F F' = Sigma over the basis functions, and the bias if there is one.
    Q1 : ndarray (n, m [+ 1])
        :math:`\sqrt\beta\, \Phi F`.
    Q2 : ndarray (m [+ 1], m [+ 1])
        :math:`A^{1/2} F`.
    prior_var : float
        p, squared units of the target.

    Notes
    -----
    s is a sum of squares. From :math:`\Sigma^{-1} = A + \beta \Phi'\Phi` follow
    :math:`Q_1'Q_1 + Q_2'Q_2 = F' \Sigma^{-1} F = I` and, by Woodbury's identity,
    :math:`(\sigma^2 I + \Phi A^{-1} \Phi')^{-1} = \beta (I - Q_1 Q_1')`. With :math:`t = Q_1' k`
    and :math:`\rho = k - Q_1 t`,

    .. math::

        |\rho|^2 = |k|^2 - 2 |t|^2 + t' Q_1' Q_1 t = |k|^2 - |t|^2 - |Q_2 t|^2
        \quad\Longrightarrow\quad s = \beta \left(|\rho|^2 + |Q_2 t|^2\right)

    Q1 and Q2 are the two blocks of the orthonormal factor of :math:`[\sqrt\beta \Phi A^{-1/2}; I]`.
    A prediction costs O(n m), its Taylor moments O(n m r) for r uncertain inputs.
    """

    model: ClassVar[str] = "RelevanceVectorMachineStar"
    base: Posterior
    X: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)
    factor: FloatArray = field(repr=False)
    Q1: FloatArray = field(repr=False)
    Q2: FloatArray = field(repr=False)
    prior_var: float

    def __post_init__(self) -> None:
        super().__post_init__()
        n, m = check_matrix(self, "X")[0], check_matrix(self, "factor")[1]
        check_shapes(self, X=(n, self.base.n_inputs), pull=(n,), factor=(m, m), Q1=(n, m))
        check_shapes(self, Q2=(m, m))

    def _terms(self, on_base: FloatArray, on_rows: FloatArray) -> _Terms:
        m, root_beta = len(self.base.centers), 1.0 / np.sqrt(self.noise_var)
        a = jets.plus(jets.through(on_base, self.factor[:m]), self.factor[m:].sum(axis=0))  # F' phi
        t, pull = jets.through(on_rows, self.Q1), jets.through(on_rows, self.pull)
        rest = on_rows
        rest -= jets.through(t, self.Q1.T)
        inner = jets.through(t, self.Q2.T)
        mean = jets.plus(jets.through(on_base, self.base.weights), self.base.constant)
        squares, nothing = (root_beta * rest, root_beta * inner), a[..., :0]
        return _Terms(mean, a, root_beta * t, squares, pull, explained=nothing)

    def _own(self, prior: FloatArray, unit: FloatArray) -> FloatArray:  # noqa: ARG002
        return unit / self.prior_var


def features_and_bias(machine: Posterior, X: FloatArray, n_weights: int) -> FloatArray:
    """Return k_i(x), and 1 if there is one more weight: (n, m [+ 1])."""
    Phi = machine.features(X)
    return Phi if n_weights == len(machine.centers) else np.column_stack([Phi, np.ones(len(X))])


def augmented(
    base: Posterior, alpha: FloatArray, X: FloatArray, y: FloatArray, prior_var: float
) -> AugmentedPosterior:
    """Prepare a trained relevance vector machine for a further basis function at any input.

    Parameters
    ----------
    base : Posterior
        The machine: basis functions and perhaps a constant, ``noise_var`` > 0.
    alpha : ndarray (m [+ 1],)
        Precisions of the weights of the basis functions, and of the constant if there is one.
    X, y : ndarray (n, d) and (n,)
        The training data.
    prior_var : float
        Variance of the weight of the further basis function.

    Returns
    -------
    AugmentedPosterior
        Costs one orthogonal factorisation, O(n m^2).
    """
    root = 1.0 / np.sqrt(alpha)
    m = len(root)
    scaled = features_and_bias(base, X, m) * root / np.sqrt(base.noise_var)
    Q, R = np.linalg.qr(np.concatenate([scaled, np.eye(m)]))  # R'R = A^-1/2 Sigma^-1 A^-1/2
    inverse = scipy.linalg.solve_triangular(R, np.eye(m)) if m else np.zeros((0, 0))
    return AugmentedPosterior(
        base=base,
        X=X.copy(),
        pull=(y - base.predict(X).mean) / base.noise_var,
        factor=root[:, None] * inverse,  # F F' = A^-1/2 (R'R)^-1 A^-1/2 = Sigma
        Q1=Q[: len(X)],
        Q2=Q[len(X) :],
        prior_var=prior_var,
    )
