"""Gaussian-process regression by maximum marginal likelihood."""

import copy
from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common.parameters import COUNT, NOT_NEGATIVE, POSITIVE_INTEGER, choice, parameter
from gpforecast.common.types import FloatArray, Seed
from gpforecast.covariances import Covariance
from gpforecast.covariances.combinations import Parts
from gpforecast.models.base import COVARIANCE
from gpforecast.models.conditioning import Conditioned, conditioned, reconditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence, LeaveOneOut
from gpforecast.models.measured import FACTOR, ROUNDS, MeasuredEvidence, Measurements
from gpforecast.models.search import GAIN, Climber, Search, optimise
from gpforecast.storage import storable


@storable
@dataclass(eq=False, repr=False)
class GaussianProcess(Estimator):
    r"""Gaussian-process regression, :math:`y = f(x) + \epsilon` with f ~ GP(0, k).

    Hyperparameters maximise the log marginal likelihood (or, with ``prior="weak"``, its sum with a
    log-normal prior) by L-BFGS-B on their logarithms, with analytic gradients. Starting values come
    from the spread of the data: the best of a small grid of smoothness and noise levels on at most
    256 rows. With 512 rows or more, a search on a quarter of them comes first. When little is still
    gained, the search goes on in coordinates that switch inputs on again that were switched off too
    early. It has converged when three iterations gain less than 0.002 nats. An evaluation costs
    O(n^3) time, and training works in two n x n matrices.

    To fit again to slightly different data, start from the hyperparameters found:
    ``GaussianProcess(gp.covariance_, noise_var=gp.noise_var_)``. If all values are given, the
    search starts from them, tries no other start, and takes few evaluations.

    To `condition` on other data costs one O(n^3) factorisation and no search; O(k n^2) where the
    rows are those it was conditioned on but for a few, k in all, gone from the top and added below.

    The prior mean is zero: centre the targets (`Forecaster` does), or add a `Constant`.

    Parameters
    ----------
    covariance : Covariance, optional
        Any covariance of `gpforecast.covariances`, or a sum or product of them. Default
        `SquaredExponential` with one length-scale per input. The search starts from the given
        values, or from the data where they are ``None``.
    noise_var : float or None
        Variance of the observation noise, squared units of the target. ``None`` starts it from
        the data.
    criterion : {"evidence", "loo"}
        What the search maximises: the log marginal likelihood, or the log density of each target
        given all other rows, summed (leave-one-out). The second asks only how well rows predict
        each other. It can be better where the covariance is wrong and inputs are few; with many
        inputs and few rows, or rows that are repeated, it overfits. It costs twice the time.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    prior : {None, "weak"}
        ``"weak"``: an independent log-normal on every hyperparameter, centred on its starting
        value (given, or taken from the data) with a standard deviation of 2 in the logarithm (a
        factor of 7.4). It prevents extreme values with few rows and many inputs.
    n_restarts : int
        Further searches from random starting points.
    seed : int, Generator or None
        For the restarts.
    n_search : int or None
        Rows, evenly spaced, by which hyperparameters are searched where there are more; the
        posterior has all. ``None`` searches by all.
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
    Rasmussen and Williams (2006), sections 2.7 (linear and constant terms), 5.4.1 and 5.4.2
    (leave-one-out); Geisser's surrogate predictive probability in paper F of Quinonero-Candela.

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

    Hyperparameters by which rows that are left out are predicted best:

    >>> loo = gf.models.GaussianProcess(criterion="loo").fit(X, np.sin(X[:, 0]))
    >>> loo.log_marginal_likelihood_ < gp.log_marginal_likelihood_
    True

    The covariance of f at two inputs, and functions of the posterior:

    >>> _, cov = gp.predict([[1.5], [1.6]], return_cov=True)
    >>> cov.shape, gp.sample([[1.5], [1.6]], 5, seed=0).shape
    ((2, 2), (5, 2))
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    noise_var: float | None = parameter(None, NOT_NEGATIVE.or_none())
    criterion: str = parameter("evidence", choice("evidence", "loo"))
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    prior: str | None = parameter(None, choice("weak", None))
    n_restarts: int = parameter(0, COUNT)
    seed: Seed = 0
    n_search: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    max_iter: int = parameter(200, POSITIVE_INTEGER)
    progress: bool | None = None

    def evidence_of(
        self, X: FloatArray, y: FloatArray, kind: type[Evidence] = Evidence
    ) -> Evidence:
        """Return the log evidence (and prior) of (X, y), or another kind, to be maximised."""
        weak = self.prior == "weak"
        return kind.started(X, y, self.covariance, self.noise_var, weak_prior=weak)

    def warm_started(self) -> "GaussianProcess":
        """Return an unfitted GP whose search starts at the hyperparameters found here.

        Returns
        -------
        GaussianProcess
            A new object; it compares no grid of starts and makes no restarts, so that training it
            on a few more rows takes a fraction of the evaluations.
        """
        self._frozen()
        noise = None if self.measurement_var_ else self.noise_var_  # that of the process alone
        return self._unfitted(covariance=self.covariance_, noise_var=noise, n_restarts=0)

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        options = self.max_iter, self.n_restarts, self.seed
        search = Search(self.covariance, self.noise_var, *options) if self.optimizer else None
        with self._training(X):
            kind = Evidence if self.criterion == "evidence" else LeaveOneOut
            few = self.n_search or len(y)
            found, self.report_ = optimise(self.evidence_of(X, y, kind).on_few_rows(few), search)
            self.covariance_, self.noise_var_ = found.covariance, found.noise_var
            del found  # and its two matrices
            self._take(conditioned(self.covariance_, self.noise_var_, X, y))

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> "GaussianProcess":
        """Return it fitted to a series that was measured with noise; see `LearnsMeasured`.

        The evidence has a covariance of the rows' noise for the slopes found so far, and is
        maximised twice, each time from the hyperparameters found before. With ``optimizer=None``
        only both noises are found.
        """
        found = copy.copy(self)
        for _ in range(ROUNDS if search else 1):
            problem = found.measured_evidence_of(X, y, measurements)
            values = self.covariance_, self.noise_var_, self.measurement_var_ or 1.0
            if search:
                start = np.clip(problem.start, *problem.log_bounds.T)
                run = Climber(problem, self.max_iter, GAIN).climb(start)
                values, found.report_ = problem.unpack(run.theta), run.report
            found.covariance_, found.noise_var_, found.measurement_var_ = values
            correlated = found.measurement_var_ * problem.errors.covariance
            found._take(conditioned(found.covariance_, found.noise_var_, X, y, correlated))
        return found

    def measured_evidence_of(
        self, X: FloatArray, y: FloatArray, measurements: Measurements
    ) -> MeasuredEvidence:
        """Return the evidence of a series measured with noise, with the slopes found here."""
        rows = Evidence.started(X, y, self.covariance_, self.noise_var_)
        if self.criterion != "evidence" or Parts.of(rows.covariance, X.shape[1]).kernel is None:
            raise ValueError(
                f"measurement noise cannot be found by criterion={self.criterion!r} with "
                f"{self.covariance_!r}; it takes criterion='evidence', and not linear terms alone: "
                f"use models.LinearAR() for these, or noise='process'."
            )
        errors = measurements.errors(self._frozen().gradient(X))
        split = self.noise_var_, self.measurement_var_
        if not self.measurement_var_:
            split = errors.split(self.noise_var_)
        middle = Evidence.started(X, y, self.covariance, self.noise_var).covariance.log_parameters
        start = np.append(rows.covariance.log_parameters, np.log(split))
        usual = np.log(FACTOR * (split[0] + split[1] * errors.size)), 0.0
        held = self.optimizer is None
        return MeasuredEvidence(rows, errors, start, np.append(middle, usual), held)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        updated = reconditioned(self.posterior_, self.covariance_, X, y)
        self._take(updated or conditioned(self.covariance_, self.noise_var_, X, y))

    def _take(self, result: Conditioned) -> None:
        self.posterior_ = result.posterior
        self._note(result.log_evidence, result.jitter)
