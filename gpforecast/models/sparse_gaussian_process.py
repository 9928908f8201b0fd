"""Gaussian processes for many rows: the family of sparse approximations as one model."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Covariance
from gpforecast.models.base import FitReport, check_inputs, check_rows
from gpforecast.models.estimator import Estimator
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.models.sparse.conditioning import piecewise_of_factors, posterior_of_factors
from gpforecast.models.sparse.evidence import factorise
from gpforecast.models.sparse.plan import Plan, plan_of
from gpforecast.models.sparse.problem import State
from gpforecast.models.sparse.selection import random_rows
from gpforecast.models.sparse.starting import first_state, regrouped, rows_for, variance_of
from gpforecast.models.sparse.streaming import Rows
from gpforecast.models.sparse.training import Trained, train
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Prediction
from gpforecast.storage import storable

_PART_ELEMENTS = 4_000_000  # doubles of k(x, z) at a time: 32 MB
_SMALL_WORK = 1e9  # rows times the square of inducing inputs, up to which one thread is as good


@storable
class SparseGaussianProcess(Estimator):
    r"""Gaussian-process regression on many rows, through M inducing inputs.

    With :math:`Q_{ab} = K_{aM} K_{MM}^{-1} K_{Mb}`, the approximations differ in the covariance
    they take the targets to have (beside the noise), and in that of f at a new input:

    ======== ===================================== ======================= ========================
    name     training covariance                   with f at a new input   propagated exactly
    ======== ===================================== ======================= ========================
    "sd"     K of a random subset of M rows        K                       yes
    "sr"     Q                                     Q, prior variance q**   yes; error bars too small
    "dtc"    Q                                     Q                       yes
    "vfe"    Q, evidence less tr(K - Q)/(2 noise)  Q                       yes
    "fitc"   Q + diag(K - Q)                       Q                       yes
    "pitc"   Q + blocks of K - Q                   Q                       yes
    "pic"    Q + blocks of K - Q                   Q, K with its block     no
    "local"  blocks of K                           K with its block        no
    ======== ===================================== ======================= ========================

    The first six become a `Posterior`; the other two a piecewise one, for the propagation methods
    ``"cubature"``, ``"monte_carlo"``, ``"taylor"`` and ``"naive"``.

    Hyperparameters start from a full GP on at most 512 random rows and then climb to the greatest
    evidence of the approximation on all of them, with analytic gradients in everything.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input. A sum may hold one
        `SquaredExponential`, one `Linear` and one `Constant`; the last two are exact in every
        approximation. Values that are given are where the search starts.
    approximation : str
        See the table. ``"vfe"`` never takes the noise for too small, ``"fitc"`` lets the variance
        vary with the input; where much of f is beyond its inducing inputs that variance can take
        the place of the noise, for better densities and a worse mean than those of ``"vfe"``.
    n_inducing : int
        M; with fewer rows, as many as there are. For ``"sd"`` the rows of the subset.
    inducing : {"random", "kmeans", "sgev", "sggp", "kl", "information_gain"} or array-like (M, d)
        Rows at random, centres of clusters, rows chosen greedily by evidence, posterior,
        divergence or information gain (`gpforecast.models.inducing`), or the inputs themselves.
        To be left out for ``"sd"``, whose subset is random, and ``"local"``.
    optimise_inducing : bool or None
        Move the inducing inputs too, by the gradient of the evidence (SPGP), together with the
        hyperparameters. ``None`` does so for ``"vfe"`` and ``"fitc"``, where it pays, unless the
        inducing inputs or, by ``optimizer=None``, the hyperparameters are given, and always for
        a `projection`. It takes several times as many evaluations; without it ``"vfe"`` with too
        few inducing inputs explains everything as noise.
    blocks : {"random", "kmeans"} or array-like (S, d)
        Centres of the blocks of ``"pitc"``, ``"pic"`` and ``"local"``: every row belongs to the
        nearest, in units of the first length-scales.
    n_blocks : int or None
        ``None`` makes blocks of about M rows.
    projection : int, array-like (g, d) or None
        Learn a projection to so many dimensions, from a start of its own or the given one, and
        with it the inducing inputs there (SPGP+DR). For a lone `SquaredExponential`.
    variable_noise : bool
        Learn an uncertainty of each inducing variable, so that error bars widen where the data
        are noisier (SPGP+HS). For ``"fitc"``. A weak prior, and one that holds the
        hyperparameters near those of the full GP on few rows, keep it from fitting single rows.
    noise_var : float or None
        Positive; where the search for it starts.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at starting
        values taken from the data).
    seed : int, Generator or None
        For the choice of rows, inducing inputs and blocks.
    max_iter : int
        Iterations of the search on all rows.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    posterior_ : Posterior or ProjectedPosterior
        The frozen result, for all approximations but ``"pic"`` and ``"local"``.
    predictive_ : PiecewisePosterior
        The same for these two.
    covariance_ : Covariance
        With a projection its length-scales are 1, in the projected space.
    noise_var_ : float
    inducing_ : ndarray (M, d)
        In the units of the inputs, or in the projected space.
    projection_ : ndarray (g, d) or None
    uncertainty_ : ndarray (M,) or None
        h of Snelson (4.5), squared units of the target.
    block_centers_ : ndarray (S, d) or None
    log_marginal_likelihood_ : float
        Of the approximation, in nats; for ``"vfe"`` a lower bound of the full GP's.
    report_ : FitReport

    Notes
    -----
    An evaluation of the evidence costs O(n M^2) time (with blocks of B rows
    O(n (M^2 + M B + B^2))). Rows are worked on in parts of a few hundred; K of all rows is kept
    where it takes up to 256 MB, and computed twice beyond. A prediction costs O(M^2), for
    ``"pic"`` O((M + B)^2).

    References
    ----------
    Snelson (2007), chapters 2 to 4 and appendix C; Quinonero-Candela and Rasmussen (2005);
    Titsias (2009).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, (2000, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(2000)
    >>> gp = gf.models.SparseGaussianProcess(n_inducing=20, seed=0).fit(X, y)
    >>> mean, std = gp.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 0.03)
    True
    """

    _remedy = "a larger noise_var or fewer inducing inputs fix it"

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
        seed: Seed = 0,
        max_iter: int = 200,
        progress: bool | None = None,
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
        self.seed = seed
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Find hyperparameters and inducing inputs, and condition on the data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        SparseGaussianProcess
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter of the model
            makes no sense. Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        plan = plan_of(self, X)
        rng = np.random.default_rng(self.seed)
        small = len(y) * plan.n_inducing**2 <= _SMALL_WORK
        if plan.approximation.name == "sd":
            with one_blas_thread(small):
                return self._fit_subset(X, y, plan, rng)
        bars = bar("training", unit="evaluations")
        with self._training(X), one_blas_thread(small), bars as shown:
            state, centers = first_state(
                X, y, plan, self.noise_var, rng, variable_noise=bool(self.variable_noise)
            )
            rows = rows_for(X, y, state, centers)
            trained = train(
                rows,
                plan.approximation,
                state,
                X=X,
                free_hyperparameters=plan.free_hyperparameters,
                free_inducing=plan.free_inducing,
                max_iter=int(self.max_iter),
                on_evaluation=shown.update,
            )
            if centers is not None:
                rows, centers = regrouped(X, y, trained.state, centers)
            self._take(trained, rows, plan.approximation, centers)
        return self

    def condition(self, X: Any, y: Any) -> "SparseGaussianProcess":
        """Return a fitted model with the same hyperparameters and inducing inputs, on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        SparseGaussianProcess
            A new object. Costs one pass over the rows and no search. Blocks that no row belongs
            to any more are dropped; ``"sd"`` draws its subset anew.
        """
        frozen = self._frozen()
        X, y = check_rows(X, y)
        check_inputs(X, frozen.n_inputs)
        other = self._unfitted()
        approximation = APPROXIMATIONS[self.approximation]
        if approximation.name == "sd":
            rng = np.random.default_rng(self.seed)
            held = GaussianProcess(self.covariance_, noise_var=self.noise_var_, optimizer=None)
            subset = random_rows(X, int(self.n_inducing), rng)
            other._take_subset(held.fit(X[subset], y[subset]), X[subset])
            other.report_ = _same_search(self.report_, other.report_)
            return other
        middle = X.mean(axis=0)
        shift = middle if self.projection_ is None else self.projection_ @ middle
        h, variance = self.uncertainty_, variance_of(self.covariance_)
        state = State(
            self.covariance_,
            self.noise_var_,
            self.inducing_ - shift,
            self.projection_,
            None if h is None else h / variance,
        )
        rows, centers = regrouped(X, y, state, self.block_centers_)
        other._take(Trained(state, {}), rows, approximation, centers, self.report_)
        return other

    def warm_started(self) -> "SparseGaussianProcess":
        """Return an unfitted model whose search starts at what was found here.

        Returns
        -------
        SparseGaussianProcess
            A new object; it needs no full GP on few rows. Its inducing inputs are those found
            here, and move on only where ``optimise_inducing=True`` was asked for.
        """
        self._frozen()
        other = self._unfitted()
        other.covariance, other.noise_var = self.covariance_, self.noise_var_
        if self.projection_ is not None:
            other.projection = self.projection_
        elif APPROXIMATIONS[self.approximation].induced:
            other.inducing = self.inducing_
        return other

    def _prediction(self, X: FloatArray) -> Prediction:
        """Predict a part after the other, so that k(x, z) is never large."""
        frozen = self._frozen()
        step = max(1, _PART_ELEMENTS // max(1, len(self.inducing_), frozen.n_inputs))
        if hasattr(self, "predictive_"):
            step = max(1, len(X))  # it looks at one block after the other by itself
        parts = [frozen.predict(X[a : a + step]) for a in range(0, max(1, len(X)), step)]
        return Prediction(
            np.concatenate([p.mean for p in parts]),
            np.concatenate([p.var for p in parts]),
            sum(p.n_clipped for p in parts),
        )

    def _take(
        self,
        trained: Trained,
        rows: Rows,
        approximation: Approximation,
        centers: FloatArray | None,
        report: FitReport | None = None,
    ) -> None:
        """Condition on the rows, and keep what was learned."""
        state = trained.state
        p = state.parameters(rows.X.shape[1])
        f = factorise(p, rows, approximation)
        if f.jitter:
            warnings.warn(
                f"the covariance of the inducing variables is not positive definite to working "
                f"precision; a jitter of {f.jitter:.1e} was added to its diagonal. Inducing "
                f"inputs that nearly coincide cause this; fewer of them mend it.",
                NumericalWarning,
                stacklevel=3,
            )
        frozen: Any
        if approximation.piecewise and centers is not None:
            label = f"SparseGaussianProcess with approximation {approximation.name!r}"
            frozen = piecewise_of_factors(p, rows, approximation, f, centers, label)
        else:
            frozen = posterior_of_factors(p, rows, approximation, f)
        for name in ("posterior_", "predictive_"):  # nothing can fail any more
            vars(self).pop(name, None)
        setattr(self, "predictive_" if approximation.piecewise else "posterior_", frozen)
        shift = rows.middle if state.projection is None else state.projection @ rows.middle
        self.covariance_, self.noise_var_ = state.covariance, state.noise_var
        self.inducing_, self.projection_ = state.inducing + shift, state.projection
        h = state.uncertainty
        self.uncertainty_ = None if h is None else h * variance_of(state.covariance)
        self.block_centers_ = centers
        self.log_marginal_likelihood_ = f.log_evidence
        numbers: dict[str, Any] = {"jitter": f.jitter, "log_marginal_likelihood": f.log_evidence}
        self.report_ = FitReport(**{**trained.report, **numbers}) if report is None else report
        if report is not None:
            self.report_ = _same_search(report, FitReport(True, "", 0, 0, 0, **numbers))

    def _fit_subset(
        self, X: FloatArray, y: FloatArray, plan: Plan, rng: np.random.Generator
    ) -> Self:
        """Fit a full GP to a part of the rows; Snelson (2007), section 2.1.1."""
        subset = random_rows(X, plan.n_inducing, rng)
        gp = GaussianProcess(
            plan.covariance,
            noise_var=self.noise_var,
            optimizer=self.optimizer,
            max_iter=self.max_iter,
            progress=self.progress,
        )
        self._take_subset(gp.fit(X[subset], y[subset]), X[subset])
        return self

    def _take_subset(self, gp: GaussianProcess, inducing: FloatArray) -> None:
        vars(self).pop("predictive_", None)
        self.posterior_, self.report_ = gp.posterior_, gp.report_
        self.covariance_, self.noise_var_ = gp.covariance_, gp.noise_var_
        self.log_marginal_likelihood_ = gp.log_marginal_likelihood_
        self.inducing_ = inducing
        self.projection_ = self.uncertainty_ = self.block_centers_ = None


def _same_search(search: FitReport, data: FitReport) -> FitReport:
    """Return a report with the search of one and the numbers of another."""
    return replace(search, jitter=data.jitter, log_marginal_likelihood=data.log_marginal_likelihood)
