"""Linear effects of exogenous columns, found together with the transforms that follow."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import OfTimes
from gpforecast.transforms.differences import cumulated, differenced
from gpforecast.transforms.effect_design import LaterTerms, estimated, independent, shrunk
from gpforecast.transforms.regression import carried

_FEWEST_LEFT = 8  # known values beyond the number of coefficients
_SAME = 1e-12  # parts of a value, of rounding
_FURTHEST = 50  # steps between values that tell the memory of a column
_LONGEST_MEMORY = 0.999  # the largest of a column, from one step to the next

Term = tuple[int, int]
"""A column's position, and its lag."""


@storable
@dataclass(frozen=True, eq=False)
class KnownInputs:
    """Exogenous columns over some steps.

    Attributes
    ----------
    values : ndarray (n, q)
        In their own units; NaN where missing.
    mean : ndarray (q,)
        What stands for values before the first that is known.
    first : int
        Steps from the first time of the fitted series to the first of these.
    covariance : ndarray (h q, h q) or None
        Of the values of the last h steps, step by step; None if all are certain.
    memory : ndarray (q,) or None
        Autocorrelation from one step to the next, by which missing values are filled; None for 0.
    """

    values: FloatArray
    mean: FloatArray
    first: int = 0
    covariance: FloatArray | None = None
    memory: FloatArray | None = None

    @classmethod
    def of(cls, values: FloatArray, mean: FloatArray, first: int = 0) -> "KnownInputs":
        """Return columns (n, q), with their memory measured."""
        columns = zip(values.T, mean, strict=True)
        return cls(values, mean, first, memory=np.array([_memory(*column) for column in columns]))

    def at(self, steps: IntArray, terms: Sequence[Term], *, filled: bool = True) -> FloatArray:
        """Return each term at some steps, (..., p), with NaN for what is missing unless filled.

        A missing value is filled by the last known one before it (`expected_after`).
        """
        columns, lags = np.array(terms, dtype=np.int64).reshape(-1, 2).T
        place = steps[..., None] - lags - self.first
        values = self._filled if filled else self.values
        return np.where(place < 0, self.mean[columns], values[np.maximum(place, 0), columns])

    @property
    def _filled(self) -> FloatArray:
        """The values with expectations of those that are missing, (n, q)."""
        if not np.isnan(self.values).any():
            return self.values
        memory = np.zeros(len(self.mean)) if self.memory is None else self.memory
        return expected_after(self.values, self.mean, memory)


def expected_after(columns: FloatArray, mean: FloatArray, memory: FloatArray) -> FloatArray:
    r"""Return columns with their missing values expected by the last known one before them.

    A column counts as a stationary autoregression of order one: a steps after a value that is x
    off the mean, :math:`\varphi^a x` off it is expected. What comes later does not count, as no
    forecast knows it.

    Parameters
    ----------
    columns : ndarray (n, q)
        NaN where missing.
    mean : ndarray (q,)
    memory : ndarray (q,)
        :math:`\varphi`, from 0 to below 1.
    """
    places, missing = np.arange(len(columns))[:, None], np.isnan(columns)
    last = np.maximum.accumulate(np.where(missing, -1, places))
    off = np.where(last >= 0, np.take_along_axis(columns, last, axis=0) - mean, 0.0)
    return np.where(missing, mean + memory ** (places - last) * off, columns)


def _memory(column: FloatArray, mean: float) -> float:
    """Return the autocorrelation of a column from one step to the next, from 0 to below 1.

    It is that over the smallest number of steps which a quarter of the known values have between
    them and another.
    """
    off = column - mean
    known = ~np.isnan(off)
    for k in range(1, min(len(off), _FURTHEST + 1)):
        both = known[k:] & known[:-k]
        if 4 * both.sum() >= max(known.sum(), 1):
            earlier, later = off[:-k][both], off[k:][both]
            size = float(np.sqrt((earlier @ earlier) * (later @ later)))
            share = max(float(earlier @ later) / size, 0.0) if size > 0.0 else 0.0
            return float(min(share ** (1.0 / k), _LONGEST_MEMORY))
    return 0.0


