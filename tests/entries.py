"""A way from Python into compiled helpers, which have none of their own."""

from numba import njit


def entry(helper):
    """Compile a helper with its own flags, so that it can be called."""
    given = getattr(helper, "targetoptions", {})  # of none where NUMBA_DISABLE_JIT is set
    options = {name: given[name] for name in ("fastmath", "error_model") if name in given}
    return njit(**options)(helper.__wrapped__)
