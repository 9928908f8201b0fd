"""The neural-network covariance: sums of many sigmoid functions."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.hyperparameters import hyperparameter, shape
from gpforecast.covariances.inner_product import InnerProduct


@dataclass(frozen=True, eq=False)
class NeuralNetwork(InnerProduct):
    r"""Sums of infinitely many sigmoid functions of the inputs.

    .. math::

        k(x, x') = \frac{2 v}{\pi} \arcsin
            \frac{b + x^\top \Lambda^{-1} x'}
            {\sqrt{(1 + b + x^\top \Lambda^{-1} x)(1 + b + x'^\top \Lambda^{-1} x')}},
        \qquad \Lambda = \operatorname{diag}(\ell_d^2)

    Its functions vary around the origin, where the sigmoids turn, and level off far from it.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        How wide a sigmoid is along each input, in its units. As of `SquaredExponential`.
    variance : float or None
        v, the variance of f far from the origin, in squared units of the target.
    bias : float or None
        b, without units: the larger, the farther from the origin the sigmoids turn.

    References
    ----------
    Williams (1998), "Computation with infinite neural networks", eq. (11), and Rasmussen and
    Williams (2006), eq. (4.29), with :math:`2 \Sigma = \operatorname{diag}(b, \Lambda^{-1})`;
    Lawrence (2011), the MLP covariance.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.NeuralNetwork(lengthscales=1.0, variance=3.0, bias=1.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.559],
           [0.559, 1.881]])
    """

    bias: float | None = hyperparameter(shape("bias"))

    is_normalised = True

    @property
    def level(self) -> float:
        return float(self._required()["bias"])

    def profile(self, t: FloatArray) -> FloatArray:
        return np.asarray(np.arcsin(t) / (np.pi / 2.0))

    def slope(self, t: FloatArray) -> FloatArray:
        return np.asarray(1.0 / np.sqrt((1.0 - t) * (1.0 + t)) / (np.pi / 2.0))

    def curvature(self, t: FloatArray) -> FloatArray:
        return np.asarray(t * ((1.0 - t) * (1.0 + t)) ** -1.5 / (np.pi / 2.0))
