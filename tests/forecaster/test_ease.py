"""What a newcomer tries first: names, parameters, files and notebooks."""

import numpy as np
import pandas as pd
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


def test_a_transform_may_be_given_by_its_name():
    named = linear(transforms=["log", "difference"]).fit(Y).predict(3).mean
    given = linear(transforms=[gf.transforms.Log(), gf.transforms.Difference()]).fit(Y)
    np.testing.assert_array_equal(named, given.predict(3).mean)
    assert linear(transforms="log").fit(Y).transforms_.warp is not None
    with pytest.raises(ValueError, match="'log', 'sqrt'"):
        gf.Forecaster(transforms="logarithm")


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


def test_a_notebook_shows_the_call_and_what_was_fitted():
    fc = linear(transforms=None)
    assert "Forecaster(lags=4, transforms=None" in fc._repr_html_()
    shown = fc.fit(Y)._repr_html_()
    head, _, folded = shown.partition("<details>")
    assert "model        LinearAR" in folded
    assert "<pre" not in head  # nothing long is open
    assert "a straight-line rule" in head
    assert "print(fc.summary())" in head


def test_modules_list_what_is_theirs_and_the_adapters_are_one():
    assert dir(gf.calendars) == sorted(gf.calendars.__all__)


def test_an_update_with_the_whole_history_says_how_to_pass_the_new_values_alone():
    y = pd.Series(np.asarray(Y), pd.date_range("2010-01", periods=len(Y), freq="MS"))
    fc = gf.Forecaster(4, model=gf.models.LinearAR(), transforms=None).fit(y[:-2])
    with pytest.raises(ValueError, match=r"new\[new\.index > fc\.history_\.index\[-1\]\]"):
        fc.update(y)
    new = y
    fc.update(new[new.index > fc.history_.index[-1]])
    assert len(fc.history_) == len(y)
    with pytest.raises(ValueError, match="must continue"):
        fc.update(y.set_axis(y.index + pd.DateOffset(years=90)))
