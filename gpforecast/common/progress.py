"""Progress bars: when one is shown, and that there is one at a time.

Work that may take long opens a `bar` and counts on it. A function with a parameter `progress`
sets it by `showing` for all the work within; nothing is passed on in between. Bars go to standard
error, appear once the work as a whole has lasted a second, and leave nothing behind.
"""

import logging
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Protocol

from gpforecast.common.parameters import FLAG
from gpforecast.common.warnings import quietly

logger = logging.getLogger(__name__)

_PATIENCE = 1.0  # seconds before anything is shown
_GLIMPSE = 0.1  # seconds; what takes less is not shown even after that


class Counter(Protocol):
    """What counts steps, such as a bar of tqdm."""

    def update(self, n: int, /) -> object:
        """Count n more."""


class Bar:
    """Counts the steps of some work. By itself it shows nothing."""

    def __init__(self, count: Callable[[int], object] = lambda _: None) -> None:
        self._count = count

    def update(self, n: int = 1) -> None:
        """Count n more."""
        self._count(n)


@dataclass(frozen=True)
class _Work:
    """What is known of the work under way in this thread."""

    setting: bool | None
    since: float  # when the outermost of it began
    shown: Bar | None = None


SILENT = Bar()
_work: ContextVar[_Work | None] = ContextVar("_work", default=None)
_aloud: ContextVar[bool] = ContextVar("_aloud", default=False)


def checked(progress: object) -> bool | None:
    """Return the setting of a user, refused if it is none of True, False and None."""
    FLAG.or_none()(progress, "progress")
    return None if progress is None else bool(progress)


@contextmanager
def showing(progress: bool | None) -> Iterator[None]:
    """Have bars shown, or not, for all work within.

    Parameters
    ----------
    progress : bool or None
        ``True``: always, ``False``: never, ``None``: in a terminal or notebook, of work that lasts
        more than a second. A setting further out takes precedence.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    progress = checked(progress)
    outer = _work.get()
    work = outer or _Work(None, time.monotonic())
    _work.set(replace(work, setting=progress) if work.setting is None else work)
    try:
        yield
    finally:
        _work.set(outer)


@contextmanager
def bar(what: str, *, total: int | None = None, unit: str = "") -> Iterator[Bar]:
    """Show a bar while the work within lasts, if `showing` has it so.

    Within the work of a bar that is shown, another one is not: counting on it only shows that the
    work goes on.

    Parameters
    ----------
    what : str
        What is being done.
    total : int or None
        How many steps there will be, if that is known.
    unit : str
        What is counted, in the plural. Without it, only time is shown.
    """
    outer = _work.get()
    work = outer or _Work(None, time.monotonic())
    outermost = work.shown
    if outermost is not None:
        yield Bar(lambda _: outermost.update(0))  # keeps its clock going
        return
    if not _is_shown(work.setting):
        yield SILENT
        return
    left = max(work.since + _PATIENCE - time.monotonic(), _GLIMPSE)
    counted = f"{{desc}}: {{n_fmt}} {unit} [{{elapsed}}]" if unit else "{desc} [{elapsed}]"
    with _tqdm()(
        desc=what,
        file=sys.stderr,
        total=total,
        unit=f" {unit}",
        bar_format=counted if total is None else None,
        delay=0.0 if work.setting else left,
        miniters=0,  # looks at the clock at every step, for steps of any length
        leave=False,
        dynamic_ncols=True,
    ) as inner:
        lock = threading.Lock()  # several threads may count

        def count(n: int) -> None:
            with lock:
                inner.update(n)

        shown = Bar(count)
        _work.set(replace(work, shown=shown))
        try:
            yield shown
        finally:
            _work.set(outer)


def announce(what: str) -> None:
    """Say in one line why some work takes long: to the log, and where `bar` would show one.

    Within `announced`, it is written in any case.

    Parameters
    ----------
    what : str
    """
    logger.info("%s", what)
    work = _work.get()
    if _aloud.get() or _is_shown(None if work is None else work.setting):
        sys.stderr.write(f"gpforecast: {what}\n")


@contextmanager
def announced() -> Iterator[None]:
    """Have all of `announce` written to standard error within, as a command line does."""
    token = _aloud.set(sys.stderr is not None)
    try:
        yield
    finally:
        _aloud.reset(token)


def _is_shown(progress: bool | None) -> bool:
    """Return whether to show a bar; of itself none in workers, which share one terminal."""
    if progress is not None:
        return progress and sys.stderr is not None
    if threading.current_thread() is not threading.main_thread():
        return False
    return multiprocessing.parent_process() is None and (_in_terminal() or _in_notebook())


def _in_terminal() -> bool:
    with suppress(AttributeError):  # standard error may be None, or no file
        return sys.stderr.isatty()
    return False


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in shell.config


def _tqdm() -> Callable[..., AbstractContextManager[Counter]]:
    with quietly():  # of a notebook that has no widgets
        from tqdm.auto import tqdm
    return tqdm
