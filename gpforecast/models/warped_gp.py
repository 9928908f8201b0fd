"""Gaussian-process regression of warped targets, whose warp is learned with it."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermegauss

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, parameter
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.validation import probability
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE, check_inputs, check_rows
from gpforecast.models.conditioning import Conditioned, conditioned, reconditioned
from gpforecast.models.estimator import Estimator
from gpforecast.models.search import Search, optimise
from gpforecast.models.warped_evidence import WarpedEvidence, censored_at, first_psi
from gpforecast.posteriors.base import Prediction
from gpforecast.storage import storable

_NODES = 64  # of Gauss-Hermite quadrature


@storable
@dataclass(eq=False, repr=False)
class WarpedGP(Estimator):
    r"""Gaussian-process regression of warped targets, :math:`w(y) = f(x) + \epsilon`.

    f ~ GP(0, k), and the warp w is increasing: a line with smooth steps,

    .. math:: w(y) \propto y + \sum_{i=1}^I a_i \tanh(b_i (y + c_i)) + \text{constant},

    of the standardised targets. It is learned together with the hyperparameters by the log evidence
    of y,

    .. math:: \log N(w(y) \mid 0, K + \sigma^2 I) + \sum_n \log w'(y_n),

    with analytic gradients. So it finds the logarithm, root or other function of the targets after
    which signal and noise are nearly Gaussian. Predictions are skewed, or have several modes, where
    w is bent.

    For a series use ``Forecaster(transforms=transforms.LearnedWarp())``, which warps the lags too.

    Parameters
    ----------
    covariance : Covariance, optional
        Of f, in units of the warped targets, whose variance is 1. Default `SquaredExponential` with
        one length-scale per input. The search starts from the given values, or from the data where
        they are ``None``.
    n_tanh : int
        I. Three are enough for a logarithm or a power.
    two_slopes : bool
        Replace the line y by one with a slope on its left and another on its right, learned too. On
        the data measured so far it changed nothing: a wide step does the same within their range.
    noise_var : float or None
        Variance of the noise of warped targets, from which the search starts.
    prior : {None, "weak"}
        As for `GaussianProcess`. Steps always have a prior: log-normal heights a and slopes b with
        medians of 0.3 and 1 standard deviations of the targets and spreads of 2.5 and 0.7 in the
        logarithm, normal c with a standard deviation of 2. Half the logarithm of the ratio of two
        slopes has a normal prior with a standard deviation of 1.
    n_restarts : int
        Further searches from random starting points.
    seed : int, Generator or None
        For the restarts.
    max_iter : int
        Iterations of one search on one set of rows.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    warp_ : TanhWarp
        w, with ``forward``, ``backward`` and ``log_gradient``.
    posterior_ : Posterior
        Of f, in units of the warped targets. Its moments at uncertain inputs are exact; an image by
        ``warp_.backward`` of a quantile there is a quantile of y.
    covariance_ : Covariance
    noise_var_ : float
        In units of the warped targets.
    log_marginal_likelihood_ : float
        Of y, the Jacobian included, in nats: it can be compared with that of a `GaussianProcess`.
    report_ : FitReport
        Equal values at the edge of the targets are among its remarks: the warp pushes censored
        values away from all others.

    Notes
    -----
    `predict` returns the mean and the standard deviation of a new observation y, noise included,
    by Gauss-Hermite quadrature with 64 nodes, eq. (5.9): the warp bends signal and noise alike, so
    that the mean of y is not the image of that of f. There is no covariance of y at several
    inputs; `sample` draws functions.

    An evaluation costs what it does for a `GaussianProcess`, O(n^3); the search has 3 I more
    parameters. `condition` keeps the warp.

    References
    ----------
    Snelson (2007), chapter 5; Snelson, Rasmussen and Ghahramani (2004), "Warped Gaussian
    processes".

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.exp(np.sin(X[:, 0]) + 0.2 * rng.standard_normal(60))
    >>> model = gf.models.WarpedGP().fit(X, y)
    >>> bool(np.corrcoef(model.warp_.forward(y), np.log(y))[0, 1] > 0.99)
    True
    >>> at_peak, in_trough = model.predict_quantile([[1.5], [4.5]], [0.025, 0.975])
    >>> bool(np.ptp(at_peak) > 3 * np.ptp(in_trough))
    True
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    n_tanh: int = parameter(3, check.POSITIVE_INTEGER)
    two_slopes: bool = parameter(False, check.FLAG)
    noise_var: float | None = parameter(None, check.NOT_NEGATIVE.or_none())
    prior: str | None = parameter(None, choice("weak", None))
    n_restarts: int = parameter(0, check.COUNT)
    seed: Seed = 0
    max_iter: int = parameter(200, check.POSITIVE_INTEGER)
    progress: bool | None = None

    def predict_quantile(self, X: ArrayLike, levels: ArrayLike) -> FloatArray:
        """Return quantiles of a new observation: images of those of a Gaussian.

        Parameters
        ----------
        X : array-like (n, d)
        levels : array-like (q,)
            Probabilities between 0 and 1; 0.5 is the median.

        Returns
        -------
        ndarray (n, q)

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X is not an array of finite numbers with the inputs that the model was fitted to, or
            a level is not between 0 and 1.

        References
        ----------
        Snelson (2007), eqs. (5.7) and (5.8).
        """
        p = np.array([probability(level) for level in np.ravel(np.asarray(levels))])
        m, s = self._latent(X)
        return self.warp_.backward(m[:, None] + s[:, None] * scipy.special.ndtri(p))

    def log_density(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Return the log density of new observations, each given the rows that were fitted.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        ndarray (n,)
            In nats, a density in the units of y.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes.

        References
        ----------
        Snelson (2007), eq. (5.6).
        """
        m, s = self._latent(X)
        _, targets = check_rows(X, y, least=1)
        off = (self.warp_.forward(targets) - m) / s
        return np.asarray(
            self.warp_.log_gradient(targets) - np.log(s) - 0.5 * (off**2 + np.log(2.0 * np.pi))
        )

    def sample(self, X: ArrayLike, n: int = 1, *, seed: Seed = None) -> FloatArray:
        """Draw functions at known inputs: images of f, which are medians of y given f.

        Parameters
        ----------
        X : array-like (q, d)
        n : int
            How many functions.
        seed : int, Generator or None

        Returns
        -------
        ndarray (n, q)
            A function a row, without observation noise, in the units of y.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X is not an array of finite numbers with the inputs that the model was fitted to.
        """
        functions = super().sample(X, n, seed=seed)
        return self.warp_.backward(functions)

    def evidence_of(self, X: FloatArray, y: FloatArray) -> WarpedEvidence:
        """Return the function that training maximises, of inputs (n, d) and targets (n,)."""
        u, two_slopes = (y - y.mean()) / y.std(), bool(self.two_slopes)
        return WarpedEvidence.started(
            X, u, self.covariance, self.noise_var, weak_prior=self.prior == "weak",
            psi=first_psi(u, self.n_tanh, two_slopes=two_slopes), two_slopes=two_slopes,
        )  # fmt: skip

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        if np.ptp(y) <= 1e-12 * np.abs(y).max():
            raise ValueError(
                f"y must have different values to learn a warp from; all are {y[0]:g}. Use "
                f"GaussianProcess."
            )
        search = Search(self.covariance, self.noise_var, self.max_iter, self.n_restarts, self.seed)
        with self._training(X):
            found, report = optimise(self.evidence_of(X, y), search)
            self.report_ = report
            self.covariance_, self.noise_var_ = found.covariance, found.noise_var
            warp = found.warp_of(found.start)
            self.warp_ = warp.standardised(y, float(y.mean()), float(y.std()))
            z = self.warp_.forward(y)
            self._take(conditioned(self.covariance_, self.noise_var_, X, z), y)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        z = self.warp_.forward(y)
        updated = reconditioned(self.posterior_, self.covariance_, X, z)
        self._take(updated or conditioned(self.covariance_, self.noise_var_, X, z), y)

    def _take(self, result: Conditioned, y: FloatArray) -> None:
        self.posterior_ = result.posterior
        self.report_ = replace(self.report_, remarks=())
        censored = censored_at(y)
        remarks = [f"{censored}; if they are censored, the warp is wrong there"] if censored else []
        jacobian = float(self.warp_.log_gradient(y).sum())
        self._note(result.log_evidence + jacobian, result.jitter, remarks)

    def _moments(self, X: FloatArray) -> Prediction:
        m, s = self._latent(X)
        nodes, weights = hermegauss(_NODES)
        y, weights = self.warp_.backward(m[:, None] + s[:, None] * nodes), weights / weights.sum()
        mean = np.asarray(y @ weights)
        return Prediction(mean, (y - mean[:, None]) ** 2 @ weights)

    def _mean_and_cov(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        raise TypeError(
            "WarpedGP has no covariance of y at two inputs; use sample(X, n), or return_std=True."
        )

    def _latent(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of warped observations at X, (n,) each."""
        posterior = self._frozen()
        f = posterior.predict(check_inputs(X, posterior.n_inputs))
        self._warn_of_clipped(f.n_clipped, len(f.mean))
        return f.mean, np.sqrt(f.var + self.noise_var_)
