"""From which origins a backtest forecasts, and when it trains: of forecasters of every kind."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from gpforecast.common.kinds import is_auto
from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import ArrayLike, IntArray, Seed
from gpforecast.common.validation import generator, is_integer, positive_integer
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import checked_origins
from gpforecast.propagation import MethodLike

Refit: TypeAlias = int | Literal["auto"] | None

D_co = TypeVar("D_co", covariant=True)
F = TypeVar("F")

# All trainings of a backtest together learn from at most so many values, and there are at most so
# many of them. What is chosen automatically, and Gaussian processes, take a second or so a time.
VALUES, TRAININGS = 5000, 8
# Of a model whose time grows in proportion to the rows, with transforms and lags that are given.
CHEAP_VALUES, CHEAP_TRAININGS = 100_000, 60


class Fitted(Protocol[D_co]):
    """What was learned from several series or one of classes, with the values it knows."""

    def usable(self, origins: IntArray, horizon: int) -> IntArray:
        """Return the origins at which all that a forecast starts from is known."""
        ...

    def ahead(
        self, origins: IntArray, horizon: int, method: MethodLike, /
    ) -> tuple[D_co, str, tuple[str, ...]]:
        """Return the distribution after each origin, the name of what made it, and notes."""
        ...


def checked_refit(refit: Refit) -> Refit:
    """Return it if it is an interval, "auto" or None."""
    return refit if refit is None or is_auto(refit) else positive_integer(refit, "refit")


def n_first(train_fraction: float, n: int) -> int:
    """Return how many of n values the first training learns from."""
    if not 0.0 < train_fraction < 1.0:
        raise ValueError(f"train_fraction must lie between 0 and 1; got {train_fraction!r}.")
    return int(train_fraction * n)


def chosen_origins(
    possible: IntArray, origins: int | ArrayLike, seed: Seed, first: int, last: int
) -> IntArray:
    """Return so many of the possible origins at random, or those that are given.

    Given ones must lie between `first` and `last`.

    Raises
    ------
    ValueError
        If none is possible, or one that is given lies elsewhere.
    """
    if not len(possible) and (last < first or is_integer(origins)):
        raise ValueError(
            f"no origin is left: origins must lie from {first}, after the values that are learned "
            f"from or needed as lags, to {last}, after which the horizon would not end within the "
            f"series, and a forecast must know its lags and inputs. Pass a longer series, a "
            f"shorter horizon, fewer lags or a smaller train_fraction."
        )
    if is_integer(origins):
        count = min(positive_integer(origins, "origins"), len(possible))
        chosen: IntArray = np.sort(generator(seed).choice(possible, count, replace=False))
        return chosen
    why = (
        "earlier values are used in training or needed as lags",
        "the horizon must end within the series",
    )
    return checked_origins(origins, first, last, why, "a number of them or a list of positions")


def affordable(n: int, options: Options) -> int:
    """Return how many trainings on n values a backtest makes by default, at least 1.

    It depends on the number of values and not on time, so that it is the same on every machine.

    Examples
    --------
    >>> from gpforecast import Forecaster
    >>> [affordable(n, Forecaster()) for n in (100, 1000, 5000)]
    [8, 5, 1]
    """
    given = options.model is not None and options.lags != "auto" and options.transforms != "auto"
    cheap = given and options.row_limit is None and options.max_rows == "auto"
    values, most = (CHEAP_VALUES, CHEAP_TRAININGS) if cheap else (VALUES, TRAININGS)
    models = (options.max_horizon or 1) * (1 if options.calibrate is None else 2)
    return int(np.clip(values // (n * models), 1, most))


def by_cost(where: IntArray, n_known: int, options: Options) -> int | None:
    """Return after how many values to train again; None if one training is all there is."""
    last = int(where.max())
    again = affordable(last, options) - 1
    return -(-(last - n_known) // again) if again and last > n_known else None


def trainings(where: IntArray, every: int | None, n_known: int) -> list[tuple[int, IntArray]]:
    """Return, in order of time, how many values to train on and which of the origins are served.

    An origin is served by the last training, unless that is `every` values or more behind it.
    """
    if every is None:
        return [(n_known, np.arange(len(where)))]
    served: dict[int, list[int]] = {}
    n = n_known
    for place in np.argsort(where, kind="stable"):
        if where[place] - n >= every:
            n = int(where[place])
        served.setdefault(n, []).append(int(place))
    return [(n, np.array(places)) for n, places in served.items()]


def trained(
    fitted: F, fit: Callable[[int, F], F], plan: list[tuple[int, IntArray]], n_known: int
) -> Iterator[tuple[F, int, IntArray]]:
    """Yield the fit of each training, how many values it knows, and which origins it serves.

    Parameters
    ----------
    fitted
        The first one, which knows `n_known` values.
    fit : callable
        From a number of values and the last fit to the next one.
    plan : list of tuple
        As of `trainings`.
    n_known : int
    """
    whole = bar("backtest", total=len(plan), unit="trainings")
    with whole if len(plan) > 1 else nullcontext(SILENT) as shown:
        for n, chosen in plan:
            if n > n_known:
                fitted = fit(n, fitted)
            shown.update()
            yield fitted, n, chosen


@dataclass(frozen=True, eq=False)
class Plan:
    """From where and how far a backtest forecasts, and when it trains.

    Attributes
    ----------
    horizon : int
    origins : int or array-like of int
        How many, or which.
    train_fraction : float
        The part of the values that the first training learns from.
    refit : int or None
        After how many values to train again.
    seed : int, Generator or None
    """

    horizon: int
    origins: int | ArrayLike
    train_fraction: float
    refit: int | None
    seed: Seed

    def __post_init__(self) -> None:
        positive_integer(self.horizon, "horizon")
        if self.refit is not None:
            positive_integer(self.refit, "refit")

    def forecasts(
        self, n: int, fit: Callable[[int], Fitted[D_co]], method: MethodLike, at_once: int
    ) -> tuple[IntArray, Iterator[tuple[IntArray, D_co, str]]]:
        """Return the origins, and forecasts: from which of them, what, and made by what.

        Parameters
        ----------
        n : int
            Values.
        fit : callable
            From a number of values to what is learned from them, with all values, of which a
            forecast knows those before its origin.
        method : str or propagation method
        at_once : int
            Memory is that of so many joint distributions.
        """
        n_known, last = n_first(self.train_fraction, n), n - self.horizon
        first = fit(n_known)
        usable = first.usable(np.arange(n_known, last + 1), self.horizon)
        origins = chosen_origins(usable, self.origins, self.seed, n_known, last)
        lost = origins[~np.isin(origins, usable)]
        if len(lost):
            raise ValueError(
                f"origins must have known values, and known inputs, at each of the lags; got "
                f"{lost[0]}, which has not. Leave it out."
            )
        plan = trainings(origins, self.refit, n_known)

        def made() -> Iterator[tuple[IntArray, D_co, str]]:
            for fitted, _, chosen in trained(first, lambda k, _: fit(k), plan, n_known):
                for part in np.split(chosen, range(at_once, len(chosen), at_once)):
                    found, name, _ = fitted.ahead(origins[part], self.horizon, method)
                    yield part, found, name

        return origins, made()
