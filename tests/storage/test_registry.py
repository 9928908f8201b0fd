"""The registry of what can be saved."""

import gpforecast as gf
from gpforecast.pipeline.saving import KINDS


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
