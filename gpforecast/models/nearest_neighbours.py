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
_RIDGES = (1e-3, 1e-2, 0.1, 1.0)  # the values compared


@storable
@dataclass(eq=False, repr=False)
class NearestNeighbours(Estimator):
    r"""A linear model of the k nearest training rows, fitted for every test input.

    The classical baseline for a chaotic series. Only the noise variance is trained. Inputs are
    divided by the standard deviations of their columns before distances are measured. The slopes
    are those of a ridge regression around the mean of the neighbours, so k may be less than the
    number of inputs. They are extrapolated to at most twice the distance of the neighbours, so that
    no forecast diverges.

    The prediction is linear in the targets, f(x) = h(x)'y, so that :math:`\operatorname{var} f(x) =
    \sigma^2 |h(x)|^2`: it includes the noise of the neighbours' targets. The error of the linear
    approximation is part of
    :math:`\sigma^2`, which is estimated by predicting each row from the others:

    .. math::

        \sigma^2 = \frac1n \sum_i \frac{r_i^2}{1 + |h_i|^2}

    The neighbours depend on the test input, so moments at an uncertain input have no closed form:
    propagate it by ``"cubature"`` or ``"monte_carlo"``. (``"taylor"`` extrapolates the local slope
    over the whole uncertainty of the input, and diverges on noisy series.)

    Parameters
    ----------
    n_neighbors : int
        k. More neighbours average more noise, and follow a curved map less closely.
    ridge : float or None
        Positive: the penalty on the slopes, as a fraction of the mean squared distance of the
        neighbours from their mean. ``None`` selects 1e-3, 0.01, 0.1 or 1 by leave-one-out
        predictions: a small one if the map is smooth, a large one if there is noise.

    Attributes
    ----------
    ridge_ : float
    predictive_ : LocalLinear
        The frozen result; all prediction goes through it.
    noise_var_ : float
        Squared units of the target.

    Notes
    -----
    Fitting costs one prediction for each row. A prediction is a search for k of n rows and a k x k
    solve. `condition` keeps the noise variance and the scales of the inputs.

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
