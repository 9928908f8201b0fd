"""Forecasters to save, files to spoil, and what it means to be identical."""

import io
import json
import re
import zipfile

import forecaster_cases
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.storage import archive


def wave(n=60, index=None, name="load"):
    """A cycle of 12 steps that is not linear, with a little noise, around 50."""
    return pd.Series(forecaster_cases.wave(n), index, name=name)


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


class Homemade:
    """A model of the user's own."""

    def fit(self, X, y):  # noqa: ARG002
        return self

    def predict(self, X):
        return np.zeros(len(X))


def refused(tmp_path, data, message):
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        gf.load(tmp_path / "f")
    assert re.search(r"[a-z0-9']\.$", str(caught.value))


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return {entry: z.read(entry) for entry in z.namelist()}


packed = archive._packed


def zipped(members, compression=zipfile.ZIP_STORED):
    """A zip of the same members as another program writes it."""
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
