"""A relevance vector machine with one more basis function, at the test input."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.numerics import jets
from gpforecast.posteriors.augmented import Augmented
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable


@storable
@dataclass(frozen=True, eq=False)
class AugmentedPosterior(Augmented):
    r"""RVM*: a trained relevance vector machine, and what it needs to add a basis function.

    With :math:`k = \phi_*(X)` the basis function at the test input, seen from the training inputs,
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

    def _augmented(
        self,
        prior: FloatArray,  # noqa: ARG002 - a basis function is 1 at its own centre
        on_base: FloatArray,
        on_rows: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        m, beta = len(self.base.centers), 1.0 / self.noise_var
        a = jets.plus(jets.through(on_base, self.factor[:m]), self.factor[m:].sum(axis=0))  # F' phi
        t = jets.through(on_rows, self.Q1)
        e = jets.plus(-np.sqrt(beta) * jets.times(a, t).sum(axis=-1, keepdims=True), 1.0)
        q = jets.through(on_rows, self.pull)
        rest = on_rows
        rest -= jets.through(t, self.Q1.T)
        s = beta * (jets.sum_of_squares(rest) + jets.sum_of_squares(jets.through(t, self.Q2.T)))
        gain = jets.over(self.prior_var * e, jets.plus(self.prior_var * s, 1.0))
        mean = jets.plus(jets.through(on_base, self.base.weights), self.base.constant)
        # The variance is never less than the machine's own.
        return mean + jets.times(gain, q), jets.sum_of_squares(a) + jets.times(gain, e)


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
