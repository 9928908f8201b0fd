"""Every setting, attribute, index and name comes back from a file, or is named."""

import errno
import json
import os
import stat
from datetime import timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from dateutil.tz import tzoffset
from storage_cases import (
    Homemade,
    driven,
    fitted,
    fixed,
    identical,
    reload,
    same_index,
    same_value,
    wave,
)

import gpforecast as gf
from gpforecast.models import GaussianProcess
from gpforecast.propagation import MonteCarlo, Taylor
from gpforecast.storage import archive, decode, encode

# Every setting and attribute comes back from a file


def test_everything_a_fitted_forecaster_holds_comes_back(tmp_path):
    fc, _ = driven(max_rows=40, seed=7, exog_lags=[0, 1], propagation=Taylor())
    assert fc.notes_
    again = reload(fc, tmp_path)
    same_value(vars(again), vars(fc))
    assert repr(again) == repr(fc)
    assert again.n_past == fc.n_past


@pytest.mark.parametrize(
    "settings",
    [
        {"lags": "auto"},
        {"lags": (2, 3)},
        {"lags": range(1, 5)},
        {"lags": pd.Index([1, 4])},
        {"lags": 4, "exog_lags": {"temp": [0], 2: (1,), ("a", 1.5): [3]}},
        {"lags": 4, "model": fixed(seed=np.random.default_rng(1), n_restarts=2, max_iter=7)},
        {"lags": 4, "propagation": MonteCarlo(7, "function", np.random.default_rng(2), 9)},
        {"lags": 4, "model": fixed().fit(np.arange(6.0).reshape(3, 2), [1.0, 2.0, 0.0])},
    ],
    ids=lambda s: ",".join(s),
)
def test_unfitted_forecaster_keeps_its_settings(settings, tmp_path):
    fc = gf.Forecaster(**settings)
    again = reload(fc, tmp_path)
    same_value(vars(again), vars(fc))
    with pytest.raises(RuntimeError, match="not fitted yet"):
        again.predict(3)


@pytest.mark.parametrize("bits", ["MT19937", "PCG64"])
def test_random_generator_goes_on_where_it_stood(bits, tmp_path):
    rng = np.random.Generator(getattr(np.random, bits)(4))
    rng.standard_normal(3)
    again = reload(gf.Forecaster(2, model=GaussianProcess(seed=rng)), tmp_path)
    assert again.model.seed.standard_normal() == rng.standard_normal()


def test_numbers_of_numpy_and_beyond_the_finite_come_back():
    values = [np.float64(0.1), np.int32(3), np.bool_(True), np.inf, -np.inf, 1e-310, 2**70, None]
    content, arrays = encode(values, "values")
    again = decode(json.loads(json.dumps(content, allow_nan=False)), arrays)
    assert again == [0.1, 3, True, np.inf, -np.inf, 1e-310, 2**70, None]
    content, arrays = encode(np.nan, "value")
    assert np.isnan(decode(content, arrays))


def test_memory_order_of_an_array_comes_back(tmp_path):
    X = np.arange(6.0).reshape(2, 3)
    archive.write(tmp_path / "f", None, {"C": X, "F": np.asfortranarray(X), "empty": X[:0]})
    arrays = archive.read(tmp_path / "f")[1]
    assert arrays["F"].flags.f_contiguous
    assert arrays["C"].flags.c_contiguous
    assert arrays["empty"].shape == (0, 3)
    np.testing.assert_array_equal(arrays["F"], X)


# Indexes and names of series come back from a file