@storable
@dataclass(frozen=True)
class InputEffects(OfTimes["FittedEffects"]):
    r"""Subtract what exogenous columns explain: z = y - U beta.

    U holds the columns of ``exog`` at their lags. beta is found by generalised least squares
    together with the transforms that follow: differences are taken of the series and of the columns
    alike, functions of time are further regressors, and the errors are autoregressive. This is
    a regression with ARIMA errors (Box and Tiao 1975), up to moving averages. A season of which the
    series holds fewer than eight cycles is described by its first sines and cosines: a mean for
    each of its steps would explain the effect of a holiday of a fixed date. After a logarithm an
    effect is a factor of the series.

    Each coefficient has a normal prior with mean 0 and a variance of largest evidence (MacKay 1992,
    automatic relevance determination; Tipping and Faul 2003): a column that explains no more than
    chance is left out, and others are shrunk a little. A forecast adds U beta of the future inputs,
    their uncertainty if they have any, and that of beta, which counts only as far as the future
    inputs differ from what the series itself carries on.

    The model sees no inputs besides this transform. ``Forecaster(transforms="auto")`` selects it
    where it forecasts the series' own past better than a model with inputs does.

    Parameters
    ----------
    terms : sequence of (int, int), optional
        Positions of columns and their lags. ``None``: the columns and ``exog_lags`` of the
        forecaster, lag 0 by default.
    names : sequence, optional
        Of the terms, for messages.
    known : KnownInputs, optional
        The columns; a forecaster gives them.

    Raises
    ------
    ValueError
        On fitting, if there are no inputs, or too few values for so many columns.

    References
    ----------
    Box and Tiao (1975), "Intervention analysis with applications to economic and environmental
    problems", JASA 70, 70-79. Tipping and Faul (2003), "Fast marginal likelihood maximisation for
    sparse Bayesian models", eqs. 18-20.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> promo = (rng.uniform(size=130) < 0.3).astype(float)
    >>> y = np.cumsum(rng.standard_normal(130)) + 5.0 * promo
    >>> steps = [gf.transforms.InputEffects(), gf.transforms.Difference()]
    >>> fc = gf.Forecaster(transforms=steps).fit(y[:120], exog=promo[:120])
    >>> bool(abs(fc.transforms_.effects.beta[0] - 5.0) < 0.5)
    True
    """

    terms: tuple[Term, ...] | None = None
    names: tuple[Hashable, ...] = field(default=(), compare=False)
    known: KnownInputs | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """Return the call that makes it, with the names of its columns."""
        return f"InputEffects({', '.join(map(str, self.names))})"

    def with_inputs(
        self, known: KnownInputs, terms: Sequence[Term], names: Sequence[Hashable]
    ) -> "InputEffects":
        """Return the transform with the columns that it is fitted to."""
        return InputEffects(tuple(terms) if self.terms is None else self.terms, tuple(names), known)

    def fit_at(self, values: FloatArray, times: TimeAxis) -> "FittedEffects":
        """Find the effects where no transform follows."""
        return self.fit_before(values, times, ())

    def fit_before(
        self, values: FloatArray, times: TimeAxis, later: Sequence[object]
    ) -> "FittedEffects":
        """Find the effects together with the transforms that follow.

        Parameters
        ----------
        values : ndarray (n,)
            NaN where missing.
        times : TimeAxis
        later : sequence of transforms
            Not fitted.
        """
        if self.known is None or self.terms is None:
            raise ValueError(
                "InputEffects needs exogenous inputs; pass them as fit(series, exog=...), or leave "
                "the transform out."
            )
        steps = times.positions.astype(np.int64)[: len(values)]
        U = self.known.at(steps, self.terms, filled=False)
        terms = LaterTerms.of(later, float(len(values)))
        times = times.of_length(len(values))
        backs, rest = terms.backs(times), terms.columns(times)
        w = differenced(values, backs)
        columns = np.column_stack([rest, differenced(U, backs)])
        row = ~np.isnan(w) & ~np.isnan(columns).any(axis=1)
        m, p, n = rest.shape[1], U.shape[1], int(row.sum())
        # The constant is among the others: a large level of a column would cost digits.
        middle = columns[row, m:].mean(axis=0) if n else np.zeros(p)
        own = columns[:, m:] - middle
        columns[:, m:] = np.where(np.abs(own) <= _SAME * np.abs(middle), 0.0, own)
        order = np.roll(np.arange(m + p), -terms.n_season)  # seasons have what inputs leave
        found = np.sort(order[independent(columns[row][:, order])])
        others, kept = found[found < m], found[found >= m] - m
        if n < len(found) + _FEWEST_LEFT:
            raise ValueError(
                f"series has {counted(n, 'value')} with all inputs, too few for "
                f"{counted(p, 'input')} and {len(others)} other terms; pass a longer series or "
                f"fewer columns."
            )
        w = np.where(row, w, np.nan)
        beta, V, G, rho = estimated(w, columns[:, found], len(kept), row)
        mean, cov = shrunk(beta, V)
        effects, covariance = np.zeros(p), np.zeros((p, p))
        effects[kept], covariance[np.ix_(kept, kept)] = mean, cov
        low, high = np.nanmin(U, axis=0), np.nanmax(U, axis=0)
        still = np.flatnonzero(_same(low, high))  # their mean, before the first value, is rounded
        covariance[still, still] = float(np.nanvar(w))  # of an effect that was never observed
        shared = np.zeros((m, p))
        shared[np.ix_(others, kept)] = G
        shared[-1] += middle  # of the constant
        shared[:, still] = 0.0
        never = tuple(still.tolist())
        return FittedEffects(self, effects, covariance, rho, terms, never, shared, low[still])


