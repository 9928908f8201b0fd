"""What a user gives of a fit; the rest is selected."""

from dataclasses import dataclass

from gpforecast.automatic.known_seasons import Seasons
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.support import SupportLike
from gpforecast.models.base import OneStepModel
from gpforecast.series.exogenous import ExogLags
from gpforecast.transforms import Compose


@dataclass(frozen=True, eq=False)
class Given:
    """What a user gives of a fit, such as ``gf.Forecaster(lags=3).given``; the rest is selected.

    Attributes
    ----------
    transforms : Compose or None
    lags : tuple of int or None
    model : OneStepModel or None
        Where one of these is None, it is selected.
    exog_lags, support
        As for `gpforecast.Forecaster`.
    row_limit : int or None
        Rows to train on at most; None for no limit.
    seasons : tuple of int or None
        In steps, the longest first, () for none; None if they are looked for.
    prior : Prior or None
        Of the candidates; None is the one that comes with the library.
    outliers : bool
        Whether outliers are looked for.
    combine : bool
        Whether further candidates may join the model in an ensemble.
    iterated : bool
        Whether forecasts iterate the model. Only these may hold the hyperparameters that judged
        the lags: a direct model of each lead is trained.
    measured : bool
        Whether the model must tell measurement noise from process noise.
    """

    transforms: Compose | None = None
    lags: tuple[int, ...] | None = None
    model: OneStepModel | None = None
    exog_lags: ExogLags = None
    row_limit: int | None = None
    support: SupportLike = "auto"
    seasons: Seasons | None = None
    prior: Prior | None = None
    outliers: bool = True
    combine: bool = True
    iterated: bool = True
    measured: bool = False
