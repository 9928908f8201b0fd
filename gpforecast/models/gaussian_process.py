"""Gaussian-process regression by maximum marginal likelihood."""

import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import is_number, one_of, positive_integer
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models.base import FitReport, check_inputs, check_rows
from gpforecast.models.conditioning import check_covariance, conditioned, reconditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence, column_spread
from gpforecast.models.search import Search, as_given, optimise
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.storage import storable


@storable
class GaussianProcess(Estimator):
    r"""Gaussian-process regression, :math:`y = f(x) + \epsilon` with f ~ GP(0, k).

    Hyperparameters maximise the log marginal likelihood (or, with ``prior="weak"``, its sum with
    a log-normal prior) by L-BFGS-B on their logarithms, with analytic gradients. Starting values
    come from the spread of the data: a small grid of smoothness and noise levels is compared on
    at most 256 rows and the best is taken; with 512 rows or more, a search on a quarter of them
    comes first. The search has converged when three iterations gain less than 0.002 nats. An
    evaluation costs O(n^3) time, and training works in two n x n matrices.

    To fit again to slightly other data (a few rows more), start from what was found:
    ``GaussianProcess(gp.covariance_, noise_var=gp.noise_var_)``. Where every value is given, the
    search starts there, looks for no other start, and takes few evaluations.

    The prior mean is zero: centre the targets (`Forecaster` does), or add a `Constant`.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input. A sum may hold one
        `SquaredExponential`, one `Linear` and one `Constant`. Values that are ``None`` start
        from the data; values that are given are where the search starts.
    noise_var : float or None
        Variance of the observation noise, squared units of the target. ``None`` starts it from
        the data.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    prior : {None, "weak"}
        ``"weak"``: an independent log-normal on every hyperparameter, centred on its starting
        value (given, or taken from the data) with a standard deviation of 2 in the logarithm (a
        factor of 7.4). It holds few rows in many dimensions back from extremes.
    n_restarts : int
        Further searches from random starting points.
    seed : int, Generator or None
        For the restarts.
    max_iter : int
        Iterations of one search on one set of rows.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    posterior_ : Posterior
        The frozen result; all prediction goes through it.
    covariance_ : Covariance
        With the hyperparameters found.
    noise_var_ : float
    log_marginal_likelihood_ : float
        In nats, without the prior.
    report_ : FitReport
        Iterations, evaluations, the optimiser's message, jitter, parameters at a bound.

    References
    ----------
    Quinonero-Candela (2004), section 3.1; Snelson (2007), section 1.5 and eq. (1.20);
    Rasmussen and Williams (2006), sections 2.7 (linear and constant terms) and 5.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> gp = gf.models.GaussianProcess().fit(X, np.sin(X[:, 0]))
    >>> mean, std = gp.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 1e-3)
    True
    >>> gp.report_.converged
    True
    """

    def __init__(
        self,
        covariance: Covariance | None = None,
        *,
        noise_var: float | None = None,
        optimizer: str | None = "L-BFGS-B",
        prior: str | None = None,
        n_restarts: int = 0,
        seed: Seed = 0,
        max_iter: int = 200,
        progress: bool | None = None,
    ) -> None:
        self.covariance = covariance
        self.noise_var = noise_var
        self.optimizer = optimizer
        self.prior = prior
        self.n_restarts = n_restarts
        self.seed = seed
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        GaussianProcess
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter of the model
            makes no sense. Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        problem = self.evidence_of(X, y)
        search = Search.of(
            self.covariance, self.noise_var, self.max_iter, self.n_restarts, self.seed
        )
        with self._training(X), one_blas_thread(len(y) <= SMALL):
            if self.optimizer is None:
                covariance, noise_var, report = as_given(problem)
            else:
                covariance, noise_var, report = optimise(problem, search)
            del problem  # and its matrices, before the posterior makes its own
            result = conditioned(covariance, noise_var, X, y)
            self.covariance_ = covariance
            self.noise_var_ = noise_var
            self.posterior_ = result.posterior
            self.report_ = FitReport(
                **report, jitter=result.jitter, log_marginal_likelihood=result.log_evidence
            )
            self.log_marginal_likelihood_ = result.log_evidence
        return self

    def evidence_of(self, X: FloatArray, y: FloatArray) -> Evidence:
        """Return the function that training maximises: log evidence (and prior) of (X, y)."""
        if self.optimizer not in (None, "L-BFGS-B"):
            raise ValueError(f'optimizer must be "L-BFGS-B" or None; got {self.optimizer!r}.')
        if self.prior is not None:
            one_of(self.prior, "prior", ("weak",))
        positive_integer(self.max_iter, "max_iter")
        if self.n_restarts != 0:
            positive_integer(self.n_restarts, "n_restarts")
        if self.noise_var is not None and not (
            is_number(self.noise_var) and np.isfinite(self.noise_var) and self.noise_var >= 0
        ):
            raise ValueError(
                f"noise_var must be a number that is not negative, or None; got {self.noise_var!r}."
            )
        covariance = check_covariance(self.covariance or SquaredExponential())
        scale = column_spread(X)
        y_var = float(np.mean(y**2)) or 1.0
        started = covariance.started(scale, y_var)
        started.diag(X[:1])  # says so if what was given is for another number of inputs
        noise_var = 0.01 * y_var if self.noise_var is None else float(self.noise_var)
        return Evidence(X, y, started, noise_var, scale, y_var, self.prior == "weak")

    def warm_started(self) -> "GaussianProcess":
        """Return an unfitted GP whose search starts at the hyperparameters found here.

        Returns
        -------
        GaussianProcess
            A new object; it compares no grid of starts and makes no restarts, so that training it
            on a few more rows takes a fraction of the evaluations.
        """
        self._frozen()
        return self._unfitted(covariance=self.covariance_, noise_var=self.noise_var_, n_restarts=0)

    def condition(self, X: Any, y: Any) -> "GaussianProcess":
        """Return a fitted GP with the same hyperparameters, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        GaussianProcess
            A new object. Costs one O(n^3) factorisation and no search; O(k n^2) where X is what
            it was conditioned on but for a few rows, k in all, gone from the top and added below.
        """
        self._frozen()
        X, y = check_rows(X, y)
        check_inputs(X, self.posterior_.n_inputs)
        with one_blas_thread(len(y) <= SMALL):
            result = reconditioned(self.posterior_, self.covariance_, X, y)
            if result is None:
                result = conditioned(self.covariance_, self.noise_var_, X, y)
        fitted = copy.copy(self)
        fitted.posterior_ = result.posterior
        fitted.log_marginal_likelihood_ = result.log_evidence
        # Of the search, the report stays; of the data, it is new.
        fitted.report_ = replace(
            self.report_, jitter=result.jitter, log_marginal_likelihood=result.log_evidence
        )
        return fitted
