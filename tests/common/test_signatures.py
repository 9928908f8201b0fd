"""What `help` shows of the calls that users make."""

import inspect

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
