"""Gaussian processes behind classes: in order, cut by thresholds, or two of which few are known."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import choice, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import finite_array
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.events.classifier import EventGP
from gpforecast.models.events.event_evidence import EventEvidence
from gpforecast.models.events.likelihoods import NullCategory, Ordinal
from gpforecast.models.evidence import PRIOR_STD, evenly_spaced
from gpforecast.models.search import Climber, Search, optimise
from gpforecast.storage import storable

_PRIOR = check.Check(
    "'weak', a positive number or None", lambda v: v == "weak" or check.POSITIVE.or_none().holds(v)
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
    n_active: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    selection: str = parameter("expected_entropy", choice("expected_entropy", "entropy"))
    n_rounds: int = parameter(10, check.POSITIVE_INTEGER)
    n_search: int | None = parameter(800, check.POSITIVE_INTEGER.or_none())
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    prior: str | float | None = parameter("weak", _PRIOR)
    n_restarts: int = parameter(0, check.COUNT)
    seed: Seed = 0
    max_iter: int = parameter(200, check.POSITIVE_INTEGER)
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

    def _searched(self, X: FloatArray, y: FloatArray) -> tuple[EventEvidence, FitReport]:
        problem = self.evidence_of(X, y)
        if self.optimizer is None:
            return optimise(problem, None)
        options = self.max_iter, self.n_restarts, self.seed
        search = Search(self.covariance, problem.noise_var, *options)
        if self.n_active is not None and self.n_active < len(y):
            return self._rounds(problem, search, self.n_active)
        return optimise(problem.on_few_rows(self.n_search or len(y)), search)


_GAIN = 0.01  # nats; three iterations of a search that gain less are its last
_SETTLED = 0.1  # nats; a round of sites and search that gains less is the last
_FEW = 20  # iterations of the search between two sets of sites
_START = 0.1  # noise variance, in units of the squared width of the null category


@storable
@dataclass(eq=False, repr=False)
class NullCategoryGP(EventGP):
    r"""Gaussian process for two classes of which few rows have a label.

    Between the classes lies a third, of width 1, to which no row belongs, whether it has a label
    or not. So f avoids the values between -1/2 and 1/2 at every row, and the boundary of the
    classes avoids regions where there are many rows. With :math:`g = f + \text{bias}`,

    .. math::

        p(y = 1 \mid f) = \Phi((g - \tfrac12) / \sigma), \quad
        p(y = -1 \mid f) = \Phi(-(g + \tfrac12) / \sigma), \quad
        p(\text{no label} \mid f) = \gamma_- p(-1 \mid f) + \gamma_+ p(1 \mid f).

    It helps where classes are clusters, and misleads where they are not: without a gap between the
    classes, use `OrdinalGP` on the rows with labels.

    Parameters
    ----------
    covariance : Covariance, optional
        Of f. The search starts from the given values; where they are ``None``, from what an
        `OrdinalGP` finds with the labelled rows alone.
    noise_var : float or None
        Where the search for :math:`\sigma^2` starts, in units of the squared width of the null
        category. ``None``: 0.1.
    rates : tuple of float or None
        :math:`\gamma_-, \gamma_+`: the probability that a row of the first and of the second class
        has no label. ``None``: the share of rows without one, for both.
    inference : {"ep", "adf"}
        As of `OrdinalGP`.
    n_active : int or None
        Condition on so many rows only, selected by entropy (see `OrdinalGP`). It does not change
        the rows from which the hyperparameters are learned.
    n_rounds : int
        The largest number of rounds in which sites and hyperparameters are found in turn.
    n_search : int or None
        Rows on which the hyperparameters are learned where there are more: those with a label, up
        to half of them or what the others leave, and others, evenly spaced. ``None``: all rows.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (others stay where they start).
    prior : {"weak", None}
        As of `OrdinalGP`.
    progress : bool or None
        Whether to show a bar. ``None``: in a terminal or notebook, if it takes more than a second.

    Attributes
    ----------
    posterior_ : Posterior
        Of f.
    classes_ : tuple
        The columns of `predict_proba`.
    likelihood_ : NullCategory
        With the bias, noise variance and rates.
    covariance_ : Covariance
    noise_var_ : float
    active_ : ndarray (m,) of int
        The rows conditioned on.
    log_marginal_likelihood_ : float
        EP's, in nats.
    report_ : FitReport

    Notes
    -----
    The likelihood of a row without a label has two modes, and its product with a Gaussian can be
    wider than the Gaussian. No site of positive precision makes it so; such a site has precision
    0 and makes the mean alone agree. EP's evidence has no simple slopes then: the search holds
    sites, and alternates with finding them (n_rounds).

    References
    ----------
    Lawrence (2011), "Null Category Noise Model"; Lawrence and Jordan (2005).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.concatenate([np.linspace(-4, -1, 30), np.linspace(1.5, 5, 30)])[:, None]
    >>> y = np.full(60, np.nan)
    >>> y[[0, 59]] = 0, 1  # two labels
    >>> model = gf.models.NullCategoryGP().fit(X, y)
    >>> model.predict_class([[-1.0], [1.5]])
    [0.0, 1.0]
    """

    covariance: Covariance | None = parameter(None, COVARIANCE.or_none())
    _: KW_ONLY
    noise_var: float | None = parameter(None, check.POSITIVE.or_none())
    rates: tuple[float, float] | None = None
    inference: str = parameter("ep", choice("ep", "adf"))
    n_active: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    n_rounds: int = parameter(10, check.POSITIVE_INTEGER)
    n_search: int | None = parameter(500, check.POSITIVE_INTEGER.or_none())
    optimizer: str | None = parameter("L-BFGS-B", choice("L-BFGS-B", None))
    prior: str | None = parameter("weak", choice("weak", None))
    progress: bool | None = None

    _takes_missing = True
    _most_classes = 2

    def _first(self, y: FloatArray) -> NullCategory:
        """Return the likelihood from which the search starts."""
        share = min(max(float((y < 0).mean()), 1e-6), 1.0 - 1e-6)
        rates = (share, share) if self.rates is None else tuple(map(float, self.rates))
        if len(rates) != 2 or not all(0.0 < rate < 1.0 for rate in rates):
            raise ValueError(f"rates must be two probabilities; got {self.rates!r}.")
        return NullCategory(0.0, self.noise_var or _START, (rates[0], rates[1]))

    def _searched(self, X: FloatArray, y: FloatArray) -> tuple[EventEvidence, FitReport]:
        part, covariance = rows_to_search(y, self.n_search or len(y)), self.covariance
        rows = part if self.optimizer else np.arange(len(y))
        if self.optimizer is not None and (covariance is None or covariance.unset):
            labelled = part[y[part] >= 0]
            alone = OrdinalGP(covariance, progress=self.progress)
            covariance = alone.fit(X[labelled], y[labelled]).covariance_
        first = self._first(y)
        problem = EventEvidence.started(
            X[rows], y[rows], covariance, first.noise_var, y_var=1.0,
            weak_prior=self.prior == "weak", likelihood=first,
        )  # fmt: skip
        if self.optimizer is None:
            return optimise(problem, None)
        best, reports, settled = self._alternated(
            problem, EventEvidence.with_sites_held, _few_steps, _SETTLED
        )
        message = f"{len(reports)} rounds of sites and search"
        return best, FitReport(settled, message, n_starts=1).after(reports)


def _few_steps(held: EventEvidence) -> tuple[EventEvidence, FitReport]:
    """Search with the sites held, which soon are no longer those of the hyperparameters."""
    with bar("training", unit="evaluations") as shown:
        climb = Climber(held, _FEW, _GAIN, shown.update).climb(held.start)
    return held.at(climb.theta), climb.report


def rows_to_search(y: FloatArray, n_rows: int) -> IntArray:
    """Return so many rows: labelled ones of both classes, and others, evenly spaced.

    That a row is taken depends on whether it has a label, and not on its class.
    """
    known, others = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    if n_rows >= len(y):
        return np.arange(len(y))
    known = known[np.argsort(y[known], kind="stable")]
    n_known = min(len(known), max(n_rows // 2, n_rows - len(others), 2))
    n_others = min(len(others), max(n_rows - n_known, 0))
    some = known[evenly_spaced(len(known), n_known)], others[evenly_spaced(len(others), n_others)]
    return np.sort(np.concatenate(some))
