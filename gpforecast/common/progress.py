"""Progress bars: when one is shown, and that there is one at a time.

Work that may take long opens a `bar` and counts on it. A function with a parameter `progress`
sets it by `showing` for all the work within; nothing is passed on in between. Bars go to standard
error, appear once the work has lasted a second, and leave nothing behind.
"""

import logging
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from gpforecast.common.parameters import FLAG
from gpforecast.common.warnings import quietly

logger = logging.getLogger(__name__)

_PATIENCE = 1.0  # seconds before a bar is shown


class Bar:
    """Counts the steps of some work. By itself it shows nothing."""

    def __init__(self, count: Callable[[int], object] = lambda _: None) -> None:
        self._count = count

    def update(self, n: int = 1) -> None:
        """Count n more."""
        self._count(n)


SILENT = Bar()
_setting: ContextVar[bool | None] = ContextVar("_setting", default=None)
_shown: ContextVar[Bar | None] = ContextVar("_shown", default=None)


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
    FLAG.or_none()(progress, "progress")
    outer, own = _setting.get(), None if progress is None else bool(progress)
    token = _setting.set(own if outer is None else outer)
    try:
        yield
    finally:
        _setting.reset(token)


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
    outermost, setting = _shown.get(), _setting.get()
    if outermost is not None:
        yield Bar(lambda _: outermost.update(0))  # keeps its clock going
        return
    if not _is_shown(setting):
        yield SILENT
        return
    counted = f"{{desc}}: {{n_fmt}} {unit} [{{elapsed}}]" if unit else "{desc} [{elapsed}]"
    with _tqdm()(
        desc=what,
        file=sys.stderr,
        total=total,
        unit=f" {unit}",
        bar_format=counted if total is None else None,
        delay=0.0 if setting else _PATIENCE,
        miniters=0,  # looks at the clock at every step, for steps of any length
        leave=False,
        dynamic_ncols=True,
    ) as inner:
        lock = threading.Lock()  # several threads may count

        def count(n: int) -> None:
            with lock:
                inner.update(n)

        shown = Bar(count)
        token = _shown.set(shown)
        try:
            yield shown
        finally:
            _shown.reset(token)


def announce(what: str) -> None:
    """Say in one line why some work takes long: to the log, and where `bar` would show one."""
    logger.info("%s", what)
    if _is_shown(_setting.get()):
        sys.stderr.write(f"gpforecast: {what}\n")


def _is_shown(progress: bool | None) -> bool:
    """Return whether to show a bar; of itself none in workers, which share one terminal."""
    if progress is not None:
        return progress and sys.stderr is not None
    worker = multiprocessing.parent_process() is not None
    if worker or threading.current_thread() is not threading.main_thread():
        return False
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    notebook = shell is not None and "IPKernelApp" in shell.config
    return notebook or bool(getattr(sys.stderr, "isatty", bool)())  # it may be None, or no file


def _tqdm() -> Callable[..., AbstractContextManager[Any]]:
    with quietly():  # of a notebook that has no widgets
        from tqdm.auto import tqdm
    return tqdm
