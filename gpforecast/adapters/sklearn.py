"""One-step models as scikit-learn regressors, for pipelines, searches and whatever takes one."""

from typing import Any, Self

import numpy as np

from gpforecast.adapters.extras import missing_extra
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models import GaussianProcess, RelevanceVectorMachine, SparseGaussianProcess
from gpforecast.transforms import Standardise

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise missing_extra("sklearn", error) from None

__all__ = ["GPRegressor", "RVMRegressor", "SparseGPRegressor"]


class _Regressor(RegressorMixin, BaseEstimator):
    """What every face shares: scikit-learn's checks outside, one of our models inside.

    A face names in `_kind` which model it is. Its parameters are its `__init__`'s, as scikit-learn
    wants them, and under the same names the model's.
    """

    _kind: type[Any]
    normalize_y: bool

    def _model(self) -> Any:
        """Return the model to fit, with the parameters of this face."""
        given = self.get_params(deep=False)
        del given["normalize_y"]
        if "random_state" in given:
            given["seed"] = _seed(given.pop("random_state"))
        return self._kind(**given)

    def fit(self, X: Any, y: Any) -> Self:
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

    def predict(self, X: Any, return_std: bool = False) -> Any:
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


class GPRegressor(_Regressor):
    """Gaussian-process regression, as a scikit-learn estimator.

    Parameters
    ----------
    covariance : Covariance, optional
        As for `gpforecast.models.GaussianProcess`; in the units of the inputs and, with
        `normalize_y`, of the standardised target.
    noise_var : float or None
        Variance of the noise, in squared units of the (standardised) target; ``None`` starts it
        from the data.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters as given.
    prior : {None, "weak"}
    n_restarts : int
    max_iter : int
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction. The prior mean of
        the process is 0, so without this the target should be centred.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.
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

    def __init__(
        self,
        covariance: Covariance | None = None,
        *,
        noise_var: float | None = None,
        optimizer: str | None = "L-BFGS-B",
        prior: str | None = None,
        n_restarts: int = 0,
        max_iter: int = 200,
        normalize_y: bool = True,
        progress: bool | None = None,
        random_state: Any = None,
    ) -> None:
        self.covariance = covariance
        self.noise_var = noise_var
        self.optimizer = optimizer
        self.prior = prior
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.normalize_y = normalize_y
        self.progress = progress
        self.random_state = random_state


class SparseGPRegressor(_Regressor):
    """A Gaussian process on many rows through a few inducing inputs, as a scikit-learn estimator.

    Parameters
    ----------
    covariance : Covariance, optional
    approximation : str
    n_inducing : int
    inducing : {"random", "kmeans"} or array-like (M, d)
    optimise_inducing : bool or None
    blocks : {"random", "kmeans"} or array-like (S, d)
    n_blocks : int or None
    projection : int, array-like (g, d) or None
    variable_noise : bool
    noise_var : float or None
    optimizer : {"L-BFGS-B", None}
    max_iter : int
        All as for ``gpforecast.models.SparseGaussianProcess``; in the units of the inputs and, with
        `normalize_y`, of the standardised target.
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.
    random_state : int, RandomState or None
        For the choice of inducing inputs and blocks.

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

    def __init__(
        self,
        covariance: Covariance | None = None,
        *,
        approximation: str = "vfe",
        n_inducing: int = 200,
        inducing: Any = "kmeans",
        optimise_inducing: bool | None = None,
        blocks: Any = "random",
        n_blocks: int | None = None,
        projection: Any = None,
        variable_noise: bool = False,
        noise_var: float | None = None,
        optimizer: str | None = "L-BFGS-B",
        max_iter: int = 500,
        normalize_y: bool = True,
        progress: bool | None = None,
        random_state: Any = None,
    ) -> None:
        self.covariance = covariance
        self.approximation = approximation
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.optimise_inducing = optimise_inducing
        self.blocks = blocks
        self.n_blocks = n_blocks
        self.projection = projection
        self.variable_noise = variable_noise
        self.noise_var = noise_var
        self.optimizer = optimizer
        self.max_iter = max_iter
        self.normalize_y = normalize_y
        self.progress = progress
        self.random_state = random_state


class RVMRegressor(_Regressor):
    """A relevance vector machine, as a scikit-learn estimator.

    Parameters
    ----------
    lengthscales : float, array-like (d,) or None
    adapt : {"ard", "isotropic", None}
    noise_var : float or None
        In squared units of the (standardised) target.
    learn_noise, bias : bool
    algorithm : str or instance
    width_steps, n_passes, max_iter : int
    tol : float
        All as for `gpforecast.models.RelevanceVectorMachine`.
    normalize_y : bool
        Standardise the target before fitting and undo it in every prediction.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

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

    def __init__(
        self,
        lengthscales: Any = None,
        *,
        adapt: str | None = "ard",
        noise_var: float | None = None,
        learn_noise: bool = True,
        bias: bool = True,
        algorithm: Any = "subspace",
        width_steps: int = 0,
        n_passes: int = 10,
        max_iter: int = 500,
        tol: float = 0.1,
        normalize_y: bool = True,
        progress: bool | None = None,
    ) -> None:
        self.lengthscales = lengthscales
        self.adapt = adapt
        self.noise_var = noise_var
        self.learn_noise = learn_noise
        self.bias = bias
        self.algorithm = algorithm
        self.width_steps = width_steps
        self.n_passes = n_passes
        self.max_iter = max_iter
        self.tol = tol
        self.normalize_y = normalize_y
        self.progress = progress

    @property
    def relevance_vectors_(self) -> FloatArray:
        """The inputs at which basis functions are left, (m, d)."""
        check_is_fitted(self)
        vectors: FloatArray = self.model_.relevance_vectors_
        return vectors


def _seed(random_state: Any) -> int:
    """Return a seed for our models from what scikit-learn calls a random state."""
    return int(check_random_state(random_state).randint(2**31 - 1))
