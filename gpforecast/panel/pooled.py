"""One model for all series, each in units of its own spread."""

import copy
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from gpforecast.automatic.lags import select_lags
from gpforecast.automatic.model import row_limit
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.forecaster import Forecaster
from gpforecast.models import GaussianProcess
from gpforecast.models.base import fit_notes
from gpforecast.panel.frames import Member
from gpforecast.pipeline.outlook import clipped_note
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Inputs, Propagated, Start, propagate
from gpforecast.series.checked import checked
from gpforecast.series.embedding import LagEmbedding
from gpforecast.transforms import Standardise

_BATCH = 64  # origins propagated at once: their joint covariances are O(batch horizon^2)


class _Ready(NamedTuple):
    """What a forecast of one series starts from."""

    position: int
    index: Any  # of the future, (horizon,)
    scaler: Standardise
    past: FloatArray  # (lags,), in standard units
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Pooled:
    """Forecast each series from its own past with the one model.

    Attributes
    ----------
    predictive : Posterior or Predictive
        The common one-step model, in standard units.
    """

    predictive: Predictive
    lags: tuple[int, ...]
    propagation: Any
    horizon: int
    levels: tuple[float, ...]

    def __call__(
        self, members: list[Member]
    ) -> Iterator[tuple[int, pd.DataFrame | Exception, list[str]]]:
        """Yield position, forecast or error, and notes of each series; errors first."""
        ready = []
        for member in members:
            try:
                ready.append(self._start(member))
            except Exception as error:
                yield member.position, error, []
        for first in range(0, len(ready), _BATCH):
            yield from self._forecasts(ready[first : first + _BATCH])

    def _start(self, member: Member) -> _Ready:
        found = checked(member.y)
        values, back = found.values, max(self.lags)
        past = values[-back:]
        if len(past) < back:
            raise ValueError(
                f"series has {len(values)} values but the lags of the common model reach back "
                f"{back}; pass a longer series or fewer lags."
            )
        if np.isnan(past).any():
            raise ValueError(
                f"series must have its last {back} values, the lags of a forecast; "
                f"{int(np.isnan(past).sum())} of them are missing. Fill them first, for instance "
                f"with Series.interpolate()."
            )
        scaler = scale_of(values)
        index = found.axis.future(self.horizon)
        return _Ready(member.position, index, scaler, scaler.transform(past), found.notes)

    def _forecasts(
        self, ready: list[_Ready]
    ) -> Iterator[tuple[int, pd.DataFrame | Exception, list[str]]]:
        method, notes = method_named(self.propagation), []
        try:
            start = Start(np.stack([one.past for one in ready]))
            result = propagate(self.predictive, method, Inputs(self.lags), start, self.horizon)
            failed, clipped = None, result.n_clipped
        except Exception as error:
            failed, clipped = error, 0
        if len(ready) > 1 and (failed or clipped):
            for one in ready:  # one series that runs away does not take the batch with it
                yield from self._forecasts([one])
            return
        if failed:
            yield ready[0].position, failed, []
            return
        if clipped:
            parts = len(self.predictive.parts) if isinstance(self.predictive, Mixture) else 1
            notes = [clipped_note(clipped, method.name, parts * self.horizon)]
            warnings.warn(f"{notes[0]}.", NumericalWarning, stacklevel=2)
        for i, one in enumerate(ready):
            table = self._table(result, i, one.index, one.scaler)
            yield one.position, table, [*one.notes, *notes]

    def _table(self, result: Propagated, i: int, index: Any, scaler: Standardise) -> pd.DataFrame:
        """Return mean and bounds in the units of a series."""
        mean, std = result.mean[i], np.sqrt(np.diag(result.covariance[i]))
        tails = [("lo", level) for level in sorted(self.levels, reverse=True)]
        tails += [("hi", level) for level in sorted(self.levels)]
        table = {"mean": scaler.inverse_mean(mean)}
        for side, level in tails:
            p = 0.5 + (level if side == "hi" else -level) / 200
            if result.paths is None:
                bound = mean + ndtri(p) * std
            else:
                bound = np.quantile(result.paths[i], p, axis=-1)
            table[f"{side}-{level:g}"] = scaler.inverse_mean(bound)
        return pd.DataFrame(table, index=index)


