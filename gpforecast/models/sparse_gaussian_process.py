"""Gaussian processes for many rows: the family of sparse approximations as one model."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import evenly_spaced
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.greedy import CRITERIA, greedy_rows
from gpforecast.models.inducing import random_rows
from gpforecast.models.measured import ROUNDS, MeasuredWeights, Measurements, split_noises
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Parameters
from gpforecast.models.sparse.likelihood import factorise
from gpforecast.models.sparse.options import CHOSEN_FROM, SparseOptions
from gpforecast.models.sparse.training import train
from gpforecast.posteriors.averaged import ProjectedPosterior
from gpforecast.storage import storable

_SMALL_WORK = 1e9  # rows times the square of inducing inputs, up to which one thread is as good


@storable
@dataclass(eq=False, repr=False)
class SparseGaussianProcess(SparseOptions):
    r"""Gaussian-process regression on many rows, through M inducing inputs.

    With :math:`Q_{ab} = K_{aM} K_{MM}^{-1} K_{Mb}`, the approximations differ in the covariance of
    the targets (without the noise) and in the covariance with f at a new input:

    ======== ===================================== ======================= ========================
    name     training covariance                   with f at a new input   propagated exactly
    ======== ===================================== ======================= ========================
    "sd"     K of a subset of M rows               K                       yes
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

    Hyperparameters start from a full GP on at most 512 random rows and then maximise the evidence
    of the approximation on all rows, with analytic gradients.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input. Any other covariance, sum or
        product may be given; summands `Linear` and `Constant` pass through no inducing input and
        are exact. Values that are given are where the search starts.
    approximation : str
        See the table. ``"vfe"`` does not underestimate the noise. ``"fitc"`` has a variance that
        depends on the input; if the inducing inputs represent f poorly, this variance can replace
        the noise, with a better density and a worse mean than ``"vfe"``.
    n_inducing : int
        M; with fewer rows, as many as there are. For ``"sd"`` the rows of the subset.
    inducing : {"random", "kmeans", "sgev", "sggp", "kl", "information_gain"} or array-like (M, d)
        Rows at random, centres of clusters, rows chosen greedily by evidence, posterior,
        divergence or information gain (`gpforecast.models.inducing`), or the inputs themselves.
        For ``"sd"`` how the rows of its subset are chosen; ``"information_gain"`` makes it the
        informative vector machine, and ``"kmeans"``, the default, takes them at random. To be left
        out for ``"local"``.
    optimise_inducing : bool or None
        Move the inducing inputs as well, by the gradient of the evidence (SPGP), together with the
        hyperparameters. ``None`` does so for ``"vfe"`` and ``"fitc"``, unless the inducing inputs
        are given or ``optimizer=None``, and always with a `projection`. It takes several times as
        many evaluations. Without it, ``"vfe"`` with too few inducing inputs explains everything
        as noise.
    blocks : {"random", "farthest", "kmeans"} or array-like (S, d)
        Centres of the blocks of ``"pitc"``, ``"pic"`` and ``"local"``: every row belongs to the
        nearest, in units of the first length-scales. ``"farthest"`` makes blocks of equal extent,
        ``"random"`` of more equal numbers of rows (Snelson 2007, section 3.2.3).
    n_blocks : int or None
        ``None`` makes blocks of about M rows.
    projection : int, array-like (g, d) or None
        Learn a projection to this number of dimensions, or from the given start, together with the
        inducing inputs in the projected space (SPGP+DR). For a single covariance with
        length-scales.
    variable_noise : bool
        Learn an uncertainty of each inducing variable, so that error bars widen where the data
        are noisier (SPGP+HS). For ``"fitc"``. A weak prior, and one that keeps the hyperparameters
        near those of the full GP on few rows, prevent overfitting of single rows.
    noise_var : float or None
        Positive; the start of the search for it.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at starting
        values taken from the data).
    seed : int, Generator or None
        For the choice of rows, inducing inputs and blocks.
    n_search : int or None
        Rows, evenly spaced, by which hyperparameters and inducing inputs are learned where there
        are more; the posterior has all. ``None``, and approximations with blocks: by all.
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
    O(n (M^2 + M B + B^2))). Rows are worked on in parts of a few hundred, so that memory holds no
    matrix of all of them. A prediction costs O(M^2), for ``"pic"`` O((M + B)^2).

    Where the noise of a series' measurements is separated, the errors of neighbouring rows go
    together, and all rows are worked on at once: 3.5 n (M + d + 1) doubles, 28 MB for a thousand
    rows and M = 1000.

    To `condition` on other data costs one pass over the rows and no search; the inducing inputs
    stay. Blocks that no row belongs to any more are dropped; ``"sd"`` chooses its subset anew.

    References
    ----------
    Snelson (2007), chapters 2 to 4 and appendix C; Quinonero-Candela and Rasmussen (2005);
    Titsias (2009); Lawrence, Seeger and Herbrich (2003).

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

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        blocks = self._kind.residual == "blocks"
        few = evenly_spaced(len(y), None if blocks else self.n_search)
        full = self._checked(X[few], y[few])
        if self.approximation == "sd":
            shared = ("covariance", "noise_var", "optimizer", "max_iter", "progress")
            options = {name: vars(self)[name] for name in shared}
            if self.inducing in CRITERIA:  # by hyperparameters, from which the search goes on
                known = self._hyperparameters(full, np.random.default_rng(self.seed))
                options.update(zip(shared, known, strict=False))
            self.report_ = self._take_subset(GaussianProcess(**options), X, y)
            return
        small = len(few) * self._most_inducing(len(few)) ** 2 <= _SMALL_WORK
        with self._training(X, small=small):
            with bar("training", unit="evaluations") as shown:
                first, centers = self._first(full, np.random.default_rng(self.seed))
                rows = first.rows(X[few], y[few], centers)
                last, self.report_ = train(rows, self, full, first, shown.update)
            moved = last.at(rows.origin) - last.at(last.origin(X))
            last = replace(last, inducing=last.inducing + moved)
            with bar("conditioning", total=len(y), unit="rows") as shown:
                self._take(last, X, y, centers, shown.update)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        if self.approximation == "sd":
            gp = GaussianProcess(self.covariance_, noise_var=self.noise_var_, optimizer=None)
            report = self._take_subset(gp, X, y)
            self._note(report.log_marginal_likelihood, report.jitter)
            return
        self._take(self._found(X), X, y, self.block_centers_)

    def _found(self, X: FloatArray) -> Parameters:
        """Return what was learned, for rows X."""
        h = self.uncertainty_
        p = Parameters(self.covariance_, self.noise_var_, self.inducing_, self.projection_)
        if h is not None:
            p = replace(p, uncertainty=h / p.kernel.diag(self.inducing_))
        return replace(p, inducing=self.inducing_ - p.at(p.origin(X)))

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> Self:
        """Return it for a series that was measured with noise; see `LearnsMeasured`.

        Covariance and inducing inputs stay those found without it; both noises maximise the
        evidence of ``"dtc"``, whose covariance of the targets has the errors of the lags.
        """
        found = copy.copy(self)
        if self.projection_ is not None or self._kind.piecewise:
            raise TypeError(
                f"measurement noise can be found by a SparseGaussianProcess without projection and "
                f"blocks; got {self!r}."
            )
        p = self._found(X)
        f = factorise(p, p.rows(X, y), APPROXIMATIONS["dtc"])
        Phi = f.features()
        for _ in range(ROUNDS if search else 1):
            errors = measurements.errors(found._frozen().gradient(X))
            noises = self.noise_var_, self.measurement_var_ or 1.0
            if search:
                noises = split_noises(Phi, y, errors, self.noise_var_)
            weights = MeasuredWeights.of(Phi, y, errors.banded(*noises[::-1]), flat=False)
            noisy = replace(p, noise_var=noises[0])
            f = replace(f, p=noisy, gamma=weights.mean, inner_chol=weights.chol)
            found.posterior_ = f.posterior(self.inducing_)
            found.noise_var_, found.measurement_var_ = noises
            found._note(weights.log_evidence)
        return found

    def warm_started(self) -> Self:
        """Return an unfitted model whose search starts at what was found here.

        Returns
        -------
        SparseGaussianProcess
            A new object; it needs no full GP on few rows. Its inducing inputs are those found
            here, and move only with ``optimise_inducing=True``.
        """
        self._frozen()
        found: dict[str, object] = {"covariance": self.covariance_, "noise_var": self.noise_var_}
        if self.projection_ is not None:
            found["projection"] = self.projection_
        elif self._kind.induced:
            found["inducing"] = self.inducing_
        return self._unfitted(**found)

    def _take(
        self,
        p: Parameters,
        X: FloatArray,
        y: FloatArray,
        centers: FloatArray | None,
        on_rows: Callable[[int], object] = SILENT.update,
    ) -> None:
        """Condition on the rows, and keep what was learned."""
        if centers is not None:  # regroup by the length-scales that were learned
            centers = centers[np.unique(p.nearest(X, centers))]
        rows = p.rows(X, y, centers)
        f = factorise(p, rows, self._kind, on_rows)
        if f.jitter:
            warn_numerically(
                f"the covariance of the inducing variables is not positive definite to working "
                f"precision; a jitter of {f.jitter:.1e} was added to its diagonal. Inducing "
                f"inputs that nearly coincide cause this; fewer of them fix it."
            )
        self.covariance_, self.noise_var_ = p.covariance, p.noise_var
        self.inducing_, self.projection_ = p.inducing + p.at(rows.origin), p.projection
        h = p.uncertainty
        self.uncertainty_ = None if h is None else h * p.kernel.diag(p.inducing)
        self._note(f.log_evidence, f.jitter)
        self.block_centers_ = centers
        if centers is not None and self._kind.piecewise:
            self.predictive_ = f.piecewise(centers)
            return
        posterior, P = f.posterior(self.inducing_), p.projection
        self.posterior_ = posterior if P is None else ProjectedPosterior(posterior, P)

    def _take_subset(self, gp: GaussianProcess, X: FloatArray, y: FloatArray) -> FitReport:
        """Fit a full GP to a part of the rows; Snelson (2007), section 2.1.1.

        Selected greedily by the entropy, they make it the informative vector machine of Lawrence,
        Seeger and Herbrich (2003).
        """
        rng, n_rows = np.random.default_rng(self.seed), int(self.n_inducing)
        if self.inducing in CRITERIA and gp.covariance is not None and gp.noise_var is not None:
            subset = greedy_rows(
                str(self.inducing), X, y, n_rows, covariance=gp.covariance, noise_var=gp.noise_var,
                seed=rng, max_rows=CHOSEN_FROM,
            )  # fmt: skip
        else:
            subset = random_rows(X, n_rows, seed=rng)
        subset = np.sort(subset)
        gp.fit(X[subset], y[subset])
        self.posterior_, self.inducing_ = gp.posterior_, X[subset]
        self.covariance_, self.noise_var_ = gp.covariance_, gp.noise_var_
        self.log_marginal_likelihood_ = gp.log_marginal_likelihood_
        self.projection_ = self.uncertainty_ = self.block_centers_ = None
        return gp.report_
