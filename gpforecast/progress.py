"""Progress bars, for those who ask for them."""

import sys
from typing import Any

from tqdm.auto import tqdm


def bar(what: str, *, shown: bool, total: int | None = None) -> Any:
    """Return a tqdm bar on standard error, or one that shows nothing.

    Parameters
    ----------
    what : str
        What is being done.
    shown : bool
    total : int or None
        How many steps there will be, if that is known.
    """
    return tqdm(total=total, desc=what, disable=not shown, leave=False)


def worth_showing(progress: bool | None, seconds: float) -> bool:
    """Return whether to show a bar: as asked, or else where someone looks on and must wait.

    Parameters
    ----------
    progress : bool or None
        What the user asked for.
    seconds : float
        How long it is expected to take.
    """
    return sys.stderr.isatty() and seconds > 5.0 if progress is None else bool(progress)
