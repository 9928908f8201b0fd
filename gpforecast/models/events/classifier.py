"""What all models of classes have in common: labels in, probabilities out."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.covariances import Covariance
from gpforecast.models.base import FitReport, check_inputs
from gpforecast.models.conditioning import overlap
from gpforecast.models.estimator import Estimator
from gpforecast.models.events.classes import MOST, Label, codes_of, known_classes, refuse_missing
from gpforecast.models.events.event_evidence import EventEvidence, filtered
from gpforecast.models.events.expectation_propagation import Sites, gram, propagate_expectations
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.models.search import Search, optimise
from gpforecast.numerics.expectations import check_gaussian
from gpforecast.posteriors.base import offered


class ClassModel(Estimator):
    """A latent f behind classes; a subclass adds the likelihood, parameters and training."""

    likelihood_: Likelihood
    classes_: tuple[Label, ...]

    _takes_missing: ClassVar[bool] = False  # whether it learns from rows without a class
    _most_classes: ClassVar[int] = MOST

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from inputs and classes.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)
            Whole numbers, bools, an ordered Categorical, or two labels of any kind.

        Returns
        -------
        Self
            The same object, fitted.

        Raises
        ------
        TypeError, ValueError
            If X is not of finite numbers with a row for each class, the classes are not two or
            ordered, or a parameter makes no sense. Nothing fitted before is lost.
        """
        if not self._takes_missing:
            refuse_missing(y)
        classes, codes = known_classes(y)
        if len(classes) > self._most_classes:
            raise ValueError(f"y must have two classes; got {len(classes)}. OrdinalGP takes more.")
        super().fit(X, codes)
        self.classes_ = classes
        return self

    def condition(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return a fitted model with the same hyperparameters, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)
            Of the classes that it was fitted to; not all of them need to occur. None may be missing
            unless the model learns from rows without a class.

        Returns
        -------
        Self
            A new object. What it costs is among the notes on the class.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X and y are not finite inputs and known classes of matching shapes.
        """
        self._frozen()
        if not self._takes_missing:
            refuse_missing(y)
        return super().condition(X, codes_of(self.classes_, y))

    def predict_proba(self, X: ArrayLike, S: ArrayLike | None = None) -> FloatArray:
        r"""Return the probability of each class at X, or at inputs N(X, S).

        .. math:: p(y \mid x) = \int p(y \mid f)\, N(f \mid m, v)\, df

        in closed form. At a known input m and v are those of the posterior. At an uncertain one
        they are the exact moments of f over x ~ N(X, S), and a Gaussian of these stands for the
        distribution of f, which is where it approximates.

        Parameters
        ----------
        X : array-like (n, d)
        S : array-like (n, d, d), optional
            Covariances of the inputs.

        Returns
        -------
        ndarray (n, C)
            A column for each of ``classes_``; every row has the sum 1.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError
            With S, if the covariance has no exact moments; `probabilities` takes those of another
            propagation method.
        ValueError
            If X and S are not inputs of the model.
        """
        posterior = self._frozen()
        inputs = check_inputs(X, posterior.n_inputs)
        if S is None:
            at = posterior.predict(inputs)
            return self.probabilities(at.mean, at.var)
        matrices = finite_array(S, "S", ndim=3)
        if len(matrices) != len(inputs):
            raise ValueError(f"S has {len(matrices)} covariances but X has {len(inputs)} rows.")
        pairs = [
            check_gaussian(u, one, posterior.n_inputs, "the model")
            for u, one in zip(inputs, matrices, strict=True)
        ]
        u, both = (np.array(values) for values in zip(*pairs, strict=True))
        moments = offered(posterior, "exact").moments(u, both)
        return self.probabilities(moments.mean, moments.var)

    def probabilities(self, mean: ArrayLike, var: ArrayLike) -> FloatArray:
        """Return the probability of each class where f ~ N(mean, var).

        Parameters
        ----------
        mean : array-like (n,)
        var : array-like (n,)
            Latent, without the noise, as of `gpforecast.propagation.predict_uncertain`.

        Returns
        -------
        ndarray (n, C)

        Raises
        ------
        RuntimeError
            If called before `fit`.
        """
        self._frozen()
        means, variances = finite_array(mean, "mean", ndim=1), finite_array(var, "var", ndim=1)
        if means.shape != variances.shape or (variances < 0.0).any():
            raise ValueError("var must have a variance, 0 or more, for each mean.")
        return self.likelihood_.probabilities(means, variances)

    def predict_class(self, X: ArrayLike) -> list[Label]:
        """Return the most probable class at each row of X (n, d)."""
        return [self.classes_[k] for k in self.predict_proba(X).argmax(axis=1)]


_SETTLED = 0.5  # nats; a round of selection and search that gains less is the last


class EventGP(ClassModel):
    """A Gaussian process f behind classes; a subclass adds likelihood, parameters and search."""

    covariance_: Covariance
    inference: str
    n_active: int | None
    n_rounds: int
    selection: str = "entropy"

    _remedy = "a larger variance of the covariance fixes it"

    def _alternated(
        self,
        here: EventEvidence,
        judged: Callable[[EventEvidence], tuple[EventEvidence, float]],
        climbed: Callable[[EventEvidence], tuple[EventEvidence, FitReport]],
        settled: float,
    ) -> tuple[EventEvidence, list[FitReport], bool]:
        """Alternate between what depends on the hyperparameters, and a search given that.

        Parameters
        ----------
        here : EventEvidence
            At the hyperparameters to start from.
        judged, climbed : callable
            The first returns the function to search, and the value of where it is; the second that
            function at the hyperparameters found.
        settled : float
            A round that gains less, in nats, is the last.

        Returns
        -------
        EventEvidence
            That of greatest value.
        list of FitReport
            Of all searches.
        bool
            Whether the rounds came to an end by themselves.
        """
        best, most, reports = here, -np.inf, list[FitReport]()
        for _ in range(self.n_rounds):
            part, value = judged(here)
            gained, most = value - most, max(value, most)
            if gained > 0.0:
                best = here
            if gained < settled:
                return best, reports, True
            found, report = climbed(part)
            here = replace(here, covariance=found.covariance, likelihood=found.likelihood)
            reports.append(report)
        return best, reports, False

    def _rounds(
        self, problem: EventEvidence, search: Search, n_active: int
    ) -> tuple[EventEvidence, FitReport]:
        """Learn from the informative rows, alternating with their selection.

        The best round is the one of greatest evidence of its rows plus log probability of all
        others given these; the search starts from rows that are evenly spaced.
        """
        found, first = optimise(problem.on_few_rows(n_active), search)
        best, reports, _ = self._alternated(
            replace(problem, covariance=found.covariance, likelihood=found.likelihood),
            lambda here: here.selected(n_active, self.selection),
            lambda few: optimise(few, Search(few.covariance, few.noise_var, search.max_iter)),
            _SETTLED,
        )
        *earlier, last = first, *reports
        return best, last.after(earlier)

    @abstractmethod
    def _searched(self, X: FloatArray, y: FloatArray) -> tuple[EventEvidence, FitReport]:
        """Return the evidence at the hyperparameters found, and how the search went."""

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        with self._training(X):
            found, self.report_ = self._searched(X, y)
            self.covariance_, self.likelihood_ = found.covariance, found.likelihood
            self._settle(X, y, found.sites_for(X, y))

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._settle(X, y, self._earlier(X))

    def _settle(self, X: FloatArray, y: FloatArray, start: Sites | None) -> None:
        """Find rows and sites at the hyperparameters found, and the posterior they make."""
        covariance, likelihood = self.covariance_, self.likelihood_
        codes, by_filter = y.astype(np.int64), self.inference == "adf"
        remarks: tuple[str, ...] = ()
        n_active = None if self.n_active is None or self.n_active >= len(y) else self.n_active
        rows = np.arange(len(y))
        if n_active or by_filter:
            found = filtered(covariance, likelihood, X, codes, n_active, criterion=self.selection)
            rows, start = found.rows, found.sites
        if by_filter:
            sites, evidence = found.sites, found.log_evidence
        else:
            ended = propagate_expectations(
                gram(covariance, X[rows]), likelihood, codes[rows], start
            )
            sites, evidence = ended.q.sites, ended.log_evidence
            if not ended.converged:
                remarks = (
                    f"training did not settle in {ended.n_sweeps} rounds: probabilities may be off",
                )
        self.active_, self.sites_ = rows, sites
        self.posterior_ = sites.posterior(covariance, X[rows], likelihood.noise_var)
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
