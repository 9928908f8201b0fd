"""What all forecasters have in common, and the parameters of one, checked without a series."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import wraps
from html import escape
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd

from gpforecast.automatic.model import row_limit
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.seasons import SeasonLength, Seasons, check_transforms, seasons_of
from gpforecast.automatic.settings import Given
from gpforecast.automatic.support import SupportLike, support_named
from gpforecast.common.kinds import is_auto, is_word
from gpforecast.common.parameters import (
    COUNT,
    FLAG,
    POSITIVE_INTEGER,
    Check,
    check_parameters,
    choice,
    instance,
    parameter,
)
from gpforecast.common.types import ArrayLike, known_as, show_without_types
from gpforecast.common.validation import counted, finite_array, is_number, one_of, shown
from gpforecast.common.wording import folded_in_html, meant
from gpforecast.models.base import HasClasses, HasQuantiles, OneStepModel
from gpforecast.pipeline.fitted import required
from gpforecast.propagation import Automatic, Method, MethodLike, method_named
from gpforecast.series.calendars import Calendar
from gpforecast.series.embedding import LagEmbedding
from gpforecast.storage import Saveable
from gpforecast.transforms.words import TransformsLike, transforms_of

_MAX_ROWS = Check(
    'a positive integer, "auto", or None for all rows',
    lambda v: v is None or is_auto(v) or POSITIVE_INTEGER.holds(v),
)
_CALENDAR = Check(
    'a calendar such as gf.calendars.DayOfWeek() or gf.calendars.Holidays("US"), or a list of them',
    lambda v: isinstance(v, Calendar) and not isinstance(v, type),
    TypeError,
)
_SEED = Check("a whole number from 0 up", COUNT.holds)
_PRIOR = instance(Prior, "a gf.Prior, such as the .prior of a panel that learned").or_none()
_CALIBRATE = Check(
    "'variance', 'conformal', 'adaptive', True, False or None",
    lambda v: v is None or FLAG.holds(v) or is_word(v, "variance", "conformal", "adaptive"),
)


@dataclass(eq=False, repr=False)
class ForecasterBase(Saveable):
    """A forecaster whose parameters are dataclass fields, and whose fit is ``fitted_``."""

    fitted_: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        check_parameters(self)

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
        return {own.name: vars(self)[own.name] for own in fields(self) if own.init}

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
        _check_names(type(self), params, ValueError)
        make: Callable[..., Self] = type(self)
        vars(self).update(make(**(known | params)).get_params())
        return self

    def summary(self) -> str:
        """Return what was learned and why, in words."""
        raise NotImplementedError

    def _head(self) -> tuple[str, ...]:
        """Return what a notebook shows of a fit above its summary."""
        return ()

    def _required(self) -> Any:
        """Return what it has learned; refused if that is nothing yet."""
        return required(self.fitted_, type(self).__name__)

    def __repr__(self) -> str:
        """Return the call that makes it, with the arguments that differ from their defaults."""
        given = (
            f"{own.name}={vars(self)[own.name]!r}"
            for own in fields(self)
            if own.init and (own.name == "lags" or repr(vars(self)[own.name]) != repr(own.default))
        )
        call = f"{type(self).__name__}({', '.join(given)})"
        if self.fitted_ is None:
            return call
        known = pd.DataFrame(self.fitted_.history).notna().any(axis=1)
        return f"{call}  # fitted to {counted(int(known.sum()), 'value')}"

    def _repr_html_(self) -> str:
        """Show the call, and once it is fitted what was learned; the summary is folded."""
        if self.fitted_ is None:
            return f'<pre style="white-space: pre-wrap">{escape(repr(self))}</pre>'
        return folded_in_html([repr(self), *self._head()], "Summary", self.summary())


T = TypeVar("T", bound=ForecasterBase)


def naming_parameters(cls: type[T]) -> type[T]:
    """Let a class of forecasters refuse other parameters by a sentence that names its own."""
    make = cls.__init__

    @wraps(make)
    def init(self: T, *args: Any, **params: Any) -> None:
        _check_names(type(self), params, TypeError)
        make(self, *args, **params)

    cls.__init__ = init  # type: ignore[method-assign, assignment]
    return cls


def _check_names(
    cls: type[ForecasterBase], params: Mapping[str, object], error: type[Exception]
) -> None:
    known = [own.name for own in fields(cls) if own.init]
    for name in set(params) - set(known):
        has = f"it has {', '.join(known)}.{meant(name, known)}"
        raise error(f"{cls.__name__} has no parameter {name!r}; {has}")


@known_as("Forecaster")
@naming_parameters
@dataclass(eq=False, repr=False)
class Options(ForecasterBase):
    """The parameters of a `gpforecast.Forecaster`.

    Attributes
    ----------
    lags, transforms, exog_lags, calendar, model, propagation, strategy, max_horizon, noise,
    support, combine, max_rows, seed, calibrate, outliers, season_length, label, prior, progress
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
    strategy: str = parameter("iterated", choice("iterated", "direct"))
    max_horizon: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    noise: str | float | ArrayLike = "auto"
    support: SupportLike = "auto"
    combine: str | None = parameter("auto", choice("auto", None))
    max_rows: int | str | None = parameter("auto", _MAX_ROWS)
    seed: int = parameter(0, _SEED)
    calibrate: str | bool | None = parameter(None, _CALIBRATE)
    outliers: str | None = parameter("auto", choice("auto", None))
    season_length: SeasonLength = "auto"
    label: str | None = parameter(None, choice("start", "end", None))
    prior: Prior | None = parameter(None, _PRIOR)
    progress: bool | None = parameter(None, FLAG.or_none())

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.lags, str) and not is_auto(self.lags):
            raise ValueError(f'lags must be an int, a list of ints or "auto"; got {self.lags!r}.')
        LagEmbedding(1 if is_auto(self.lags) else self.lags, exog_lags=self.exog_lags)
        seasons = self.seasons
        if not self.automatic:
            check_transforms(seasons, transforms_of(self.transforms))
        for one in self.calendars:
            _CALENDAR(one, "calendar")
        check_model(self.model)
        self.method()
        support_named(self.support)
        if np.ndim(self.noise) == 0 and not is_number(self.noise):
            one_of(self.noise, "noise", ("process", "measurement", "auto"))
        elif (variances := finite_array(np.atleast_1d(self.noise), "noise", ndim=1)).min() < 0.0:
            raise ValueError(
                f'noise must be "process", "measurement", "auto", or known variances of the '
                f"measurement noise, which are not negative; got {variances.min():.4g}."
            )
        if self.direct == (self.max_horizon is None):
            raise ValueError(
                'strategy="direct" trains a model for each lead: set max_horizon to the longest '
                "horizon that will be forecast."
                if self.direct
                else f"max_horizon is the largest lead of direct forecasts: leave "
                f'max_horizon={self.max_horizon!r} out, or set strategy="direct".'
            )
        if self.direct and not is_word(self.noise, "process", "auto"):
            raise ValueError(
                f'noise must be "process" or "auto" with strategy="direct", whose models learn '
                f"from the values as they were measured; got {self.noise!r}. To tell measurement "
                f'noise from the series, set strategy="iterated".'
            )

    @property
    def calendars(self) -> tuple[Calendar, ...]:
        """Return the calendars, each of which makes columns of the dates."""
        given = () if self.calendar is None else self.calendar
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
    def given(self) -> Given:
        """What decides the settings of a fit: what the user gave, None for what is selected."""
        automatic, combine = self.automatic, self.combine is not None and self.calibration is None
        return Given(
            transforms=None if automatic else transforms_of(self.transforms),
            lags=None if is_auto(self.lags) else LagEmbedding(self.lags).lags_,
            model=self.model,
            exog_lags=self.exog_lags,
            row_limit=self.row_limit,
            # Who chooses the transforms knows the values.
            support=self.support if automatic or not is_auto(self.support) else None,
            seasons=self.seasons,
            prior=self.prior,
            outliers=automatic and self.outliers is not None,
            combine=combine and not self.direct and self.method().name == Automatic.name,
            iterated=not self.direct,
            measured=not is_word(self.noise, "process", "auto"),
        )

    @property
    def calibration(self) -> str | None:
        """Return the kind of calibration that was chosen: True is ``"conformal"``."""
        if not self.calibrate:
            return None
        return self.calibrate if isinstance(self.calibrate, str) else "conformal"


def check_model(model: object) -> None:
    """Refuse what is no one-step model; forecasters fit and predict too, and are none.

    Raises
    ------
    TypeError
        ``model must be a one-step model such as gf.models.GaussianProcess(); got 3.``
    """
    if model is None:
        return
    if isinstance(model, type | Saveable) or not isinstance(model, OneStepModel):
        needed = f"be a one-step model such as gf.models.GaussianProcess(); got {shown(model)}."
    elif isinstance(model, HasClasses):
        needed = (
            f"predict numbers; got {model!r}, which predicts classes. Forecast a series of classes "
            f"with gf.EventForecaster."
        )
    elif isinstance(model, HasQuantiles):
        needed = (
            f"be of the values as they are; got {model!r}, which warps its targets but not the "
            f"lags. Use transforms=gf.transforms.LearnedWarp() and another model."
        )
    else:
        return
    raise TypeError(f"model must {needed}")


show_without_types(Options.__init__)
