"""Relevance vector machines: sparse Bayesian regression on basis functions at a few rows."""

import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, instance, number, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.models.base import FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.models.sparse_bayes import FastMarginalLikelihood, FullEM, SubspaceEM
from gpforecast.models.sparse_bayes.algorithms import starting_width
from gpforecast.models.sparse_bayes.machine import Basis, Machine, RelevanceVectors, first_machine
from gpforecast.models.sparse_bayes.training import Algorithm, Cycles, train, widths_of
from gpforecast.models.sparse_bayes.weights import infer, posterior_of
from gpforecast.posteriors.augmented import augmented
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_NAMED: dict[str, Algorithm] = {
    "subspace": SubspaceEM(),
    "mackay": FullEM("mackay"),
    "em": FullEM("em"),
    "fast": FastMarginalLikelihood(),
}
_ALGORITHM = check.Check(
    f"{choice(*_NAMED).expected} or an instance such as gf.models.SubspaceEM()",
    lambda v: isinstance(v, Algorithm) or (isinstance(v, str) and v in _NAMED),
)

_FEW = 5  # rows for each input
_MANY_MORE = 1.5  # times the rows of training; from more, a remark is made


@storable
@dataclass(eq=False, repr=False)
class RelevanceVectorMachine(RelevanceVectors):
    r"""Sparse Bayesian regression, :math:`y = \sum_j w_j \phi_j(x) + \epsilon`.

    There is a basis function :math:`\phi_j(x) = \exp(-\tfrac12 |(x - x_j)/\theta|^2)` at every
    training input (2.6), and each weight has its own prior,
    :math:`w_j \sim N(0, \alpha_j^{-1})` (2.16). When the evidence is maximised, most precisions
    become infinite. The inputs of the few remaining basis functions are the *relevance vectors*.
    The result is an extended linear model with c = 0 and :math:`B = +\Sigma`, propagated exactly
    like a Gaussian process, at a cost that grows with the relevance vectors instead of the rows.

    Away from the relevance vectors its variance shrinks to the noise (section 2.5); where error
    bars matter use `RelevanceVectorMachineStar` or `GaussianProcess`.

    Parameters
    ----------
    lengthscales : float, array-like (d,) or None
        Widths of the basis functions, in the units of the inputs. ``None``: the standard deviations
        of the inputs. With `adapt` only their ratios matter, because the scale of the start is
        found from the data, by predicting held-out rows.
    adapt : {"ard", "isotropic", None}
        Learn one width for each input, by the gradient of the evidence (2.38); one factor for all
        of them; or keep them as given.
    noise_var : float or None
        Variance of the noise, squared units of the target: where its search starts (``None``:
        1 % of the targets' mean square), or its value if `learn_noise` is false.
    learn_noise : bool
    noise_prior : float or None
        A prior against tiny noise. It acts like one more residual that no weight can fit, whose
        square is this part of the targets' mean square: on 1 / (noise variance) it is a Gamma
        density. With 0.01, few rows with local maxima at tiny noise do not end there; larger parts
        leave fewer relevance vectors. ``None``: a flat one on the logarithm, as in the papers.
    bias : bool
        Whether to include a constant as a basis function.
    algorithm : {"subspace", "mackay", "em", "fast"} or an instance
        `SubspaceEM` (default), `FullEM` with the updates (2.32) or (2.30), or
        `FastMarginalLikelihood`, in ``gpforecast.models``.
    width_steps : int
        Line searches for the widths after every M-step, as in the
        thesis. With 0, widths change only between passes, which is several times faster and
        leaves a few more relevance vectors.
    n_passes : int
        The largest number of passes over all basis functions, each with the widths learned so far.
        Training ends with the first pass that gains too little.
    max_iter : int
        The largest number of cycles in a pass.
    tol : float
        Smallest gain in log evidence, in nats, that counts as progress.
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
        The log evidence after every cycle; with `adapt` over all passes. With `noise_prior` the
        logarithm of its density is part of it.
    n_relevant_trace_ : ndarray of int
        Active basis functions after every cycle, the bias among them.
    report_ : FitReport
        ``at_bounds`` holds ``"n_relevant"`` if the weights use more than half of the degrees of
        freedom of the rows. The model may then have fitted the noise, and its error bars are too
        narrow. Pass wider `lengthscales` with ``adapt=None``, or use a `GaussianProcess`.

    Notes
    -----
    ``"subspace"`` takes O(n m) memory for m relevance vectors, and O(n^2 m) time for one pass;
    ``"mackay"`` and ``"em"`` O(n^2) and O(n^3). `condition` keeps the basis functions, their
    precisions and the noise, and learns the weights from the other rows in O(n m^2); ``relevant_``
    is then empty.

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

    lengthscales: ArrayLike | None = None
    _: KW_ONLY
    adapt: str | None = parameter("ard", choice("ard", "isotropic", None))
    noise_var: float | None = parameter(None, check.POSITIVE.or_none())
    learn_noise: bool = parameter(True, check.FLAG)
    noise_prior: float | None = parameter(None, check.POSITIVE.or_none())
    bias: bool = parameter(True, check.FLAG)
    algorithm: Algorithm | str = parameter("subspace", _ALGORITHM)
    width_steps: int = parameter(0, check.COUNT)
    n_passes: int = parameter(10, check.POSITIVE_INTEGER)
    max_iter: int = parameter(500, check.POSITIVE_INTEGER)
    tol: float = parameter(0.1, number("a positive number (nats)", lambda v: v > 0))
    progress: bool | None = None

    def seeded(self, seed: int) -> Self:
        """Return a model, not fitted, whose algorithm has this seed where its own is 0."""
        return self._unfitted(algorithm=self._algorithm.seeded(seed))

    @property
    def _algorithm(self) -> Algorithm:
        return _NAMED[self.algorithm] if isinstance(self.algorithm, str) else self.algorithm

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        if not self.learn_noise and (self.noise_var is None or self.noise_prior is not None):
            raise ValueError(
                "learn_noise=False keeps the noise as given; give noise_var too, and no "
                "noise_prior, which is for a noise that is learned."
            )
        algorithm = self._algorithm
        widths = widths_of(self.lengthscales, X)
        basis = Basis(X - X.mean(axis=0), y, bool(self.bias))
        basis = replace(basis, expected=(self.noise_prior or 0.0) * basis.power)
        noise_var = 0.01 * basis.power if self.noise_var is None else float(self.noise_var)
        noise_var = max(noise_var, basis.min_noise)
        learn_noise = bool(self.learn_noise)
        small = algorithm.continues or None  # the others form matrices of all rows
        with self._training(X, small=small), bar("training", unit="cycles") as shown:
            if self.adapt is not None:
                # The scale of the data, so that any guess leads to the same start.
                scale = np.exp(np.log(column_spread(X) / widths).mean()) * np.sqrt(X.shape[1])
                widths = starting_width(basis, scale * widths, noise_var, learn_noise=learn_noise)
            cycles = Cycles[Machine](learn_noise, self.max_iter, float(self.tol), tick=shown.update)
            machine, report = train(
                first_machine(basis, widths, noise_var),
                algorithm,
                cycles,
                adapt=self.adapt,
                width_steps=self.width_steps,
                n_passes=self.n_passes,
            )
            self.noise_var_, self.n_rows_ = float(machine.noise_var), len(y)
            self._keep(machine, cycles.trace, X, y)
            self.report_ = self._reported(report, machine)

    def _weigh(self, machine: Posterior, X: FloatArray, y: FloatArray) -> None:
        """Learn the weights of given basis functions: (2.18) and (2.19)."""
        Phi = self._features(machine, X)
        weights = infer(Phi, Phi.T @ Phi, y, self._precisions(), self.noise_var_)
        self.posterior_ = posterior_of(machine, weights, self.noise_var_)
        self.log_marginal_likelihood_ = weights.log_evidence

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        super()._recondition(X, y)
        remarks = []
        if len(y) > _MANY_MORE * self.n_rows_:
            remarks.append(
                f"the relevance vectors were chosen from {self.n_rows_} rows and now serve "
                f"{len(y)}; fit again to choose anew"
            )
        self._note(self.log_marginal_likelihood_, remarks=remarks)

    def _reported(self, report: FitReport, machine: Machine) -> FitReport:
        """Add to the report of the training what is known of the machine."""
        basis = machine.basis
        n, d = basis.X.shape
        at_bounds, remarks = [], []
        if self.learn_noise and machine.noise_var <= 1.01 * basis.min_noise:
            at_bounds.append("noise_var")
        if 2 * float(machine.weights.gamma.sum()) > n:
            at_bounds.append("n_relevant")
        if n < _FEW * d:
            remarks.append(
                f"{n} rows are few for {d} inputs, and a relevance vector machine's error bars are "
                f"too narrow then; use fewer lags, more data or a GaussianProcess"
            )
        return replace(
            report,
            log_marginal_likelihood=self.log_marginal_likelihood_,
            at_bounds=tuple(at_bounds),
            remarks=tuple(remarks),
        )


_MACHINE = instance(
    RelevanceVectorMachine, "a RelevanceVectorMachine, such as gf.models.RelevanceVectorMachine()"
)


@storable
@dataclass(eq=False, repr=False)
class RelevanceVectorMachineStar(Estimator):
    r"""Relevance vector machine with one more basis function, at the test input.

    Away from the relevance vectors of a relevance vector machine all basis functions vanish, and
    with them the variance of f. RVM* has the same training, and adds a basis function at each test
    input. Its weight has the prior :math:`N(0, \alpha_*^{-1})` and is integrated out. Near the data
    this changes little; far from them the variance is :math:`\alpha_*^{-1}`. It is never below that
    of the relevance vector machine.

    Its features depend on the test input, so moments at an uncertain input have no
    closed form: propagate it by ``"taylor"``, ``"cubature"`` or ``"monte_carlo"``.

    Parameters
    ----------
    machine : RelevanceVectorMachine, optional
        The model to train; it is copied before it is fitted.
    prior_var : float, optional
        :math:`\alpha_*^{-1}`, the variance of f far from the data, squared units of the target.
        Default: the empirical variance of the targets.

    Attributes
    ----------
    machine_ : RelevanceVectorMachine
        Trained.
    predictive_ : AugmentedPosterior
        The frozen result; all prediction goes through it.
    prior_var_ : float
    noise_var_, log_marginal_likelihood_, report_
        The trained machine's.

    Notes
    -----
    It keeps the whole training set: with n rows and m relevance vectors a prediction costs O(n m).
    `condition` keeps the hyperparameters, ``prior_var_`` included.

    References
    ----------
    Quinonero-Candela (2004), section 2.5.1, eqs. (2.40) and (2.41).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> star = gf.models.RelevanceVectorMachineStar().fit(X, np.sin(X[:, 0]))
    >>> _, std = star.predict([[0.0], [100.0]], return_std=True)
    >>> bool(std[0] < 0.1), bool(abs(std[1] ** 2 / star.prior_var_ - 1) < 0.1)
    (True, True)
    """

    machine: RelevanceVectorMachine | None = parameter(None, _MACHINE.or_none())
    _: KW_ONLY
    prior_var: float | None = parameter(
        None, check.POSITIVE.or_none("for the variance of the targets")
    )

    def seeded(self, seed: int) -> Self:
        """Return a model, not fitted, whose machine has this seed where its own is 0."""
        return self._unfitted(machine=(self.machine or RelevanceVectorMachine()).seeded(seed))

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        machine = RelevanceVectorMachine() if self.machine is None else copy.deepcopy(self.machine)
        prior_var = float(np.var(y)) if self.prior_var is None else float(self.prior_var)
        self._augment(machine.fit(X, y), X, y, prior_var)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._augment(self.machine_.condition(X, y), X, y, self.prior_var_)

    def _augment(
        self, machine: RelevanceVectorMachine, X: FloatArray, y: FloatArray, prior_var: float
    ) -> None:
        self.predictive_ = augmented(machine.posterior_, machine._precisions(), X, y, prior_var)
        self.machine_, self.prior_var_ = machine, prior_var
        self.noise_var_, self.report_ = machine.noise_var_, machine.report_
        self.log_marginal_likelihood_ = machine.log_marginal_likelihood_
