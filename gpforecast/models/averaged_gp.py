"""A Gaussian process averaged over what its hyperparameters might be."""

import copy
import logging
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common.parameters import POSITIVE_INTEGER, instance, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.models.conditioning import conditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.hamiltonian import in_six_digits, laplace_root, sample
from gpforecast.models.measured import MeasuredEvidence, Measurements
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.storage import storable

logger = logging.getLogger(__name__)

_GP = instance(GaussianProcess, "a GaussianProcess, such as gf.models.GaussianProcess()")
_CURVATURE = 0.25  # of the weak prior, whose standard deviation is 2


@storable
@dataclass(eq=False, repr=False)
class AveragedGP(Estimator):
    r"""Gaussian-process regression with the hyperparameters integrated out.

    With few rows, length-scales and noise are uncertain, which the error bars of a single estimate
    do not include. This model draws them from their posterior under a weak prior,

    .. math::

        p(f \mid y) = \int p(f \mid y, \theta)\, p(\theta \mid y)\, d\theta
            \approx \frac1K \sum_k p(f \mid y, \theta_k),

    by Hamiltonian Monte Carlo, started at the mode and scaled by the curvature there. A forecast
    runs each of the K Gaussian processes over the whole horizon and mixes the results.

    It is meant for few rows; with many, all draws agree. Training takes about 8 (n_draws +
    n_warmup) evaluations of the evidence, O(n^3) each. Prediction, propagation and memory cost
    n_draws times as much as with a `GaussianProcess`.

    Parameters
    ----------
    gp : GaussianProcess, optional
        Its covariance, starting values and search are used. Its prior is always ``"weak"``, because
        there are no draws from an improper prior, and its criterion ``"evidence"``.
    n_draws : int
        K.
    n_warmup : int
        Draws discarded at the start of the chain.
    seed : int
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    predictive_ : AveragedPosterior
        The frozen result; all prediction goes through it.
    covariances_ : tuple of Covariance
        One for each draw, with its hyperparameters.
    noise_vars_ : ndarray (K,)
    noise_var_ : float
        Their mean.
    acceptance_ : float
        Fraction of accepted proposals; below 0.5 the chain has hardly moved.
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

    gp: GaussianProcess | None = parameter(None, _GP.or_none())
    _: KW_ONLY
    n_draws: int = parameter(16, POSITIVE_INTEGER)
    n_warmup: int = parameter(16, POSITIVE_INTEGER)
    seed: int = 0
    progress: bool | None = None

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        with self._training(X):
            gp = self._searched()
            learned = in_six_digits(X), in_six_digits(y)
            gp.fit(*learned)
            self.report_ = gp.report_
            mode = np.append(gp.covariance_.log_parameters, np.log(gp.noise_var_))
            problem = gp.evidence_of(*learned)
            self._draw(problem, mode)
            self._recondition(X, y)
        logger.debug("%d draws; %.0f%% of them accepted", self.n_draws, 100 * self.acceptance_)
        if self.acceptance_ < 0.5:
            remark = (
                f"only {per_cent(self.acceptance_)} of the draws of the model's settings were "
                f"accepted, so that fewer different models are averaged; a larger n_warmup helps"
            )
            self.report_ = replace(self.report_, remarks=(*self.report_.remarks, remark))

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> "AveragedGP":
        """Return it fitted to a series that was measured with noise; see `LearnsMeasured`.

        Draws are taken of both noises too, around the mode that a `GaussianProcess` finds.
        """
        found = copy.copy(self)
        if search:
            learned = in_six_digits(X), in_six_digits(y)
            gp = self._searched().fit(*learned).measured(*learned, measurements)
            problem = gp.measured_evidence_of(*learned, measurements)
            found._draw(problem, problem.start)
            found.report_ = gp.report_
        found._mix(X, y, measurements.errors(self._frozen().gradient(X)).covariance)
        return found

    def _searched(self) -> GaussianProcess:
        """Return the process, not fitted, whose mode is where the draws begin."""
        gp = copy.copy(self.gp or GaussianProcess())
        gp.prior, gp.criterion = "weak", "evidence"
        return gp

    def _draw(self, problem: Evidence | MeasuredEvidence, mode: FloatArray) -> None:
        """Draw hyperparameters around their mode, and keep them."""
        with bar("sampling", total=self.n_warmup + self.n_draws, unit="draws") as shown:
            root = laplace_root(problem.negative, mode, floor=_CURVATURE)
            thetas, self.acceptance_ = sample(
                problem.negative, mode, root, problem.log_bounds,
                n_draws=self.n_draws, n_warmup=self.n_warmup,
                rng=np.random.default_rng(self.seed), on_draw=shown.update,
            )  # fmt: skip
        draws = [problem.unpack(theta) for theta in thetas]
        self.covariances_ = tuple(draw[0] for draw in draws)
        self.noise_vars_ = np.array([draw[1] for draw in draws])
        self.measurement_vars_ = np.array([float(sum(draw[2:])) for draw in draws])
        self.noise_var_ = float(self.noise_vars_.mean())
        self.measurement_var_ = float(self.measurement_vars_.mean())

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._mix(X, y, None)

    def _mix(self, X: FloatArray, y: FloatArray, S: FloatArray | None) -> None:
        """Condition on the rows by every draw; S is the covariance of the errors of their lags."""
        draws = zip(self.covariances_, self.noise_vars_, self.measurement_vars_, strict=True)
        parts = tuple(
            conditioned(k, q, X, y, None if S is None else f * S).posterior for k, q, f in draws
        )
        self.predictive_ = AveragedPosterior(parts, np.full(len(parts), 1.0 / len(parts)))
