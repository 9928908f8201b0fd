"""Two classes with few labels: a Gaussian process that avoids the boundary where rows lie."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common.parameters import POSITIVE, POSITIVE_INTEGER, choice, parameter
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.models.base import COVARIANCE, FitReport
from gpforecast.models.events.classifier import EventGP
from gpforecast.models.events.event_evidence import EventEvidence, HeldEvidence
from gpforecast.models.events.likelihoods import NullCategory
from gpforecast.models.ordinal_gp import OrdinalGP
from gpforecast.models.search import Climber, optimise
from gpforecast.storage import storable

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
    noise_var: float | None = parameter(None, POSITIVE.or_none())
    rates: tuple[float, float] | None = None
    inference: str = parameter("ep", choice("ep", "adf"))
    n_active: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    n_rounds: int = parameter(10, POSITIVE_INTEGER)
    n_search: int | None = parameter(500, POSITIVE_INTEGER.or_none())
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

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        weak, first = self.prior == "weak", self._first(y)
        part = rows_to_search(y, min(len(y), self.n_search or len(y)))
        labelled = part[y[part] >= 0]
        with self._training(X):
            covariance = self.covariance
            if self.optimizer is not None and (covariance is None or covariance.unset):
                alone = OrdinalGP(covariance, progress=self.progress)
                covariance = alone.fit(X[labelled], y[labelled]).covariance_
            rows = np.arange(len(y)) if self.optimizer is None else part
            problem = EventEvidence.started(
                X[rows], y[rows], covariance, first.noise_var, y_var=1.0, weak_prior=weak,
                likelihood=first,
            )  # fmt: skip
            if self.optimizer is None:
                found, self.report_ = optimise(problem, None)
            else:
                found, self.report_ = self._alternated(problem)
            self.covariance_, self.likelihood_ = found.covariance, found.likelihood
            self._settle(X, y, found.sites_for(X, y))

    def _alternated(self, problem: EventEvidence) -> tuple[EventEvidence, FitReport]:
        """Alternate between sites and hyperparameters, and return those of greatest evidence."""
        best, most, reports = problem, -np.inf, list[FitReport]()
        for _ in range(self.n_rounds):
            held, evidence = HeldEvidence.around(problem)
            if evidence > most:
                best, gained, most = problem, evidence - most, evidence
            else:
                break
            if gained < _SETTLED:
                break
            with bar("training", unit="evaluations") as shown:
                climb = Climber(held, _FEW, _GAIN, shown.update).climb(held.start)
            problem = problem.at(climb.theta)
            reports.append(climb.report)
        message = f"{len(reports)} rounds of sites and search"
        settled = len(reports) < self.n_rounds or gained < _SETTLED
        return best, FitReport(settled, message, n_starts=1).after(reports)


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
    taken = [
        rows[np.linspace(0, len(rows) - 1, n).astype(np.int64)]
        for rows, n in ((known, n_known), (others, n_others))
    ]
    return np.sort(np.concatenate(taken))
