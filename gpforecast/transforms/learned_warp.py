"""A warp that is learned with a Gaussian process of the series."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import array_without_infinities, positive_integer
from gpforecast.models.evidence import evenly_spaced
from gpforecast.models.tanh_warp import TanhWarp
from gpforecast.models.warped_evidence import censored_at, learned_from_series
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.scaling import location_and_scale
from gpforecast.storage import storable

_FEWEST = 30  # rows; fewer tell nothing of a shape


@storable
@dataclass(frozen=True)
class LearnedWarp:
    r"""Learn the function of the values after which a series is most nearly Gaussian.

    .. math:: w(y) \propto y + \sum_{i=1}^I a_i \tanh(b_i (y + c_i)) + \text{constant}

    of the standardised series. It is learned with the hyperparameters of a Gaussian process of the
    warped value given its warped lags, by the evidence of the series, the Jacobian included.
    Forecasts are made as with any other warp: Gaussian in units of w, with quantiles that are
    images of theirs.

    Use it where neither logarithm nor power fits: values that crowd at both ends or at the upper
    one, negative values, peaks above a base. It is not among the candidates of
    ``transforms="auto"``.

    Parameters
    ----------
    n_tanh : int
        I.
    lags : int or sequence of int
        Of the process by which it is learned: an int stands for the lags from 1 on. Name that of a
        season, if there is one; the forecaster's lags can be others.
    n_rows : int
        At most so many rows of lags are learned from, evenly spaced.
    n_restarts : int
        Further searches from random starting points.
    two_slopes : bool
        Replace the line y by one with a slope on its left and another on its right, learned too.
    seed : int
        For the restarts.

    Raises
    ------
    ValueError
        If a number is out of its range; on fitting, if more than a twentieth of the values are
        equal to the lowest or highest one. Such values look censored, and a warp that is learned
        would push them away from all others.

    Notes
    -----
    A series with fewer than 30 rows, or a constant one, has a straight line for its warp. A search
    takes some fifty evaluations of O(n_rows^3) each: 0.2 s for 256 rows.

    On both sides of the steps the warp is a straight line; nothing is known there. A lower limit of
    the values is not kept: `Log` and `BoxCox` do so, or ``Forecaster(support=)``.

    References
    ----------
    Snelson (2007), chapter 5; its lags are warped too, by the slopes of the evidence in its inputs,
    Quinonero-Candela (2004), eq. (4.35).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> z = np.sin(np.arange(120) / 3) + 0.1 * np.random.default_rng(0).standard_normal(120)
    >>> warp = gf.transforms.LearnedWarp(n_tanh=2).fit(np.cbrt(z))
    >>> bool(np.corrcoef(warp.forward(np.cbrt(z)), z)[0, 1] > 0.99)
    True
    """

    n_tanh: int = 3
    lags: int | Sequence[int] = 4
    n_rows: int = 256
    n_restarts: int = 0
    two_slopes: bool = False
    seed: int = 0

    lowest: ClassVar[float] = -np.inf

    def __post_init__(self) -> None:
        positive_integer(self.n_tanh, "n_tanh")
        positive_integer(self.n_rows, "n_rows", least=_FEWEST)
        object.__setattr__(self, "lags", LagEmbedding(self.lags).lags)

    def fit(self, series: SeriesLike) -> TanhWarp:
        """Return the warp of a series; NaN marks missing values.

        Parameters
        ----------
        series : Series or array-like (n,)

        Returns
        -------
        TanhWarp
        """
        y = array_without_infinities(series, "series", ndim=1)
        known = y[~np.isnan(y)]
        location, scale = location_and_scale(known) if len(known) else (0.0, 1.0)
        line = TanhWarp((), (), (), location, scale)
        places = self._rows(y)
        if len(places) < _FEWEST or np.ptp(known) <= 1e-12 * np.abs(known).max():
            return line
        if censored := censored_at(known):
            raise ValueError(
                f"series has no warp to be learned: {censored}. They look censored, and the warp "
                f"would push them away from all others; leave LearnedWarp out, or set support=."
            )
        used, inverse = np.unique(places, return_inverse=True)
        tanhs, _ = learned_from_series(
            (y[used] - location) / scale,
            inverse.reshape(places.shape),
            n_tanh=self.n_tanh, n_restarts=self.n_restarts, seed=self.seed,
            two_slopes=self.two_slopes,
        )  # fmt: skip
        return tanhs.standardised(known, location, scale)

    def _rows(self, y: FloatArray) -> IntArray:
        """Return where the target and the lags of each row are, (rows, d + 1)."""
        lags = np.array([0, *LagEmbedding(self.lags).lags_])
        places: IntArray = np.arange(int(lags.max()), len(y))[:, None] - lags
        places = places[~np.isnan(y[places]).any(axis=1)]
        return np.asarray(places[evenly_spaced(len(places), self.n_rows)])
