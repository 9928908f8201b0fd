"""A panel that was stopped goes on from its folder, and ends as one that was not."""

import os
import signal
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.panel.parts import Parts

CHEAP = gf.Forecaster(
    2, transforms=None, model=gf.models.LinearAR(), noise="process", support=None, outliers=None
)

HONEST = gf.Forecaster.fit


def table(n=24, length=20):
    rng = np.random.default_rng(0)
    y = rng.standard_normal(n * length)
    y[: 2 * length : 7] = np.nan  # a note of each of the first two
    y[5 * length : 6 * length] = np.inf  # a failure
    days = pd.date_range("2026-01-01", periods=length, tz="Europe/Berlin")
    return pd.DataFrame({"unique_id": np.repeat(np.arange(n), length), "ds": [*days] * n, "y": y})


def forecast(frame, folder=None, **options):
    given = {"forecaster": CHEAP, "n_jobs": 1, "levels": [80], **options}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "1 of .* could not be forecast")
        return gf.forecast_panel(frame, 2, resume=folder, **given)


def same(one, other):
    for name in ("frame", "failures", "notes"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)


@pytest.fixture(scope="module")
def whole():
    return forecast(table())


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr("gpforecast.panel.parts._SERIES", 10)


@pytest.fixture
def fits(monkeypatch):
    """The fits of this process, one number each."""
    done, honest = [], gf.Forecaster.fit

    def fit(self, *given):
        done.append(len(done))
        return honest(self, *given)

    monkeypatch.setattr(gf.Forecaster, "fit", fit)
    return done


def stopped_at(n):
    """`Parts.add` of a panel that the keyboard interrupts when so many series are finished."""
    add = Parts.add

    def added(self, position, outcome):
        add(self, position, outcome)
        if len(self.outcomes) == n:
            raise KeyboardInterrupt

    return added


def test_a_panel_that_was_interrupted_goes_on_and_ends_the_same(tmp_path, whole, fits, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "add", stopped_at(14))
        with pytest.raises(KeyboardInterrupt):
            forecast(table(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part-0000", "part-0001"]
    fits.clear()
    same(forecast(table(), tmp_path), whole)
    assert len(fits) == 10


def test_a_common_model_goes_on_from_its_folder(tmp_path, monkeypatch):
    frame = table(6, 30)
    frame["y"] = np.random.default_rng(1).standard_normal(len(frame))
    expected = forecast(frame, mode="global")
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "add", stopped_at(4))
        with pytest.raises(KeyboardInterrupt):
            forecast(frame, tmp_path, mode="global")
    same(forecast(frame, tmp_path, mode="global"), expected)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"frame": table(4)}, "frame. Pass what"),
        ({"frame": table(3).fillna(5.0)}, "frame. Pass what"),
        ({"mode": "global"}, "mode. Pass what"),
        ({"forecaster": replace(CHEAP, lags=3)}, "forecaster. Pass what"),
        ({"seed": 1, "levels": [50]}, "forecaster and levels. Pass what"),
    ],
)
def test_a_folder_of_another_call_is_refused_and_says_why(change, what, tmp_path, fits):
    forecast(table(3), tmp_path)
    forecast(table(3), tmp_path, n_jobs=2, progress=False)  # which change nothing
    before, change = len(fits), {**change}
    frame = change.pop("frame", table(3))
    with pytest.raises(ValueError, match=f"the call that made .* differs in {what}"):
        forecast(frame, tmp_path, **change)
    assert len(fits) == before


@pytest.mark.parametrize("n", [0, 3])
def test_an_interrupt_within_any_series_keeps_those_before_it_and_says_so(
    n, tmp_path, monkeypatch, fits
):
    def interrupted(self, *given):
        if len(fits) == n:
            raise KeyboardInterrupt
        fits.append(n)
        return honest(self, *given)

    frame, honest = table(5), HONEST
    expected = forecast(frame)
    fits.clear()
    monkeypatch.setattr("gpforecast.panel.parts._SECONDS", 1e9)  # nothing is written in between
    with monkeypatch.context() as patch:
        patch.setattr(gf.Forecaster, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt) as stopped:
            forecast(frame, tmp_path)
    said = f"{n} of 5 series are finished and kept in {str(tmp_path)!r}; the same call goes on"
    assert stopped.value.__notes__[0].startswith(said)
    fits.clear()
    same(forecast(frame, tmp_path), expected)
    assert len(fits) == 5 - n


def test_a_damaged_part_is_named_and_without_it_its_series_are_forecast_again(
    tmp_path, whole, fits
):
    forecast(table(), tmp_path)
    part = tmp_path / "part-0001"
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    fits.clear()
    with pytest.raises(ValueError, match="Or delete 'part-0001', and its series are"):
        forecast(table(), tmp_path)
    part.unlink()
    same(forecast(table(), tmp_path), whole)
    assert len(fits) == 10


def test_what_is_no_folder_of_parts_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="which holds 'notes"):
        forecast(table(3), tmp_path)
    with pytest.raises(OSError, match="resume must name a folder that can be made"):
        forecast(table(3), tmp_path / "notes.txt" / "below")
    with pytest.raises(ValueError, match="resume keeps tables only"):
        forecast(table(3), tmp_path / "new", keep=True)


def test_a_full_disk_costs_the_folder_and_not_the_forecasts(tmp_path, whole, monkeypatch):
    def full(file):
        raise OSError("No space left on device")

    monkeypatch.setattr("gpforecast.panel.parts._SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.warns(RuntimeWarning, match="could not be written to .*No space left"):
            same(forecast(table(), tmp_path), whole)
    assert list(tmp_path.iterdir()) == []


STOPPED = """
import sys
from gpforecast.panel import parts, workers
from panel.test_resume import forecast, table

if __name__ == "__main__":
    parts._SERIES, parts._SECONDS, parts._SHARE = 10, 0.0, 0.0
    workers._WORTH_WORKERS, workers._CHUNK_SECONDS = 0.0, 0.01
    write = parts.Parts._write

    def told(self):
        write(self)
        print(len(self.outcomes), flush=True)

    parts.Parts._write = told
    forecast(table(), sys.argv[1], n_jobs=2)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_that_is_killed_leaves_what_was_finished(tmp_path, whole, fits):
    script, folder = tmp_path / "stopped.py", tmp_path / "parts"
    script.write_text(STOPPED)
    here = Path(__file__).parents[1]
    paths = [str(here), str(here.parent), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while int(process.stdout.readline() or 999) < 12:
        pass
    os.killpg(process.pid, signal.SIGKILL)  # it and its workers
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    same(forecast(table(), folder), whole)
    assert len(fits) <= 12
