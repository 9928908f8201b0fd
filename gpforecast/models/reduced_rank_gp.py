"""Reduced-rank Gaussian processes: a few support inputs carry the weights of many rows."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.parameters import FLAG, POSITIVE, POSITIVE_INTEGER, choice, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances import Covariance
from gpforecast.covariances.combinations import Parts
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import Evidence, kernel_of
from gpforecast.models.greedy import CRITERIA, distinct_rows
from gpforecast.models.inducing import choose_inducing, given_inputs
from gpforecast.models.search import GAIN, KEPT, Climber, Search, check_end, optimise
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Parameters
from gpforecast.models.sparse.likelihood import SparseFactors
from gpforecast.models.sparse.training import SparseObjective, free_hyperparameters
from gpforecast.posteriors.augmented import AugmentedReducedRank
from gpforecast.storage import storable


class WholeParameters(Parameters):
    r"""Those of a process whose linear terms pass through the support inputs as well.

    With :math:`L L' = K_{MM}`, :math:`V = L^{-1} K_{MN}` and :math:`B = \sigma^2 I + V V'`, the
    model is linear in a with independent standard normal weights w, :math:`f(x) = a(x)' w`,
    :math:`a(x) = L^{-1} k(x)`, and everything large is N x M. The covariance of the targets is
    :math:`\tilde Q = \sigma^2 I + V' V`, eqs. (3.23) to (3.25).
    """

    nugget = 1e-10  # the thesis's own code has 1e-8
    jitters = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)
    precise = True
    model = "a reduced-rank Gaussian process"

    @property
    def kernel(self) -> Covariance:
        """All of the covariance."""
        return self.covariance

    @cached_property
    def root(self) -> FloatArray:
        """Nothing, as no linear function has a weight of its own."""
        return np.zeros(0)

    @property
    def within(self) -> FloatArray:
        """Prior variances of slopes and level."""
        return self.parts.prior

    def origin(self, X: FloatArray) -> FloatArray:
        """Return the point that inputs X (n, d) are measured from: as they are."""
        return np.zeros(X.shape[1])

    def assembled(self, by_kernel: FloatArray, by_prior: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return slopes in the order of the covariance's logarithms: those of the kernel."""
        return by_kernel


def support_evidence(full: Evidence, support: FloatArray) -> SparseObjective:
    """Return the evidence at a support (m, d), to start from what a full process starts from.

    An evaluation with slopes costs O(n m^2 + n m d) time and O(m^2 + n d) memory.
    """
    first = WholeParameters(full.covariance, full.noise_var, support)
    free = free_hyperparameters(first, full)
    return SparseObjective(first.rows(full.X, full.y), APPROXIMATIONS["sr"], first, free)


def augmented(f: SparseFactors) -> AugmentedReducedRank:
    """Return the process with a further weight at the test input, eq. (3.29).

    It keeps the training inputs: O(n m) memory, O(n m^2) time.
    """
    V, noise_var = f.features().T, f.p.noise_var
    chol_inner = np.sqrt(noise_var) * f.inner_chol
    return AugmentedReducedRank(
        base=f.posterior(f.p.inducing),
        covariance=f.p.covariance,
        X=f.rows.X,
        chol=f.L,
        chol_inner=chol_inner,
        Q1=scipy.linalg.solve_triangular(chol_inner, V, lower=True, check_finite=False).T,
        weights=f.gamma,
        pull=(f.rows.y - f.gamma @ V) / noise_var,
    )