def pooled(
    forecaster: Forecaster, members: Iterable[Member], horizon: int, levels: tuple[float, ...]
) -> tuple[Pooled, tuple[str, ...]]:
    """Fit the common model to the rows of all series that have some.

    Two passes over the series hold no more rows than `max_rows` (or than there are) at once.

    Returns
    -------
    Pooled
    tuple of str
        Notes of the fit.
    """
    members = [member for member in members if _usable(member)]
    if not members:
        raise ValueError(
            "frame must hold at least one regular series of 3 or more values that are not all the "
            'same for mode="global" to learn from; got none. mode="local" says what is wrong '
            "with each."
        )
    lags = forecaster.lags
    if isinstance(lags, str):
        lags = common_lags(members)
    embedding = LagEmbedding(lags)
    counts = np.array([len(_rows(embedding, member)[1]) for member in members])
    total = int(counts.sum())
    if total < 2:
        raise ValueError(
            f"lags up to {embedding.max_lag} leave {total} rows of all the series to learn from; "
            f"pass longer series or fewer lags."
        )
    notes = []
    chosen = np.arange(total)
    limit = row_limit(forecaster.max_rows, forecaster.model or GaussianProcess())
    if limit is not None and total > limit:
        rng = np.random.default_rng(forecaster.seed)
        chosen = np.sort(rng.choice(total, limit, replace=False))
        notes.append(
            f"the common model is trained on {len(chosen)} of {total} rows, chosen at random "
            f"(max_rows)"
        )
    ends = np.cumsum(counts)
    parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    picked = [
        tuple(array[part - (end - count)] for array in _rows(embedding, member))
        for member, part, end, count in zip(members, parts, ends, counts, strict=True)
        if len(part)
    ]
    model = GaussianProcess() if forecaster.model is None else copy.deepcopy(forecaster.model)
    model.fit(np.concatenate([X for X, _ in picked]), np.concatenate([y for _, y in picked]))
    common = Pooled(predictive_of(model), embedding.lags_, forecaster.propagation, horizon, levels)
    return common, (*notes, *fit_notes(model))


def common_lags(members: list[Member], *, n_asked: int = 50, most: int = 16) -> list[int]:
    """Choose lags that many series ask for, each by its partial autocorrelations.

    Parameters
    ----------
    members : list of Member
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
    asked = [
        members[i] for i in np.linspace(0, len(members) - 1, min(n_asked, len(members))).astype(int)
    ]
    room = int(np.median([len(member.y) for member in members])) // 2
    votes: Counter[int] = Counter()
    for member in asked:
        y = member.y.dropna()
        votes.update(lag for lag in select_lags(y.to_numpy()) if lag <= room)
    wanted = [lag for lag, n in votes.most_common() if n >= len(asked) / 4 and lag > 1]
    return sorted([1, *wanted[: most - 1]])


def scale_of(values: FloatArray) -> Standardise:
    """Return the standardisation of what was observed of a series."""
    return Standardise.fit(values[~np.isnan(values)])


def _usable(member: Member) -> bool:
    """Whether a series can teach: regular, 3 values or more, and not constant."""
    try:
        y = checked(member.y).values
    except (TypeError, ValueError):
        return False
    seen = y[~np.isnan(y)]
    return len(seen) >= 3 and bool(np.ptp(seen) > 0)


def _rows(embedding: LagEmbedding, member: Member) -> tuple[FloatArray, FloatArray]:
    """Return X and y of a series in standard units; no rows if it is too short."""
    values = checked(member.y).values
    try:
        rows = embedding.transform(scale_of(values).transform(values))
    except ValueError:  # fewer than two rows; it can still be forecast
        return np.empty((0, len(embedding.lags_))), np.empty(0)
    return rows.X, rows.y
