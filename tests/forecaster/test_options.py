"""What can be chosen: rows, methods, seeds, lags; and what is said of it."""

import dataclasses
import importlib

import numpy as np
import pytest
from forecaster_cases import fitted, fixed, same, wave

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.propagation import MonteCarlo, Taylor


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
