"""Saving and loading: the same forecaster to the last bit, or a sentence that says why not."""

import io
import json
import os
import pickle
import re
import stat
import zipfile
from datetime import timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from dateutil.tz import tzoffset

import gpforecast as gf
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import (
    AveragedGP,
    GaussianProcess,
    LinearAR,
    NearestNeighbours,
    RelevanceVectorMachineStar,
)
from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Naive, Taylor
from gpforecast.saving import KINDS
from gpforecast.storage import archive, decode, encode


def wave(n=60, index=None, name="load"):
    """A cycle of 12 steps that is not linear, with a little noise, around 50."""
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(0).standard_normal(n)
    y = 50 + 5 * np.sin(2 * np.pi * t / 12) + 2 * np.cos(2 * np.pi * t / 6) ** 2 + noise
    return pd.Series(y, index=pd.RangeIndex(n) if index is None else index, name=name)


def fixed(**options):
    """A Gaussian process that keeps the hyperparameters it is given."""
    return GaussianProcess(SquaredExponential(2.0, 1.5), noise_var=0.05, optimizer=None, **options)


def fitted(**options):
    return gf.Forecaster(**{"lags": 3, "model": fixed(), **options}).fit(wave())


def driven(**options):
    """A fitted forecaster with two exogenous inputs, and their values at 4 more times."""
    index = pd.date_range("2024-01-01", periods=64, freq="D", name="day")
    rng = np.random.default_rng(3)
    exog = pd.DataFrame(
        10 + rng.standard_normal((64, 2)), index=index, columns=["temp", ("rain", 1)]
    )
    y = wave(60, index[:60]) + exog["temp"].iloc[:60]
    fc = gf.Forecaster(**{"lags": [1, 2, 12], "model": fixed(), **options})
    return fc.fit(y, exog=exog.iloc[:60]), exog.iloc[60:]


def reload(fc, tmp_path):
    fc.save(tmp_path / "fc")
    return gf.load(tmp_path / "fc")


def identical(a, b):
    """Every bit of two forecasts, and their indexes."""
    for one, other in ((a.mean, b.mean), (a.latent_var, b.latent_var), (a.history, b.history)):
        pd.testing.assert_series_equal(one, other, check_exact=True, check_freq=True)
        same_index(one.index, other.index)
    pd.testing.assert_frame_equal(a.covariance, b.covariance, check_exact=True)
    assert (a.paths is None) == (b.paths is None)
    if a.paths is not None:
        pd.testing.assert_frame_equal(a.paths, b.paths, check_exact=True)
    assert a.notes == b.notes
    assert a.propagation == b.propagation


def same_index(a, b):
    pd.testing.assert_index_equal(a, b, exact=True)
    for name in ("freq", "tz", "unit"):
        one, other = getattr(a, name, None), getattr(b, name, None)
        assert one == other, name
        assert type(one) is type(other), name


def same_value(a, b, where="fc"):
    """Equal to the bit, all the way down; arrays in the same memory order."""
    assert type(a) is type(b), where
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, where
        assert a.tobytes() == b.tobytes(), where
        assert a.flags.c_contiguous == b.flags.c_contiguous, where
    elif isinstance(a, pd.Index):
        same_index(a, b)
    elif isinstance(a, pd.Series):
        pd.testing.assert_series_equal(a, b, check_exact=True, check_freq=True)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same_value(x, y, f"{where}[{i}]")
    elif isinstance(a, np.random.Generator):
        same_value(a.bit_generator.state, b.bit_generator.state, where)
    elif isinstance(a, dict) or hasattr(a, "__dict__"):
        a, b = (v if isinstance(v, dict) else vars(v) for v in (a, b))
        assert list(a) == list(b), where
        for name in a:
            same_value(a[name], b[name], f"{where}.{name}")
    else:
        assert a == b, where


# The same forecasts


