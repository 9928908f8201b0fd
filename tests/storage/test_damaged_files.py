"""What is not a file of ours, or no longer, is refused with a sentence; a file runs no code."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from storage_cases import fixed, packed, refused, reload, same_value, signed, unpacked, wave, zipped

import gpforecast as gf
from gpforecast import models
from gpforecast.storage import archive

# What is not a file of ours, or no longer, is refused with a sentence; a file runs no code


def foreign_zip():
    stream = io.BytesIO()
    np.savez(stream, a=np.zeros(3))
    return stream.getvalue()


FOREIGN = {
    "text": b"date,value\n2024-01-01,3\n",
    "empty": b"",
    "pickle": pickle.dumps({"lags": 3}),
    "another program's arrays": foreign_zip(),
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_foreign_file_is_refused(data, tmp_path):
    refused(tmp_path, data, "must name a file that Forecaster.save wrote")


def test_file_cut_short_anywhere_is_refused(saved, tmp_path):
    for length in np.linspace(50, len(saved) - 1, 20).astype(int):
        refused(tmp_path, saved[:length], "is damaged: it ends too early")


def test_a_flipped_byte_is_refused_or_changes_nothing(saved, tmp_path):
    """Some bytes of a zip, such as dates of its members, mean nothing."""
    good = reload(gf.Forecaster(2, model=fixed()).fit(wave(8)), tmp_path)
    said = r"is damaged|must name a file"
    for i in np.random.default_rng(0).integers(0, len(saved), 300):
        data = bytearray(saved)
        data[i] ^= 0x41
        (tmp_path / "f").write_bytes(data)
        try:
            same_value(vars(gf.load(tmp_path / "f")), vars(good))
        except ValueError:
            refused(tmp_path, data, said)


def test_edited_array_is_refused_though_the_zip_is_sound(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith("weights.npy"))
    stream = io.BytesIO()
    np.save(stream, np.load(io.BytesIO(members[name])) + 1e-9)
    refused(tmp_path, packed({**members, name: stream.getvalue()}), "does not match its checksum")


def test_added_swapped_and_missing_members_are_refused(saved, tmp_path):
    members = unpacked(saved)
    first, second = [n for n in members if n.endswith(".npy")][:2]
    swapped = {**members, first: members[second], second: members[first]}
    fewer = {n: data for n, data in members.items() if n != first}
    for changed in ({**members, "more.npy": members[first]}, swapped, fewer):
        refused(tmp_path, packed(changed), "does not match its checksum")


def test_members_that_share_their_bytes_are_refused_before_they_are_read(saved, tmp_path):
    compressed = zipped(unpacked(saved) | {"zeros.npy": bytes(10**6)}, zipfile.ZIP_DEFLATED)
    refused(tmp_path, compressed, "is damaged")


def array_file(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def test_an_array_whose_shape_does_not_fit_its_bytes_is_refused(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    forged = [members[name] + b"\0" * 8, members[name][:-1]]
    for shape in ((True,), (-1, -1), (2**32, 2**32), (10**9, 10**9)):
        claimed = {"descr": "<f8", "fortran_order": False, "shape": shape}
        written = array_file(lambda s, c=claimed: np.lib.format.write_array_header_1_0(s, c))
        forged.append(written + bytes(8))
    for data in forged:
        refused(tmp_path, signed({**members, name: data}), "is not an array of numbers")


@pytest.mark.parametrize("version", [1, archive.VERSION + 1])
def test_file_of_another_format_says_what_to_do(saved, tmp_path, version):
    age = "an older" if version == 1 else "a newer"
    said = f"written by {age} gpforecast: .*version {version}.* fit and save again"
    refused(tmp_path, signed(unpacked(saved), version=version), said)


class Trap:
    """Runs code when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickle_inside_is_not_executed(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    trap = np.array([Trap(tmp_path / "sprung")], dtype=object)
    pickled = array_file(lambda stream: np.save(stream, trap, allow_pickle=True))
    np.load(io.BytesIO(pickled), allow_pickle=True)
    assert (tmp_path / "sprung").exists()  # the trap works
    (tmp_path / "sprung").unlink()
    refused(tmp_path, signed({**members, name: pickled}), "is not an array of numbers")
    assert not (tmp_path / "sprung").exists()


def test_content_only_makes_what_the_registry_knows(saved, tmp_path):
    members = unpacked(saved)
    freq = {"is": "pandas:Timestamp", "of": {"n": 1, "normalize": False}}
    state = {"is": "dict", "of": {"0": {"is": "tuple", "of": {"0": "bit_generator", "1": "seed"}}}}
    contents = [
        {"is": "subprocess:Popen", "of": {"args": "true"}},
        {"is": ["Posterior"], "of": {}},
        {"is": "Popen", "of": {"args": "true"}},
        {"is": "Forecaster", "of": {"lags": 0}},
        {"is": "Forecaster", "of": {"lags": 2, "model": {"is": "Posterior", "of": {"no": 1}}}},
        {"is": "Generator", "of": {"state": state}},
        {"is": "Forecaster", "of": {"lags": 2, "seed": freq}},
        {"is": "Forecaster", "of": {"lags": {"array": "none"}}},
        {"is": "Forecaster"},
        {"is": "Standardise", "of": {"location": 0.0, "scale": -1.0}},
    ]  # fmt: skip
    for content in contents:
        refused(tmp_path, signed(members, content=content), "cannot be restored")
    other = {"is": "Standardise", "of": {"location": 0.0, "scale": 1.0}}
    for content in (other, 3, [1]):
        alone = {"gpforecast.json": members["gpforecast.json"]}
        refused(tmp_path, signed(alone, content=content), "must hold a Forecaster; got")


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("pandas.Series", {"data": 1.0, "index": {"is": "pandas.RangeIndex", "of": {
            "start": 0, "stop": 10**9, "step": 1, "name": None}}, "name": None}),
        ("pandas.PeriodIndex", {"ordinals": [1, 2], "freq": "M", "name": None}),
        ("range", {"0": 0, "1": 10**9, "2": 1}),
    ],
)  # fmt: skip
def test_what_is_longer_than_the_file_is_refused(saved, tmp_path, kind, parts):
    content = {"is": "Forecaster", "of": {"lags": 2, "model": {"is": kind, "of": parts}}}
    alone = {"gpforecast.json": unpacked(saved)["gpforecast.json"]}
    said = "cannot be restored: (data must be an array|ordinals must be an array|it holds a range)"
    refused(tmp_path, signed(alone, content=content), said)


