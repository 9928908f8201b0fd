"""What a newcomer tries first: names, parameters, files and notebooks."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

import gpforecast as gf

Y = gf.datasets.mackey_glass(90, noise_var=1e-3, seed=0)


def linear(**options):
    return gf.Forecaster(4, model=gf.models.LinearAR(), **options)


def test_the_seed_reaches_monte_carlo_given_by_name():
    def first(seed, **call):
        f = linear(transforms=None, seed=seed, noise="process").fit(Y).predict(3, **call)
        return f.paths.to_numpy()

    by_name = {"propagation": "monte_carlo"}
    np.testing.assert_array_equal(first(1, **by_name), first(1, **by_name))
    assert not np.array_equal(first(1, **by_name), first(2, **by_name))
    own = {"propagation": gf.propagation.MonteCarlo(seed=5)}
    np.testing.assert_array_equal(first(1, **own), first(2, **own))


def test_the_seed_reaches_the_paths_of_a_backtest():
    def crps(seed):
        fc = linear(transforms=None, seed=seed, noise="process", propagation="monte_carlo")
        return gf.backtest(fc, Y, 3, origins=4).crps

    np.testing.assert_array_equal(crps(1), crps(1))
    assert not np.array_equal(crps(1), crps(2))


def test_a_transform_may_be_given_by_its_name():
    named = linear(transforms=["log", "difference"]).fit(Y).predict(3).mean
    given = linear(transforms=[gf.transforms.Log(), gf.transforms.Difference()]).fit(Y)
    np.testing.assert_array_equal(named, given.predict(3).mean)
    assert linear(transforms="log").fit(Y).transforms_.warp is not None
    with pytest.raises(ValueError, match="'log', 'sqrt'"):
        gf.Forecaster(transforms="logarithm")


def test_calibrate_true_is_conformal_and_false_is_none():
    assert linear(transforms=None, calibrate=True).fit(Y).calibration_.kind == "conformal"
    assert linear(transforms=None, calibrate=False).fit(Y).calibration_ is None


def test_scikit_learn_clones_a_forecaster():
    model = gf.models.LinearAR(fit_intercept=False)
    fc = gf.Forecaster([1, 2], transforms="log", model=model, calibrate=True)
    again = clone(fc)
    assert repr(again) == repr(fc)
    assert again.model is not fc.model
    assert again.fitted_ is None


def test_parameters_are_set_all_or_none():
    fc = linear().set_params(lags=6)
    assert (fc.lags, fc.get_params()["lags"]) == (6, 6)
    with pytest.raises(ValueError, match="noise must be"):
        fc.set_params(lags=2, noise="loud")
    assert fc.lags == 6
    with pytest.raises(ValueError, match="no parameter 'lag'; it has lags"):
        fc.set_params(lag=2)


def test_a_file_is_read_by_the_class_that_wrote_it(tmp_path):
    fc = linear(transforms=None).fit(Y)
    fc.save(tmp_path / "f.gpf")
    assert gf.Forecaster.load(tmp_path / "f.gpf").predict(3).mean.equals(fc.predict(3).mean)


def test_a_notebook_shows_the_call_and_what_was_fitted():
    fc = linear(transforms=None)
    assert "Forecaster(lags=4, transforms=None" in fc._repr_html_()
    assert "model        LinearAR" in fc.fit(Y)._repr_html_()


def test_the_package_runs_as_a_module():
    run = [sys.executable, "-m", "gpforecast", "--help"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "forecast" in done.stdout


def test_a_calendar_by_its_country_says_what_to_write():
    with pytest.raises(TypeError, match=r"write gf\.calendars\.Holidays\('DE'\)"):
        gf.Forecaster(calendar="DE")


@pytest.mark.parametrize("call", [gf.Forecaster, gf.Forecaster.predict, gf.backtest, gf.report])
def test_help_names_types_instead_of_spelling_them_out(call):
    signature = str(inspect.signature(call))
    assert len(signature) < 900
    for spelt_out in ("numpy._typing", "TransformOfTimes", "datetime.date"):
        assert spelt_out not in signature
