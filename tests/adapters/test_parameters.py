"""The constructors of the faces are those of the classes behind them."""

import importlib
from inspect import getdoc, signature

import pytest

import gpforecast as gf
from gpforecast.models import SparseGaussianProcess

# Face, the class behind it, the parameters of the class that the face leaves out, and its own.
FACES = [
    ("sklearn", "GPRegressor", gf.models.GaussianProcess, {"seed"}, {"normalize_y": True}),
    ("sklearn", "SparseGPRegressor", SparseGaussianProcess, {"seed"}, {"normalize_y": True}),
    ("sklearn", "RVMRegressor", gf.models.RelevanceVectorMachine, set(), {"normalize_y": True}),
    ("sktime", "GPForecaster", gf.Forecaster, set(), {}),
    ("statsforecast", "GPForecaster", gf.Forecaster, set(), {"alias": "GPForecaster"}),
]


@pytest.fixture(params=FACES, ids=lambda row: ".".join(row[:2]))
def row(request):
    library, name, *rest = request.param
    pytest.importorskip(library)
    return getattr(importlib.import_module(f"gpforecast.adapters.{library}"), name), *rest


def test_a_face_has_the_parameters_and_defaults_of_the_class_behind_it(row):
    face, source, without, own = row
    kept = {n: p.default for n, p in signature(source).parameters.items() if n not in without}
    got = {name: p.default for name, p in signature(face).parameters.items()}
    assert {name: got[name] for name in kept} == kept
    assert {name: got[name] for name in own} == own
    assert not without & got.keys()
    unused = got.keys() - kept.keys() - own.keys()
    assert unused <= {"random_state", "prediction_intervals"}
    assert {name: vars(face())[name] for name in got} == got


def test_a_face_describes_every_parameter_once_and_in_the_words_of_the_class_behind_it(row):
    face, source, without, _ = row
    text, words = getdoc(face), getdoc(source)
    assert "{parameters}" not in text
    for name in signature(face).parameters:
        (line,) = [line for line in text.splitlines() if line.startswith(f"{name} : ")]
        if name in signature(source).parameters:
            assert f"\n{line}\n" in words
    for name in without:
        assert f"\n{name} : " not in text
