"""What becomes savable, and under which name."""

import importlib
import os
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest
from storage_cases import identical, reload, wave

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.storage import decode, encode, register, storable
from gpforecast.storage.registry import KINDS, name_of


def there_and_back(value):
    return decode(*encode(value, "value"))


def test_every_public_model_covariance_transform_and_method_is_registered():
    for room in (gf.models, gf.covariances, gf.propagation, gf.transforms):
        for name in room.__all__:
            cls = getattr(room, name)
            value = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "fit")
            abstract = getattr(cls, "_is_protocol", False) or name == "UncertainPrediction"
            if isinstance(cls, type) and value and not abstract:
                assert name_of(cls) == name


@storable
class Pooled(LinearAR):
    """A model of the user's own, by convention: one parameter more, and one attribute."""

    def __init__(self, intercept=True, groups=()):
        super().__init__(intercept)
        self.groups = groups

    def fit(self, X, y):
        self.n_groups_ = len(self.groups)
        return super().fit(X, y)


@dataclass(frozen=True)
@storable
class Inside:
    """Decorated from the inside, with a field that its constructor does not take."""

    width: float
    area: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "area", self.width**2)


class Base:
    """Registers all that is derived from it, before the dataclass decorator comes."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        storable(cls)


@dataclass(frozen=True)
class Derived(Base):
    width: float


@dataclass(frozen=True, slots=True)
class Slotted(Base):
    """``slots=True`` makes a second class of the first."""

    width: float


@pytest.mark.parametrize("value", [Inside(3.0), Derived(2.0), Slotted(1.0)], ids=repr)
def test_a_dataclass_is_saved_by_the_fields_of_its_constructor(value):
    content, _ = encode(value, "value")
    assert content["of"] == {"width": value.width}
    assert there_and_back(value) == value


def test_an_estimator_of_ones_own_is_saved_with_what_it_learned(tmp_path):
    fc = gf.Forecaster(3, model=Pooled(groups=("a", "b"))).fit(wave())
    again = reload(fc, tmp_path)
    assert (again.model_.groups, again.model_.n_groups_) == (("a", "b"), 2)
    identical(again.predict(5), fc.predict(5))


def test_two_functions_save_what_no_convention_does():
    class Opaque:
        def __init__(self, *values):
            self.total = sum(values)

    register(Opaque, lambda o: {"total": o.total}, lambda parts: Opaque(parts["total"]))
    assert there_and_back(Opaque(1, 2)).total == 3


def test_two_classes_of_one_name_are_an_error():
    taken = type("Standardise", (), {"__module__": "gpforecast.other"})
    with pytest.raises(
        ValueError, match=r"Standardise, of gpforecast\.transforms.* and of .*other"
    ):
        storable(taken)
    assert KINDS["Standardise"].cls is gf.transforms.Standardise


COVARIANCE = """
from dataclasses import dataclass
from gpforecast.covariances import Stationary

@dataclass(frozen=True, eq=False)
class Cauchy(Stationary):
    def profile(self, s):
        return 1 / (1 + s)

    def slope(self, s):
        return -1 / (1 + s) ** 2
"""
LOAD = """
import sys, gpforecast as gf
try:
    gf.load(sys.argv[1])
except ValueError as error:
    print(error)
print("kernels" in sys.modules)
import kernels
again = gf.load(sys.argv[1])
print(again.model.covariance)
print(again.predict(3).mean.tolist())
"""


def test_a_covariance_of_ones_own_is_loaded_once_its_module_is_imported(tmp_path, monkeypatch):
    (tmp_path / "kernels.py").write_text(COVARIANCE)
    monkeypatch.syspath_prepend(tmp_path)
    cauchy = importlib.import_module("kernels").Cauchy(2.0, 1.5)
    model = gf.models.GaussianProcess(cauchy, noise_var=0.1, optimizer=None)
    fc = gf.Forecaster(2, model=model, propagation="cubature").fit(np.sin(np.arange(30.0)))
    path = str(tmp_path / "mine")
    fc.save(path)
    run = subprocess.run(
        [sys.executable, "-c", LOAD, path], env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    refusal, imported, covariance, mean_again = run.stdout.splitlines()
    assert refusal == (
        f"{path!r} cannot be restored: it needs the class Cauchy of kernels, which is not "
        "registered here; import kernels first, with the decorator gpforecast.storage.storable."
    )
    assert imported == "False"  # the file names a module, and nothing imports it
    assert covariance == "Cauchy(lengthscales=2.0, variance=1.5)"
    assert mean_again == str(fc.predict(3).mean.tolist())