def test_a_setting_that_is_unknown_or_missing_is_refused(saved, tmp_path):
    members = unpacked(saved)
    for name, said in (("foo", "has no setting 'foo'"), (None, "lacks its setting 'seed'")):
        content = json.loads(members["gpforecast.json"])["content"]
        if name:
            content["of"][name] = 1
        else:
            del content["of"]["seed"]
        refused(tmp_path, signed(members, content=content), f"Forecaster {said}")


# A file that was signed anew, with arrays that do not fit together, is refused


WAVE = np.sin(np.arange(60) / 3.0) + 0.1 * np.random.default_rng(0).standard_normal(60)
FORECASTERS = {
    "gp": {"model": models.GaussianProcess(), "exog_lags": [0]},
    "sparse": {"model": models.SparseGaussianProcess(n_inducing=5)},
    "machine": {"model": models.RelevanceVectorMachine()},
    "neighbours": {"model": models.NearestNeighbours()},
    "linear": {"model": models.BayesianAR(), "calibrate": "conformal"},
    "averaged": {"model": models.AveragedGP(n_draws=2, n_warmup=2)},
    "direct": {"model": models.LinearAR(), "strategy": "direct", "max_horizon": 2},
}
COMPUTED_WITH = (
    "rows.",
    "exog.",
    "covariance",
    "posterior_",
    "predictive_",
    "ensemble",
    "correlation",
    "values",
)
FINITE = ("rows.", "exog.location", "exog.scale", "covariance")


@pytest.fixture(params=FORECASTERS.values(), ids=FORECASTERS)
def written(request, tmp_path):
    exog = np.cos(np.arange(60))
    fc = gf.Forecaster(lags=3, transforms=None, **request.param).fit(WAVE, exog=exog)
    fc.save(tmp_path / "good")
    return tmp_path, *archive.read(tmp_path / "good")


def test_an_array_of_another_length_is_refused(written):
    folder, content, arrays = written
    names = [k for k in arrays if any(part in k for part in COMPUTED_WITH)]
    assert len(names) > 5
    for name in names:
        if arrays[name].size and arrays[name].ndim:
            archive.write(folder / "forged", content, arrays | {name: arrays[name][:-1]})
            with pytest.raises(
                ValueError, match=r"cannot be restored: .* (must be|but the inputs)"
            ):
                gf.load(folder / "forged")


def test_what_was_learned_and_learned_from_holds_no_nan(written):
    folder, content, arrays = written
    names = [k for k in arrays if any(part in k for part in FINITE) and arrays[k].dtype.kind == "f"]
    assert len(names) > 3
    for name in names:
        archive.write(folder / "forged", content, arrays | {name: arrays[name] * np.nan})
        with pytest.raises(ValueError, match=r"cannot be restored: .*(must be|\(NaN\))"):
            gf.load(folder / "forged")