MODELS = {
    "default": None,
    "kept as given": fixed(),
    "with linear and constant terms": GaussianProcess(
        SquaredExponential([1.0, 2.0, 3.0], 1.0) + Linear() + Constant(0.5), n_restarts=1, seed=1
    ),
    "linear alone": GaussianProcess(Linear(), prior="weak", max_iter=50),
    "least squares": LinearAR(),
    "averaged": AveragedGP(n_draws=3, n_warmup=2),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_forecast_after_loading_is_the_same_to_the_last_bit(model, tmp_path):
    fc = fitted(model=model)
    identical(reload(fc, tmp_path).predict(20), fc.predict(20))


@pytest.mark.parametrize(
    "model",
    [NearestNeighbours(6, ridge=0.1), RelevanceVectorMachineStar(), LinearAR(False)],
    ids=repr,
)
def test_a_model_forecasts_the_same_by_cubature_after_loading_and_updating(model, tmp_path):
    fc = fitted(model=model, propagation="cubature")
    again = reload(fc, tmp_path)
    identical(again.predict(20), fc.predict(20))
    identical(again.update([50.0, 51.0]).predict(5), fc.update([50.0, 51.0]).predict(5))


@pytest.mark.parametrize(
    "method",
    [
        "exact",
        "taylor",
        "cubature",
        "naive",
        ExactMoments(),
        Taylor(),
        Cubature("gauss_hermite", n_nodes=3, n_directions=2),
        Naive(),
        MonteCarlo(n_paths=20, seed=5),
        MonteCarlo(n_paths=20, kind="function", seed=5, n_features=32),
    ],
    ids=repr,
)
def test_every_propagation_method_comes_back_and_forecasts_the_same(method, tmp_path):
    fc = fitted(propagation=method)
    again = reload(fc, tmp_path)
    assert again.propagation == method
    identical(again.predict(8), fc.predict(8))


def test_large_model_forecasts_the_same_whichever_call_came_first(tmp_path):
    # From a few hundred rows on the solver's threads change last bits.
    fc = gf.Forecaster(3, model=fixed()).fit(wave(500))
    again = reload(fc, tmp_path)
    gf.propagation.predict_uncertain(fc.model_, np.zeros(3), np.eye(3))
    identical(again.predict(20), fc.predict(20))


def test_exogenous_inputs_come_back(tmp_path):
    fc, future = driven(exog_lags={"temp": [0, 2], ("rain", 1): [1]})
    again = reload(fc, tmp_path)
    identical(again.predict(4, exog=future), fc.predict(4, exog=future))
    cov = 0.1 * np.ones((4, 2))
    a, b = (f.predict(4, exog=future, exog_cov=cov) for f in (again, fc))
    identical(a, b)
    with pytest.raises(ValueError, match="exogenous inputs"):
        again.predict(4)


def test_update_after_loading_equals_update_without(tmp_path):
    fc, future = driven()
    again = reload(fc, tmp_path)
    new = np.array([61.0, 60.0])
    fc.update(new, exog=future.iloc[:2])
    again.update(new, exog=future.iloc[:2])
    a, b = (f.predict(2, exog=future.iloc[2:]) for f in (again, fc))
    identical(a, b)
    identical(reload(fc, tmp_path).predict(2, exog=future.iloc[2:]), b)


def test_backtest_after_loading_equals_backtest_without(tmp_path):
    fc = fitted()
    a, b = (
        gf.backtest(f, wave(90), horizon=5, origins=10, seed=0) for f in (fc, reload(fc, tmp_path))
    )
    same_value(vars(a), vars(b))


def test_saving_and_predicting_change_nothing(tmp_path):
    fc = fitted()
    before = fc.predict(5)
    fc.save(tmp_path / "a")
    identical(fc.predict(5), before)
    again = gf.load(tmp_path / "a")
    again.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# The same settings and attributes


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
        {"lags": [1, 12]},
        {"lags": (2, 3)},
        {"lags": range(1, 5)},
        {"lags": np.array([1, 4])},
        {"lags": 4, "exog_lags": [0, 1]},
        {"lags": 4, "exog_lags": {"temp": [0], 2: (1,), ("a", 1.5): [3]}},
        {"lags": 4, "max_rows": None, "seed": 3},
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


@pytest.mark.parametrize("bits", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_random_generator_goes_on_where_it_stood(bits, tmp_path):
    rng = np.random.Generator(getattr(np.random, bits)(4))
    rng.standard_normal(3)
    again = reload(gf.Forecaster(2, model=GaussianProcess(seed=rng)), tmp_path)
    assert again.model.seed.standard_normal() == rng.standard_normal()


def test_numbers_of_numpy_and_beyond_the_finite_come_back():
    values = [np.float64(0.1), np.int32(3), np.bool_(True), np.inf, -np.inf, 1e-310, 2**70, None]
    content, arrays = encode(values, (), "values")
    again = decode(json.loads(json.dumps(content, allow_nan=False)), arrays, ())
    assert again == [0.1, 3, True, np.inf, -np.inf, 1e-310, 2**70, None]
    content, arrays = encode(np.nan, (), "value")
    assert np.isnan(decode(content, arrays, ()))


def test_memory_order_of_an_array_comes_back(tmp_path):
    X = np.arange(6.0).reshape(2, 3)
    archive.write(tmp_path / "f", None, {"C": X, "F": np.asfortranarray(X), "empty": X[:0]})
    arrays = archive.read(tmp_path / "f")[1]
    assert arrays["F"].flags.f_contiguous
    assert arrays["C"].flags.c_contiguous
    assert arrays["empty"].shape == (0, 3)
    np.testing.assert_array_equal(arrays["F"], X)


# Indexes


HOLIDAYS = pd.offsets.CustomBusinessDay(
    holidays=["2024-01-01", "2024-05-01"], weekmask="Mon Thu Fri"
)
MIDNIGHT = pd.offsets.MonthEnd(normalize=True)
BERLIN = "Europe/Berlin"
OFFSET = timezone(timedelta(hours=-3, minutes=30))
INDEXES = {
    "range": pd.RangeIndex(7, 307, 5, name="t"),
    "range from 0": pd.RangeIndex(60),
    "integers": pd.Index(np.arange(1900, 1960), name=("year", 1)),
    "small unsigned integers": pd.Index(np.arange(60, dtype="uint8")),
    "nullable integers": pd.Index(np.arange(60), dtype="Int64"),
    "numbers": pd.Index(0.1 * np.arange(60)),
    "single precision": pd.Index(np.arange(60, dtype="float32")),
    "daily": pd.date_range("2024-01-30", periods=60, freq="D", name="day"),
    "every second day": pd.date_range("2024-01-30", periods=60, freq="2D"),
    "in seconds": pd.date_range("2024-01-30", periods=60, freq="D", unit="s"),
    "in nanoseconds": pd.date_range("2024-01-30", periods=60, freq="7ns", unit="ns"),
    "month ends": pd.date_range("2015-01-31", periods=60, freq="ME"),
    "month ends at midnight": pd.date_range("2015-01-31", periods=60, freq=MIDNIGHT),
    "fiscal quarters": pd.date_range("2000-02-01", periods=60, freq="QE-FEB"),
    "Fridays": pd.date_range("2000-02-04", periods=60, freq="W-FRI"),
    "business days": pd.bdate_range("2024-01-01", periods=60),
    "a calendar with holidays": pd.date_range("2024-01-01", periods=60, freq=HOLIDAYS),
    "the 15th": pd.date_range("2015-01-15", periods=60, freq=pd.DateOffset(months=1)),
    "Easter": pd.date_range("1960-01-01", periods=60, freq=pd.offsets.Easter()),
    "hours over a clock change": pd.date_range("2024-03-30", periods=60, freq="h", tz=BERLIN),
    "days over a clock change": pd.date_range("2024-03-10", periods=60, freq="D", tz=BERLIN),
    "24 hours in a zone": pd.date_range("2024-03-10", periods=60, freq="24h", tz=BERLIN),
    "zoneinfo": pd.date_range("2024-03-10", periods=60, freq="D", tz=ZoneInfo("America/New_York")),
    "UTC": pd.date_range("2024-03-10", periods=60, freq="min", tz="UTC"),
    "fixed offset": pd.date_range("2024-03-10", periods=60, freq="h", tz=OFFSET),
    "months as periods": pd.period_range("1990-01", periods=60, freq="M", name="m"),
    "quarters as periods": pd.period_range("1990Q1", periods=60, freq="Q-NOV"),
    "two weeks as periods": pd.period_range("1990-01-01", periods=60, freq="2W-TUE"),
    "durations": pd.timedelta_range("5s", periods=60, freq="30s", name="elapsed"),
    "durations in milliseconds": pd.timedelta_range("0s", periods=60, freq="30s", unit="ms"),
}  # fmt: skip


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_forecast_on_any_index_comes_back_with_zone_and_frequency(index, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(60, index))
    again = reload(fc, tmp_path)
    same_index(again.history_.index, fc.history_.index)
    identical(again.predict(3), fc.predict(3))


def test_index_that_lost_its_frequency_at_a_clock_change_comes_back(tmp_path):
    index = pd.date_range("2024-03-10 02:30", periods=20, freq="D", tz=BERLIN)
    fc = gf.Forecaster(2, model=fixed()).fit(wave(20, index)).update([50.0, 51.0])
    assert fc.history_.index.freq is None
    same_index(reload(fc, tmp_path).history_.index, fc.history_.index)


@pytest.mark.parametrize("name", [None, "load", 3, 2.5, ("a", None, 1), np.int64(4)])
def test_name_of_the_series_comes_back(name, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(name=name))
    assert reload(fc, tmp_path).history_.name == name


# What cannot be saved


class Homemade:
    """A model of the user's own."""

    def fit(self, X, y):  # noqa: ARG002
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Forecaster(gf.Forecaster):
    """One derived from ours."""


class Derived(GaussianProcess):
    """A model derived from ours: its methods would be lost."""


@pytest.mark.parametrize("model", [Homemade(), Derived()], ids=["of one's own", "derived"])
def test_model_that_cannot_be_saved_is_named(model, tmp_path):
    with pytest.raises(
        TypeError, match=r"Forecaster\.model must be .* without pickle; got .*GaussianProcess"
    ):
        gf.Forecaster(3, model=model).save(tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


def test_propagation_that_cannot_be_saved_is_named(tmp_path):
    class Own(Taylor):
        pass

    with pytest.raises(TypeError, match=r"Forecaster\.propagation must be .*of type Own"):
        gf.Forecaster(3, propagation=Own()).save(tmp_path / "f")


def test_forecaster_of_a_derived_class_is_refused(tmp_path):
    with pytest.raises(TypeError, match="only gpforecast's own classes"):
        Forecaster(3).save(tmp_path / "f")


NAMELESS = tzoffset(None, 3600)
TEN_TO_FIVE = pd.offsets.BusinessHour(start="10:00")


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (wave(name=pd.Timestamp("2024-01-01")), r"history_\.name must be .*Timestamp"),
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


@pytest.mark.parametrize(
    "value", [np.array([None]), np.array(["2024"], dtype="M8[D]"), {1}, np.timedelta64(1, "D"), 1j]
)
def test_values_without_a_plain_form_are_refused(value):
    with pytest.raises(TypeError, match="value must be of a kind that a file can hold"):
        encode(value, KINDS, "value")


# Where a file goes


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        gf.Forecaster(2).save(tmp_path / "nowhere" / "f")
    with pytest.raises(FileNotFoundError, match=r"there is no .*nowhere"):
        gf.load(tmp_path / "nowhere")


def test_folder_in_place_of_a_file_is_refused(tmp_path):
    for use in (gf.Forecaster(2).save, gf.load):
        with pytest.raises(IsADirectoryError, match="a folder"):
            use(tmp_path)


def test_text_path_and_any_name_will_do(tmp_path):
    path = str(tmp_path / "my model.v1.bin")
    gf.Forecaster(2).save(path)
    assert gf.load(path).lags == 2
    assert os.listdir(tmp_path) == ["my model.v1.bin"]  # noqa: PTH208


def test_saving_again_replaces_the_older_file(tmp_path):
    for lags in (2, 3):
        gf.Forecaster(lags).save(tmp_path / "f")
    assert gf.load(tmp_path / "f").lags == 3
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_file_has_the_usual_permissions_and_a_link_stays_a_link(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "link").symlink_to(tmp_path / "f")
    gf.Forecaster(2).save(tmp_path / "link")
    usual = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == usual
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize(
    "broken", [(zipfile.ZipFile, "writestr"), (os, "fsync"), (Path, "replace")], ids=lambda b: b[1]
)
def test_failed_save_keeps_the_older_file_and_leaves_no_litter(broken, tmp_path, monkeypatch):
    gf.Forecaster(2).save(tmp_path / "f")

    def full(*args, **kwargs):
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*broken, full)
        with pytest.raises(OSError, match="No space left"):
            fitted().save(tmp_path / "f")
    with pytest.raises(TypeError):
        gf.Forecaster(3, model=Homemade()).save(tmp_path / "f")
    assert gf.load(tmp_path / "f").lags == 2
    assert len(list(tmp_path.iterdir())) == 1


# What is not a file of ours, or no longer


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a small file, with a fitted model in it."""
    path = tmp_path_factory.mktemp("saved") / "f"
    gf.Forecaster(2, model=fixed()).fit(wave(8)).save(path)
    return path.read_bytes()


def refused(tmp_path, data, message):
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        gf.load(tmp_path / "f")
    assert re.search(r"[a-z0-9']\.$", str(caught.value))


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return {entry: z.read(entry) for entry in z.namelist()}


def packed(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as z:
        for name, data in members.items():
            z.writestr(name, data)
    return stream.getvalue()


def signed(members, **changes):
    """The same file with other JSON entries or members and a checksum that fits them."""
    members = dict(members)
    header = {**json.loads(members.pop("gpforecast.json")), **changes}
    header.pop("sha256")
    header["sha256"] = archive._digest(header, members)
    return packed({"gpforecast.json": json.dumps(header).encode(), **members})


def foreign_zip():
    stream = io.BytesIO()
    np.savez(stream, a=np.zeros(3))
    return stream.getvalue()


FOREIGN = {
    "text": b"date,value\n2024-01-01,3\n",
    "empty": b"",
    "pickle": pickle.dumps({"lags": 3}),
    "another program's arrays": foreign_zip(),
    "noise": np.random.default_rng(0).bytes(500),
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_foreign_file_is_refused(data, tmp_path):
    refused(tmp_path, data, "must name a file that Forecaster.save wrote")


def test_file_cut_short_anywhere_is_refused(saved, tmp_path):
    for length in np.linspace(50, len(saved) - 1, 40).astype(int):
        refused(tmp_path, saved[:length], "is damaged: it ends too early")


def test_flipped_byte_anywhere_is_noticed_or_harmless(saved, tmp_path):
    whole = reload_bytes(saved, tmp_path)
    tail = len(saved) - 100  # the zip's directory, where a flip moves whole members
    positions = [*np.random.default_rng(0).integers(0, tail, 600), *range(tail, len(saved))]
    noticed = harmless = 0
    masks = (0x01, 0x41, 0x80)
    for i in positions:
        data = bytearray(saved)
        data[i] ^= masks[i % 3]
        try:
            again = reload_bytes(data, tmp_path)
        except ValueError as error:
            noticed += bool(re.search("damaged|newer|must name a file", str(error)))
        else:
            same_value(vars(again), vars(whole))  # a date in a zip header, say
            harmless += 1
    assert noticed + harmless == len(positions)
    assert noticed > harmless


def reload_bytes(data, tmp_path):
    (tmp_path / "f").write_bytes(data)
    return gf.load(tmp_path / "f")


def test_edited_array_is_refused_though_the_zip_is_sound(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith("weights.npy"))
    stream = io.BytesIO()
    np.save(stream, np.load(io.BytesIO(members[name])) + 1e-9)
    refused(tmp_path, packed({**members, name: stream.getvalue()}), "does not match its checksum")


def test_edited_settings_are_refused(saved, tmp_path):
    members = unpacked(saved)
    edited = members["gpforecast.json"].replace(b'"lags": 2', b'"lags": 3')
    assert edited != members["gpforecast.json"]
    refused(tmp_path, packed({**members, "gpforecast.json": edited}), "does not match its checksum")


def test_added_swapped_renamed_and_missing_members_are_refused(saved, tmp_path):
    members = unpacked(saved)
    first, second = [n for n in members if n.endswith(".npy")][:2]
    swapped = {**members, first: members[second], second: members[first]}
    fewer = {n: data for n, data in members.items() if n != first}
    renamed = {n.replace(".chol.", ".chok."): data for n, data in members.items()}
    assert list(renamed) != list(members)
    for changed in ({**members, "more.npy": members[first]}, swapped, renamed, fewer):
        refused(tmp_path, packed(changed), "does not match its checksum")
    headless = saved[:200] + packed({n: d for n, d in members.items() if n != "gpforecast.json"})
    refused(tmp_path, headless, "damaged: its member gpforecast.json is missing")


def test_file_packed_anew_is_taken_unless_compressed(saved, tmp_path):
    members = unpacked(saved)
    assert reload_bytes(packed(dict(reversed(members.items()))), tmp_path).lags == 2
    refused(tmp_path, packed(members, zipfile.ZIP_DEFLATED), "packed anew")


def test_file_of_a_newer_format_says_so(saved, tmp_path):
    data = signed(unpacked(saved), version=archive.VERSION + 1)
    refused(tmp_path, data, "written by a newer gpforecast: .*version 2.* up to 1.*Upgrade")
    stranger = packed({"gpforecast.json": b'{"format": "gpforecast", "version": 9, "content": 0}'})
    refused(tmp_path, stranger, "newer gpforecast")


@pytest.mark.parametrize(
    "header",
    [b"{", b"[1]", b'{"format": "x"}', b'{"format": "gpforecast", "version": "2", "content": 1}',
     b'{"format": "gpforecast", "version": 1}', b"\xff", b"[" * 100_000],
)  # fmt: skip
def test_unreadable_json_is_refused(header, tmp_path):
    refused(tmp_path, packed({"gpforecast.json": header}), "gpforecast.json cannot be read")


class Trap:
    """Runs code when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickle_inside_is_not_executed(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    stream = io.BytesIO()
    np.save(stream, np.array([Trap(tmp_path / "sprung")], dtype=object), allow_pickle=True)
    np.load(io.BytesIO(stream.getvalue()), allow_pickle=True)
    assert (tmp_path / "sprung").exists()  # the trap works
    (tmp_path / "sprung").unlink()
    data = signed({**members, name: stream.getvalue()})
    refused(tmp_path, data, "is not an array of numbers")
    assert not (tmp_path / "sprung").exists()


def test_object_arrays_are_not_written(tmp_path):
    with pytest.raises(TypeError, match="x must hold bools or numbers"):
        archive.write(tmp_path / "f", None, {"x": np.array([Trap(tmp_path / "sprung")])})
    assert list(tmp_path.iterdir()) == []


def test_array_of_dates_or_of_absurd_size_is_refused(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    dates, absurd = io.BytesIO(), io.BytesIO()
    np.save(dates, np.array(["2024-01-01"], dtype="M8[D]"))
    np.lib.format.write_array_header_1_0(
        absurd, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    )
    for array in (dates, absurd):
        refused(tmp_path, signed({**members, name: array.getvalue()}), "not an array of numbers")


def test_content_only_makes_what_the_registry_knows(saved, tmp_path):
    members = unpacked(saved)
    contents = [
        {"is": "Popen", "of": {"args": "true"}},
        {"is": "Forecaster", "of": {"lags": 0}},
        {"is": "Forecaster", "of": {"lags": 2, "model": {"is": "Posterior", "of": {"no": 1}}}},
        {"is": "Forecaster", "of": {"lags": {"is": "array", "of": "none"}}},
        {"is": "Forecaster"},
        {"is": "Standardise", "of": {"location": 0.0, "scale": -1.0}},
    ]
    for content in contents:
        refused(tmp_path, signed(members, content=content), "cannot be restored")
    other = {"is": "Standardise", "of": {"location": 0.0, "scale": 1.0}}
    for content in (other, 3, [1]):
        refused(tmp_path, signed(members, content=content), "must hold a Forecaster; got")


def test_generators_of_other_names_are_not_looked_up(saved, tmp_path):
    state = {"is": "dict", "of": [{"is": "tuple", "of": ["bit_generator", "seed"]}]}
    seed = {"is": "Generator", "of": {"state": state}}
    content = {"is": "Forecaster", "of": {"lags": 2, "seed": seed}}
    refused(tmp_path, signed(unpacked(saved), content=content), "random generator seed")


def test_frequencies_of_other_names_are_not_looked_up(saved, tmp_path):
    parts = ["timedelta", 1, False, {"is": "dict", "of": []}]
    freq = {"is": "tuple", "of": parts}
    for parts[0] in ("np", "__name__", "Popen"):
        index = {"is": "TimedeltaIndex", "of": {"stamps": {"is": "array", "of": "x"}, "unit": "s",
                 "freq": freq, "name": None}}  # fmt: skip
        members = {**unpacked(saved)}
        stream = io.BytesIO()
        np.save(stream, np.arange(3))
        members["x.npy"] = stream.getvalue()
        content = {"is": "Forecaster", "of": {"lags": 2, "history_": index}}
        refused(tmp_path, signed(members, content=content), "cannot be restored")


# The registry


def test_every_public_model_covariance_and_method_has_an_entry():
    known = {kind.cls for kind in KINDS}
    for room in (gf.models, gf.covariances, gf.propagation):
        for name, cls in vars(room).items():
            public = isinstance(cls, type) and cls.__module__.startswith(room.__name__)
            value = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "fit")
            abstract = getattr(cls, "_is_protocol", False) or name == "UncertainPrediction"
            if public and value and not abstract:
                assert cls in known, name


def test_registry_has_one_kind_a_name():
    names = [kind.name for kind in KINDS]
    assert len(set(names)) == len(names)
    assert not set(names) & {"float", "tuple", "dict", "array", "Forecaster"}
