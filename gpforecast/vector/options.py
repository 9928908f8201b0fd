"""The settings of a forecaster of several series, checked."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from gpforecast.automatic.known_seasons import SeasonLength, check_transforms, seasons_of
from gpforecast.common.parameters import POSITIVE_INTEGER, check_parameters, choice, parameter
from gpforecast.models.base import OneStepModel
from gpforecast.pipeline.forecaster_base import ForecasterBase
from gpforecast.propagation import GaussianMixture, Method, MethodLike, method_named
from gpforecast.series.embedding import LagEmbedding
from gpforecast.transforms.compose import Compose
from gpforecast.transforms.words import TransformsLike


@dataclass(eq=False, repr=False)
class VectorOptions(ForecasterBase):
    """The settings of a `gpforecast.VectorForecaster`, as it documents them."""

    lags: int | Sequence[int] | str = "auto"
    _: KW_ONLY
    transforms: TransformsLike | Mapping[Hashable, TransformsLike] = "auto"
    model: OneStepModel | None = None
    propagation: MethodLike = "auto"
    combine: str | None = parameter("auto", choice("auto", None))
    max_rows: int | str | None = "auto"
    seed: int = 0
    season_length: SeasonLength = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.lags != "auto":
            LagEmbedding(self.lags)  # type: ignore[arg-type]  # it says what is wrong
        given, seasons = self.transforms, seasons_of(self.season_length)
        for one in given.values() if isinstance(given, Mapping) else [given]:
            if not (isinstance(one, str) and one == "auto"):
                check_transforms(seasons, Compose.of(one))  # type: ignore[arg-type]
        if not (self.max_rows is None or self.max_rows == "auto"):
            POSITIVE_INTEGER(self.max_rows, "max_rows")
        self.method(None)

    def method(self, own: MethodLike | None) -> Method:
        """Return the propagation method of a call, refused if it cannot follow several series."""
        method = method_named(own or self.propagation)
        if method.name == GaussianMixture.name:
            raise ValueError(
                "propagation='mixture' follows a single series; use 'auto', 'exact', 'taylor', "
                "'cubature', 'naive' or 'monte_carlo' for several."
            )
        return method

    @property
    def combines(self) -> bool:
        """Whether structural models may join."""
        return self.combine is not None and self.method(None).name == "auto"

    @property
    def automatic(self) -> bool:
        """Whether nothing was chosen by the user, so that forecasts may be mixed."""
        chosen = self.model is None and self.combines
        return chosen and isinstance(self.lags, str) and isinstance(self.transforms, str)

    def transforms_of(self, name: Hashable) -> TransformsLike:
        """Return the transforms of a column."""
        given = self.transforms
        return given.get(name, "auto") if isinstance(given, Mapping) else given
