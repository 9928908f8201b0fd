"""A relevance vector machine with one more basis function, at the input that is asked for."""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.numerics import jets
from gpforecast.posteriors.augmented import Augmented
from gpforecast.posteriors.base import Prediction
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable


@storable
@dataclass(frozen=True, eq=False)
class AugmentedPosterior(Augmented):
    r"""RVM*: a trained relevance vector machine, and what it needs to add a bump anywhere.

    With :math:`k = \phi_*(X)` the bump at the test input, seen from the training inputs, p the
    prior variance of its weight, :math:`\beta = 1/\sigma^2`, and :math:`m, v` the moments of the
    machine itself,

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
        F with F F' = Sigma over the bumps, and the bias if there is one.
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

    base: Posterior
    X: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)
    factor: FloatArray = field(repr=False)
    Q1: FloatArray = field(repr=False)
    Q2: FloatArray = field(repr=False)
    prior_var: float

    @property
    def model(self) -> str:
        """The model it belongs to, for messages."""
        return "RelevanceVectorMachineStar"

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        mean, var, n_clipped = np.empty(len(X)), np.empty(len(X)), 0
        for here in self._blocks(len(X), 0):
            at = self.base.predict(X[here])
            mean[here], var[here] = at.mean, at.var
            n_clipped += at.n_clipped
            no_directions = np.zeros((len(X[here]), self.n_inputs, 0))
            e, q, s, *_ = self._terms(X[here], no_directions, order=1)
            shrink = self.prior_var / (1.0 + self.prior_var * s)
            mean[here] += (shrink * e * q)[:, 0, 0]
            var[here] += (shrink * e**2)[:, 0, 0]  # never less than the machine's own
        return Prediction(mean, var, n_clipped)

    def _jets(
        self, u: FloatArray, directions: FloatArray, *, order: int
    ) -> tuple[FloatArray, FloatArray]:
        e, q, s, a, mean = self._terms(u, directions, order)
        added = self._shrunk(jets.times(e, q), s)
        return mean + added, jets.sum_of_squares(a) + self._shrunk(jets.times(e, e), s)

    def _terms(self, u: FloatArray, directions: FloatArray, order: int) -> tuple[FloatArray, ...]:
        """Return the jets of e, q, s, of F' phi, whose square is v, and of m: (b, r + 2, 1)."""
        beta, covariance = 1.0 / self.noise_var, self.base.kernel
        k = covariance.jets(u, directions, self.X, order=order)
        n_bumps = self.base.n_bumps
        phi = covariance.jets(u, directions, self.base.centers, order=order)
        mean = jets.plus((phi @ self.base.weights)[..., None], self.base.constant)
        a = phi @ self.factor[:n_bumps]
        if len(self.factor) > n_bumps:
            a = jets.plus(a, self.factor[n_bumps])
        t = k @ self.Q1
        e = jets.plus(-np.sqrt(beta) * jets.times(a, t).sum(axis=-1, keepdims=True), 1.0)
        q = (k @ self.pull)[..., None]
        rest = jets.sum_of_squares(k - t @ self.Q1.T)
        s = beta * (rest + jets.sum_of_squares(t @ self.Q2.T))
        return e, q, s, a, mean

    def _shrunk(self, f: FloatArray, s: FloatArray) -> FloatArray:
        """Return the jet of f p / (1 + p s)."""
        return jets.over(self.prior_var * f, jets.plus(self.prior_var * s, 1.0))


def augmented(
    base: Posterior,
    alpha: FloatArray,
    alpha_bias: float | None,
    X: FloatArray,
    y: FloatArray,
    prior_var: float,
) -> AugmentedPosterior:
    """Prepare a trained relevance vector machine for a further bump at any input.

    Parameters
    ----------
    base : Posterior
        The machine: bumps and perhaps a constant, ``noise_var`` > 0.
    alpha : ndarray (m,)
        Precisions of the bumps' weights.
    alpha_bias : float or None
        Precision of the bias; None without one.
    X, y : ndarray (n, d) and (n,)
        The training data.
    prior_var : float
        Variance of the weight of the further bump.

    Returns
    -------
    AugmentedPosterior
        Costs one orthogonal factorisation, O(n m^2).
    """
    Phi = base.features(X)
    if alpha_bias is not None:
        Phi = np.column_stack([Phi, np.ones(len(X))])
        alpha = np.append(alpha, alpha_bias)
    root = 1.0 / np.sqrt(alpha)
    m = len(root)
    stacked = np.concatenate([Phi * root / np.sqrt(base.noise_var), np.eye(m)])
    Q, R = np.linalg.qr(stacked)  # R'R = I + A^-1/2 Phi'Phi A^-1/2 / sigma^2
    inverse = solve_triangular(R, np.eye(m)) if m else np.zeros((0, 0))
    return AugmentedPosterior(
        base=base,
        X=X.copy(),
        pull=(y - base.predict(X).mean) / base.noise_var,
        factor=root[:, None] * inverse,  # F F' = A^-1/2 (R'R)^-1 A^-1/2 = Sigma
        Q1=Q[: len(X)],
        Q2=Q[len(X) :],
        prior_var=prior_var,
    )
