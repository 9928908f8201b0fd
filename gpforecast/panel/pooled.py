"""What the series of a panel teach each other: one model for all, or a refitted prior."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic.cleaned import Cleaned, cleaned
from gpforecast.automatic.lags import select_lags
from gpforecast.automatic.learning import Lesson, learned_from, lesson_of
from gpforecast.automatic.prior import Prior, shipped
from gpforecast.automatic.support import choose_support
from gpforecast.common.kinds import is_auto, is_word
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted, positive_integer
from gpforecast.forecaster import Forecaster
from gpforecast.models import GaussianProcess
from gpforecast.models.base import OneStepModel, fit_notes, seeded_copy
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.panel.frames import Member, Panel
from gpforecast.panel.workers import interrupted, share_out
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.rows import TrainingRows, joined, random_rows, rows_of
from gpforecast.pipeline.set_aside import stuck_at_fit
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, CheckedSeries, values_of, without
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.horizon import Horizon, steps_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose

NONE = (
    "learn=True found no series to learn from: each is too short to hold out the horizon, or "
    "no mixture of candidates is made for it; the prior is unchanged"
)
_N_SERIES, _MOST = 50, 16  # series whose lags are counted, and lags in common


def _with_common(
    options: Forecaster, common: tuple[OneStepModel, LagEmbedding, TrainingRows], member: Member
) -> Forecaster:
    """Return a forecaster with the common model, a series as its history.

    Parameters
    ----------
    options : Forecaster
    common : tuple
        The one-step model, fitted in units of the spread of each series; which lags it takes; and
        the rows of all series, from which it has learned.
    member : Member
    """
    model, embedding, rows = common
    back, dated = embedding.max_lag, member.y.index.dtype.kind == "M"
    found = _checked(member, FEWEST if dated else 0)  # fewer dates define no step
    n, missing = len(found.values), int(np.isnan(found.values[-back:]).sum())
    if n < back:
        raise ValueError(
            f"series has {counted(n, 'value')} but the common model has lags up to {back}; "
            f"pass a longer series or fewer lags."
        )
    if missing:
        raise ValueError(
            f"series must have its last {back} values, the lags of a forecast; {missing} of "
            f"them are missing. Fill them first, for instance with Series.interpolate()."
        )
    if np.ptp(found.values[~np.isnan(found.values)]) == 0.0:
        raise ValueError(
            f"series must have values that differ, as a common model measures each series by "
            f'its spread; all are {found.values[-1]:g}. mode="local" forecasts it.'
        )
    support = choose_support(found.values, options.support)
    clean = _cleaned(found.series, options)
    own = replace(options)
    own.fitted_ = Fitted(
        found.series,
        Compose().fit_at(values_of(clean.known), found.axis),
        embedding,
        Exogenous.fit(None, replace(found.axis, label=options.label)),
        rows,
        model,
        notes=(*found.notes, *clean.outliers.reasons),
        support=support.value,
        support_reason=support.reason,
        set_aside=clean.outliers.value,
        n_fitted=len(found.series),
        clock=found.axis.clock,
    )
    return own


def pooled(
    options: Forecaster, panel: Panel
) -> tuple[Callable[[Member], Forecaster], tuple[str, ...]]:
    """Fit the common model to the rows of all series that have some.

    Two passes over the series hold no more rows than `max_rows` (or than there are) at once.

    Returns
    -------
    callable
        From a series to a forecaster with the common model.
    tuple of str
        Notes of the fit.
    """
    known = (_learnable(member, options) for member in panel)
    series = [y for y in known if y is not None]
    if not series:
        raise ValueError(
            "frame must hold at least one regular series of 3 or more values that are not all the "
            'same for mode="global" to learn from; got none. mode="local" says what is wrong '
            "with each."
        )
    lags = common_lags(series) if is_auto(options.lags) else options.lags
    embedding = LagEmbedding(lags)
    ends = np.cumsum([len(_rows(embedding, y).y) for y in series])
    total = int(ends[-1])
    if total < 2:
        raise ValueError(
            f"lags up to {embedding.max_lag} leave {total} rows of all the series to learn from; "
            f"pass longer series or fewer lags."
        )
    model = seeded_copy(options.model or GaussianProcess(), options.seed)
    limit = replace(options, model=model).row_limit
    notes, chosen = [], np.ones(total, dtype=bool)
    if limit is not None and total > limit:
        chosen[:] = False
        chosen[random_rows(total, limit, options.seed)] = True
        notes.append(
            f"the common model is trained on {limit} of {total} rows, chosen at random (max_rows)"
        )
    learned = []
    for values, used in zip(series, np.split(chosen, ends[:-1]), strict=True):
        if used.any():
            learned.append(_rows(embedding, values).part(np.flatnonzero(used)))
    rows = joined(learned)
    model.fit(rows.X, rows.y)
    common = partial(_with_common, options, (model, embedding, rows))
    return common, (*notes, *fit_notes(model))


def check_common(options: Options, future: object) -> None:
    """Refuse what a common model cannot do."""
    given = {
        "future": future is not None,
        "exog_lags": options.exog_lags is not None,
        "calendar": bool(options.calendars),
        "strategy": options.direct,
        "noise": not is_word(options.noise, "process", "auto"),
        "transforms": options.transforms is not None and not options.automatic,
    }
    if refused := [name for name, there in given.items() if there]:
        raise ValueError(
            f'mode="global" has one iterated model without inputs, and only standardises each '
            f"series; got {' and '.join(refused)}. Use "
            f'mode="local", or do without; the table itself can be transformed first.'
        )


def common_lags(series: list[FloatArray]) -> list[int]:
    """Choose the lags that many series have in common, by their partial autocorrelations.

    Parameters
    ----------
    series : list of ndarray (n,)
        NaN where missing.

    Returns
    -------
    list of int
        Lag 1, and those selected for at least a quarter of 50 series, evenly spaced in the list;
        at most 16. None is longer than half of the series have room for.
    """
    places = np.linspace(0, len(series) - 1, min(_N_SERIES, len(series))).astype(int)
    room = int(np.median([len(y) for y in series])) // 2
    votes: Counter[int] = Counter()
    for place in places:
        y = series[place]
        votes.update(lag for lag in select_lags(y[~np.isnan(y)]) if lag <= room)
    common = [lag for lag, n in votes.most_common() if n >= len(places) / 4 and lag > 1]
    return sorted([1, *common[: _MOST - 1]])


def _checked(member: Member, least: int = 0) -> CheckedSeries:
    """Return a series by its clock, if it has one; hours that the clock skips are bridged."""
    found = checked(member.y, by_clock=True, least=least)
    bridged = values_of(found.series.interpolate(limit_area="inside"))
    return replace(found, values=np.where(found.axis.exists, found.values, bridged))


def _learnable(member: Member, options: Options) -> FloatArray | None:
    """Return the values of a series that can teach: regular, 3 or more, and not constant."""
    try:
        values = values_of(_cleaned(_checked(member).series, options).known)
    except (TypeError, ValueError):
        return None
    known = values[~np.isnan(values)]
    return values if len(known) >= FEWEST and np.ptp(known) > 0 else None


def _cleaned(y: "pd.Series[float]", options: Options) -> Cleaned:
    """Return a series with its outliers, if they are looked for; shifts of its level stay."""
    looks = options.given.outliers
    return cleaned(y, options.seasons, driven=True) if looks else Cleaned(y)


def _rows(embedding: LagEmbedding, values: FloatArray) -> TrainingRows:
    """Return the rows of a series in standard units; none if it is too short."""
    axis = TimeAxis.rows(len(values))
    chain, none = Compose().fit_at(values, axis), Exogenous.fit(None, axis)
    try:
        return rows_of(embedding, chain, pd.Series(values), none)
    except ValueError:  # fewer than two rows; it can still be forecast
        return TrainingRows(np.empty((0, len(embedding.lags_))), np.empty(0), np.empty(0, int))


def check_learnable(options: Options, mode: str) -> None:
    """Refuse to learn weights of candidates where none are tried."""
    given = {
        'mode="global"': mode != "local",
        "lags": not is_auto(options.lags),
        "transforms": not options.automatic,
    }
    if refused := [name for name, there in given.items() if there]:
        raise ValueError(
            f"learn=True learns how to weigh the candidates that are tried where transforms and "
            f'lags are selected, in mode="local"; got {" and ".join(refused)}. Leave '
            f"{'it' if len(refused) == 1 else 'them'} out, or leave learn out."
        )


def learned_prior(
    panel: Panel, options: Options, horizon: Horizon, *, n_jobs: int | None
) -> Prior | None:
    """Return the prior refitted to all series of a panel; None if none teaches anything."""
    task, found = partial(_lesson, options, horizon), list[Lesson]()
    with bar("learning", total=len(panel), unit="series") as shown:
        for chunk in share_out(task, panel, len(panel), gone=None, n_jobs=n_jobs):
            found += [one for one in chunk if one is not None]
            shown.update(len(chunk))
    with one_blas_thread():  # the same digits, whoever else is at work
        return learned_from(found, options.prior or shipped()) if found else None


def _lesson(options: Options, horizon: Horizon, member: Member) -> Lesson | None:
    """Return what the last values of a series show; None where that is nothing, or it fails."""
    try:
        found = checked(member.y, least=FEWEST)
        return lesson_of(
            without(found.series, stuck_at_fit(found.series, options)[0]),
            positive_integer(steps_of(horizon, found.axis), "horizon"),
            options.prior or shipped(),
            seasons=options.seasons,
            support=options.support,
            outliers=options.given.outliers,
        )
    except Exception as error:  # its forecast will fail too, and say why
        if interrupted(error):
            raise KeyboardInterrupt from error
        return None
