"""`forecast_panel`: forecasts of many series."""

import logging
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic.prior import Prior, shipped
from gpforecast.common.parameters import FLAG, number
from gpforecast.common.progress import bar, showing
from gpforecast.common.types import Index
from gpforecast.common.validation import is_integer, one_of, percent
from gpforecast.common.warnings import NumericalWarning
from gpforecast.forecaster import FORECASTER, Forecaster
from gpforecast.panel.frames import Member, Panel
from gpforecast.panel.parts import Parts, call_of
from gpforecast.panel.pooled import NONE, check_common, check_learnable, learned_prior, pooled
from gpforecast.panel.result import PanelForecast
from gpforecast.panel.workers import GONE, Fit, Outcome, outcome_of, share_out
from gpforecast.pipeline.fitted import checked_horizon
from gpforecast.series.horizon import Horizon, end_of
from gpforecast.storage.archive import PathLike

logger = logging.getLogger(__name__)

_N_JOBS = number(
    "a number of workers, or -1 for all cores", lambda v: is_integer(v) and v != 0
).or_none()


def forecast_panel(
    frame: pd.DataFrame,
    horizon: Horizon,
    *,
    id: str = "unique_id",  # noqa: A002 - the word of the format
    time: str = "ds",
    target: str = "y",
    future: pd.DataFrame | None = None,
    forecaster: Forecaster | None = None,
    levels: float | Iterable[float] = (80, 95),
    mode: str = "local",
    keep: bool = False,
    learn: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
    seed: int | None = None,
    resume: PathLike | None = None,
) -> PanelForecast:
    """Forecast every series of a long or wide table.

    Parameters
    ----------
    frame : DataFrame
        One row for each series and time, in any order: the columns `id`, `time` and `target`, and
        exogenous inputs if `future` is given. Times are dates, periods, time steps or numbers,
        regular within each series; rows and values may be missing, as for `Forecaster.fit`.
        Or a wide frame: times as its index, a column for each series, no inputs.
    horizon : int, date, or length of time
        How many steps after the last value of each series, a length such as ``"6 months"``, or up
        to a date, as for `Forecaster.predict`.
    id, time, target : str
        The names of the columns. Of a wide frame, ``failures`` and ``notes`` have `id`.
    future : DataFrame, optional
        The exogenous columns at the future times, with the columns `id` and `time`. Times beyond
        the horizon are ignored.
    forecaster : Forecaster, optional
        What to fit; ``Forecaster()`` by default. It is not changed.
    levels : sequence of float
        Per cent, of central intervals.
    mode : {"local", "global"}
        ``"local"``: one model for each series. ``"global"``: one model over the rows of all series,
        each standardised by its own mean and standard deviation, without other transforms and
        without exogenous inputs. A series then needs only as many values as the largest lag.
        Outliers of each are looked for as in a fit to it alone. It knows no trend and no growing
        season of a single series.
    learn : bool
        Whether to learn first from all series how to weigh the candidates of the automatic choice:
        the last values of each, a horizon, are forecast from the rest, without inputs, which takes
        about as long as the forecasts. The fewer series there are, the less they change. The
        result has the learned `Prior`. Otherwise no forecast depends on the other series.
    n_jobs : int or None
        Processes. ``None``: the number of joblib's context, or of cores if there is none. Inside
        ``joblib.parallel_config("dask")``, or Ray's equivalent, the same call runs on the cluster
        and returns the same numbers.
    progress : bool or None
        Whether to show a bar, of finished series. ``None``: in a terminal or notebook, if it takes
        more than a second.
    seed : int, optional
        For the choice of rows, instead of the forecaster's seed.
    resume : str or path-like, optional
        A folder for finished series, which is made if it does not exist. They are written to it
        every few seconds, and at the end or when the call is interrupted. The same call with the
        same folder forecasts only the rest, and returns what one call would have, to the last bit.
        Not with `keep`.

    Returns
    -------
    PanelForecast
        The table, in ``frame``, long or wide as the one that was given; its means as a wide frame,
        in ``mean``; the series that could not be forecast, and why, in ``failures``. One warning
        counts them.

    Raises
    ------
    TypeError, ValueError
        If the table or an option is not valid, or no series could be forecast; if `resume` is a
        folder of another call, or of other files.
    OSError
        If the folder of `resume` cannot be made or written to.

    Notes
    -----
    The cost is that of the forecaster for each series, ``O(rows^3)`` with a Gaussian process.
    Series are sent to the workers in chunks of about two seconds of work, with one BLAS thread
    each. Only the tables are kept, unless `keep`: ``O(horizon * levels)`` numbers for each series.

    Examples
    --------
    >>> import gpforecast as gf
    >>> import numpy as np
    >>> import pandas as pd
    >>> t = np.arange(60)
    >>> table = pd.concat([
    ...     pd.DataFrame({"unique_id": name, "ds": t, "y": level + np.sin(t / 3)})
    ...     for name, level in [("north", 5.0), ("south", 9.0)]
    ... ])
    >>> panel = gf.forecast_panel(table, horizon=2, forecaster=gf.Forecaster(lags=3), levels=[80])
    >>> panel.frame[["unique_id", "ds", "mean"]].round(2)
      unique_id  ds  mean
    0     north  60  5.91
    1     north  61  6.00
    2     south  60  9.91
    3     south  61 10.00
    """
    one_of(mode, "mode", ("local", "global"))
    per_cents = tuple(percent(level) for level in np.atleast_1d(np.asarray(levels, dtype=object)))
    template = Forecaster() if forecaster is None else forecaster
    FORECASTER(template, "forecaster")
    _N_JOBS(n_jobs, "n_jobs")
    FLAG(learn, "learn")
    if learn:
        check_learnable(template, mode)
    template = replace(template, seed=template.seed if seed is None else seed)
    own = {"mean", "reason", "note", *(f"{side}-{p:g}" for p in per_cents for side in ("lo", "hi"))}
    if taken := own & {id, time}:
        raise ValueError(
            f"id and time must not be {min(taken)!r}, which is a column of the result; rename it "
            f"in the table."
        )
    panel = Panel.of(frame, id, time, target, future)
    if end_of(horizon, panel.times) is None:  # of a time, each series has its own number of steps
        horizon = checked_horizon(horizon, template.max_horizon)
    common: tuple[str, ...] = ()
    if mode == "global":
        check_common(template, future)
    finished = Parts(len(panel))
    if resume is not None:
        if keep:
            raise ValueError("resume keeps tables only; got keep=True. Leave one of them out.")
        call = call_of(
            panel, template, horizon=horizon, time=time, levels=per_cents, mode=mode, learn=learn
        )
        finished = Parts.of(resume, call, len(panel))
    with showing(progress):
        if learn:
            prior = finished.prior or learned_prior(panel, template, horizon, n_jobs=n_jobs)
            if prior is None:
                common = (NONE,)
            else:
                finished.keep(prior)
            template = replace(template, prior=prior or template.prior or shipped())
        fit: Fit = partial(_alone, template)
        if mode == "global":
            fit, common = pooled(template, panel)
        with finished.kept(), bar("forecasting", total=len(panel), unit="series") as shown:
            left = finished.left
            shown.update(len(panel) - len(left))
            positions, members = iter(left), panel.members(left)
            task = partial(outcome_of, fit, horizon, per_cents, keep)
            for chunk in share_out(task, members, len(left), gone=GONE, n_jobs=n_jobs):
                for outcome in chunk:
                    finished.add(next(positions), outcome)
                shown.update(len(chunk))
    outcomes = [finished.outcomes[position] for position in range(len(panel))]
    done = sum(outcome.table is not None for outcome in outcomes)
    logger.info("%d of %d series forecast (%s)", done, len(panel), mode)
    if (latest := panel.latest) is not None:
        outcomes = [
            _with_note_on_end(outcome, panel.end_of(position), latest)
            for position, outcome in enumerate(outcomes)
        ]
    return _assembled(panel, outcomes, common, time, template.prior if learn else None)


