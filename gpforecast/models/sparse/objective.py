"""The evidence as a function of one vector, for the optimiser."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import scales_of
from gpforecast.models.evidence import FAILED
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.likelihood import factorise
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.row_parts import RowParts
from gpforecast.models.sparse.slopes import Slopes, slopes

# Of the logarithm of h / k(z, z) (Snelson 2007, section 4.2): a weak prior, and one that holds the
# covariance near what a Gaussian process found. Without them the evidence of few rows is greatest
# where single rows are pinched in (section 4.3.4).
_LOG_H = (float(np.log(0.1)), 2.0)
_HELD_STD = 0.5
_H_BOUNDS = (np.log(1e-6), np.log(1e4))
_P_BOUNDS = (-1e3, 1e3)


@dataclass(frozen=True, eq=False)
class Free:
    """Numbers that training moves: one stretch of theta.

    Attributes
    ----------
    names : tuple of str
    start : ndarray (k,)
    bounds : ndarray (k, 2) or (2,)
        The start need not lie within.
    put : callable
        From parameters and such numbers to parameters that have them.
    slopes : callable
        From parameters and the slopes there to the slopes in these numbers, (k,).
    prior : (mean, standard deviation) or None
        A Gaussian prior of each.
    """

    names: tuple[str, ...]
    start: FloatArray
    bounds: FloatArray | tuple[float, float]
    put: Callable[[Parameters, FloatArray], Parameters]
    slopes: Callable[[Parameters, Slopes], FloatArray]
    prior: tuple[FloatArray | float, float] | None = None


def free_covariance(first: Parameters, scale: FloatArray, y_var: float) -> Free:
    """Return the logarithms of the covariance's parameters.

    A projection has the length-scales in it; those of the covariance stay.
    """
    names, start = np.array(first.parts.whole.parameter_names), first.parts.whole.log_parameters
    moved = np.ones(len(names), dtype=bool)
    if first.projection is not None:
        moved = ~np.char.startswith(names, "lengthscale")
    held = first.uncertainty is not None and first.projection is None

    def put(p: Parameters, theta: FloatArray) -> Parameters:
        whole = start.copy()
        whole[moved] = theta
        return p.with_covariance(p.parts.whole.with_log_parameters(whole))

    return Free(
        tuple(names[moved].tolist()),
        start[moved],
        first.parts.whole.log_bounds(scale, y_var)[moved],
        put,
        lambda p, by: p.parts.assembled(by.by_kernel, by.by_prior)[moved],
        (start[moved], _HELD_STD) if held else None,
    )


def free_noise(first: Parameters, y_var: float) -> Free:
    """Return the logarithm of the noise variance."""
    return Free(
        ("noise variance",),
        np.log([first.noise_var]),
        np.log([[1e-8 * y_var, 10.0 * y_var]]),
        lambda p, theta: replace(p, noise_var=float(np.exp(theta[0]))),
        lambda _, by: np.array([by.log_noise]),
    )


def free_projection(P: FloatArray, scale: FloatArray) -> Free:
    """Return a projection, in units of the inputs' spread."""
    return Free(
        ("projection",) * P.size,
        (P * scale).ravel(),
        _P_BOUNDS,
        lambda p, theta: replace(p, projection=theta.reshape(P.shape) / scale),
        lambda _, by: (by.projection / scale).ravel(),
    )


def free_inducing(Z: FloatArray, unit: FloatArray) -> Free:
    """Return the inducing inputs, in units of the first length-scales."""
    return Free(
        ("inducing inputs",) * Z.size,
        (Z / unit).ravel(),
        (-np.inf, np.inf),
        lambda p, theta: replace(p, inducing=theta.reshape(Z.shape) * unit),
        lambda _, by: (by.inducing * unit).ravel(),
    )


def free_uncertainty(h: FloatArray) -> Free:
    """Return the logarithms of h / k(z, z)."""
    return Free(
        tuple(f"uncertainty {m}" for m in range(len(h))),
        np.log(h),
        _H_BOUNDS,
        lambda p, theta: replace(p, uncertainty=np.exp(theta)),
        lambda _, by: by.log_uncertainty,
        _LOG_H,
    )


def all_free(
    first: Parameters,
    scale: FloatArray,
    y_var: float,
    *,
    hyperparameters: bool,
    inducing: bool,
) -> tuple[Free, ...]:
    """Return all that training moves.

    Parameters
    ----------
    first : Parameters
        Where it starts.
    scale : ndarray (d,)
        The spread of the inputs.
    y_var : float
        Mean square of the targets.
    hyperparameters, inducing : bool
        Whether they are moved. Uncertainties of the inducing variables always are.
    """
    free, P = [], first.projection
    if hyperparameters:
        free += [free_covariance(first, scale, y_var), free_noise(first, y_var)]
        if P is not None:
            free.append(free_projection(P, scale))
    if inducing:
        unit = scales_of(first.kernel, scale) if P is None else np.ones(len(P))
        free.append(free_inducing(first.inducing, unit))
    if first.uncertainty is not None:
        free.append(free_uncertainty(first.uncertainty))
    return tuple(free)


@dataclass(frozen=True, eq=False)
class SparseObjective:
    """The function that training maximises, of what is free of a sparse Gaussian process.

    Attributes
    ----------
    rows : RowParts
    approximation : Approximation
    first : Parameters
    free : tuple of Free
        What theta holds, in order.
    moved : bool
        Whether inducing inputs are among it.
    """

    rows: RowParts
    approximation: Approximation
    first: Parameters
    free: tuple[Free, ...]

    @cached_property
    def start(self) -> FloatArray:
        """Theta of the first parameters."""
        return np.concatenate([f.start for f in self.free]) if self.free else np.zeros(0)

    @cached_property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); the start lies within."""
        bounds = [np.broadcast_to(f.bounds, (len(f.start), 2)) for f in self.free]
        low, high = np.concatenate(bounds).T
        return np.column_stack([np.minimum(low, self.start), np.maximum(high, self.start)])

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return tuple(name for f in self.free for name in f.names)

    def unpack(self, theta: FloatArray) -> Parameters:
        """Return the parameters that theta stands for."""
        p = self.first
        for f, stretch in self._stretches(theta):
            p = f.put(p, stretch)
        return p

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log evidence of theta, with its penalty, and the gradient."""
        p = self.unpack(theta)
        try:
            found = factorise(p, self.rows, self.approximation, keep=True)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        moved = "inducing inputs" in self.names
        by = slopes(p, self.rows, self.approximation, found, moved=moved)
        gradient = np.concatenate([f.slopes(p, by) for f in self.free])
        penalty, slope = self.penalty(theta)
        return penalty - by.log_evidence, slope - gradient

    def penalty(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return what the priors cost, and their slopes."""
        cost, slope = 0.0, [np.zeros(0)]
        for f, stretch in self._stretches(theta):
            mean, std = f.prior or (stretch, 1.0)
            off = (stretch - mean) / std
            cost += 0.5 * float(off @ off)
            slope.append(off / std)
        return cost, np.concatenate(slope)

    def _stretches(self, theta: FloatArray) -> Iterator[tuple[Free, FloatArray]]:
        ends = np.cumsum([len(f.start) for f in self.free])
        return zip(self.free, np.split(theta, ends[:-1]), strict=True)
