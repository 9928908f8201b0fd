"""Progress bars, for those who ask for them."""

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
