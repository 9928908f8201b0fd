"""`forecast_panel`: forecasts of many series."""

import logging
import warnings
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic.prior import Prior, shipped
from gpforecast.common.notebook import shown_in_html
from gpforecast.common.parameters import FLAG, instance, number
from gpforecast.common.progress import bar, showing
from gpforecast.common.types import Index, Values
from gpforecast.common.validation import is_integer, one_of, percent
from gpforecast.common.warnings import NumericalWarning
from gpforecast.common.wording import listed, point
from gpforecast.forecaster import Forecaster
from gpforecast.panel.frames import Member, Panel, in_columns
from gpforecast.panel.lessons import NONE, check_learnable, learned_prior
from gpforecast.panel.parts import Parts, call_of
from gpforecast.panel.pooled import check_common, pooled
from gpforecast.panel.workers import GONE, Made, Outcome, share_out, standardised, work
from gpforecast.pipeline.fitted import checked_horizon
from gpforecast.results.forecast import Forecast
from gpforecast.series.horizon import Horizon, end_of
from gpforecast.storage.archive import PathLike

logger = logging.getLogger(__name__)
_ROWS = 10  # of a table in a notebook
_NAMED = 3  # series that a summary names

_N_JOBS = number(
    "a number of workers, or -1 for all cores", lambda v: is_integer(v) and v != 0
).or_none()


