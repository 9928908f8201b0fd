"""Every setting and attribute comes back from a file."""

import json

import numpy as np
import pandas as pd
import pytest
from storage_cases import driven, fixed, reload, same_value

import gpforecast as gf
from gpforecast.models import GaussianProcess
from gpforecast.propagation import MonteCarlo, Taylor
from gpforecast.storage import archive, decode, encode


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
