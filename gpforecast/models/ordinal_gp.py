"""Classes that have an order, or two of them: a Gaussian process cut by thresholds."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common.parameters import (
    COUNT,
    POSITIVE,
    POSITIVE_INTEGER,
    Check,
    choice,
    parameter,
)
from gpforecast.common.types import ArrayLike, FloatArray, Seed
from gpforecast.common.validation import finite_array
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE
from gpforecast.models.events.classifier import EventGP
from gpforecast.models.events.event_evidence import EventEvidence
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.models.evidence import PRIOR_STD
from gpforecast.models.search import Search, optimise
from gpforecast.storage import storable

_PRIOR = Check(
    "'weak', a positive number or None",
    lambda v: v == "weak" or POSITIVE.or_none().holds(v),
)


@storable
@dataclass(eq=False, repr=False)
class OrdinalGP(EventGP):
    r"""Gaussian process for events and ordered states, by expectation propagation.

    A latent f ~ GP(0, k) with noise of variance 1 is cut into classes by thresholds,

    .. math:: p(y = c \mid x) = \Phi(t_{c+1} - f(x)) - \Phi(t_c - f(x)), \qquad
        -\infty = t_0 < t_1 < \dots < t_C = \infty;

    two classes are the probit model of classification. The posterior of f is a Gaussian found by
    expectation propagation (EP). It is a `Posterior` as that of a `GaussianProcess`: its moments
    at uncertain inputs are exact, and every propagation method works.

    Covariance and thresholds maximise EP's log evidence, with analytic gradients. A threshold takes
    the place of a bias. Signal variance and thresholds are in units of the noise, which is why its
    variance is fixed.

    Parameters
    ----------
    covariance : Covariance, optional
        Of f. Any covariance of `gpforecast.covariances`, or a sum or product of them. Default
        `SquaredExponential` with one length-scale per input. The search starts from the given
        values, or from the data where they are ``None``.
    thresholds : array-like (C - 1,) or None
        Where the search for them starts, increasing, in standard deviations of the noise.
        ``None``: from the shares of the classes.
    inference : {"ep", "adf"}
        ``"adf"``: find each site once, row after row (assumed-density filtering), in the final
        posterior; hyperparameters are those of EP. Less exact, and dependent on the order of the
        rows.
    n_active : int or None
        Condition on so many rows only, those that tell most of f (the informative vector machine);
        selection and training alternate. ``None``: on all rows.
    selection : {"expected_entropy", "entropy"}
        How these rows are selected: by how much each is expected to lower the entropy of f before
        its class is known, or by how much it does with the class that it has. The latter is that
        of the papers. It prefers rows whose class surprises, so that probabilities come out too
        near to each other where classes overlap (``benchmarks/accuracy/events.py``).
    n_rounds : int
        The largest number of rounds of selection and training.
    n_search : int or None
        Rows, evenly spaced, on which the hyperparameters are learned where there are more, all of
        which are then conditioned on. ``None``: all rows. Not used with `n_active`.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    prior : {"weak", None} or float
        ``"weak"``: a normal on every logarithm and threshold, centred on its starting value with a
        standard deviation of 2. A number is that of the covariance's logarithms instead: with few
        rows and starting values to be trusted, 1 or 1.5. Without a prior the variance of f grows to
        its bound where classes can be separated without an error.
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
    posterior_ : Posterior
        Of f; all prediction goes through it. Its noise variance is 1.
    classes_ : tuple
        In their order: the columns of `predict_proba`.
    thresholds_ : ndarray (C - 1,)
    covariance_ : Covariance
        With the hyperparameters found.
    noise_var_ : float
        1.
    active_ : ndarray (m,) of int
        The rows conditioned on, in the order in which they were selected.
    log_marginal_likelihood_ : float
        EP's, of the rows conditioned on, in nats; with ``"adf"`` that of the filter.
    report_ : FitReport

    Notes
    -----
    A sweep of EP costs 2/3 n^3 flops, and an evaluation of the evidence takes some ten of them;
    with `n_active` m, selection costs O(n m^2) and an evaluation O(m^3). To `condition` on other
    data costs a few sweeps at the same hyperparameters, from the sites of rows that stay.

    `predict` returns f, as for every one-step model; `predict_proba` and `predict_class` return
    what it says of classes.

    References
    ----------
    Lawrence (2011), "Ordinal Noise Model" and eq. (2); Rasmussen and Williams (2006), sections
    3.6 and 5.5.2; Chu and Ghahramani (2005); Lawrence, Seeger and Herbrich (2003).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.where(np.sin(X[:, 0]) > 0, "rain", "dry")
    >>> model = gf.models.OrdinalGP().fit(X, y)
    >>> model.predict_class([[1.5], [4.5]])
    ['rain', 'dry']
    >>> p = model.predict_proba([[1.5]], S=[[[4.0]]])  # x ~ N(1.5, 4)
    >>> bool(0.5 < p[0, 1] < model.predict_proba([[1.5]])[0, 1])
    True
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    thresholds: ArrayLike | None = None
    inference: str = parameter("ep", choice("ep", "adf"))
    n_active: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    selection: str = parameter("expected_entropy", choice("expected_entropy", "entropy"))
    n_rounds: int = parameter(10, POSITIVE_INTEGER)
    n_search: int | None = parameter(800, POSITIVE_INTEGER.or_none())
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    prior: str | float | None = parameter("weak", _PRIOR)
    n_restarts: int = parameter(0, COUNT)
    seed: Seed = 0
    max_iter: int = parameter(200, POSITIVE_INTEGER)
    progress: bool | None = None

    @property
    def thresholds_(self) -> FloatArray:
        """Where f and its noise are cut, (C - 1,)."""
        likelihood: Ordinal = vars(self)["likelihood_"]
        return likelihood.thresholds

    def warm_started(self) -> "OrdinalGP":
        """Return an unfitted model whose search starts at the hyperparameters found here."""
        self._frozen()
        return self._unfitted(
            covariance=self.covariance_, thresholds=self.thresholds_, n_restarts=0
        )

    def evidence_of(self, X: FloatArray, y: FloatArray) -> EventEvidence:
        """Return the function that training maximises, of inputs (n, d) and classes 0 to C - 1."""
        given, likelihood = self.prior, self._first(y)
        std = PRIOR_STD if given is None or isinstance(given, str) else float(given)
        return EventEvidence.started(
            X, y, self.covariance, likelihood.noise_var, y_var=1.0, weak_prior=given is not None,
            likelihood=likelihood, prior_std=std,
        )  # fmt: skip

    def _first(self, y: FloatArray) -> Ordinal:
        """Return the likelihood from which the search starts."""
        shares = np.bincount(y.astype(np.int64)) / len(y)
        if self.thresholds is None:
            return Ordinal.of_shares(shares, 1.0)
        given = finite_array(self.thresholds, "thresholds", ndim=1)
        if len(given) != len(shares) - 1 or (np.diff(given) <= 0.0).any():
            raise ValueError(
                f"thresholds must be {len(shares) - 1} increasing numbers, one less than the "
                f"classes of y; got {given.tolist()}."
            )
        return Ordinal(given)

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        problem, n_active = self.evidence_of(X, y), self.n_active
        with self._training(X):
            if self.optimizer is None:
                found, self.report_ = optimise(problem, None)
            else:
                options = self.max_iter, self.n_restarts, self.seed
                search = Search(self.covariance, problem.noise_var, *options)
                if n_active is not None and n_active < len(y):
                    found, self.report_ = self._rounds(problem, search, n_active)
                else:
                    n_rows = min(len(y), self.n_search or len(y))
                    part = problem if n_rows == len(y) else problem.on_few_rows(n_rows)
                    found, self.report_ = optimise(part, search)
            self.covariance_, self.likelihood_ = found.covariance, found.likelihood
            self._settle(X, y, found.sites_for(X, y))
