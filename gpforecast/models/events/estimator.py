"""What the Gaussian processes of classes have in common: all but their likelihood."""

from dataclasses import replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.base import FitReport
from gpforecast.models.events.assumed_density import filtered, informative_rows
from gpforecast.models.events.classifier import ClassModel
from gpforecast.models.events.event_evidence import EventEvidence, Gram
from gpforecast.models.events.expectation_propagation import Sites, propagate_expectations
from gpforecast.models.events.site_posterior import site_posterior
from gpforecast.models.rank_updates import overlap
from gpforecast.models.search import Search, optimise

_SETTLED = 0.5  # nats; a round of selection and search that gains less is the last


class EventGP(ClassModel):
    """A Gaussian process f behind classes; a subclass adds likelihood, parameters and search."""

    covariance_: Covariance

    _remedy = "a larger variance of the covariance fixes it"

    @property
    def _criterion(self) -> str:
        """By what the rows to condition on are selected."""
        return str(vars(self).get("selection", "entropy"))

    def _rounds(
        self, problem: EventEvidence, search: Search, n_active: int
    ) -> tuple[EventEvidence, FitReport]:
        """Learn from the informative rows, taking turns with their selection.

        The best round is the one of greatest evidence of its rows plus log probability of all
        others given these; the search starts from rows that are evenly spaced.
        """
        best, report = optimise(problem.on_few_rows(n_active), search)
        here, reports, most = best, [report], -np.inf
        for _ in range(int(vars(self)["n_rounds"])):
            here = replace(problem, covariance=here.covariance, likelihood=here.likelihood)
            few, value = here.selected(n_active, self._criterion)
            if value > most:
                best, gained, most = here, value - most, value
            else:
                break
            if gained < _SETTLED:
                break
            again = Search(few.covariance, few.noise_var, search.max_iter)
            here, report = optimise(few, again)
            reports.append(report)
        return best, reports[-1].after(reports[:-1])

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._settle(X, y, self._earlier(X))

    def _settle(self, X: FloatArray, y: FloatArray, start: Sites | None) -> None:
        """Find rows and sites at the hyperparameters found, and the posterior they make."""
        covariance, likelihood = self.covariance_, self.likelihood_
        codes, n_active = y.astype(np.int64), vars(self)["n_active"]
        rows, by_filter = np.arange(len(y)), vars(self)["inference"] == "adf"
        remarks: tuple[str, ...] = ()
        if n_active is not None and n_active < len(y):
            found = informative_rows(
                covariance, likelihood, X, codes, n_active, criterion=self._criterion
            )
            rows, start = found.rows, found.sites
        elif by_filter:
            found = filtered(covariance, likelihood, X, codes)
        if by_filter:
            sites, evidence = found.sites, found.log_evidence
        else:
            K = Gram.of(covariance, X[rows]).K
            ended = propagate_expectations(K, likelihood, codes[rows], start)
            sites, evidence = ended.q.sites, ended.log_evidence
            if not ended.converged:
                remarks = (
                    f"training did not settle in {ended.n_sweeps} rounds: probabilities may be off",
                )
        self.active_, self.sites_ = rows, sites
        self.posterior_ = site_posterior(covariance, X[rows], sites, likelihood.noise_var)
        self.noise_var_ = likelihood.noise_var
        self._note(evidence, 0.0, remarks)

    def _earlier(self, X: FloatArray) -> Sites | None:
        """Return sites to start from: those of rows that it was conditioned on already."""
        if len(self.posterior_.centers) != len(self.sites_.shift):
            return None
        gone = overlap(self.posterior_.centers, X)
        if gone is None:
            return None
        kept = len(self.sites_.shift) - gone
        start = Sites.flat(len(X))
        start.precision[:kept] = self.sites_.precision[gone:]
        start.shift[:kept] = self.sites_.shift[gone:]
        return start