@dataclass(frozen=True, eq=False)
class PanelForecast:
    """Forecasts of many series, and which series could not be forecast.

    Attributes
    ----------
    frame : DataFrame
        In the form of the panel, in the units of the series and in the order in which they first
        came. Long: a row for each series and future time, with the columns of the panel's id and
        time, then ``mean``, ``lo-95``, ``lo-80``, ``hi-80``, ``hi-95`` by level. Wide: a row for
        each future time, and these columns below the name of each series.
    failures : DataFrame
        One row for each series that is not in `frame`: its id and the ``reason``, a sentence.
    notes : DataFrame
        What the user should know of single forecasts, such as rows left out or numerical trouble
        met: id and ``note``. The id is missing where a note is about all of them.
    forecasts : dict from id to Forecast, or None
        The joint distributions, if they were kept.
    errors : DataFrame (times, series) or None
        With them: past one-step errors over their standard deviations, NaN where one is missing.
    prior : Prior or None
        What was learned from all series, if that was an option: `Forecaster` takes it.

    Examples
    --------
    >>> import gpforecast as gf
    >>> import numpy as np
    >>> import pandas as pd
    >>> table = pd.DataFrame({"unique_id": "a", "ds": range(40), "y": np.sin(np.arange(40.0))})
    >>> panel = gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=2), levels=[95])
    >>> panel.frame.columns.tolist(), len(panel.failures)
    (['unique_id', 'ds', 'mean', 'lo-95', 'hi-95'], 0)
    >>> gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=2), keep=True)["a"].horizon
    3
    """

    frame: pd.DataFrame
    failures: pd.DataFrame
    notes: pd.DataFrame
    forecasts: dict[Hashable, Forecast] | None = None
    errors: pd.DataFrame | None = None
    prior: Prior | None = None

    @property
    def wide(self) -> bool:
        """Whether `frame` has the columns of each series below its name."""
        return self.frame.columns.nlevels > 1

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The series that were forecast, in the order in which they first came."""
        ids = self.frame.columns.get_level_values(0) if self.wide else self.frame.iloc[:, 0]
        return tuple(dict.fromkeys(ids))

    @property
    def mean(self) -> pd.DataFrame:
        """Expected values as a wide frame: a row for each future time, a column for each series."""
        columns = self.frame.columns
        id_ = columns.names[0] if self.wide else columns[0]
        names = pd.Index(self.names, name=id_, tupleize_cols=False)
        if self.wide:
            return self.frame.loc[:, columns.get_level_values(1) == "mean"].set_axis(names, axis=1)
        return in_columns(self.frame, (*columns[:2], "mean"), "frame").reindex(columns=names)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of forecasts, as `Forecast.to_frame` does for one series.

        Returns
        -------
        DataFrame
        """
        return self.frame.copy()

    def __getitem__(self, key: Hashable) -> Forecast:
        """Return the forecast of a series, if forecasts were kept.

        Raises
        ------
        KeyError
            If there is no such series, it could not be forecast, or forecasts were not kept.
        """
        failed = dict(zip(self.failures.iloc[:, 0], self.failures["reason"], strict=True))
        if key in failed:
            raise KeyError(f"{key!r} could not be forecast: {failed[key]}")
        if key not in (names := self.names):
            first = ", ".join(map(repr, names[:3]))
            raise KeyError(
                f"{key!r} must be one of the {len(names)} series that were forecast, such as "
                f"{first}."
            )
        if self.forecasts is None:
            raise KeyError(
                f"the forecast of {key!r} was not kept, only its rows in .frame; pass keep=True to "
                f"forecast_panel."
            )
        return self.forecasts[key]

    def summary(self) -> str:
        """Return how many series were forecast, why others were not, and the notes in full.

        Returns
        -------
        str
            Each reason and each note once, with the series that have it, or the first of them and
            their number.
        """
        done, failed = len(self.names), len(self.failures)
        lines = [f"series that were forecast: {done}, that could not be: {failed}"]
        for heading, table in {"Why": self.failures, "Notes": self.notes}.items():
            id_, text = table.columns
            points = [
                point(f"{_named(rows[id_])}: {each}")
                for each, rows in table.groupby(text, sort=False)
            ]
            lines += [heading, *points] if points else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Say how many series were forecast and how many could not be, and show the table."""
        notes = [f"note: {note}" for note in self._of_all]
        return "\n".join([self._caption, repr(self.frame), *notes])

    def _repr_html_(self) -> str:
        """Show the same as a small table."""
        return shown_in_html(self._caption, self.frame, self._of_all, max_rows=_ROWS)

    @property
    def _caption(self) -> str:
        done, failed = len(self.names), len(self.failures)
        missing = f", {failed} could not be (see .failures)" if failed else ""
        return f"PanelForecast: {done} series forecast{missing}"

    @property
    def _of_all(self) -> list[str]:
        """The notes that are about no single series."""
        return self.notes.loc[self.notes.iloc[:, 0].isna(), "note"].tolist()


def _named(ids: Values) -> str:
    """Return series in words: the first of many with their number, and a missing id as all."""
    if ids.isna().any():
        return "all series"
    some = listed([*map(str, ids)], _NAMED)
    return f"{len(ids)} series ({some})" if len(ids) > _NAMED else some


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
    instance(Forecaster, "a Forecaster, such as Forecaster(lags=16)")(template, "forecaster")
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
        forecast: Callable[[Member], Made] = partial(_alone, template, horizon, keep)
        if mode == "global":
            forecast, common = pooled(template, panel, horizon, keep=keep)
        with finished.kept(), bar("forecasting", total=len(panel), unit="series") as shown:
            left = finished.left
            shown.update(len(panel) - len(left))
            positions, members = iter(left), panel.members(left)
            task = partial(work, forecast, per_cents)
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


def _alone(forecaster: Forecaster, horizon: Horizon, keep: bool, member: Member) -> Made:
    """Forecast one series by a copy of the forecaster, fitted to that series alone."""
    fitted = replace(forecaster).fit(member.y, member.exog)
    forecast = fitted.predict(horizon, exog=member.future)
    return Made(forecast, standardised(fitted.predict_in_sample()) if keep else None)


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
    kept = {label: o.made for label, o in named if o.made is not None}
    errors = pd.DataFrame({k: made.errors for k, made in enumerate(kept.values())})
    errors.columns = pd.Index([*kept], tupleize_cols=False)
    return PanelForecast(
        panel.assembled(tables, time),
        pd.DataFrame(failures, columns=[ids.name, "reason"]),
        pd.DataFrame(notes, columns=[ids.name, "note"]),
        {label: made.forecast for label, made in kept.items()} or None,
        errors if kept else None,
        prior,
    )
