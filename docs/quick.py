"""The arguments of the examples in the gallery. Functions in conf.py cannot be pickled."""

from typing import Any


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:  # noqa: ARG001
    """Return the argument with which an example uses fewer data."""
    return ["--quick"]