def best_noise(f: SparseFactors, log_bounds: FloatArray) -> float:
    r"""Return the noise variance of greatest evidence, to start from.

    What a small support cannot explain must count as noise. A search that starts from less
    meets an evidence so low that its first step can go anywhere.

    Notes
    -----
    With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
    costs O(m), so that all of them cost one factorisation.
    """
    V, y = f.features().T, f.rows.y
    values, U = np.linalg.eigh(V @ V.T)
    values, fitted = np.maximum(values, 0.0), (U.T @ (V @ y)) ** 2
    total, n_rest = float(y @ y), len(y) - len(values)

    def negative(log_noise: float) -> float:
        noise = np.exp(log_noise)
        quadratic = (total - np.sum(fitted / (noise + values))) / noise
        return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

    low, high = log_bounds.tolist()
    return float(np.exp(min(np.linspace(low, high, 200), key=negative)))


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
        full = Evidence.started(X, y, self.covariance, self.noise_var)
        kernel_of(Parts.of(full.covariance, X.shape[1]), WholeParameters.model)
        with self._training(X):
            found, self.report_ = self._learned(full, np.random.default_rng(self.seed))
            self.support_, self.covariance_ = found.inducing, found.covariance
            self.noise_var_ = found.noise_var
            self._recondition(X, y)

    def _learned(self, full: Evidence, rng: np.random.Generator) -> tuple[Parameters, FitReport]:
        """Learn the hyperparameters, alternating with a choice that depends on them.

        HPEV at a support that is held, HPEV-SGEV and HPEV-SGGP at one that is chosen greedily.
        What is free starts from a full process on a few rows.
        """
        if self.optimizer is None:
            return support_evidence(full, self._chosen(full, rng)).first, KEPT
        greedy = str(self.support) in CRITERIA
        held = None if greedy else self._chosen(full, rng)
        search = Search(self.covariance, self.noise_var, self.max_iter)
        reports: list[FitReport] = []
        if search.free:
            guess, report = optimise(full.on_few_rows(_FIRST), search)
            full = replace(full, covariance=guess.covariance, noise_var=guess.noise_var)
            reports.append(report)
        least = np.inf
        for turn in range(self.n_rounds if greedy else 1):
            support = self._chosen(full, rng) if held is None else held
            problem = support_evidence(full, support)
            if self.noise_var is None and not turn:
                noise_var = best_noise(problem.first_factors, full.log_bounds[-1])
                full = replace(full, noise_var=noise_var)
                problem = support_evidence(full, support)
            with bar(f"training on {len(full.y)} rows", unit="evaluations") as shown:
                run = Climber(problem, self.max_iter, GAIN, shown.update).climb(problem.start)
            check_end(run.negative, run.report)
            found = problem.unpack(run.theta)
            full = replace(full, covariance=found.covariance, noise_var=found.noise_var)
            reports.append(replace(run.report, n_starts=1))
            gained, least = least - run.negative, min(least, run.negative)
            if gained > 0.0:
                best, report = found, reports[-1]
            if gained < _SETTLED:
                break
        return best, report.after(other for other in reports if other is not report)

    def _chosen(self, full: Evidence, rng: np.random.Generator) -> FloatArray:
        """Return the support: the one given, or chosen at the hyperparameters of a process."""
        X = full.X
        given = given_inputs(self.support, "support", X.shape[1])
        if given is not None:
            return given[distinct_rows(given)]
        return choose_inducing(
            str(self.support), X, full.y, min(self.n_support, len(distinct_rows(X))),
            covariance=full.covariance, noise_var=full.noise_var, seed=rng,
            n_candidates=self.n_candidates,
        )  # fmt: skip

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        known = Evidence.started(X, y, self.covariance_, self.noise_var_)
        f = support_evidence(known, self.support_).first_factors
        if self.augmented:
            self.predictive_ = augmented(f)
        else:
            self.posterior_ = f.posterior(self.support_)
        vars(self).pop("posterior_" if self.augmented else "predictive_", None)
        self._note(f.log_evidence, f.jitter)
        if f.jitter:
            warn_numerically(
                f"the covariance of the support inputs is not positive definite to working "
                f"precision; a jitter of {f.jitter:.1e} was added to its diagonal. Support "
                f"inputs that nearly coincide cause this; a smaller n_support fixes it."
            )
