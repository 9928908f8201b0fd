"""A panel that is interrupted stops; what compiled code makes of an interrupt is one, too."""

import pandas as pd
import pytest

import gpforecast as gf

TWO = pd.DataFrame(
    {
        "unique_id": ["a"] * 30 + ["b"] * 30,
        "ds": [*range(30)] * 2,
        "y": [float(k % 7) for k in range(60)],
    }
)


class InterruptedWhileCompiled(gf.models.LinearAR):
    def fit(self, X, y):  # noqa: ARG002
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise SystemError("returned a result with an exception set") from interrupt


class Broken(gf.models.LinearAR):
    def fit(self, X, y):  # noqa: ARG002
        raise SystemError("broken")


def test_an_interrupt_within_compiled_code_stops_the_panel():
    with pytest.raises(KeyboardInterrupt):
        gf.forecast_panel(TWO, 3, forecaster=gf.Forecaster(2, model=InterruptedWhileCompiled()))


def test_another_error_is_listed_and_the_panel_goes_on():
    with pytest.raises(ValueError, match="broken"):
        gf.forecast_panel(TWO, 3, forecaster=gf.Forecaster(2, model=Broken()))
