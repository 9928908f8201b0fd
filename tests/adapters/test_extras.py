import importlib
import sys

import pytest

from gpforecast.common.imports import missing_extra


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
