"""Local linear prediction from nearest neighbours."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common.parameters import POSITIVE_INTEGER, number, parameter
from gpforecast.common.types import FloatArray
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.posteriors.local_linear import LocalLinear
from gpforecast.storage import storable

_RIDGE = number("a number of at least 1e-14", lambda v: v >= 1e-14)
_RIDGES = (1e-3, 1e-2, 0.1, 1.0)  # those compared


@storable
@dataclass(eq=False, repr=False)
class NearestNeighbours(Estimator):
    r"""A linear model of the k nearest training rows, made anew for every input.

    The classical baseline for a chaotic series: nothing is trained but the noise variance. Inputs
    are divided by the spread of their columns before distances are measured. The slopes are those
    of a ridge regression around the mean of the neighbours, so k may be below the number of
    inputs; they are followed no farther than twice as far as the neighbours lie, so that no
    forecast runs away along them.

    The prediction is linear in the targets, f(x) = h(x)'y, so that
    :math:`\operatorname{var} f(x) = \sigma^2 |h(x)|^2`: with the noise of the neighbours' targets
    it knows one source of error; that the map bends between them is felt in :math:`\sigma^2`,
    which comes from predicting each row without itself:

    .. math::

        \sigma^2 = \frac1n \sum_i \frac{r_i^2}{1 + |h_i|^2}

    The neighbours depend on the test input, so moments at an uncertain input have no
    closed form: propagate it by ``"cubature"`` or ``"monte_carlo"``. (``"taylor"`` trusts the local
    slope as far as the input is uncertain, and on noisy series explodes.)

    Parameters
    ----------
    n_neighbors : int
        k. More neighbours average more noise and bend less.
    ridge : float or None
        Positive: the penalty on the slopes, as a fraction of the mean squared distance of the
        neighbours from their mean. ``None`` takes that of 1e-3, 0.01, 0.1 and 1 which predicts
        the rows best that are left out one at a time: little where the map is smooth, much where
        there is noise.

    Attributes
    ----------
    ridge_ : float
    predictive_ : LocalLinear
        The frozen result; all prediction goes through it.
    noise_var_ : float
        Squared units of the target.

    Notes
    -----
    Fitting costs one prediction a row; a prediction is a search for k of n rows and a k x k solve.
    To `condition` on other rows keeps the noise variance and the units of the inputs.

    References
    ----------
    Farmer and Sidorowich (1987), "Predicting chaotic time series", Physical Review Letters 59,
    845-848; Hastie, Tibshirani and Friedman (2009), section 6.1.1 (linear smoothers).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> nn = gf.models.NearestNeighbours().fit(X, np.sin(X[:, 0]))
    >>> bool(abs(nn.predict([[1.234]])[0] - np.sin(1.234)) < 1e-3)
    True
    """

    n_neighbors: int = parameter(5, POSITIVE_INTEGER)
    _: KW_ONLY
    ridge: float | None = parameter(None, _RIDGE.or_none("to choose it"))

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        self._check_number(y)
        scale = column_spread(X)
        trials = []
        for ridge in _RIDGES if self.ridge is None else (float(self.ridge),):
            local = LocalLinear(X.copy(), y.copy(), scale, int(self.n_neighbors), ridge, 0.0)
            residual, gain = local.left_out()
            trials.append((float(np.mean(residual**2)), ridge, local, residual, gain))
        _, self.ridge_, local, residual, gain = min(trials, key=lambda trial: trial[0])
        self.noise_var_ = float(np.mean(residual**2 / (1.0 + gain)))
        self.predictive_ = replace(local, noise_var=self.noise_var_)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._check_number(y)
        self.predictive_ = replace(self.predictive_, X=X.copy(), y=y.copy())

    def _check_number(self, y: FloatArray) -> None:
        if len(y) <= self.n_neighbors:
            raise ValueError(
                f"X must have more rows than n_neighbors={self.n_neighbors}; got {len(y)}. Pass a "
                f"longer series or fewer neighbours."
            )
