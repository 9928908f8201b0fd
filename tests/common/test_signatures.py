"""What `help` shows of the calls that users make."""

import inspect
import pydoc

import pytest

import gpforecast as gf


@pytest.mark.parametrize(
    "call",
    [gf.Forecaster.fit, gf.Forecaster.predict, gf.Forecaster.predict_from, gf.backtest],
    ids=lambda call: call.__qualname__,
)
def test_a_signature_names_types_and_does_not_spell_them_out(call):
    shown = str(inspect.signature(call))
    assert "numpy._typing" not in shown
    assert "exog: ExogLike" in shown
    assert len(shown) < 700


def test_help_of_a_forecaster_has_no_line_that_nobody_reads():
    lines = pydoc.plain(pydoc.render_doc(gf.Forecaster)).splitlines()
    assert max(map(len, lines)) < 400
    shown = inspect.signature(gf.Forecaster)
    assert shown.parameters["lags"].default == "auto"
    assert list(shown.parameters) == list(gf.Forecaster().get_params())
