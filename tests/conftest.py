"""What every test shares: a screenless matplotlib, repeatable hypothesis, no figure left open."""

import sys
from collections.abc import Iterator

import hypothesis
import matplotlib as mpl
import pytest

mpl.use("Agg")

hypothesis.settings.register_profile("gpforecast", deadline=None, derandomize=True)
hypothesis.settings.load_profile("gpforecast")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
