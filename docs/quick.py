"""What the gallery passes to every example; not in conf.py, whose functions cannot be pickled."""

from typing import Any


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:  # noqa: ARG001
    """Return the argument that makes an example work on fewer data."""
    return ["--quick"]