HOLIDAYS = pd.offsets.CustomBusinessDay(
    holidays=["2024-01-01", "2024-05-01"], weekmask="Mon Thu Fri"
)
MIDNIGHT = pd.offsets.MonthEnd(normalize=True)
BERLIN = "Europe/Berlin"
OFFSET = timezone(timedelta(hours=-3, minutes=30))
INDEXES = {
    "range": pd.RangeIndex(7, 307, 5, name="t"),
    "integers": pd.Index(np.arange(1900, 1960), name=("year", 1)),
    "nullable integers": pd.Index(np.arange(60), dtype="Int64"),
    "numbers": pd.Index(0.1 * np.arange(60)),
    "daily": pd.date_range("2024-01-30", periods=60, freq="D", name="day"),
    "in nanoseconds": pd.date_range("2024-01-30", periods=60, freq="7ns", unit="ns"),
    "month ends at midnight": pd.date_range("2015-01-31", periods=60, freq=MIDNIGHT),
    "business days": pd.bdate_range("2024-01-01", periods=60),
    "a calendar with holidays": pd.date_range("2024-01-01", periods=60, freq=HOLIDAYS),
    "the 15th": pd.date_range("2015-01-15", periods=60, freq=pd.DateOffset(months=1)),
    "days over a clock change": pd.date_range("2024-03-10", periods=60, freq="D", tz=BERLIN),
    "zoneinfo": pd.date_range("2024-03-10", periods=60, freq="D", tz=ZoneInfo("America/New_York")),
    "UTC": pd.date_range("2024-03-10", periods=60, freq="min", tz="UTC"),
    "fixed offset": pd.date_range("2024-03-10", periods=60, freq="h", tz=OFFSET),
    "months as periods": pd.period_range("1990-01", periods=60, freq="M", name="m"),
    "two weeks as periods": pd.period_range("1990-01-01", periods=60, freq="2W-TUE"),
    "durations": pd.timedelta_range("5s", periods=60, freq="30s", name="elapsed"),
}  # fmt: skip


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_forecast_on_any_index_comes_back_with_zone_and_frequency(index, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(60, index))
    again = reload(fc, tmp_path)
    same_index(again.history_.index, fc.history_.index)
    identical(again.predict(3), fc.predict(3))


@pytest.mark.parametrize("name", [None, "load", ("a", None, 1), np.int64(4)])
def test_name_of_the_series_comes_back(name, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(name=name))
    assert reload(fc, tmp_path).history_.name == name


# What cannot be saved is named, and nothing is written


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
        (wave(60, pd.date_range("2024-01-01", periods=60, freq="h", tz=NAMELESS)),
         "time zone of an index must have a name"),
        (wave(60, pd.date_range("2024-01-01 10:00", periods=60, freq=TEN_TO_FIVE)),
         "frequency of an index must be one that a file can name"),
    ],
    ids=["name", "time zone", "frequency"],
)  # fmt: skip
def test_series_that_cannot_be_saved_says_what_is_wrong(series, message, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(series)
    with pytest.raises(TypeError, match=message):
        fc.save(tmp_path / "f")


# Where a file goes, and that a failed save loses nothing


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"nowhere/f.* not be written: .* Create its folder"
    ):
        gf.Forecaster(2).save(tmp_path / "nowhere" / "f")
    with pytest.raises(FileNotFoundError, match=r"there is no .*nowhere'\. Check the spelling"):
        gf.load(tmp_path / "nowhere")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_file_has_the_usual_permissions_and_a_link_stays_a_link(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "link").symlink_to(tmp_path / "f")
    gf.Forecaster(2).save(tmp_path / "link")
    usual = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == usual
    assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and pipes")
def test_permissions_of_an_older_file_are_kept_and_a_pipe_is_refused(tmp_path):
    gf.Forecaster(2).save(tmp_path / "f")
    (tmp_path / "f").chmod(0o600)
    gf.Forecaster(3).save(tmp_path / "f")
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"must name a regular file.*a device, pipe or socket"):
        gf.Forecaster(2).save(tmp_path / "pipe")
    for use in (gf.Forecaster(2).save, gf.load, gf.Forecaster.load):
        for path in (tmp_path / "pipe", "/dev/null"):
            with pytest.raises(ValueError, match=r"must name a regular file.*a device, pipe or so"):
                use(path)


@pytest.mark.parametrize("broken", [(os, "fsync"), (Path, "replace")], ids=lambda b: b[1])
def test_failed_save_keeps_the_older_file_and_leaves_no_litter(broken, tmp_path, monkeypatch):
    gf.Forecaster(2).save(tmp_path / "f")

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*broken, full)
        with pytest.raises(OSError, match=r"/f' could not be written: No space left") as caught:
            fitted().save(tmp_path / "f")
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(TypeError):
        gf.Forecaster(3, model=Homemade()).save(tmp_path / "f")
    assert gf.load(tmp_path / "f").lags == 2
    assert len(list(tmp_path.iterdir())) == 1
