"""Reduced-rank Gaussian processes: a few support inputs carry the weights of many rows."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common.parameters import FLAG, POSITIVE, POSITIVE_INTEGER, choice, parameter
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.models.greedy import CRITERIA, distinct_rows
from gpforecast.models.inducing import choose_inducing, given_inputs
from gpforecast.models.search import Search, optimise
from gpforecast.models.support_evidence import SupportEvidence
from gpforecast.storage import storable

_FIRST = 512  # rows of a full process whose hyperparameters are where a search starts
_MANY = 8192  # rows from which a climb on a quarter of them comes first
_SETTLED = 0.5  # nats; a round that gains less is the last


@storable
@dataclass(eq=False, repr=False)
class ReducedRankGP(Estimator):
    r"""Reduced-rank Gaussian process: a linear model with M basis functions at support inputs.

    .. math:: f = K_{NM} w, \quad w \sim N(0, K_{MM}^{-1}), \qquad
        y \sim N(0, \sigma^2 I + K_{NM} K_{MM}^{-1} K_{MN})

    Training maximises the evidence of that linear model in the hyperparameters, with analytic
    slopes, at O(N M^2) an evaluation. Of itself such a model is most certain where it knows least,
    far from its support; ``augmented=True`` fixes it by a further weight at the test input,
    integrated out for each prediction. Its mean is better, its variance is never below the
    degenerate one, and far from all data it is that of the full process.

    The augmented features depend on the test input, so moments at an uncertain input have no
    closed form, and no whole functions are drawn: propagate by ``"taylor"``, ``"cubature"`` or
    ``"monte_carlo"``. With ``augmented=False`` every method works.

    The prior mean is zero: centre the targets (`Forecaster` does), or add a `Constant`.

    Parameters
    ----------
    covariance : Covariance, optional
        Any covariance of `gpforecast.covariances`, or a sum or product of them. Default
        `SquaredExponential` with one length-scale per input. The search starts from the given
        values, or from the data where they are ``None``.
    n_support : int
        M; at most the number of distinct rows. Ignored if `support` is an array.
    support : {"random", "kmeans", "sgev", "sggp", "kl", "information_gain"} or array-like (M, d)
        The support inputs, or how to choose them (see `gpforecast.models.inducing`). Those of
        ``"random"`` and ``"kmeans"`` are chosen once. The others depend on the hyperparameters:
        choice and training alternate until a round gains less than half a nat.
    augmented : bool
        Predict with a further weight at the test input.
    noise_var : float or None
        Variance of the observation noise, squared units of the target, positive. ``None`` starts
        it from the data.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    n_rounds : int
        The largest number of rounds of choice and training, for greedy choices.
    n_candidates : int or None
        Rows that ``"sgev"`` and ``"sggp"`` compare at each step; ``None``: all of up
        to 256, else 59.
    seed : int, Generator or None
        For the choice of the support.
    max_iter : int
        Iterations of one search.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    predictive_ : AugmentedReducedRank
        With ``augmented=True``: the frozen result; all prediction goes through it.
    posterior_ : Posterior
        With ``augmented=False``: the same, of the degenerate process.
    support_ : ndarray (M, d)
    covariance_ : Covariance
        With the hyperparameters found.
    noise_var_ : float
    log_marginal_likelihood_ : float
        Of the reduced-rank model, in nats.
    report_ : FitReport
        Its jitter is what :math:`K_{MM}` took beyond a 1e-10th of the variance, which is always
        on its diagonal.

    Notes
    -----
    Time O(N M^2) an evaluation, and a greedy choice with c candidates O(N M^2 c). Memory O(N M).
    To `condition` on other data costs O(N M^2), without search or choice: fit again if the data
    have moved to where there is no support. A prediction costs O(M^2), augmented O(N M): the
    augmented result keeps the training inputs and an N x M matrix, which is also what it saves.

    References
    ----------
    Quinonero-Candela (2004), chapter 3: eqs. (3.23) to (3.29), sections 3.3.4 and 3.4 (HPEV-rand,
    HPEV-SGEV, HPEV-SGGP), appendices A.3 and A.5.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).standard_normal(200)
    >>> gp = gf.models.ReducedRankGP(n_support=10, support="sgev", seed=0).fit(X, y)
    >>> mean, std = gp.predict([[0.5], [100.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(0.5)) < 0.1)
    True
    >>> bool(np.isclose(std[1] ** 2, gp.covariance_.variance))  # of the prior, far from all data
    True
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    n_support: int = parameter(100, POSITIVE_INTEGER)
    support: str | ArrayLike = "random"
    augmented: bool = parameter(True, FLAG)
    noise_var: float | None = parameter(None, POSITIVE.or_none())
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    n_rounds: int = parameter(10, POSITIVE_INTEGER)
    n_candidates: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    seed: Seed = 0
    max_iter: int = parameter(200, POSITIVE_INTEGER)
    progress: bool | None = None

    def warm_started(self) -> "ReducedRankGP":
        """Return an unfitted process whose search starts at the hyperparameters found here.

        Returns
        -------
        ReducedRankGP
            A new object; it compares no grid of starts, and chooses its support anew.
        """
        self._frozen()
        return self._unfitted(covariance=self.covariance_, noise_var=self.noise_var_)

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        nowhere = np.zeros((0, X.shape[1]))
        start = SupportEvidence.started(X, y, self.covariance, self.noise_var, support=nowhere)
        _ = start.kernel  # raises if there is none
        rng = np.random.default_rng(self.seed)
        with self._training(X):
            if self.optimizer is None:
                found, self.report_ = optimise(self._chosen(start, rng), None)
            else:
                search = Search(self.covariance, self.noise_var, self.max_iter)
                found, self.report_ = self._learned(start, search, rng)
            self.support_, self.covariance_ = found.support, found.covariance
            self.noise_var_ = found.noise_var
            self._recondition(X, y)

    def _learned(
        self, problem: SupportEvidence, search: Search, rng: np.random.Generator
    ) -> tuple[SupportEvidence, FitReport]:
        """Learn the hyperparameters, alternating with a choice that depends on them.

        HPEV at a support that is held, HPEV-SGEV and HPEV-SGGP at one that is chosen greedily.
        What is free starts from a full process on a few rows.
        """
        greedy = str(self.support) in CRITERIA
        if not greedy:
            problem = self._chosen(problem, rng)
        reports: list[FitReport] = []
        if search.free:
            guess, report = optimise(problem.of_full_process(_FIRST), search)
            problem = replace(problem, covariance=guess.covariance, noise_var=guess.noise_var)
            reports.append(report)
        best_noise, n = self.noise_var is None, len(problem.y)
        from_here = Search(problem.covariance, problem.noise_var, self.max_iter)
        if not greedy:
            for n_rows in (n // 4, n) if n >= _MANY and search.free else (n,):
                part = problem.on_few_rows(n_rows)
                part = part.with_best_noise() if best_noise else part
                found, report = optimise(part, from_here)
                problem = replace(problem, covariance=found.covariance, noise_var=found.noise_var)
                reports.append(report)
            return problem, report.after(reports[:-1])
        best, least = problem, np.inf
        for turn in range(self.n_rounds):
            problem = self._chosen(problem, rng)
            problem = problem.with_best_noise() if best_noise and not turn else problem
            problem, last = optimise(problem, from_here)
            reports.append(last)
            value = problem.value(problem.start)
            gained = least - value
            if not turn or gained > 0.0:
                best, least, report = problem, value, last
            if gained < _SETTLED:
                break
        return best, report.after(other for other in reports if other is not report)

    def _chosen(self, problem: SupportEvidence, rng: np.random.Generator) -> SupportEvidence:
        """Return the problem with a support: the one given, or chosen at its hyperparameters."""
        X = problem.X
        given = given_inputs(self.support, "support", X.shape[1])
        if given is not None:
            return replace(problem, support=given[distinct_rows(given)])
        support = choose_inducing(
            str(self.support), X, problem.y, min(self.n_support, len(distinct_rows(X))),
            covariance=problem.covariance, noise_var=problem.noise_var, seed=rng,
            n_candidates=self.n_candidates,
        )  # fmt: skip
        return replace(problem, support=support)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        hyperparameters = self.covariance_, self.noise_var_
        found = SupportEvidence.started(X, y, *hyperparameters, support=self.support_)
        if self.augmented:
            self.predictive_ = found.augmented()
        else:
            self.posterior_ = found.degenerate()
        vars(self).pop("posterior_" if self.augmented else "predictive_", None)
        jitter = found.factors.jitter
        self._note(found.factors.log_evidence, jitter)
        if jitter:
            warn_numerically(
                f"the covariance of the support inputs is not positive definite to working "
                f"precision; a jitter of {jitter:.1e} was added to its diagonal. Support "
                f"inputs that nearly coincide cause this; a smaller n_support fixes it."
            )
