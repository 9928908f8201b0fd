"""The constructors of the faces, and libraries that are missing."""

import importlib
import sys
from inspect import getdoc, signature

import pytest

import gpforecast as gf
from gpforecast.common.imports import missing_extra
from gpforecast.models import SparseGaussianProcess

# The constructors of the faces are those of the classes behind them


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


@pytest.mark.parametrize(
    ("library", "packages"),
    [("sklearn", "scikit-learn"), ("sktime", "sktime skpro"), ("statsforecast", "statsforecast")],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    library, packages, monkeypatch
):
    for name in [library, *sys.modules]:
        if name.split(".")[0] == library:
            monkeypatch.setitem(sys.modules, name, None)  # cannot be imported
    adapter = f"gpforecast.adapters.{library}"
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    with pytest.raises(ImportError) as caught:
        importlib.import_module(adapter)
    assert str(caught.value) == f"{adapter} needs {library}: pip install {packages}."


def test_a_library_that_misses_something_of_its_own_keeps_its_error():
    error = ModuleNotFoundError("No module named 'x'", name="x")
    assert missing_extra("gpforecast.adapters.sktime", "sktime", error) is error
