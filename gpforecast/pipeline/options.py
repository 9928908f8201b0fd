"""What a user asks of a forecaster, checked before there is a series."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Self

import numpy as np

from gpforecast.automatic.known_seasons import (
    SeasonLength,
    Seasons,
    check_transforms,
    seasons_of,
)
from gpforecast.automatic.model import row_limit
from gpforecast.automatic.support import SupportLike, support_named
from gpforecast.common.kinds import is_auto, is_word
from gpforecast.common.parameters import POSITIVE_INTEGER, Check
from gpforecast.common.progress import checked
from gpforecast.common.types import ArrayLike, show_without_types
from gpforecast.common.validation import (
    finite_array,
    is_integer,
    is_number,
    one_of,
    positive_integer,
    shown,
)
from gpforecast.models.base import HasClasses, HasQuantiles, OneStepModel
from gpforecast.propagation import Automatic, Method, MethodLike, method_named
from gpforecast.series.calendars import Calendar
from gpforecast.series.embedding import LagEmbedding
from gpforecast.storage import Saveable
from gpforecast.transforms.words import TransformsLike, transforms_of

_MAX_ROWS = Check(
    'a positive integer, "auto", or None for all rows',
    lambda v: v is None or is_auto(v) or POSITIVE_INTEGER.holds(v),
)


@dataclass(eq=False, repr=False)
class Options:
    """The parameters of a `gpforecast.Forecaster`.

    Attributes
    ----------
    lags, transforms, exog_lags, calendar, model, propagation, strategy, max_horizon, noise,
    support, combine, max_rows, seed, calibrate, outliers, season_length, progress
        As `gpforecast.Forecaster` documents them.

    Raises
    ------
    TypeError, ValueError
        If one of them makes no sense.
    """

    lags: int | Sequence[int] | str = "auto"
    _: KW_ONLY
    transforms: TransformsLike = "auto"
    exog_lags: Sequence[int] | Mapping[object, Sequence[int]] | None = None
    calendar: Calendar | list[Calendar] | tuple[Calendar, ...] | None = None
    model: OneStepModel | None = None
    propagation: MethodLike = "auto"
    strategy: str = "iterated"
    max_horizon: int | None = None
    noise: str | float | ArrayLike = "auto"
    support: SupportLike = "auto"
    combine: str | None = "auto"
    max_rows: int | str | None = "auto"
    seed: int = 0
    calibrate: str | bool | None = None
    outliers: str | None = "auto"
    season_length: SeasonLength = "auto"
    progress: bool | None = None

    def __post_init__(self) -> None:
        lags, transforms = self.lags, self.transforms
        if isinstance(lags, str) and lags != "auto":
            raise ValueError(f'lags must be an int, a list of ints or "auto"; got {lags!r}.')
        LagEmbedding(1 if isinstance(lags, str) else lags, exog_lags=self.exog_lags)
        seasons = self.seasons
        if not self.automatic:
            check_transforms(seasons, transforms_of(transforms))
        for one in self.calendars:
            if isinstance(one, type) or not isinstance(one, Calendar):
                raise TypeError(
                    f"calendar must be a calendar such as gf.calendars.DayOfWeek() or "
                    f'gf.calendars.Holidays("US"), or a list of them; got {one!r}.'
                )
        check_model(self.model)
        method_named(self.propagation)
        self._check_strategy()
        if np.ndim(self.noise) == 0 and not is_number(self.noise):
            one_of(self.noise, "noise", ("process", "measurement", "auto"))
        elif (variances := finite_array(np.atleast_1d(self.noise), "noise", ndim=1)).min() < 0.0:
            raise ValueError(
                f'noise must be "process", "measurement", "auto", or known variances of the '
                f"measurement noise, which are not negative; got {variances.min():.4g}."
            )
        support_named(self.support)
        if self.combine is not None:
            one_of(self.combine, "combine", ("auto",))
        _MAX_ROWS(self.max_rows, "max_rows")
        if not is_integer(self.seed) or self.seed < 0:
            raise ValueError(f"seed must be a whole number from 0 up; got {self.seed!r}.")
        if self.calibrate not in (None, True, False):
            one_of(self.calibrate, "calibrate", ("variance", "conformal", "adaptive"))
        if self.outliers is not None:
            one_of(self.outliers, "outliers", ("auto",))
        self.progress = checked(self.progress)

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002
        """Return the parameters by name, as scikit-learn does; its ``clone`` takes a forecaster.

        Parameters
        ----------
        deep : bool
            For scikit-learn; a model is one parameter.

        Examples
        --------
        >>> import gpforecast as gf
        >>> gf.Forecaster(lags=16).get_params()["lags"]
        16
        """
        return {own.name: vars(self)[own.name] for own in fields(self)}

    def set_params(self, **params: object) -> Self:
        """Change parameters for the next `fit`; none is changed if one makes no sense.

        Parameters
        ----------
        **params
            By name, as in `get_params`.

        Returns
        -------
        Forecaster
            Itself.

        Examples
        --------
        >>> import gpforecast as gf
        >>> gf.Forecaster().set_params(lags=16, transforms="log")
        Forecaster(lags=16, transforms='log')
        """
        known = self.get_params()
        if unknown := sorted(params.keys() - known.keys()):
            raise ValueError(
                f"{type(self).__name__} has no parameter {unknown[0]!r}; it has {', '.join(known)}."
            )
        make: Callable[..., Self] = type(self)
        vars(self).update(make(**(known | params)).get_params())
        return self

    def _check_strategy(self) -> None:
        one_of(self.strategy, "strategy", ("iterated", "direct"))
        if not self.direct:
            if self.max_horizon is not None:
                raise ValueError(
                    f"max_horizon is the largest lead of direct forecasts; iterated ones have "
                    f"no limit. Leave max_horizon={self.max_horizon!r} out, or set "
                    f'strategy="direct".'
                )
            return
        if self.max_horizon is None:
            raise ValueError(
                'strategy="direct" trains a model for each lead and needs to know how many: set '
                "max_horizon to the longest horizon that will be forecast."
            )
        positive_integer(self.max_horizon, "max_horizon")
        if not is_word(self.noise, "process", "auto"):
            raise ValueError(
                f'noise must be "process" or "auto" with strategy="direct", whose models learn '
                f"from the values as they were measured; got {self.noise!r}. To tell measurement "
                f'noise from the series, set strategy="iterated".'
            )

    @property
    def calendars(self) -> tuple[Calendar, ...]:
        """Return the calendars, each of which makes columns of the dates."""
        given = self.calendar
        if given is None:
            return ()
        return (*given,) if isinstance(given, (list, tuple)) else (given,)

    @property
    def seasons(self) -> Seasons | None:
        """Return the seasons that the user named, () for none; None if none was named."""
        return seasons_of(self.season_length)

    @property
    def automatic(self) -> bool:
        """Return whether transforms are selected."""
        return is_auto(self.transforms)

    @property
    def looks_for_outliers(self) -> bool:
        """Return whether outliers are looked for: where transforms are selected, too."""
        return self.automatic and self.outliers is not None

    @property
    def direct(self) -> bool:
        """Return whether each lead has its model."""
        return self.strategy == "direct"

    def method(self, instead: MethodLike | None = None) -> Method:
        """Return the propagation method of a call: its own, or the forecaster's, with its seed."""
        return method_named(self.propagation if instead is None else instead, self.seed)

    @property
    def row_limit(self) -> int | None:
        """Return how many rows to train on at most; None for no limit."""
        return row_limit(self.max_rows, self.model)

    @property
    def calibration(self) -> str | None:
        """Return the kind of calibration that was chosen: True is ``"conformal"``."""
        if not self.calibrate:
            return None
        return self.calibrate if isinstance(self.calibrate, str) else "conformal"

    @property
    def combines(self) -> bool:
        """Return whether structural models may join the one-step model in an ensemble."""
        automatic = isinstance(self.method(), Automatic)
        allowed = self.combine is not None and self.calibration is None
        return automatic and allowed and not self.direct


def check_model(model: object) -> None:
    """Refuse what is no one-step model; forecasters fit and predict too, and are none.

    Raises
    ------
    TypeError
        ``model must be a model, not its class: write LinearAR(), with brackets.``
    """
    of: Callable[[Any, type], bool] = issubclass if isinstance(model, type) else isinstance
    suits = of(model, OneStepModel) and not of(model, Saveable)
    if suits and isinstance(model, type):
        raise TypeError(
            f"model must be a model, not its class: write {model.__name__}(), with brackets."
        )
    if model is not None and not suits:
        raise TypeError(
            f"model must be a one-step model such as gf.models.GaussianProcess(); got "
            f"{shown(model)}."
        )
    if isinstance(model, HasClasses):
        raise TypeError(
            f"model must predict numbers; got {model!r}, which predicts classes. Forecast a "
            f"series of classes with gf.EventForecaster."
        )
    if isinstance(model, HasQuantiles):
        raise TypeError(
            f"model must be of the values as they are; got {model!r}, which warps its targets but "
            f"not the lags. Use transforms=gf.transforms.LearnedWarp() and another model."
        )


# What Python calls it where an argument is unknown.
Options.__init__.__qualname__ = "Forecaster.__init__"
show_without_types(Options.__init__)