@storable
@dataclass(frozen=True, eq=False)
class FittedEffects:
    """Effects of exogenous columns.

    Attributes
    ----------
    spec : InputEffects
        With the columns over all steps that are needed.
    beta : ndarray (p,)
        In the units of the series, or of its warp, a unit of the column; 0 for those left out.
    V : ndarray (p, p)
        Covariance of beta's error; of a term that never changed, of the effect of any change.
    rho : ndarray (r,)
        Autoregression of the errors.
    later_terms : LaterTerms
        Terms found in the series after the effects are subtracted.
    never_seen : tuple of int
        Terms that never changed, of whose effect nothing is known.
    shared : ndarray (k, p)
        Coefficients of each term on the regressors of `later_terms`: an error of beta times these
        is in the level, the lines and the seasons that are found there. 0 for those that never
        changed.
    stayed : ndarray (k,)
        The value of each term that never changed.
    """

    spec: InputEffects
    beta: FloatArray
    V: FloatArray
    rho: FloatArray
    later_terms: LaterTerms
    never_seen: tuple[int, ...] = ()
    shared: FloatArray = field(default_factory=lambda: np.zeros((0, 1)))
    stayed: FloatArray = field(default_factory=lambda: np.zeros(0))

    n_lost = 0

    @property
    def known(self) -> KnownInputs:
        """The columns over all steps that are needed."""
        assert self.spec.known is not None
        return self.spec.known

    @property
    def terms(self) -> tuple[Term, ...]:
        """Positions of columns and their lags."""
        assert self.spec.terms is not None
        return self.spec.terms

    @property
    def explains(self) -> bool:
        """Whether any column explains anything, or may once it changes."""
        return bool(self.V.any() or self.beta.any())

    @property
    def std(self) -> FloatArray:
        """Standard deviations of beta's error, (p,)."""
        return np.sqrt(self.V.diagonal())

    def given(
        self, inputs: FloatArray, first: int = 0, covariance: FloatArray | None = None
    ) -> "FittedEffects":
        """Return it with the inputs (n, q) of other steps, from `first` on."""
        known = replace(self.known, values=inputs, first=first, covariance=covariance)
        return replace(self, spec=replace(self.spec, known=known))

    @property
    def certain(self) -> "FittedEffects":
        """A copy that treats all inputs as certain."""
        return self.given(self.known.values, self.known.first)

    def sums(self, steps: IntArray) -> FloatArray:
        """Return U beta at some steps, (...,)."""
        return self.known.at(steps, self.terms) @ self.beta

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return values - U beta, (n,)."""
        return values - self.sums(times.positions.astype(np.int64)[: len(values)])

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of z + U beta, with beta and future inputs uncertain."""
        h = z.mean.shape[1]
        steps = ends[:, None] + times.first + np.arange(h)  # (b, h)
        found = z.scaled(1.0, self.sums(steps))
        if self.V.any():
            root = self._beyond_carried(steps, times) @ square_root(self.V)
            found = found.plus_noise(root, seed=1975)
        uncertain = self._root_of_inputs(steps)
        return found if uncertain is None else found.plus_noise(uncertain, seed=1976)

    def _beyond_carried(self, steps: IntArray, times: TimeAxis) -> FloatArray:
        """Return the columns ahead less what a forecast carries on of their past, (b, h, p).

        Only that of an error in beta affects a forecast: the past was adjusted with the same beta,
        and so were the level, the line and the season that the forecast returns to.
        """
        h, r, backs = steps.shape[1], len(self.rho), self.later_terms.backs(times)
        lost = sum(int(back.max()) for back in backs)
        before = steps[:, :1] + np.arange(-r - lost, 0)
        all_steps = np.hstack([before, steps])  # (b, lost + r + h)
        w = self.known.at(all_steps, self.terms)  # (b, lost + r + h, p)
        for j, value in zip(self.never_seen, self.stayed, strict=True):
            # How large an effect a unit has is not known: a change has one, whatever its size.
            w[..., j] = np.where(_same(w[..., j], value), 0.0, np.sign(w[..., j] - value))
        at = np.maximum(all_steps - times.first, 0).T
        w = differenced(w.swapaxes(0, 1), [back[at] for back in backs])[lost:].swapaxes(0, 1)
        if self.shared.any():
            place = np.maximum(at[lost:].T, lost)
            w = w - self.later_terms.columns(times)[place] @ self.shared
        e = w[:, r:] - carried(w[:, :r], self.rho, h)
        for back in reversed(backs):
            e = cumulated(e, axis=1, back=back[at[lost + r :]])
        return e

    def _root_of_inputs(self, steps: IntArray) -> FloatArray | None:
        """Return a root (1, h, r) of the covariance that uncertain future inputs bring along."""
        known, terms = self.known, self.terms
        if known.covariance is None:
            return None
        q = known.values.shape[1]
        begin = known.first + len(known.values) - len(known.covariance) // q
        B = np.zeros((steps.shape[1], len(known.covariance)))
        for (column, lag), weight in zip(terms, self.beta, strict=True):
            place = steps[0] - lag - begin
            row = np.flatnonzero((place >= 0) & (place * q < B.shape[1]))
            B[row, place[row] * q + column] += weight
        return np.asarray((B @ square_root(known.covariance))[None])


def _same(a: FloatArray, b: FloatArray | float) -> BoolArray:
    return np.asarray(np.abs(a - b) <= _SAME * np.abs(b))
