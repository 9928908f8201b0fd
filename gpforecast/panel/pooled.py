"""One model for all series, each in units of its own spread."""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.automatic.lags import select_lags
from gpforecast.common.types import FloatArray
from gpforecast.models import GaussianProcess
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.panel.frames import Member
from gpforecast.panel.workers import Answer
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.origins import Ahead, Origins, follow
from gpforecast.pipeline.predict import labelled
from gpforecast.pipeline.rows import TrainingRows, embedded, random_rows
from gpforecast.propagation import MethodLike, method_named
from gpforecast.series import checked
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose

_BATCH = 64  # origins propagated at once: their joint covariances are O(batch horizon^2)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Forecast each series from its own past with the one model.

    Attributes
    ----------
    model : the common one-step model
        Fitted, in units of the spread of each series.
    embedding : LagEmbedding
        Which lags it takes.
    rows : TrainingRows
        Of all series, from which it has learned.
    propagation : propagation method
    horizon : int
    """

    model: OneStepModel
    embedding: LagEmbedding
    rows: TrainingRows
    propagation: MethodLike
    horizon: int

    def __call__(self, members: list[Member]) -> Iterator[tuple[int, Answer]]:
        """Yield the forecast of each series, or the error, by position; errors first."""
        ready = []
        for member in members:
            try:
                fitted = self._fitted(member)
                index = fitted.axis.future(self.horizon)
                origins = Origins.at_the_end(fitted, index)
                ready.append((member.position, origins, index))
            except Exception as error:
                yield member.position, error
        for first in range(0, len(ready), _BATCH):
            yield from self._forecasts(ready[first : first + _BATCH])

    def _fitted(self, member: Member) -> Fitted:
        """Return the common model with the series as its history."""
        found, back = checked(member.y), self.embedding.max_lag
        past = found.values[-back:]
        if len(past) < back:
            raise ValueError(
                f"series has {len(found.values)} values but the lags of the common model reach "
                f"back {back}; pass a longer series or fewer lags."
            )
        if np.isnan(past).any():
            raise ValueError(
                f"series must have its last {back} values, the lags of a forecast; "
                f"{int(np.isnan(past).sum())} of them are missing. Fill them first, for instance "
                f"with Series.interpolate()."
            )
        return Fitted(
            found.series,
            Compose().fit_at(found.values, found.axis),
            self.embedding,
            Exogenous.fit(None, found.axis.index),
            self.rows,
            self.model,
            notes=found.notes,
        )

    def _forecasts(
        self, ready: list[tuple[int, Origins, pd.Index]]
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the forecasts of one batch."""
        method = method_named(self.propagation)
        alone = len(ready) == 1
        try:
            followed = follow([o for _, o, _ in ready], Ahead(self.horizon, method))
        except Exception as error:
            if alone:
                yield ready[0][0], error
                return
            followed = []
        if not alone and (not followed or followed[0].n_clipped):
            for one in ready:  # one series that runs away does not take the batch with it
                yield from self._forecasts([one])
            return
        for (position, origins, index), z in zip(ready, followed, strict=True):
            yield position, labelled(origins, z, method, index)


def pooled(
    options: Options, members: Iterable[Member], horizon: int
) -> tuple[Pooled, tuple[str, ...]]:
    """Fit the common model to the rows of all series that have some.

    Two passes over the series hold no more rows than `max_rows` (or than there are) at once.

    Returns
    -------
    Pooled
    tuple of str
        Notes of the fit.
    """
    series = [y for member in members if (y := _learnable(member)) is not None]
    if not series:
        raise ValueError(
            "frame must hold at least one regular series of 3 or more values that are not all the "
            'same for mode="global" to learn from; got none. mode="local" says what is wrong '
            "with each."
        )
    lags = common_lags(series) if isinstance(options.lags, str) else options.lags
    embedding = LagEmbedding(lags)
    ends = np.cumsum([len(_rows(embedding, y).y) for y in series])
    total = int(ends[-1])
    if total < 2:
        raise ValueError(
            f"lags up to {embedding.max_lag} leave {total} rows of all the series to learn from; "
            f"pass longer series or fewer lags."
        )
    model = GaussianProcess() if options.model is None else copy.deepcopy(options.model)
    limit = replace(options, model=model).row_limit
    notes, chosen = [], np.arange(total)
    if limit is not None and total > limit:
        chosen = random_rows(total, limit, options.seed)
        notes.append(
            f"the common model is trained on {limit} of {total} rows, chosen at random (max_rows)"
        )
    begin, parts = 0, []
    for y, end in zip(series, ends, strict=True):
        wanted = chosen[(chosen >= begin) & (chosen < end)]
        if len(wanted):
            parts.append(_rows(embedding, y).taken(wanted - begin))
        begin = end
    rows = TrainingRows(np.concatenate([p.X for p in parts]), np.concatenate([p.y for p in parts]))
    model.fit(rows.X, rows.y)
    common = Pooled(model, embedding, rows, options.propagation, horizon)
    return common, (*notes, *fit_notes(model))


def common_lags(series: list[FloatArray], *, n_asked: int = 50, most: int = 16) -> list[int]:
    """Choose lags that many series ask for, each by its partial autocorrelations.

    Parameters
    ----------
    series : list of ndarray (n,)
        NaN where missing.
    n_asked : int
        How many series are asked, evenly from the list.
    most : int
        How many lags to return at most.

    Returns
    -------
    list of int
        Lag 1, and those that at least a quarter of the series asked for. None reaches back further
        than half of the series have room for.
    """
    places = np.linspace(0, len(series) - 1, min(n_asked, len(series))).astype(int)
    room = int(np.median([len(y) for y in series])) // 2
    votes: Counter[int] = Counter()
    for place in places:
        y = series[place]
        votes.update(lag for lag in select_lags(y[~np.isnan(y)]) if lag <= room)
    wanted = [lag for lag, n in votes.most_common() if n >= len(places) / 4 and lag > 1]
    return sorted([1, *wanted[: most - 1]])


def _learnable(member: Member) -> FloatArray | None:
    """Return the values of a series that can teach: regular, 3 or more, and not constant."""
    try:
        y = checked(member.y).values
    except (TypeError, ValueError):
        return None
    known = y[~np.isnan(y)]
    return y if len(known) >= 3 and np.ptp(known) > 0 else None


def _rows(embedding: LagEmbedding, values: FloatArray) -> TrainingRows:
    """Return the rows of a series in standard units; none if it is too short."""
    axis = TimeAxis.rows(len(values))
    chain, none = Compose().fit_at(values, axis), Exogenous.fit(None, axis.index)
    try:
        return TrainingRows.of(embedded(embedding, chain, pd.Series(values), none)[0])
    except ValueError:  # fewer than two rows; it can still be forecast
        return TrainingRows(np.empty((0, len(embedding.lags_))), np.empty(0))
