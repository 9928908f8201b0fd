"""The settings of a forecaster of several series: those of `Forecaster` for each column."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields

from gpforecast.automatic.known_seasons import SeasonLength
from gpforecast.common.kinds import is_auto
from gpforecast.models.base import OneStepModel
from gpforecast.pipeline.forecaster_base import ForecasterBase
from gpforecast.pipeline.options import Options
from gpforecast.propagation import GaussianMixture, Method, MethodLike, method_named
from gpforecast.transforms.words import TransformsLike


@dataclass(eq=False, repr=False)
class VectorOptions(ForecasterBase):
    """The settings of a `gpforecast.VectorForecaster`, as it documents them."""

    lags: int | Sequence[int] | str = "auto"
    _: KW_ONLY
    transforms: TransformsLike | Mapping[Hashable, TransformsLike] = "auto"
    model: OneStepModel | None = None
    propagation: MethodLike = "auto"
    combine: str | None = "auto"
    max_rows: int | str | None = "auto"
    seed: int = 0
    season_length: SeasonLength = "auto"
    label: str | None = None

    def __post_init__(self) -> None:
        for name in [None] if self.by_column is None else self.by_column:
            self.of_column(name)
        self.method(None)

    @property
    def by_column(self) -> Mapping[Hashable, TransformsLike] | None:
        """Return the transforms of the columns that have their own, if some do."""
        return self.transforms if isinstance(self.transforms, Mapping) else None

    def of_column(self, name: Hashable = None) -> Options:
        """Return the settings of a column, checked."""
        own = {f.name: vars(self)[f.name] for f in fields(VectorOptions) if f.init}
        if self.by_column is not None:
            own["transforms"] = self.by_column.get(name, "auto")
        return Options(**own, support=None)

    def method(self, instead: MethodLike | None) -> Method:
        """Return the propagation method of a call, refused if it cannot follow several series."""
        method = method_named(self.propagation if instead is None else instead)
        if method.name == GaussianMixture.name:
            raise ValueError(
                "propagation='mixture' follows a single series; use 'auto', 'exact', 'taylor', "
                "'cubature', 'naive' or 'monte_carlo' for several."
            )
        return method

    @property
    def automatic(self) -> bool:
        """Whether nothing was chosen by the user, so that forecasts may be mixed."""
        chosen = self.model is None and self.of_column().combines
        return chosen and is_auto(self.lags) and is_auto(self.transforms)
