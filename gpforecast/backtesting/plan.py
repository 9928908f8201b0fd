"""When a backtest trains: how often by default, and which origins each training serves."""

from typing import Literal, TypeAlias

import numpy as np

from gpforecast.common.types import IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.pipeline.options import Options

Refit: TypeAlias = int | Literal["auto"] | None

# All trainings of a backtest together learn from at most so many values, and there are at most so
# many of them. What is chosen automatically, and Gaussian processes, take a second or so a time.
VALUES, TRAININGS = 5000, 8
# Of a model whose time grows in proportion to the rows, with transforms and lags that are given.
CHEAP_VALUES, CHEAP_TRAININGS = 100_000, 60


def checked_refit(refit: Refit) -> Refit:
    """Return it if it is an interval, "auto" or None."""
    if isinstance(refit, str) and refit != "auto":
        raise ValueError(
            f"refit must be a positive integer, 'auto', or None to train once; got {refit!r}."
        )
    return refit if refit is None or refit == "auto" else positive_integer(refit, "refit")


def affordable(n: int, options: Options) -> int:
    """Return how many trainings on n values a backtest makes by default, at least 1.

    It counts values and looks at no clock, so that it is the same on every machine.

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


def by_cost(where: IntArray, seen: int, options: Options) -> int | None:
    """Return after how many values to train again; None if one training is all there is."""
    last = int(where.max())
    again = affordable(last, options) - 1
    return -(-(last - seen) // again) if again and last > seen else None


def trainings(where: IntArray, every: int, seen: int) -> list[tuple[int, IntArray]]:
    """Return, in order of time, how many values to train on and which of the origins are served.

    An origin is served by the last training, unless that is `every` values or more behind it.
    """
    served: dict[int, list[int]] = {}
    n = seen
    for place in np.argsort(where, kind="stable"):
        if where[place] - n >= every:
            n = int(where[place])
        served.setdefault(n, []).append(int(place))
    return [(n, np.array(places)) for n, places in served.items()]
