"""A file makes nothing but what the registry knows, and runs no code."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from storage_cases import refused, signed, unpacked

from gpforecast.storage import archive


class Trap:
    """Runs code when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickle_inside_is_not_executed(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    stream = io.BytesIO()
    np.save(stream, np.array([Trap(tmp_path / "sprung")], dtype=object), allow_pickle=True)
    np.load(io.BytesIO(stream.getvalue()), allow_pickle=True)
    assert (tmp_path / "sprung").exists()  # the trap works
    (tmp_path / "sprung").unlink()
    data = signed({**members, name: stream.getvalue()})
    refused(tmp_path, data, "is not an array of numbers")
    assert not (tmp_path / "sprung").exists()


def test_object_arrays_are_not_written(tmp_path):
    with pytest.raises(TypeError, match="x must hold bools or numbers"):
        archive.write(tmp_path / "f", None, {"x": np.array([Trap(tmp_path / "sprung")])})
    assert list(tmp_path.iterdir()) == []


def test_array_of_dates_or_of_absurd_size_is_refused(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    dates, absurd = io.BytesIO(), io.BytesIO()
    np.save(dates, np.array(["2024-01-01"], dtype="M8[D]"))
    np.lib.format.write_array_header_1_0(
        absurd, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    )
    for array in (dates, absurd):
        refused(tmp_path, signed({**members, name: array.getvalue()}), "not an array of numbers")


def test_content_only_makes_what_the_registry_knows(saved, tmp_path):
    members = unpacked(saved)
    contents = [
        {"is": "subprocess:Popen", "of": {"args": "true"}},
        {"is": "tests:Own", "of": {}},
        {"is": ["Posterior"], "of": {}},
        {"is": "Popen", "of": {"args": "true"}},
        {"is": "Forecaster", "of": {"lags": 0}},
        {"is": "Forecaster", "of": {"lags": 2, "model": {"is": "Posterior", "of": {"no": 1}}}},
        {"is": "Forecaster", "of": {"lags": {"array": "none"}}},
        {"is": "Forecaster"},
        {"is": "Standardise", "of": {"location": 0.0, "scale": -1.0}},
    ]
    for content in contents:
        refused(tmp_path, signed(members, content=content), "cannot be restored")
    other = {"is": "Standardise", "of": {"location": 0.0, "scale": 1.0}}
    for content in (other, 3, [1]):
        alone = {"gpforecast.json": members["gpforecast.json"]}
        refused(tmp_path, signed(alone, content=content), "must hold a Forecaster; got")


def test_generators_of_other_names_are_not_looked_up(saved, tmp_path):
    entry = {"is": "tuple", "of": {"0": "bit_generator", "1": "seed"}}
    state = {"is": "dict", "of": {"0": entry}}
    seed = {"is": "Generator", "of": {"state": state}}
    content = {"is": "Forecaster", "of": {"lags": 2, "seed": seed}}
    refused(tmp_path, signed(unpacked(saved), content=content), "random generator seed")


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("pandas.Series", {"data": 1.0, "index": {"is": "pandas.RangeIndex", "of": {
            "start": 0, "stop": 10**9, "step": 1, "name": None}}, "name": None}),
        ("pandas.DataFrame", {"data": 1.0, "index": [0], "columns": ["a"]}),
        ("pandas.Index", {"data": {"is": "range", "of": {"0": 0, "1": 9, "2": 1}},
            "dtype": "float64", "name": None}),
        ("pandas.PeriodIndex", {"ordinals": [1, 2], "freq": "M", "name": None}),
        ("range", {"0": 0, "1": 10**9, "2": 1}),
    ],
)  # fmt: skip
def test_what_is_longer_than_the_file_is_refused(saved, tmp_path, kind, parts):
    content = {"is": "Forecaster", "of": {"lags": 2, "model": {"is": kind, "of": parts}}}
    alone = {"gpforecast.json": unpacked(saved)["gpforecast.json"]}
    said = "cannot be restored: (data must be an array|ordinals must be an array|it holds a range)"
    refused(tmp_path, signed(alone, content=content), said)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("prior_var", [None, "x", [], True, 10**30]),
        ("added", ["x", -1, 1.5, True, []]),
        ("calibration", ["x", 1.5, True, []]),
        ("leads", ["x", -1, []]),
        ("warp", ["x", 1]),
        ("history", [None, 1.5, "x"]),
        ("max_rows", [1.5, []]),
        ("strategy", [None, 1]),
        ("n_restarts", [None, 1.5, "x", True]),
        ("max_iter", [None, "x", 10**30]),
    ],
)
def test_settings_of_another_type_than_is_declared_are_refused(saved, tmp_path, field, values):
    members = unpacked(saved)
    content = json.loads(members["gpforecast.json"])["content"]

    def owners(node):
        if isinstance(node, dict):
            yield from [node] if field in node else []
            for part in node.values():
                yield from owners(part)

    owner = next(owners(content))
    for value in values:
        owner[field] = value
        forged = signed(members, content=content)
        refused(tmp_path, forged, f"cannot be restored: {field} of [A-Z][A-Za-z]* must be of type")


def test_frequencies_of_other_names_are_not_looked_up(saved, tmp_path):
    for name in ("np", "__name__", "Popen", "pandas.np", "pandas:Timestamp"):
        freq = {"is": name, "of": {"n": 1, "normalize": False}}
        index = {"is": "pandas.TimedeltaIndex", "of": {"times": {"array": "x"}, "unit": "s",
                 "freq": freq, "name": None}}  # fmt: skip
        members = {**unpacked(saved)}
        stream = io.BytesIO()
        np.save(stream, np.arange(3))
        members["x.npy"] = stream.getvalue()
        content = {"is": "Forecaster", "of": {"lags": 2, "history_": index}}
        refused(tmp_path, signed(members, content=content), "cannot be restored")
