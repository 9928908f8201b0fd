"""A Gaussian process averaged over what its hyperparameters might be."""

import copy
import logging
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer
from gpforecast.covariances import Covariance
from gpforecast.models.base import check_rows
from gpforecast.models.conditioning import conditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.hamiltonian import laplace_root, sample
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.posteriors.mixture import Mixture
from gpforecast.storage import storable

logger = logging.getLogger(__name__)

_CURVATURE = 0.25  # of the weak prior, whose standard deviation is 2


@storable
class AveragedGP(Estimator):
    r"""Gaussian-process regression with the hyperparameters integrated out.

    A hundred rows leave length-scales and noise uncertain, and one best value of each gives error
    bars that know nothing of it. This model takes draws from their posterior under a weak prior,

    .. math::

        p(f \mid y) = \int p(f \mid y, \theta)\, p(\theta \mid y)\, d\theta
            \approx \frac1K \sum_k p(f \mid y, \theta_k),

    by Hamiltonian Monte Carlo, started at the mode and scaled by the curvature there. A forecast
    runs each of the K Gaussian processes over the whole horizon and mixes the results.

    Worth it for few rows: with many, all draws agree. Training takes about 8 (n_draws + n_warmup)
    evaluations of the evidence, O(n^3) each; prediction, propagation and memory are those of a
    `GaussianProcess` times n_draws.

    Parameters
    ----------
    gp : GaussianProcess, optional
        Its covariance, starting values and search. Its prior is taken as ``"weak"`` whatever it
        says, since an improper one has no draws.
    n_draws : int
        K.
    n_warmup : int
        Draws left out at the start of the chain.
    seed : int
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    predictive_ : Mixture
        The frozen result; all prediction goes through it.
    covariances_ : tuple of Covariance
        One a draw, with its hyperparameters.
    noise_vars_ : ndarray (K,)
    noise_var_ : float
        Their mean.
    acceptance_ : float
        Fraction of proposals that the chain accepted; below 0.5 it has hardly moved.
    report_ : FitReport
        Of the search for the mode.

    References
    ----------
    Rasmussen and Williams (2006), section 5.2, eq. (5.3); Neal (2011) for the sampler.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(0, 3, 8)[:, None]
    >>> model = gf.models.AveragedGP(n_draws=8).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 0.1)
    True
    """

    def __init__(
        self,
        gp: GaussianProcess | None = None,
        *,
        n_draws: int = 16,
        n_warmup: int = 16,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.gp = gp
        self.n_draws = n_draws
        self.n_warmup = n_warmup
        self.seed = seed
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Find the mode of the hyperparameters, and draw around it.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        AveragedGP
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter makes no sense.
            Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        n_draws = positive_integer(self.n_draws, "n_draws")
        n_warmup = positive_integer(self.n_warmup, "n_warmup")
        with self._training(X):
            self._average(X, y, n_draws, n_warmup)
        return self

    def condition(self, X: Any, y: Any) -> "AveragedGP":
        """Return a fitted model with the same draws, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        AveragedGP
            A new object. Costs n_draws O(n^3) factorisations.
        """
        self._frozen()
        X, y = check_rows(X, y)
        other = copy.copy(self)
        with one_blas_thread(len(y) <= SMALL):
            draws = list(zip(self.covariances_, self.noise_vars_, strict=True))
            other.predictive_ = _mixture(draws, X, y)
        return other

    def _average(self, X: FloatArray, y: FloatArray, n_draws: int, n_warmup: int) -> None:
        gp = copy.copy(GaussianProcess() if self.gp is None else self.gp)
        gp.prior = "weak"
        gp.fit(X, y)
        problem = gp.evidence_of(X, y)
        mode = np.append(gp.covariance_.log_parameters, np.log(gp.noise_var_))
        with (
            one_blas_thread(len(y) <= SMALL),
            bar("sampling", total=n_warmup + n_draws, unit="draws") as shown,
        ):
            root = laplace_root(problem.negative, mode, floor=_CURVATURE)
            chain = sample(
                problem.negative, mode, root, problem.log_bounds,
                n_draws=n_draws, n_warmup=n_warmup, rng=np.random.default_rng(self.seed),
                on_draw=shown.update,
            )  # fmt: skip
            draws = [problem.unpack(theta) for theta in chain.draws]
            del problem
            predictive = _mixture(draws, X, y)
        logger.debug("%d draws; %.0f%% of them accepted", n_draws, 100 * chain.acceptance)
        self.predictive_ = predictive
        self.covariances_ = tuple(covariance for covariance, _ in draws)
        self.noise_vars_ = np.array([noise_var for _, noise_var in draws])
        self.noise_var_ = float(self.noise_vars_.mean())
        self.acceptance_ = chain.acceptance
        self.report_ = gp.report_
        if chain.acceptance < 0.5:
            remark = f"only {chain.acceptance:.0%} of the hyperparameters' draws were accepted"
            self.report_ = replace(gp.report_, remarks=(*gp.report_.remarks, remark))


def _mixture(draws: list[tuple[Covariance, float]], X: FloatArray, y: FloatArray) -> Mixture:
    """Condition on the data at every draw."""
    parts = [conditioned(covariance, noise, X, y).posterior for covariance, noise in draws]
    return Mixture(tuple(parts), np.full(len(parts), 1.0 / len(parts)))
