"""Gaussian-process regression on inputs that were measured with noise."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, number, parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array, per_cent
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.conditioning import conditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.noisy_inputs import CleaningPath, NoisyInputs
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.storage import storable

_POOR = 0.2  # acceptance
_APART = 1.5  # potential scale reduction of an input on which the chains disagree
_MANY = 0.25  # of the rows
_DRIFT = 1.0  # of a variance's logarithm between the last two quarters of the iterations


_FRACTION = number("a number between 0 and 1", lambda v: 0.0 < v < 1.0)


@storable
@dataclass(eq=False, repr=False)
class NoisyInputGP(Estimator):
    r"""Gaussian-process regression whose inputs were measured with noise.

    .. math::

        y_n = f(x_n) + \epsilon_n, \qquad u_n = x_n + \nu_n, \qquad
        \epsilon_n \sim N(0, \sigma^2), \quad \nu_{nd} \sim N(0, s_d)

    u is what is passed as X. A Gaussian process that takes u for x is too smooth and finds too much
    output noise. There are two ways to do better:

    ``"stochastic_em"`` draws the inputs from their posterior by Hamiltonian Monte Carlo (E-step),
    maximises the log evidence averaged over the draws (M-step), and so on. It learns
    :math:`\sigma^2` and, if it is not given, s. Independent chains then draw the inputs once more,
    and the prediction is a mixture of the Gaussian processes of all draws:

    .. math:: p(f \mid y, u) \approx \frac1K \sum_k p(f \mid y, x^{(k)}, \hat\theta)

    ``"cleaning"`` finds the most likely inputs together with the most likely hyperparameters. As
    the posterior has no maximum in :math:`\sigma^2`, it is lowered step by step, each search
    starting where the last one ended, down to `noise_var`. Without `noise_var` the model uses the
    point of the path at which :math:`|\partial P / \partial \log \sigma^2|` is smallest. The thesis
    calls the success of this rule limited, and so it is: on its toy the rule stops early in half of
    the draws (``benchmarks/accuracy/noisy_inputs.py``), so look at ``path_``. There is one set of
    inputs, so the error bars are narrower than those of the mixture.

    Rows are taken to be independent. The rows of a series are not: one noisy value is a target and
    an input of several rows. For a series use ``Forecaster(noise="measurement")``. A forecast
    with this model takes the observed lags as exact.

    Predictions are of f at exact inputs; for a noisy one use
    `gpforecast.propagation.predict_uncertain` with ``diag(model.input_noise_var_)``.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input.
    method : {"stochastic_em", "cleaning"}
    noise_var : float or None
        :math:`\sigma^2`, squared units of the target, if it is known; it is kept.
    input_noise_var : float, sequence of float (d,) or None
        s, squared units of the inputs: one number for all inputs, or one for each, 0 for exact
        ones. It is kept. ``None``: one for each input is learned, by ``"stochastic_em"`` only.
    factor : float
        Of ``"cleaning"``: from one noise variance to the next.
    n_iter : int
        Of ``"stochastic_em"``: E- and M-steps. Hyperparameters are the averages of the last half.
    n_chains : int
        Of ``"stochastic_em"``, like what follows.
    n_draws : int
        Kept of each chain in the end; K is ``n_chains * n_draws``.
    n_warmup : int
        Trajectories at the start of each of these chains, while its noise variance falls.
    seed : int
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    predictive_ : AveragedPosterior
        The frozen result, with one part for each draw; a single one after cleaning.
    covariance_ : Covariance
    noise_var_ : float
    input_noise_var_ : ndarray (d,)
    inputs_ : ndarray (n, d)
        The most likely inputs, or the mean of the draws.
    draws_ : ndarray (K, n, d)
        The inputs drawn; after cleaning, the one set that was found.
    path_ : CleaningPath or None
        All that cleaning went through.
    acceptance_ : ndarray (n_chains,)
        Mean acceptance of each chain; empty after cleaning.
    spread_ : ndarray (n, d)
        The potential scale reduction of each input over the chains, near 1 where they agree: a
        large value marks an input with several likely places. 1 after cleaning.
    log_marginal_likelihood_ : float
        In nats, averaged over the draws.
    report_ : FitReport
        Poor chains, and chains that disagree, are among its remarks.

    Notes
    -----
    An evaluation costs O(n^3) time and a few n x n matrices. ``"stochastic_em"`` takes about
    ``n_chains * (50 n_iter + 12 n_warmup + 50 n_draws)`` of them, and K factors of n x n are kept;
    ``"cleaning"`` takes some 3000, and one factor. Prediction costs K times that of a
    `GaussianProcess`. So it is for a few hundred rows; 50 take seconds.

    `condition` keeps the hyperparameters and draws, or cleans, the inputs of its rows anew.

    References
    ----------
    Quinonero-Candela (2004), section 4.3, eqs. (4.26) to (4.38); Neal (2011) for the sampler.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> x = np.linspace(-3, 3, 30)
    >>> u, y = x + 0.3 * rng.standard_normal(30), np.sin(2 * x) + 0.05 * rng.standard_normal(30)
    >>> plain = gf.models.GaussianProcess().fit(u[:, None], y)
    >>> model = gf.models.NoisyInputGP(input_noise_var=0.09, n_iter=20).fit(u[:, None], y)
    >>> bool(model.noise_var_ < 0.3 * plain.noise_var_)
    True
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    method: str = parameter("stochastic_em", choice("stochastic_em", "cleaning"))
    noise_var: float | None = parameter(None, check.POSITIVE.or_none("to learn it"))
    input_noise_var: float | Sequence[float] | FloatArray | None = None
    factor: float = parameter(0.7, _FRACTION)
    n_iter: int = parameter(50, check.POSITIVE_INTEGER)
    n_chains: int = parameter(4, check.POSITIVE_INTEGER)
    n_draws: int = parameter(8, check.POSITIVE_INTEGER)
    n_warmup: int = parameter(80, check.POSITIVE_INTEGER)
    seed: int = 0
    progress: bool | None = None

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        given = self._given_variances(X.shape[1])
        with self._training(X):
            gp = GaussianProcess(self.covariance, prior="weak").fit(X, y)
            mode = np.append(gp.covariance_.log_parameters, np.log(max(gp.noise_var_, 1e-300)))
            problem = NoisyInputs.started(gp.evidence_of(X, y).at(mode), gp.posterior_, given)
            if self.method == "cleaning":
                self._clean(problem)
            else:
                self._learn(problem)
                self._recondition(X, y)

    def _clean(self, problem: NoisyInputs) -> None:
        path, n_evaluations = problem.cleaned(self.noise_var, self.factor)
        i, last = path.stopped_at, len(path.slopes) - 1
        self.path_: CleaningPath | None = path
        self.covariance_, self.noise_var_ = path.covariances[i], float(path.noise_vars[i])
        self.input_noise_var_ = problem.unpack(problem.start)[2]
        lost = self.noise_var is None and i in (0, last)
        remark = "the slope has no minimum along the cleaning path: its end is used; give noise_var"
        self.report_ = FitReport(True, "INPUTS CLEANED", last + 1, n_evaluations)
        self._take(path.inputs[i : i + 1], problem.y, [remark] if lost else [])

    def _learn(self, problem: NoisyInputs) -> None:
        self.path_ = None
        rng, n_chains = np.random.default_rng(self.seed), self.n_chains
        thetas, n_evaluations = problem.learned(
            self.noise_var, n_iter=self.n_iter, n_chains=n_chains, rng=rng
        )
        late = thetas[self.n_iter // 2 :]
        self.covariance_, self.noise_var_, s = problem.unpack(late.mean(axis=0))
        self.input_noise_var_ = np.asarray(s)
        third, fourth = late[: len(late) // 2 or 1], late[len(late) // 2 :]
        drift = np.abs(fourth.mean(axis=0) - third.mean(axis=0))[problem.at_noise :].max()
        converged = bool(drift < _DRIFT)
        message = (
            "VARIANCES ARE STATIONARY" if converged else "VARIANCES STILL CHANGE; RAISE n_iter"
        )
        self.report_ = FitReport(converged, message, self.n_iter, n_evaluations)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        held = self.covariance_, self.noise_var_, self.input_noise_var_
        problem = NoisyInputs.held(X, y, *held)
        if self.method == "cleaning":
            path, _ = problem.cleaned(self.noise_var_, self.factor)
            self._take(path.inputs[-1:], y)
            return
        draws, self.acceptance_, self.spread_ = problem.sampled(
            n_chains=self.n_chains, n_draws=self.n_draws, n_warmup=self.n_warmup,
            rng=np.random.default_rng(self.seed),
        )  # fmt: skip
        self._take(draws, y, self._disagreements())

    def _take(self, draws: FloatArray, y: FloatArray, remarks: Sequence[str] = ()) -> None:
        """Condition on every set of inputs, (K, n, d), and mix."""
        found = [conditioned(self.covariance_, self.noise_var_, X, y) for X in draws]
        weights = np.full(len(draws), 1.0 / len(draws))
        self.predictive_ = AveragedPosterior(tuple(part.posterior for part in found), weights)
        self.draws_, self.inputs_ = draws, draws.mean(axis=0)
        if self.method == "cleaning":
            self.acceptance_, self.spread_ = np.zeros(0), np.ones(draws.shape[1:])
        self.report_ = replace(self.report_, remarks=())
        jitter = max(part.jitter for part in found)
        self._note(float(np.mean([part.log_evidence for part in found])), jitter, remarks)

    def _disagreements(self) -> list[str]:
        """Return remarks on chains that hardly moved, and on inputs on which they disagree."""
        remarks = []
        poor = np.flatnonzero(self.acceptance_ < _POOR)
        if len(poor):
            least = self.acceptance_.min()
            remarks.append(
                f"{len(poor)} of {self.n_chains} chains of drawn inputs hardly moved (only "
                f"{per_cent(least)} of the draws accepted): the intervals may be too narrow; raise "
                f"n_warmup"
            )
        apart = int((self.spread_ > _APART).any(axis=1).sum())
        if apart > _MANY * len(self.spread_):
            remarks.append(
                f"the chains disagree on {apart} of {len(self.spread_)} rows' inputs, which have "
                f"several likely places: see spread_; more n_chains make the mixture steadier"
            )
        return remarks

    def _given_variances(self, n_inputs: int) -> FloatArray | None:
        """Return the input noise variances that were given, (d,), or say what is wrong."""
        if self.input_noise_var is None:
            if self.method == "cleaning":
                raise ValueError(
                    "input_noise_var must be given for method='cleaning', whose posterior has no "
                    "maximum without it; got None. Give it, or learn it by 'stochastic_em'."
                )
            return None
        given = finite_array(np.atleast_1d(self.input_noise_var), "input_noise_var", ndim=1)
        if len(given) not in (1, n_inputs) or (given < 0.0).any() or not given.any():
            raise ValueError(
                f"input_noise_var must be a positive number or one for each of the {n_inputs} "
                f"inputs, not all 0; got {self.input_noise_var!r}."
            )
        return np.broadcast_to(given, n_inputs).copy()
