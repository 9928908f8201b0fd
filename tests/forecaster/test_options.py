"""What can be chosen, by name, by parameter or for one call; and what is said of it."""

import dataclasses
import importlib

import numpy as np
import pytest
from forecaster_cases import fitted, fixed, same, wave
from sklearn.base import clone

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.propagation import MonteCarlo, Taylor

# What can be chosen: rows, methods, seeds, lags; and what is said of it


@pytest.mark.parametrize("method", ["exact", "taylor", MonteCarlo(20, seed=0)])
def test_clipped_variances_are_warned_of_and_exact_moments_advised_to_other_methods(
    method, monkeypatch
):
    module = importlib.import_module("gpforecast.pipeline.origins")
    plain = module.propagate
    monkeypatch.setattr(
        module, "propagate", lambda *a, **k: dataclasses.replace(plain(*a, **k), n_clipped=2)
    )
    with pytest.warns(NumericalWarning, match=r"2 of 5 variances by the \w+ method") as caught:
        f = fitted(propagation=method).predict(5)
    assert ("Exact moments do not need this" in str(caught[0].message)) == (method != "exact")
    assert "2 of 5 variances" in f.notes[-1]


def test_parameters_stay_as_they_were_given_and_show_in_the_repr():
    fc = gf.Forecaster([1, 12], propagation="taylor", max_rows=50)
    assert repr(fc) == "Forecaster(lags=[1, 12], propagation='taylor', max_rows=50)"
    fc.fit(wave())
    assert fc.lags == [1, 12]
    assert fc.lags_ == (1, 12)
    assert fc.model is None


def test_max_rows_trains_on_so_many_and_says_so():
    fc = fitted(3, max_rows=20)
    assert fc.n_rows_ == 20
    (note,) = fc.notes_
    assert note.startswith("the model learned from 20 of 77 rows, chosen at random")
    assert fc.predict(3).notes == fc.notes_
    same(fc.predict(3), fitted(3, max_rows=20).predict(3))
    other = fitted(3, max_rows=20, seed=1).predict(3)
    assert not np.allclose(other.mean, fc.predict(3).mean, rtol=1e-6)
    assert fitted(3, max_rows=77).notes_ == fitted(3, max_rows=None).notes_ == ()


def test_method_can_be_chosen_for_one_call():
    fc = fitted()
    assert fc.predict(4).propagation == "auto: exact"
    f = fc.predict(4, propagation="taylor")
    assert f.propagation == "taylor"
    same(f, fitted(propagation=Taylor()).predict(4))
    assert fc.predict(4).propagation == "auto: exact"


def test_lags_auto_finds_the_season():
    season = 5
    noise = np.random.default_rng(0).standard_normal(200)
    y = noise.copy()
    for t in range(season, len(y)):
        y[t] += 0.8 * y[t - season]
    assert season not in gf.Forecaster("auto", model=fixed()).fit(noise).lags_
    fc = gf.Forecaster("auto", transforms=None, model=fixed()).fit(y)
    assert fc.lags_[0] == 1
    assert season in fc.lags_


# What a newcomer tries first: names, parameters, files and notebooks


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


@pytest.mark.parametrize(
    ("make", "meant"),
    [
        (lambda: gf.Forecaster(seasonality=12), "season_length"),
        (lambda: gf.VectorForecaster(max_row=12), "max_rows"),
        (lambda: gf.EventForecaster(12, lag=3), "lags"),
    ],
)
def test_a_name_that_is_no_parameter_is_refused_with_the_one_that_is_near(make, meant):
    with pytest.raises(
        TypeError, match=f"has no parameter .*it has lags, .* Did you mean '{meant}'"
    ):
        make()


def test_the_repr_counts_the_values_that_are_known():
    y = Y.astype(float).copy()
    y.iloc[[3, 10]] = np.nan
    assert repr(linear().fit(y)).endswith(f"# fitted to {len(y) - 2} values")


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
