"""The bytes of a file that was saved."""

import pytest
from storage_cases import fixed, wave

import gpforecast as gf


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a small file, with a fitted model in it."""
    path = tmp_path_factory.mktemp("saved") / "f"
    gf.Forecaster(2, model=fixed()).fit(wave(8)).save(path)
    return path.read_bytes()
