"""What cannot be saved is named, and nothing is written."""

import pandas as pd
import pytest
from dateutil.tz import tzoffset
from storage_cases import Homemade, fixed, wave

import gpforecast as gf
from gpforecast.models import GaussianProcess


class Forecaster(gf.Forecaster):
    """One derived from ours."""


class Derived(GaussianProcess):
    """A model derived from ours: its methods would be lost."""


@pytest.mark.parametrize("model", [Homemade(), Derived()], ids=["of one's own", "derived"])
def test_model_that_cannot_be_saved_is_named(model, tmp_path):
    with pytest.raises(
        TypeError, match=r"Forecaster\.model must be .* without pickle; got .* (Homemade|Derived)\."
    ):
        gf.Forecaster(3, model=model).save(tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


NAMELESS = tzoffset(None, 3600)
TEN_TO_FIVE = pd.offsets.BusinessHour(start="10:00")


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (wave(name=pd.Timestamp("2024-01-01")), r"history\.name must be .*Timestamp"),
        (
            wave(60, pd.date_range("2024-01-01", periods=60, freq="h", tz=NAMELESS)),
            "time zone of an index must have a name",
        ),
        (
            wave(60, pd.date_range("2024-01-01 10:00", periods=60, freq=TEN_TO_FIVE)),
            "frequency of an index must be one that a file can name",
        ),
    ],
    ids=["name", "time zone", "frequency"],
)  # fmt: skip
def test_series_that_cannot_be_saved_says_what_is_wrong(series, message, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(series)
    with pytest.raises(TypeError, match=message):
        fc.save(tmp_path / "f")
