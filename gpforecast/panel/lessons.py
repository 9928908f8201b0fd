"""A prior refitted to the series of a panel."""

from functools import partial

from gpforecast.automatic.learning import Lesson, learned_from, lesson_of
from gpforecast.automatic.prior import Prior, shipped
from gpforecast.common.kinds import is_auto
from gpforecast.common.progress import bar, showing
from gpforecast.common.validation import positive_integer
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.panel.frames import Member, Panel
from gpforecast.panel.workers import interrupted, share_out
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.set_aside import stuck_at_fit
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST, without
from gpforecast.series.horizon import Horizon, steps_of

NONE = (
    "learn=True found no series to learn from: each is too short to hold out the horizon, or "
    "no mixture of candidates is made for it; the prior is unchanged"
)


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
    task, found = partial(lessons, options, horizon), list[Lesson]()
    with bar("learning", total=len(panel), unit="series") as shown:
        for chunk in share_out(task, panel, len(panel), gone=None, n_jobs=n_jobs):
            found += [one for one in chunk if one is not None]
            shown.update(len(chunk))
    with one_blas_thread():  # the same digits, whoever else is at work
        return learned_from(found, options.prior or shipped()) if found else None


def lessons(options: Options, horizon: Horizon, members: list[Member]) -> list[Lesson | None]:
    """Return what the last values of series show; None where that is nothing, or one fails."""
    with one_blas_thread(), showing(False):
        return [_lesson(options, horizon, member) for member in members]


def _lesson(options: Options, horizon: Horizon, member: Member) -> Lesson | None:
    try:
        found = checked(member.y, least=FEWEST)
        return lesson_of(
            without(found.series, stuck_at_fit(found.series, options)[0]),
            positive_integer(steps_of(horizon, found.axis), "horizon"),
            options.prior or shipped(),
            seasons=options.seasons,
            support=options.support,
            outliers=options.looks_for_outliers,
        )
    except Exception as error:  # its forecast will fail too, and say why
        if interrupted(error):
            raise KeyboardInterrupt from error
        return None
