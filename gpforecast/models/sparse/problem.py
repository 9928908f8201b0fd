"""The evidence as a function of one vector, for the optimiser."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.models.evidence import FAILED
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.evidence import Factors, Parameters, factorise
from gpforecast.models.sparse.slopes import Slopes, slopes
from gpforecast.models.sparse.spaces import Projected, Scaled
from gpforecast.models.sparse.streaming import Rows

# Of the logarithm of h / variance (Snelson 2007, section 4.2): a weak prior, and those that hold
# the rest near what a Gaussian process found. Without them the evidence of few rows is greatest
# where single rows are pinched in (section 4.3.4).
_LOG_H = (np.log(0.1), 2.0)
_HELD_STD = 0.5
_H_BOUNDS = (np.log(1e-6), np.log(1e4))


@dataclass(frozen=True, eq=False)
class State:
    """A model to be trained, or trained: what `Parameters` holds, in the user's terms.

    Attributes
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    inducing : ndarray (M, g)
        Relative to the middle of the rows.
    projection : ndarray (g, d) or None
    uncertainty : ndarray (M,) or None
        h / variance.
    """

    covariance: Covariance
    noise_var: float
    inducing: FloatArray
    projection: FloatArray | None = None
    uncertainty: FloatArray | None = None

    def parameters(self, n_inputs: int) -> Parameters:
        """Return it as the evidence takes it."""
        variance, ell, prior = 1.0, np.ones(n_inputs), np.zeros(n_inputs + 1)
        for term in self.covariance.terms:
            if isinstance(term, SquaredExponential) and self.projection is not None:
                variance = float(np.asarray(term.variance))
            elif isinstance(term, SquaredExponential):
                variance, ell = term.values(n_inputs)
            elif isinstance(term, Linear):
                prior[:n_inputs] = np.asarray(term.variances)
            elif isinstance(term, Constant):
                prior[n_inputs] = float(np.asarray(term.variance))
        h = np.zeros(len(self.inducing)) if self.uncertainty is None else self.uncertainty
        space = Scaled(ell) if self.projection is None else Projected(self.projection)
        return Parameters(space, variance, self.noise_var, self.inducing, h, prior)


@dataclass(frozen=True, eq=False)
class SparseProblem:
    """The function that training maximises, of what is free of a `State`.

    theta holds, as far as they are free, the logarithms of the covariance's parameters and of the
    noise, the projection in units of the inputs' spread, the inducing inputs in units of the first
    length-scales, and the logarithms of h / variance.
    """

    rows: Rows
    approximation: Approximation
    first: State
    scale: FloatArray  # (d,), the spread of the inputs
    y_var: float
    free_hyperparameters: bool
    free_inducing: bool
    on_evaluation: Callable[[], object] = field(default=lambda: None)

    @property
    def _unit(self) -> FloatArray:
        """Units of the inducing inputs: (g,)."""
        g = self.first.inducing.shape[1]
        if self.first.projection is not None:
            return np.ones(g)
        return np.asarray(self.first.parameters(g).space.lengthscales)  # type: ignore[union-attr]

    @property
    def start(self) -> FloatArray:
        """Theta of the state it was made with."""
        s = self.first
        parts: list[FloatArray] = []
        if self.free_hyperparameters:
            parts += [self._log_covariance, np.log([s.noise_var])]
            if s.projection is not None:
                parts.append((s.projection * self.scale).ravel())
        if self.free_inducing:
            parts.append((s.inducing / self._unit).ravel())
        if s.uncertainty is not None:
            parts.append(np.log(s.uncertainty))
        return np.concatenate(parts) if parts else np.zeros(0)

    @property
    def _log_covariance(self) -> FloatArray:
        theta = self.first.covariance.log_parameters
        return theta[-1:] if self.first.projection is not None else theta

    @property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); the start lies within."""
        s, parts = self.first, []
        if self.free_hyperparameters:
            bounds = s.covariance.log_bounds(self.scale, self.y_var)
            parts.append(bounds[-1:] if s.projection is not None else bounds)
            parts.append(np.log([[1e-8 * self.y_var, 10.0 * self.y_var]]))
            if s.projection is not None:
                parts.append(np.tile([-1e3, 1e3], (s.projection.size, 1)))
        if self.free_inducing:
            parts.append(np.tile([-np.inf, np.inf], (s.inducing.size, 1)))
        if s.uncertainty is not None:
            parts.append(np.tile(_H_BOUNDS, (len(s.uncertainty), 1)))
        bounds = np.concatenate(parts)
        return np.column_stack(
            [np.minimum(bounds[:, 0], self.start), np.maximum(bounds[:, 1], self.start)]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        s, names = self.first, []
        if self.free_hyperparameters:
            own = s.covariance.parameter_names
            names += [*(own[-1:] if s.projection is not None else own), "noise variance"]
            if s.projection is not None:
                names += ["projection"] * s.projection.size
        if self.free_inducing:
            names += ["inducing inputs"] * s.inducing.size
        if s.uncertainty is not None:
            names += [f"uncertainty {m}" for m in range(len(s.uncertainty))]
        return tuple(names)

    def unpack(self, theta: FloatArray) -> State:
        """Return the state that theta stands for."""
        s, at = self.first, 0

        def take(n: int) -> FloatArray:
            nonlocal at
            at += n
            return theta[at - n : at]

        if self.free_hyperparameters:
            log_covariance = s.covariance.log_parameters.copy()
            n = len(self._log_covariance)
            log_covariance[-n:] = take(n)
            covariance = s.covariance.with_log_parameters(log_covariance)
            s = replace(s, covariance=covariance, noise_var=float(np.exp(take(1)[0])))
            if s.projection is not None:
                P = take(s.projection.size).reshape(s.projection.shape) / self.scale
                s = replace(s, projection=P)
        if self.free_inducing:
            Z = take(s.inducing.size).reshape(s.inducing.shape) * self._unit
            s = replace(s, inducing=Z)
        if s.uncertainty is not None:
            s = replace(s, uncertainty=np.exp(take(len(s.uncertainty))))
        return s

    def factors(self, state: State, *, keep: bool = False) -> Factors:
        """Pass over the rows once."""
        p = state.parameters(self.rows.X.shape[1])
        return factorise(p, self.rows, self.approximation, keep=keep)

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log evidence of theta, with its penalty, and the gradient."""
        self.on_evaluation()
        state = self.unpack(theta)
        p = state.parameters(self.rows.X.shape[1])
        try:
            f = factorise(p, self.rows, self.approximation, keep=True)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        gradient = self._packed(state, p, slopes(p, self.rows, self.approximation, f))
        penalty, slope = self._penalty(theta)
        return penalty - f.log_evidence, slope - gradient

    def _packed(self, state: State, p: Parameters, by: Slopes) -> FloatArray:
        """Return the slopes in theta."""
        parts: list[FloatArray] = []
        if self.free_hyperparameters:
            parts += self._by_covariance(state, p, by)
            parts.append(np.array([by.log_noise]))
            if state.projection is not None:
                parts.append((by.space / self.scale).ravel())
        if self.free_inducing:
            unit = self._unit
            if isinstance(p.space, Scaled):
                unit = unit / p.space.lengthscales
            parts.append((by.inducing * unit).ravel())
        if state.uncertainty is not None:
            parts.append(by.log_uncertainty)
        return np.concatenate(parts)

    def _by_covariance(self, state: State, p: Parameters, by: Slopes) -> list[FloatArray]:
        """Return the slopes in the logarithms of the covariance's parameters, term by term."""
        parts = []
        for term in state.covariance.terms:
            if isinstance(term, SquaredExponential):
                if isinstance(p.space, Scaled):
                    by_ell = -by.space - np.einsum(
                        "md,md->d", by.inducing, p.space.inducing(p.inducing)
                    )
                    parts.append(_tied(term.lengthscales, by_ell))
                parts.append(np.array([by.log_variance]))
            elif isinstance(term, Linear):
                parts.append(_tied(term.variances, by.log_prior[:-1]))
            else:
                parts.append(by.log_prior[-1:])
        return parts

    def _penalty(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return what keeps learned uncertainties from pinching single rows in, and its slopes."""
        slope = np.zeros_like(theta)
        if self.first.uncertainty is None:
            return 0.0, slope
        n = len(self.first.uncertainty)
        off = (theta[-n:] - _LOG_H[0]) / _LOG_H[1]
        slope[-n:] = off / _LOG_H[1]
        cost = 0.5 * float(off @ off)
        if self.free_hyperparameters and self.first.projection is None:
            held = len(self._log_covariance)
            off = (theta[:held] - self.start[:held]) / _HELD_STD
            slope[:held] = off / _HELD_STD
            cost += 0.5 * float(off @ off)
        return cost, slope


def _tied(given: object, by_input: FloatArray) -> FloatArray:
    """Return one slope for each input, or their sum where the inputs share one value."""
    return by_input if np.ndim(given) else by_input.sum(keepdims=True)  # type: ignore[arg-type]
