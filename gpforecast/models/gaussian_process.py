"""Gaussian-process regression by maximum marginal likelihood."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import cho_solve, cholesky, lapack
from scipy.optimize import minimize

from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.models.base import FitReport, check_inputs, check_rows
from gpforecast.posterior import Posterior
from gpforecast.typing import FloatArray, Seed
from gpforecast.validation import one_of
from gpforecast.warnings import NumericalWarning

_SUBSET = 256  # rows on which starting values are compared
_LOG_2PI = float(np.log(2.0 * np.pi))


class GaussianProcess:
    r"""Gaussian-process regression, :math:`y = f(x) + \epsilon` with f ~ GP(0, k).

    Hyperparameters maximise the log marginal likelihood (or, with ``prior="weak"``, its sum with
    a log-normal prior) by L-BFGS-B on their logarithms, with analytic gradients. Starting values
    come from the spread of the data: a small grid of smoothness and noise levels is compared on
    at most 256 rows and the best is taken. An evaluation costs O(n^3) time and O(n^2) memory.

    The prior mean is zero: centre the targets (`Forecaster` does), or add a `Constant`.

    Parameters
    ----------
    covariance : Covariance, optional
        Default `SquaredExponential` with one length-scale per input. A sum may hold one
        `SquaredExponential`, one `Linear` and one `Constant`. Values that are ``None`` start
        from the data; values that are given are where the search starts.
    noise_var : float or None
        Variance of the observation noise, squared units of the target. ``None`` starts it from
        the data.
    optimizer : {"L-BFGS-B", None}
        ``None`` keeps the hyperparameters that were given (those left ``None`` stay at the
        starting values taken from the data).
    prior : {None, "weak"}
        ``"weak"``: an independent log-normal on every hyperparameter, centred on its starting
        value (given, or taken from the data) with a standard deviation of 2 in the logarithm (a factor of 7.4).
        It holds few rows in many dimensions back from extremes.
    n_restarts : int
        Further searches from random starting points.
    seed : int, Generator or None
        For the restarts.
    max_iter : int
        Iterations of one search.

    Attributes
    ----------
    posterior_ : Posterior
        The frozen result; all prediction goes through it.
    covariance_ : Covariance
        With the hyperparameters found.
    noise_var_ : float
    log_marginal_likelihood_ : float
        In nats, without the prior.
    report_ : FitReport
        Iterations, evaluations, the optimiser's message, jitter, parameters at a bound.

    References
    ----------
    Quinonero-Candela (2004), section 3.1; Snelson (2007), section 1.3 and eq. (1.24);
    Rasmussen and Williams (2006), sections 2.7 (linear and constant terms) and 5.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> gp = gf.models.GaussianProcess().fit(X, np.sin(X[:, 0]))
    >>> mean, std = gp.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 1e-3)
    True
    >>> gp.report_.converged
    True
    """

    def __init__(
        self,
        covariance: Covariance | None = None,
        *,
        noise_var: float | None = None,
        optimizer: str | None = "L-BFGS-B",
        prior: str | None = None,
        n_restarts: int = 0,
        seed: Seed = None,
        max_iter: int = 200,
    ) -> None:
        self.covariance = covariance
        self.noise_var = noise_var
        self.optimizer = optimizer
        self.prior = prior
        self.n_restarts = n_restarts
        self.seed = seed
        self.max_iter = max_iter

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        shown = {
            "covariance": (self.covariance, None),
            "noise_var": (self.noise_var, None),
            "optimizer": (self.optimizer, "L-BFGS-B"),
            "prior": (self.prior, None),
            "n_restarts": (self.n_restarts, 0),
            "seed": (self.seed, None),
            "max_iter": (self.max_iter, 200),
        }
        given = (f"{k}={v!r}" for k, (v, default) in shown.items() if v is not default)
        return f"GaussianProcess({', '.join(given)})"

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        GaussianProcess
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or a parameter of the model
            makes no sense. Nothing fitted before is lost.
        """
        X, y = check_rows(X, y)
        problem = self._problem(X, y)
        theta, report = (
            _optimise(problem, self) if self.optimizer is not None else _as_given(problem)
        )
        covariance, noise_var = problem.unpack(theta)
        posterior, jitter = gp_posterior(covariance, noise_var, X, y)
        self.covariance_ = covariance
        self.noise_var_ = noise_var
        self.posterior_ = posterior
        self.report_ = FitReport(**{**report, "jitter": jitter})
        self.log_marginal_likelihood_ = self.report_.log_marginal_likelihood
        return self

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Return the mean of f at X, and with `return_std` its standard deviation.

        Parameters
        ----------
        X : array-like (n, d)
        return_std : bool
            Also return the standard deviation of f, without the observation noise
            (``noise_var_``), which a new observation would have on top.

        Returns
        -------
        ndarray (n,), or two of them
        """
        if not hasattr(self, "posterior_"):
            raise RuntimeError("this GaussianProcess is not fitted yet; call fit(X, y) first.")
        result = self.posterior_.predict(check_inputs(X, self.posterior_.n_inputs))
        return (result.mean, np.sqrt(result.var)) if return_std else result.mean

    def _problem(self, X: FloatArray, y: FloatArray) -> "_Evidence":
        if self.optimizer not in (None, "L-BFGS-B"):
            raise ValueError(f'optimizer must be "L-BFGS-B" or None; got {self.optimizer!r}.')
        if self.prior is not None:
            one_of(self.prior, "prior", ("weak",))
        if self.noise_var is not None and not (
            np.isscalar(self.noise_var) and np.isfinite(self.noise_var) and self.noise_var >= 0
        ):
            raise ValueError(f"noise_var must be a number that is not negative, or None; "
                             f"got {self.noise_var!r}.")
        covariance = SquaredExponential() if self.covariance is None else self.covariance
        check_supported(covariance)
        scale = _spread(X)
        y_var = float(np.mean(y**2)) or 1.0
        started = covariance.started(scale, y_var)
        noise_var = 0.01 * y_var if self.noise_var is None else float(self.noise_var)
        return _Evidence(X, y, started, noise_var, scale, y_var, self.prior == "weak")


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The function that training maximises, of theta = (covariance's logarithms, log noise)."""

    X: FloatArray
    y: FloatArray
    covariance: Covariance
    noise_var: float
    scale: FloatArray
    y_var: float
    weak_prior: bool

    @property
    def start(self) -> FloatArray:
        floor = 1e-10 * self.y_var
        return np.append(self.covariance.log_parameters, np.log(max(self.noise_var, floor)))

    @property
    def log_bounds(self) -> FloatArray:
        noise = np.log([[1e-8 * self.y_var, 10.0 * self.y_var]])
        return np.concatenate([self.covariance.log_bounds(self.scale, self.y_var), noise])

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.covariance.parameter_names, "noise variance")

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float]:
        # What was given as exactly zero noise stays so.
        noise = 0.0 if theta[-1] == -np.inf else float(np.exp(theta[-1]))
        return self.covariance.with_log_parameters(theta[:-1]), noise

    def subset(self, rows: FloatArray) -> "_Evidence":
        return _Evidence(
            self.X[rows], self.y[rows], self.covariance, self.noise_var, self.scale, self.y_var,
            self.weak_prior,
        )

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient.

        dL/dtheta = 1/2 tr((alpha alpha' - K^-1) dK/dtheta), Rasmussen and Williams eq. (5.9).
        """
        covariance, noise_var = self.unpack(theta)
        K, pullback = covariance.with_gradient(self.X)
        K_y = np.array(K, order="F")  # the pull-back needs K as it is
        K_y[np.diag_indices_from(K_y)] += noise_var
        chol, info = lapack.dpotrf(K_y, lower=0, overwrite_a=1)
        if info != 0:
            return 1e25, np.zeros_like(theta)
        value, alpha = _log_evidence(chol, self.y)
        inverse, _ = lapack.dpotri(chol, lower=0, overwrite_c=1)
        M = np.outer(alpha, alpha)
        M -= np.triu(inverse) + np.triu(inverse, 1).T
        gradient = 0.5 * np.append(pullback(M), noise_var * np.trace(M))
        if self.weak_prior:
            off = (theta - self.start) / 2.0
            value -= 0.5 * float(off @ off)
            gradient -= off / 2.0
        return -value, -gradient


def _log_evidence(upper: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    alpha, _ = lapack.dpotrs(upper, y, lower=0)
    log_det = 2.0 * float(np.log(np.diag(upper)).sum())
    return -0.5 * (float(y @ alpha) + log_det + len(y) * _LOG_2PI), alpha


def _optimise(problem: _Evidence, model: GaussianProcess) -> tuple[FloatArray, dict[str, Any]]:
    bounds = problem.log_bounds
    rng = np.random.default_rng(model.seed)
    starts = [_best_start(problem, model, rng)]
    middle = np.clip(problem.start, bounds[:, 0], bounds[:, 1])
    for _ in range(model.n_restarts):
        starts.append(np.clip(middle + 1.5 * rng.standard_normal(len(middle)), *bounds.T))
    runs = [
        minimize(
            problem.negative, start, jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": model.max_iter},
        )
        for start in starts
    ]
    best = min(runs, key=lambda run: float(run.fun))
    theta = np.asarray(best.x)
    tolerance = 1e-6
    at = (theta - bounds[:, 0] < tolerance) | (bounds[:, 1] - theta < tolerance)
    covariance, noise_var = problem.unpack(theta)
    report = {
        "converged": bool(best.success),
        "message": str(best.message),
        "n_iterations": int(sum(run.nit for run in runs)),
        "n_evaluations": int(sum(run.nfev for run in runs)),
        "n_starts": len(runs),
        "log_marginal_likelihood": log_marginal_likelihood(
            covariance, noise_var, problem.X, problem.y
        ),
        "at_bounds": tuple(name for name, hit in zip(problem.names, at, strict=True) if hit),
    }
    if not best.success:
        warnings.warn(
            f"the search for hyperparameters stopped before it converged ({best.message}); "
            f"raise max_iter, scale the data, or try n_restarts. See report_.",
            NumericalWarning,
            stacklevel=3,
        )
    return theta, report


def _best_start(
    problem: _Evidence, model: GaussianProcess, rng: np.random.Generator
) -> FloatArray:
    """The best of a small grid of smoothness and noise, compared on a few rows.

    What the user gave is kept; a model without free starting values has a grid of one.
    """
    bounds = problem.log_bounds
    base = problem.start
    terms = (SquaredExponential(),) if model.covariance is None else model.covariance.terms
    free_ell = any(isinstance(t, SquaredExponential) and t.lengthscales is None for t in terms)
    # Without a length-scale per input there is nothing to widen.
    ell = np.array([name.startswith("lengthscale") for name in problem.names])
    widths = np.log([0.5, 1.0, 2.0, 4.0]) if free_ell else [0.0]
    noises = np.log([10.0, 1.0, 0.1]) if model.noise_var is None else [0.0]
    grid = []
    for width in widths:
        for noise in noises:
            theta = base + np.where(ell, width, 0.0)
            theta[-1] += noise
            grid.append(np.clip(theta, bounds[:, 0], bounds[:, 1]))
    if len(grid) == 1:
        return grid[0]
    rows = np.arange(len(problem.y))
    if len(rows) > _SUBSET:
        rows = np.sort(rng.permutation(len(rows))[:_SUBSET])
    few = problem.subset(rows)
    values = [few.negative(theta)[0] for theta in grid]
    return grid[int(np.argmin(values))]


def _as_given(problem: _Evidence) -> tuple[FloatArray, dict[str, Any]]:
    noise = np.log(problem.noise_var) if problem.noise_var > 0 else -np.inf
    theta = np.append(problem.covariance.log_parameters, noise)
    value = log_marginal_likelihood(problem.covariance, problem.noise_var, problem.X, problem.y)
    return theta, {
        "converged": True,
        "message": "hyperparameters kept as given",
        "n_iterations": 0,
        "n_evaluations": 0,
        "n_starts": 0,
        "log_marginal_likelihood": value,
    }


def check_supported(covariance: Covariance) -> None:
    """Say so if a sum of covariances is not an extended linear model with one set of bumps.

    Raises
    ------
    TypeError, ValueError
        For anything but a sum of at most one each of the three kinds.
    """
    if not isinstance(covariance, Covariance):
        raise TypeError(
            f"covariance must be one from gpforecast.covariances, such as SquaredExponential(); "
            f"got {covariance!r}."
        )
    for kind in (SquaredExponential, Linear, Constant):
        n = sum(isinstance(term, kind) for term in covariance.terms)
        if n > 1:
            raise ValueError(
                f"GaussianProcess takes at most one {kind.__name__} in a sum; got {n}. "
                f"Two of them have no posterior with a single set of bumps."
            )


def factor(K: FloatArray, what: str = "the covariance matrix") -> tuple[FloatArray, float]:
    """Return the lower Cholesky factor of K and the jitter that had to be added to it.

    Raises
    ------
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the mean diagonal does not make K positive definite.
    """
    mean_diagonal = float(np.mean(np.diag(K)))
    for relative in (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
        jitter = relative * mean_diagonal
        try:
            chol = cholesky(K + jitter * np.eye(len(K)), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            continue
        if jitter:
            warnings.warn(
                f"{what} is not positive definite to working precision; a jitter of "
                f"{jitter:.1e} was added to its diagonal. Duplicate rows or a noise variance "
                f"near zero cause this; a larger noise_var mends it.",
                NumericalWarning,
                stacklevel=4,
            )
        return np.ascontiguousarray(chol), jitter
    raise np.linalg.LinAlgError(
        f"{what} is not positive definite even with a jitter of 1e-4 of its diagonal; check the "
        f"inputs for infinite or enormous values, and raise noise_var."
    )


def log_marginal_likelihood(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> float:
    """Return log N(y | 0, K + noise_var I), in nats; Snelson (2007), eq. (1.24)."""
    K = covariance(X)
    K[np.diag_indices_from(K)] += noise_var
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)  # said once, by gp_posterior
        chol, _ = factor(K)
    return _log_evidence(np.asfortranarray(chol.T), y)[0]


def gp_posterior(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> tuple[Posterior, float]:
    r"""Condition a GP on data and write the result as an extended linear model.

    Linear and constant terms are kept in weight space (Rasmussen and Williams, section 2.7): with
    :math:`H = [X, 1]`, their prior variances P, and :math:`K_y` the covariance of the
    bumps and the noise alone, their posterior covariance is
    :math:`(P^{-1} + H' K_y^{-1} H)^{-1}`, in which nothing is subtracted.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    y : ndarray (n,)

    Returns
    -------
    posterior : Posterior
    jitter : float
        Added to the diagonal of K_y to factor it.
    """
    n, d = X.shape
    bumps = [t for t in covariance.terms if isinstance(t, SquaredExponential)]
    prior = np.zeros(d + 1)
    for term in covariance.terms:
        if isinstance(term, Linear):
            prior[:d] = term.variances  # type: ignore[assignment]
        elif isinstance(term, Constant):
            prior[d] = term.variance  # type: ignore[assignment]

    if bumps:
        c = float(bumps[0].variance)  # type: ignore[arg-type]
        lengthscales = np.array(np.broadcast_to(bumps[0].lengthscales, d), dtype=float)  # type: ignore[arg-type]
        K_y = bumps[0](X)
        K_y[np.diag_indices_from(K_y)] += noise_var
        chol, jitter = factor(K_y)
    else:
        c, lengthscales, jitter = 0.0, np.ones(d), 0.0
        if noise_var <= 0.0:
            raise ValueError("a linear model needs noise_var > 0; got 0.")
        chol = None

    def solve(B: FloatArray) -> FloatArray:
        """K_y^-1 B."""
        if chol is None:
            return B / noise_var
        return cho_solve((chol, True), B, check_finite=False)

    added = None
    b = np.zeros(d + 1)
    if prior.any():
        root = np.sqrt(prior)
        H = np.column_stack([X, np.ones(n)]) * root
        G = solve(H)
        inner = np.eye(d + 1) + H.T @ G  # P^1/2 (P^-1 + H' K_y^-1 H) P^1/2, defined for P = 0 too
        lower = np.linalg.cholesky(inner)
        half = np.linalg.solve(lower, np.eye(d + 1)).T  # inner^-1 = half half'
        b = root * (half @ (half.T @ (G.T @ y)))
        added = np.concatenate([-c * (G @ half) if bumps else np.zeros((0, d + 1)),
                                root[:, None] * half])
        added = added[:, root > 0] if (root == 0).any() else added
        residual = y - X @ b[:d] - b[d]
    else:
        residual = y
    return (
        Posterior(
            centers=X.copy() if bumps else np.zeros((0, d)),
            lengthscales=lengthscales,
            weights=c * solve(residual) if bumps else np.zeros(0),
            linear=b[:d],
            constant=float(b[d]),
            noise_var=float(noise_var),
            prior_var=c,
            chol=None if chol is None else chol / c,
            nugget=noise_var + jitter,
            added=added,
        ),
        jitter,
    )


def _spread(X: FloatArray) -> FloatArray:
    """Standard deviation of each column; 1 for a column that does not vary."""
    spread = X.std(axis=0)
    still = spread <= 1e-12 * (np.abs(X).max(axis=0) + np.finfo(float).tiny)
    return np.where(still, 1.0, spread)
