"""Reduced-rank Gaussian processes: a few support inputs carry the weights of many rows."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.parameters import FLAG, POSITIVE, POSITIVE_INTEGER, choice, parameter
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.combinations import Parts
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence, kernel_of
from gpforecast.models.greedy import CRITERIA, distinct_rows
from gpforecast.models.inducing import choose_inducing, given_inputs
from gpforecast.models.search import Search, optimise
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Parameters, in_parts
from gpforecast.models.sparse.likelihood import SparseFactors, factorise
from gpforecast.models.sparse.training import Slopes
from gpforecast.posteriors.augmented import AugmentedReducedRank
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable


class WholeParameters(Parameters):
    """Those of a process whose linear terms pass through the support inputs as well."""

    nugget = 1e-10  # the thesis's own code has 1e-8
    jitters = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)
    precise = True

    @cached_property
    def parts(self) -> Parts:
        """The covariance, all of it a kernel."""
        return Parts(self.covariance, self.covariance, np.zeros(self.inducing.shape[1] + 1))


@dataclass(frozen=True, eq=False)
class SupportEvidence(Evidence):
    r"""The evidence at a fixed support, eqs. (3.23) to (3.25), and what follows from its factors.

    With :math:`L L' = K_{MM}`, :math:`V = L^{-1} K_{MN}` and :math:`B = \sigma^2 I + V V'`, the
    model is linear in a with independent standard normal weights w, :math:`f(x) = a(x)' w`,
    :math:`a(x) = L^{-1} k(x)`, and everything large is N x M. The covariance of the targets is
    :math:`\tilde Q = \sigma^2 I + V' V`.

    An evaluation with slopes costs O(n m^2 + n m d) time and O(m^2 + n d) memory; rows are
    taken in parts.

    Attributes
    ----------
    support : ndarray (m, d)
    """

    support: FloatArray

    @property
    def kernel(self) -> Covariance:
        """All of the covariance that is not linear."""
        parts = Parts.of(self.covariance, self.X.shape[1])
        return kernel_of(parts, "a reduced-rank Gaussian process")

    @cached_property
    def factors(self) -> SparseFactors:
        """Those of the deterministic training conditional, which has the same evidence."""
        p = WholeParameters(self.covariance, self.noise_var, self.support)
        rows = in_parts(self.X, self.y, np.zeros(self.X.shape[1]), len(self.support))
        return factorise(p, rows, APPROXIMATIONS["dtc"])

    def degenerate(self) -> Posterior:
        r"""Return the process without a further weight, eqs. (3.26) and (3.27), as a posterior.

        :math:`k(x, x_i) = c\,b_i(x) + x' \Lambda x_i + v` makes basis functions, slopes and a
        constant of the weights :math:`\mu` and of a factor of their covariance,
        :math:`F = \sigma L^{-\top} C_B^{-\top}` with :math:`F F' = \Sigma`. O(m^3) time.
        """
        m, d = self.support.shape
        c, unit = self.kernel.unit()
        prior = Parts.of(self.covariance, d).prior
        f = self.factors
        root = scipy.linalg.solve_triangular(f.inner_chol, np.eye(m), lower=True)
        both = np.column_stack([f.gamma, root.T])
        both = scipy.linalg.solve_triangular(f.L, both, lower=True, trans=1)  # mu and F
        slopes, level = (self.support * prior[:d]).T, np.full((1, m), prior[d])
        features = np.concatenate([c * both, slopes @ both, level @ both])
        return Posterior(
            centers=self.support.copy(),
            lengthscales=scales_of(unit, np.ones(d)),
            weights=features[:m, 0].copy(),
            linear=features[m : m + d, 0].copy(),
            constant=float(features[m + d, 0]),
            noise_var=float(self.noise_var),
            added=features[:, 1:].copy(),
            covariance=unit,
        )

    def augmented(self) -> AugmentedReducedRank:
        """Return the process with a further weight at the test input, eq. (3.29).

        It keeps the training inputs: O(n m) memory, O(n m^2) time.
        """
        f, V = self.factors, self.factors.features().T
        chol_inner = np.sqrt(self.noise_var) * f.inner_chol
        return AugmentedReducedRank(
            base=self.degenerate(),
            covariance=self.covariance,
            X=self.X.copy(),
            chol=f.L,
            chol_inner=chol_inner,
            Q1=scipy.linalg.solve_triangular(chol_inner, V, lower=True, check_finite=False).T,
            weights=f.gamma,
            pull=(self.y - f.gamma @ V) / self.noise_var,
        )

    def of_full_process(self, n_rows: int) -> Evidence:
        """Return the evidence of the full process on at most so many of the rows."""
        others = self.covariance, self.noise_var, self.scale, self.y_var, self.weak_prior
        return Evidence(self.X, self.y, *others).on_few_rows(min(len(self.y), n_rows))

    def with_best_noise(self) -> Self:
        r"""Return the same function, to start from the noise of greatest evidence.

        What a small support cannot explain must count as noise. A search that starts from less
        meets an evidence so low that its first step can go anywhere.

        Notes
        -----
        With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
        costs O(m), so that all of them cost one factorisation.
        """
        V = self.factors.features().T
        values, U = np.linalg.eigh(V @ V.T)
        values, fitted = np.maximum(values, 0.0), (U.T @ (V @ self.y)) ** 2
        total, n_rest = float(self.y @ self.y), len(self.y) - len(values)

        def negative(log_noise: float) -> float:
            noise = np.exp(log_noise)
            quadratic = (total - np.sum(fitted / (noise + values))) / noise
            return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

        low, high = self.log_bounds[-1].tolist()
        grid = np.linspace(float(low), float(high), 200)
        return replace(self, noise_var=float(np.exp(min(grid, key=negative))))

    def _height(self, theta: FloatArray) -> float:
        return self.at(theta).factors.log_evidence

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        f = self.at(theta).factors
        by = Slopes(f, np.ones(self.X.shape[1]))
        return f.log_evidence, np.append(by.by_kernel, by.log_noise)


_FIRST = 512  # rows of a full process whose hyperparameters are where a search starts
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
        from_here = Search(problem.covariance, problem.noise_var, self.max_iter)
        best, least = problem, np.inf
        for turn in range(self.n_rounds if greedy else 1):
            problem = self._chosen(problem, rng) if greedy else problem
            if self.noise_var is None and not turn:
                problem = problem.with_best_noise()
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
