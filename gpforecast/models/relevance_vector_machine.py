"""Relevance vector machines: sparse Bayesian regression on bumps at a few training inputs."""

import copy
import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number, one_of, positive_integer
from gpforecast.models.base import FitReport, check_inputs, check_rows
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.models.sparse_bayes import FastMarginalLikelihood, FullEM, SubspaceEM
from gpforecast.models.sparse_bayes.conditioning import conditioned
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse
from gpforecast.models.sparse_bayes.training import (
    Algorithm,
    Trace,
    Trained,
    first_model,
    starting_width,
    train,
)
from gpforecast.models.sparse_bayes.working import MIN_NOISE, Settings
from gpforecast.numerics.threads import SMALL, one_blas_thread
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_NAMED: dict[str, Algorithm] = {
    "subspace": SubspaceEM(),
    "mackay": FullEM("mackay"),
    "em": FullEM("em"),
    "fast": FastMarginalLikelihood(),
}

_FEW = 5  # rows for each input
_MANY_MORE = 1.5  # times the rows trained on
_KEPT = (
    "alpha_",
    "alpha_bias_",
    "evidence_trace_",
    "lengthscales_",
    "n_relevant_trace_",
    "n_rows_",
    "noise_var_",
    "relevance_vectors_",
)


@storable
class RelevanceVectorMachine(Estimator):
    r"""Sparse Bayesian regression, :math:`y = \sum_j w_j \phi_j(x) + \epsilon`.

    A bump :math:`\phi_j(x) = \exp(-\tfrac12 |(x - x_j)/\theta|^2)` stands at every training input
    (2.6), and each weight has a prior of its own, :math:`w_j \sim N(0, \alpha_j^{-1})` (2.16).
    Maximising the evidence drives most precisions to infinity: few bumps are left, at the
    *relevance vectors*. The result is an extended linear model with c = 0 and
    :math:`B = +\Sigma`, propagated exactly like a Gaussian process, at a cost that grows with the
    relevance vectors instead of the rows.

    Away from the relevance vectors its variance shrinks to the noise (section 2.5); where error
    bars matter use `RelevanceVectorMachineStar` or `GaussianProcess`.

    Parameters
    ----------
    lengthscales : float, array-like (d,) or None
        Widths of the bumps, in the units of the inputs. ``None`` takes the spread of the inputs.
        With `adapt` only their ratios matter: the scale on which the search starts is found from
        the data, by comparing a few on up to 1000 rows, so that a poor guess does no harm.
    adapt : {"ard", "isotropic", None}
        Learn one width for each input, by the gradient of the evidence (2.38); one factor for all
        of them; or keep them as given.
    noise_var : float or None
        Variance of the noise, squared units of the target: where its search starts (``None``:
        1 % of the targets' mean square), or its value if `learn_noise` is false.
    learn_noise : bool
    bias : bool
        Offer a constant as one more basis function.
    algorithm : {"subspace", "mackay", "em", "fast"} or an instance
        `SubspaceEM` (default), `FullEM` with the updates (2.32) or (2.30), or
        `FastMarginalLikelihood`, in ``gpforecast.models``.
    width_steps : int
        Line searches for the widths after every M-step (direct search if isotropic), as the
        thesis has it. With 0 widths move only between passes, which is several times faster and
        leaves a few more relevance vectors.
    n_passes : int
        How often, at most, all basis functions are offered, each time at the widths learned so
        far. It ends before that with the first pass that gains too little.
    max_iter : int
        Cycles of one pass, at most.
    tol : float
        Gain in log evidence, in nats, below which a cycle counts for nothing.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    posterior_ : Posterior
        The frozen result; all prediction goes through it.
    relevance_vectors_ : ndarray (m, d)
    relevant_ : ndarray of int (m,)
        Their rows of X.
    alpha_ : ndarray (m,)
        Precisions of their weights.
    alpha_bias_ : float or None
        Precision of the bias; None if there is none or it was pruned.
    noise_var_ : float
    lengthscales_ : ndarray (d,)
    log_marginal_likelihood_ : float
        In nats.
    evidence_trace_ : ndarray
        The log evidence after every cycle; with `adapt` over all passes.
    n_relevant_trace_ : ndarray of int
        Active basis functions after every cycle, the bias among them.
    report_ : FitReport
        ``at_bounds`` holds ``"n_relevant"`` if the weights use up more than half of the degrees
        of freedom that the rows have: the machine may have learned the noise, and its error bars
        are too narrow. Give wider `lengthscales` with ``adapt=None``, or take a
        `GaussianProcess`.

    Notes
    -----
    ``"subspace"`` takes O(n m) memory for m relevance vectors, and O(n^2 m) time for one pass;
    ``"mackay"`` and ``"em"`` O(n^2) and O(n^3).

    References
    ----------
    Tipping (2001); Quinonero-Candela (2004), chapter 2; Quinonero-Candela and Hansen (2002).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-10, 10, 200)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.standard_normal(200)
    >>> rvm = gf.models.RelevanceVectorMachine().fit(X, y)
    >>> len(rvm.relevance_vectors_) < 20
    True
    >>> mean, std = rvm.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.1)
    True
    """

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
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the relevance vectors and learn their weights.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        RelevanceVectorMachine
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter of the machine
            makes no sense. Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        settings, algorithm = self._settings()
        middle = X.mean(axis=0)
        rows = Rows(X - middle, y, bool(self.bias))
        noise_var = 0.01 * rows.power if self.noise_var is None else float(self.noise_var)
        noise_var = max(noise_var, MIN_NOISE * rows.power)
        widths = self._widths(X)
        small = len(y) <= SMALL or not isinstance(algorithm, FullEM)
        with self._training(X), one_blas_thread(small), bar("training", unit="cycles") as shown:
            if self.adapt is not None:
                # The scale of the data, so that any guess leads to the same start.
                scale = np.exp(np.log(column_spread(X) / widths).mean()) * np.sqrt(X.shape[1])
                widths = starting_width(
                    rows, scale * widths, noise_var, learn_noise=bool(self.learn_noise)
                )
            trained = train(
                rows,
                first_model(rows, widths, noise_var),
                algorithm,
                settings,
                adapt=self.adapt,
                width_steps=self.width_steps,
                n_passes=self.n_passes,
                trace=Trace(shown.update),
            )
            self._take(trained.model, X, y)
            self.evidence_trace_ = np.array(trained.trace.log_evidence)
            self.n_relevant_trace_ = np.array(trained.trace.n_active)
            self.report_ = self._report(trained, rows)
        return self

    def condition(self, X: Any, y: Any) -> "RelevanceVectorMachine":
        """Return a fitted machine with the same bumps, precisions and noise, on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        RelevanceVectorMachine
            A new object, whose ``relevant_`` is empty: its bumps stand where they were. Costs
            O(n m^2) and no search.
        """
        self._frozen()
        X, y = check_rows(X, y)
        check_inputs(X, self.posterior_.n_inputs)
        other = self._unfitted()
        other.posterior_, other.log_marginal_likelihood_ = conditioned(
            self.posterior_, self.alpha_, self.alpha_bias_, self.noise_var_, X, y
        )
        for name in _KEPT:
            setattr(other, name, copy.copy(getattr(self, name)))
        other.relevant_ = np.zeros(0, dtype=np.int64)
        remarks = self.report_.remarks
        if len(y) > _MANY_MORE * self.n_rows_:
            remark = (
                f"the relevance vectors were chosen from {self.n_rows_} rows and now serve "
                f"{len(y)}; fit again to choose anew"
            )
            remarks = (*remarks, remark)
        other.report_ = replace(
            self.report_,
            log_marginal_likelihood=other.log_marginal_likelihood_,
            remarks=remarks,
        )
        return other

    def _take(self, model: Sparse, X: FloatArray, y: FloatArray) -> None:
        is_bump = model.active < len(y)
        order = np.argsort(model.active[is_bump])
        relevant = model.active[is_bump][order]
        alpha = model.alpha[is_bump][order]
        alpha_bias = None if is_bump.all() else float(model.alpha[~is_bump][0])
        bare = Posterior(
            X[relevant], model.lengthscales.copy(), np.zeros(len(relevant)), np.zeros(X.shape[1])
        )
        noise_var = float(model.noise_var)
        posterior, log_evidence = conditioned(bare, alpha, alpha_bias, noise_var, X, y)
        # Nothing can fail any more.
        self.posterior_ = posterior
        self.log_marginal_likelihood_ = log_evidence
        self.relevant_, self.relevance_vectors_ = relevant, posterior.centers
        self.alpha_, self.alpha_bias_ = alpha, alpha_bias
        self.lengthscales_, self.noise_var_ = posterior.lengthscales, noise_var
        self.n_rows_ = len(y)

    def _report(self, trained: Trained, rows: Rows) -> FitReport:
        model = trained.model
        at_bounds = []
        if self.learn_noise and model.noise_var <= 1.01 * MIN_NOISE * rows.power:
            at_bounds.append("noise_var")
        if 2 * float(trained.weights.gamma.sum()) > rows.n:
            at_bounds.append("n_relevant")
        n_cycles = len(trained.trace.log_evidence)
        remarks = []
        n, d = rows.X.shape
        if n < _FEW * d:
            remarks.append(
                f"{n} rows are few for {d} inputs, and a relevance vector machine's error bars are "
                f"too narrow then; use fewer lags, more data or a GaussianProcess"
            )
        if self.noise_var is not None and self.noise_var < MIN_NOISE * rows.power:
            remarks.append(
                f"noise_var={self.noise_var:.1e} is below what double precision resolves beside "
                f"the targets; {MIN_NOISE * rows.power:.1e} was taken"
            )
        return FitReport(
            converged=trained.converged,
            message=trained.message,
            n_iterations=n_cycles,
            n_evaluations=n_cycles,
            n_starts=trained.n_passes,
            log_marginal_likelihood=self.log_marginal_likelihood_,
            at_bounds=tuple(at_bounds),
            remarks=tuple(remarks),
        )

    def _settings(self) -> tuple[Settings, Algorithm]:
        if self.adapt is not None and self.adapt not in ("ard", "isotropic"):
            raise ValueError(f"adapt must be 'ard', 'isotropic' or None; got {self.adapt!r}.")
        for name in ("bias", "learn_noise"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} must be True or False; got {getattr(self, name)!r}.")
        algorithm = self.algorithm
        if isinstance(algorithm, str):
            algorithm = _NAMED[one_of(algorithm, "algorithm", tuple(_NAMED))]
        elif not isinstance(algorithm, (SubspaceEM, FullEM, FastMarginalLikelihood)):
            raise TypeError(
                f"algorithm must be one of {', '.join(map(repr, _NAMED))} or an instance such as "
                f"gf.models.SubspaceEM(); got {algorithm!r}."
            )
        if self.noise_var is not None and not (
            is_number(self.noise_var) and np.isfinite(self.noise_var) and self.noise_var > 0
        ):
            raise ValueError(
                f"noise_var must be a positive number or None; got {self.noise_var!r}."
            )
        if self.noise_var is None and not self.learn_noise:
            raise ValueError("learn_noise=False keeps the noise as given; give noise_var too.")
        positive_integer(self.max_iter, "max_iter")
        positive_integer(self.n_passes, "n_passes")
        if self.width_steps != 0:
            try:
                positive_integer(self.width_steps, "width_steps")
            except ValueError:
                raise ValueError(
                    f"width_steps must be 0 or a positive integer; got {self.width_steps!r}."
                ) from None
        if not (is_number(self.tol) and np.isfinite(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be a positive number (nats); got {self.tol!r}.")
        return Settings(bool(self.learn_noise), self.max_iter, float(self.tol)), algorithm

    def _widths(self, X: FloatArray) -> FloatArray:
        d = X.shape[1]
        if self.lengthscales is None:
            return column_spread(X) * math.sqrt(d)
        try:
            widths = np.atleast_1d(np.asarray(self.lengthscales, dtype=np.float64))
        except (TypeError, ValueError):
            widths = np.zeros(1)
        if widths.shape not in ((1,), (d,)) or not (np.isfinite(widths) & (widths > 0.0)).all():
            raise ValueError(
                f"lengthscales must be None, a positive number, or one for each of the {d} "
                f"inputs; got {self.lengthscales!r}."
            )
        full = np.empty(d)
        full[:] = widths
        return full
