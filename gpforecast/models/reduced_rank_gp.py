"""Reduced-rank Gaussian processes: a few support inputs carry the weights of many rows."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import finite_array, is_number, one_of, positive_integer
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models.base import FitReport, check_inputs, check_rows
from gpforecast.models.conditioning import check_covariance
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.models.inducing import METHODS, distinct_rows
from gpforecast.models.reduced_rank.evidence import ReducedEvidence
from gpforecast.models.reduced_rank.factors import factorise, kernel_of
from gpforecast.models.reduced_rank.prediction import augmented, degenerate
from gpforecast.models.reduced_rank.training import Choice, Trained, train_at, train_in_rounds
from gpforecast.models.search import Search
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.storage import storable


@storable
class ReducedRankGP(Estimator):
    r"""Reduced-rank Gaussian process: a Gaussian process whose weights sit at M support inputs.

    .. math:: f = K_{NM} w, \quad w \sim N(0, K_{MM}^{-1}), \qquad
        y \sim N(0, \sigma^2 I + K_{NM} K_{MM}^{-1} K_{MN})

    Training maximises the evidence of that linear model in the hyperparameters, with analytic
    slopes, at O(N M^2) an evaluation. Of itself such a model is most certain where it knows least,
    far from its support; ``augmented=True`` mends it by a further weight at the input that is
    asked for, integrated out for each prediction. Its mean is better, its variance is never below
    the degenerate one, and far from all data it is that of the full process.

    The augmented features depend on the input that is asked for, so moments at an uncertain input
    have no closed form: propagate by ``"taylor"``, ``"cubature"`` or ``"monte_carlo"``. With
    ``augmented=False`` they are exact, and every method works.

    The prior mean is zero: centre the targets (`Forecaster` does), or add a `Constant`.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input. A sum may hold one `Linear`
        and one `Constant` besides. Values that are ``None`` start from the data; values that are
        given are where the search starts.
    n_support : int
        M; no more are taken than there are distinct rows. Not used if `support` is an array.
    support : {"random", "kmeans", "sgev", "sggp", "kl", "information_gain"} or array-like (M, d)
        The support inputs, or how to choose them (see `gpforecast.models.inducing`). Those of
        ``"random"`` and ``"kmeans"`` are chosen once. The others depend on the hyperparameters:
        choosing and training take turns until a turn gains less than half a nat.
    augmented : bool
        Predict with a further weight at the input that is asked for.
    noise_var : float or None
        Variance of the observation noise, squared units of the target, positive. ``None`` starts
        it from the data.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    n_rounds : int
        Turns of choosing and training, at most, where the choice is greedy.
    n_candidates : int or None
        Rows that ``"sgev"`` and ``"sggp"`` judge at each step; ``None``: all of up to 256, else 59.
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
    A prediction costs O(M^2), augmented O(N M): the augmented result keeps the training inputs and
    an N x M matrix, which is also what it saves.

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

    def __init__(
        self,
        covariance: Covariance | None = None,
        *,
        n_support: int = 100,
        support: Any = "random",
        augmented: bool = True,
        noise_var: float | None = None,
        optimizer: str | None = "L-BFGS-B",
        n_rounds: int = 10,
        n_candidates: int | None = None,
        seed: Seed = 0,
        max_iter: int = 200,
        progress: bool | None = None,
    ) -> None:
        self.covariance = covariance
        self.n_support = n_support
        self.support = support
        self.augmented = augmented
        self.noise_var = noise_var
        self.optimizer = optimizer
        self.n_rounds = n_rounds
        self.n_candidates = n_candidates
        self.seed = seed
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the support, find the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        ReducedRankGP
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter of the model
            makes no sense. Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        start = self._start(X, y)
        search = None
        if self.optimizer is not None:
            search = Search.of(self.covariance, self.noise_var, self.max_iter)
        rng = np.random.default_rng(self.seed)
        with self._training(X), one_blas_thread(len(y) <= SMALL):
            if not isinstance(self.support, str):
                trained = train_at(replace(start, support=self._given_support(X)), search)
            else:
                trained = self._choose_and_train(start, search, rng)
            self._take(trained, X, y)
        return self

    def condition(self, X: Any, y: Any) -> "ReducedRankGP":
        """Return a fitted process with the same hyperparameters and support, given other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        ReducedRankGP
            A new object. Costs one O(N M^2) factorisation, no search and no choice: fit again if
            the data have moved to where there is no support.
        """
        self._frozen()
        X, y = check_rows(X, y)
        check_inputs(X, self.support_.shape[1])
        fitted = self._unfitted()
        kept = Trained(self.support_, self.covariance_, self.noise_var_, vars(self.report_))
        with one_blas_thread(len(y) <= SMALL):
            fitted._take(kept, X, y)
        return fitted

    def warm_started(self) -> "ReducedRankGP":
        """Return an unfitted process whose search starts at the hyperparameters found here.

        Returns
        -------
        ReducedRankGP
            A new object; it compares no grid of starts, and chooses its support anew.
        """
        self._frozen()
        return self._unfitted(covariance=self.covariance_, noise_var=self.noise_var_)

    def _start(self, X: FloatArray, y: FloatArray) -> ReducedEvidence:
        """Check the parameters and return the evidence at the start, without a support yet."""
        if self.optimizer not in (None, "L-BFGS-B"):
            raise ValueError(f'optimizer must be "L-BFGS-B" or None; got {self.optimizer!r}.')
        for name in ("n_support", "n_rounds", "max_iter"):
            positive_integer(getattr(self, name), name)
        if self.n_candidates is not None:
            positive_integer(self.n_candidates, "n_candidates")
        if not isinstance(self.augmented, bool):
            raise TypeError(f"augmented must be True or False; got {self.augmented!r}.")
        if isinstance(self.support, str):
            one_of(self.support, "support", METHODS)
        if self.noise_var is not None and not (
            is_number(self.noise_var) and np.isfinite(self.noise_var) and self.noise_var > 0
        ):
            raise ValueError(
                f"noise_var must be a positive number, or None; got {self.noise_var!r}."
            )
        covariance = check_covariance(self.covariance or SquaredExponential())
        scale = column_spread(X)
        y_var = float(np.mean(y**2)) or 1.0
        started = covariance.started(scale, y_var)
        kernel_of(started, X.shape[1])
        started.diag(X[:1])  # says so if what was given is for another number of inputs
        noise_var = 0.01 * y_var if self.noise_var is None else float(self.noise_var)
        nowhere = np.zeros((0, X.shape[1]))
        return ReducedEvidence(X, y, started, noise_var, scale, y_var, False, nowhere)

    def _given_support(self, X: FloatArray) -> FloatArray:
        support = finite_array(self.support, "support", ndim=2)
        if support.shape[1] != X.shape[1] or not len(support):
            raise ValueError(
                f"support must be one of {', '.join(map(repr, METHODS))}, or inputs of shape "
                f"(M, {X.shape[1]}); got an array of shape {support.shape}."
            )
        return support[distinct_rows(support)]

    def _choose_and_train(
        self, start: ReducedEvidence, search: Search | None, rng: np.random.Generator
    ) -> Trained:
        n_support = min(self.n_support, len(distinct_rows(start.X)))
        choice = Choice(self.support, n_support, self.n_candidates, self.n_rounds)
        if choice.greedy:
            return train_in_rounds(start, choice, search, rng)
        support = choice.support(start.X, start.y, start.covariance, start.noise_var, rng)
        return train_at(replace(start, support=support), search)

    def _take(self, trained: Trained, X: FloatArray, y: FloatArray) -> None:
        """Condition on data, and set everything that a fit sets."""
        covariance, noise_var, support = trained.covariance, trained.noise_var, trained.support
        found = factorise(covariance, noise_var, X, y, support)
        if found.jitter:
            warnings.warn(
                f"the covariance of the support inputs is not positive definite to working "
                f"precision; a jitter of {found.jitter:.1e} was added to its diagonal. Support "
                f"inputs that nearly coincide cause this; a smaller n_support mends it.",
                NumericalWarning,
                stacklevel=3,
            )
        if self.augmented:
            self.predictive_ = augmented(covariance, noise_var, X, support, found)
            vars(self).pop("posterior_", None)
        else:
            self.posterior_ = degenerate(covariance, noise_var, support, found)
            vars(self).pop("predictive_", None)
        self.support_ = support
        self.covariance_ = covariance
        self.noise_var_ = noise_var
        self.log_marginal_likelihood_ = found.log_evidence
        known = {"jitter": found.jitter, "log_marginal_likelihood": found.log_evidence}
        self.report_ = FitReport(**{**trained.report, **known})