def _alone(forecaster: Forecaster, member: Member) -> Forecaster:
    """Return a copy of the forecaster, fitted to one series alone."""
    return replace(forecaster).fit(member.y, member.exog)


def _with_note_on_end(outcome: Outcome, end: Index, latest: "pd.Timestamp | pd.Period") -> Outcome:
    """Note where a series ended by more than half a horizon before others do.

    Its last rows may be empty, or missing, or both.
    """
    if outcome.table is None:
        return outcome
    behind = int((end[1:] <= latest).sum()) + int((outcome.table.index <= latest).sum())
    if 2 * behind <= len(outcome.table):
        return outcome
    ended, last = (str(t).removesuffix(" 00:00:00") for t in (end[0], latest))
    note = (
        f"its last value is from {ended}, but other series go on to {last}; leave the series out "
        f"if it has ended, or add its newest values"
    )
    return replace(outcome, notes=(*outcome.notes, note))


def _assembled(
    panel: Panel, outcomes: list[Outcome], common: tuple[str, ...], time: str, prior: Prior | None
) -> PanelForecast:
    """Put the parts together under the ids, and warn once of what failed."""
    ids = panel.ids
    named = list(zip(ids, outcomes, strict=True))
    tables = {label: outcome.table for label, outcome in named if outcome.table is not None}
    failures = [(label, outcome.reason) for label, outcome in named if outcome.table is None]
    troubled = [label for label, outcome in named if outcome.troubled]
    notes: list[tuple[Hashable, str]] = [(None, note) for note in common]
    notes += [(label, note) for label, outcome in named for note in sorted(outcome.notes)]
    if not tables:
        first, reason = failures[0]
        raise ValueError(
            f"none of the {len(ids)} series could be forecast; the first, {first!r}: {reason}"
        )
    if failures:
        first, reason = failures[0]
        warnings.warn(
            f"{len(failures)} of {len(ids)} series could not be forecast and are listed in "
            f".failures; the first, {first!r}: {reason}",
            stacklevel=3,
        )
    if troubled:
        warnings.warn(
            f"numerical trouble with {len(troubled)} of {len(ids)} series, listed in .notes; the "
            f"first is {troubled[0]!r}.",
            NumericalWarning,
            stacklevel=3,
        )
    kept = {label: one.forecast for label, one in named if one.forecast is not None}
    past = [one.errors for one in outcomes if one.errors is not None]
    errors = pd.DataFrame(dict(enumerate(past)))
    errors.columns = pd.Index([*kept], tupleize_cols=False)
    return PanelForecast(
        panel.assembled(tables, time),
        pd.DataFrame(failures, columns=[ids.name, "reason"]),
        pd.DataFrame(notes, columns=[ids.name, "note"]),
        kept or None,
        errors if kept else None,
        prior,
    )
