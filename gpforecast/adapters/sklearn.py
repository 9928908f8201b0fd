"""One-step models as scikit-learn regressors, for pipelines, searches and whatever takes one."""

from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from gpforecast.adapters.parameters import behind, parameters_of
from gpforecast.common.imports import missing_extra
from gpforecast.common.types import FloatArray
from gpforecast.models import GaussianProcess, RelevanceVectorMachine, SparseGaussianProcess
from gpforecast.transforms import Standardise

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise missing_extra("gpforecast.adapters.sklearn", "sklearn", error) from None

__all__ = ["GPRegressor", "RVMRegressor", "SparseGPRegressor"]

_Model = GaussianProcess | RelevanceVectorMachine | SparseGaussianProcess


class _Regressor(RegressorMixin, BaseEstimator):
    """What every face shares: scikit-learn's checks outside, one of our models inside.

    A face names in `_kind` which model it is, whose parameters it has (`parameters_of`).
    """

    _kind: type[_Model]
    model_: _Model
    normalize_y: bool

    def _model(self) -> _Model:
        """Return the model to fit, with the parameters of this face."""
        kind: Callable[..., _Model] = self._kind
        if "random_state" not in vars(self):
            return behind(self, kind)
        state = check_random_state(self.random_state)
        return behind(self, kind, seed=int(state.randint(2**31 - 1)))

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Learn from inputs and targets.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)
            At least two. There are no sample weights: every row has the same noise.

        Returns
        -------
        estimator
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            In scikit-learn's words where the data are no numbers, and in the model's where a
            parameter makes no sense.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=np.float64)
        scaler = Standardise.fit(y) if self.normalize_y else Standardise(0.0, 1.0)
        model = self._model().fit(X, scaler.transform(y))
        self.model_ = model
        self.noise_var_ = float(scaler.inverse_var(model.noise_var_))
        self.log_marginal_likelihood_ = float(
            model.log_marginal_likelihood_ - len(y) * np.log(scaler.scale)
        )
        self.n_iter_ = max(int(model.report_.n_iterations), 1)
        self._scaler = scaler
        return self

    def predict(
        self, X: npt.ArrayLike, return_std: bool = False
    ) -> FloatArray | tuple[FloatArray, FloatArray]:
        """Predict the target at new inputs.

        Parameters
        ----------
        X : array-like (n, d)
        return_std : bool
            Also return the standard deviation of the target there, observation noise included, as
            scikit-learn's own Bayesian regressors do; ``std**2 - noise_var_`` is the variance of
            the function alone.

        Returns
        -------
        ndarray (n,), or two of them
            In the units of the target.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if not return_std:
            return self._scaler.inverse_mean(self.model_.predict(X))
        mean, std = self.model_.predict(X, return_std=True)
        var: FloatArray = self._scaler.inverse_var(std**2) + self.noise_var_
        return self._scaler.inverse_mean(mean), np.sqrt(var)


@parameters_of(GaussianProcess, without=("seed",), normalize_y=True, random_state=None)
class GPRegressor(_Regressor):
    """Gaussian-process regression, as a scikit-learn estimator.

    Its parameters are those of `gpforecast.models.GaussianProcess`, in the units of the inputs
    and, with `normalize_y`, of the standardised target.

    Parameters
    ----------
    {parameters}
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction. The prior mean of
        the process is 0, so without this the target should be centred.
    random_state : int, RandomState or None
        For the restarts.

    Attributes
    ----------
    model_ : GaussianProcess
        Fitted to the (standardised) target.
    noise_var_ : float
        In squared units of the target.
    log_marginal_likelihood_ : float
        Of the target as it was given, in nats.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X was a frame with names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from gpforecast.adapters.sklearn import GPRegressor
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = make_pipeline(StandardScaler(), GPRegressor()).fit(X, 20 + np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - 20 - np.sin(1.5)) < 1e-2)
    True
    """

    _kind = GaussianProcess


@parameters_of(SparseGaussianProcess, without=("seed",), normalize_y=True, random_state=None)
class SparseGPRegressor(_Regressor):
    """A Gaussian process on many rows through a few inducing inputs, as a scikit-learn estimator.

    Its parameters are those of `gpforecast.models.SparseGaussianProcess`, which has a table of the
    approximations, in the units of the inputs and, with `normalize_y`, of the standardised target.

    Parameters
    ----------
    {parameters}
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction.
    random_state : int, RandomState or None
        For the choice of rows, inducing inputs and blocks.

    Attributes
    ----------
    model_ : SparseGaussianProcess
        Fitted to the (standardised) target.
    noise_var_ : float
        In squared units of the target.
    log_marginal_likelihood_ : float
        Of the approximation and the target as it was given, in nats.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X was a frame with names.
    """

    _kind = SparseGaussianProcess


@parameters_of(RelevanceVectorMachine, normalize_y=True)
class RVMRegressor(_Regressor):
    """A relevance vector machine, as a scikit-learn estimator.

    Its parameters are those of `gpforecast.models.RelevanceVectorMachine`, in the units of the
    inputs and, with `normalize_y`, of the standardised target.

    Parameters
    ----------
    {parameters}
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction.

    Attributes
    ----------
    model_ : RelevanceVectorMachine
        Fitted to the (standardised) target.
    relevance_vectors_ : ndarray (m, d)
    noise_var_ : float
        In squared units of the target.
    log_marginal_likelihood_ : float
        Of the target as it was given, in nats.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X was a frame with names.

    Examples
    --------
    >>> import numpy as np
    >>> from gpforecast.adapters.sklearn import RVMRegressor
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> rvm = RVMRegressor().fit(X, 5 + np.sinc(X[:, 0] / np.pi))
    >>> len(rvm.relevance_vectors_) < 30, bool(rvm.score(X, 5 + np.sinc(X[:, 0] / np.pi)) > 0.99)
    (True, True)
    """

    _kind = RelevanceVectorMachine
    model_: RelevanceVectorMachine

    @property
    def relevance_vectors_(self) -> FloatArray:
        """The inputs at which basis functions are left, (m, d)."""
        check_is_fitted(self)
        return self.model_.relevance_vectors_
