"""What is not a file of ours, or no longer, is refused with a sentence."""

import copy
import io
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from storage_cases import packed, refused, signed, unpacked, zipped

import gpforecast as gf
from gpforecast.storage import archive, container


def foreign_zip():
    stream = io.BytesIO()
    np.savez(stream, a=np.zeros(3))
    return stream.getvalue()


FOREIGN = {
    "text": b"date,value\n2024-01-01,3\n",
    "empty": b"",
    "pickle": pickle.dumps({"lags": 3}),
    "another program's arrays": foreign_zip(),
    "noise": np.random.default_rng(0).bytes(500),
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_foreign_file_is_refused(data, tmp_path):
    refused(tmp_path, data, "must name a file that Forecaster.save wrote")


def test_file_cut_short_anywhere_is_refused(saved, tmp_path):
    for length in np.linspace(50, len(saved) - 1, 40).astype(int):
        refused(tmp_path, saved[:length], "is damaged: it ends too early")


def test_flipped_byte_anywhere_is_refused(saved, tmp_path):
    tail = len(saved) - 100  # the zip's directory, where a flip moves whole members
    positions = [*np.random.default_rng(0).integers(0, tail, 600), *range(tail, len(saved))]
    masks = (0x01, 0x41, 0x80)
    for i in positions:
        data = bytearray(saved)
        data[i] ^= masks[i % 3]
        refused(tmp_path, data, "damaged|must name a file")


def test_members_of_four_gigabytes_say_their_size_behind_their_name():
    """The container of a small member, made as if it were so large."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ("a", "long name"):
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(name.encode() * 3)
    data = bytearray(stream.getvalue())
    for start in (data.find(b"PK\x03\x04"), data.rfind(b"PK\x03\x04")):
        data[start + 18 : start + 26] = b"\xff" * 8  # both sizes are elsewhere
    members = container.unpacked(bytes(data))
    assert {name: bytes(one) for name, one in members.items()} == {
        "a": b"aaa",
        "long name": b"long name" * 3,
    }


def reload_bytes(data, tmp_path):
    (tmp_path / "f").write_bytes(data)
    return gf.load(tmp_path / "f")


def test_edited_array_is_refused_though_the_zip_is_sound(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith("weights.npy"))
    stream = io.BytesIO()
    np.save(stream, np.load(io.BytesIO(members[name])) + 1e-9)
    refused(tmp_path, packed({**members, name: stream.getvalue()}), "does not match its checksum")


def test_edited_settings_are_refused(saved, tmp_path):
    members = unpacked(saved)
    edited = members["gpforecast.json"].replace(b'"lags": 2', b'"lags": 3')
    assert edited != members["gpforecast.json"]
    refused(tmp_path, packed({**members, "gpforecast.json": edited}), "does not match its checksum")


def test_added_swapped_renamed_and_missing_members_are_refused(saved, tmp_path):
    members = unpacked(saved)
    first, second = [n for n in members if n.endswith(".npy")][:2]
    swapped = {**members, first: members[second], second: members[first]}
    fewer = {n: data for n, data in members.items() if n != first}
    renamed = {n.replace(".chol.", ".chok."): data for n, data in members.items()}
    assert list(renamed) != list(members)
    for changed in ({**members, "more.npy": members[first]}, swapped, renamed, fewer):
        refused(tmp_path, packed(changed), "does not match its checksum")
    headless = saved[:200] + packed({n: d for n, d in members.items() if n != "gpforecast.json"})
    refused(tmp_path, headless, "damaged: it ends too early, was packed anew")


def test_an_archive_before_or_after_another_is_refused(saved, tmp_path):
    other = packed(unpacked(saved))
    refused(tmp_path, saved + other, "damaged: it ends too early, was packed anew")
    refused(tmp_path, b"PK" + saved, "must name a file that Forecaster.save wrote")


def test_members_that_share_their_bytes_are_refused_before_they_are_read(saved, tmp_path):
    stream = io.BytesIO(saved)
    with zipfile.ZipFile(stream, "a") as archive_:
        biggest = max(archive_.infolist(), key=lambda entry: entry.file_size)
        for i in range(1000):
            again = copy.copy(biggest)
            again.filename = f"again{i}.npy"
            archive_.filelist.append(again)
            archive_.NameToInfo[again.filename] = again
        archive_.writestr("last.npy", b"")
    refused(tmp_path, stream.getvalue(), "damaged: it ends too early, was packed anew")


@pytest.mark.parametrize("twice", [b'"format": "gpforecast", ', b'"version": 2, '])
def test_a_name_that_occurs_twice_is_refused(saved, tmp_path, twice):
    members = unpacked(saved)
    header = members["gpforecast.json"].replace(b"{", b"{" + twice, 1)
    refused(tmp_path, packed({**members, "gpforecast.json": header}), "cannot be read")


def test_what_nothing_names_and_what_no_json_has_are_refused(saved, tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.zeros(3))
    more = signed({**unpacked(saved), "more.npy": stream.getvalue()})
    refused(tmp_path, more, "holds 'more', which nothing in it names")
    members = unpacked(saved)
    header = members["gpforecast.json"].replace(b'"lags": 2', b'"lags": NaN')
    refused(tmp_path, packed({**members, "gpforecast.json": header}), "cannot be read")


@pytest.mark.parametrize("depth", [400, 5000])
def test_deep_nesting_is_refused(saved, tmp_path, depth):
    members = unpacked(saved)
    deep = b"[" * depth + b"]" * depth
    header = members["gpforecast.json"].replace(b'"lags": 2', b'"lags": ' + deep)
    refused(tmp_path, packed({**members, "gpforecast.json": header}), "damaged")


def test_file_packed_anew_is_refused(saved, tmp_path):
    members = unpacked(saved)
    refused(tmp_path, zipped(dict(reversed(members.items()))), "must name a file that")
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refused(tmp_path, zipped(members, compression), "packed anew")


def test_what_follows_the_archive_is_refused(saved, tmp_path):
    stream = io.BytesIO(saved)
    with zipfile.ZipFile(stream, "a") as commented:
        commented.comment = b"hello"
    for changed in (saved + b"junk", saved + b"\0", stream.getvalue()):
        refused(tmp_path, changed, "is damaged: it ends too early, was packed anew")


def test_signed_additions_to_the_header_and_to_an_array_are_refused(saved, tmp_path):
    members = unpacked(saved)
    refused(tmp_path, signed(members, note="hello"), "cannot be read as one that save wrote")
    name = next(n for n in members if n.endswith(".npy"))
    for more in (members[name] + b"\0" * 8, members[name][:-1]):
        refused(tmp_path, signed({**members, name: more}), "is not an array of numbers")


def test_a_shape_that_is_no_integer_is_refused(saved, tmp_path):
    members = unpacked(saved)
    name = next(n for n in members if n.endswith(".npy"))
    for shape in ((True,), (-1, -1), (-1,), (2**32, 2**32)):
        stream = io.BytesIO()
        claimed = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(stream, claimed)
        forged = signed({**members, name: stream.getvalue() + bytes(8)})
        refused(tmp_path, forged, "is not an array of numbers")


def test_files_of_other_systems_and_members_of_gigabytes_are_read(saved, tmp_path, monkeypatch):
    members = unpacked(saved)
    assert container.packed(members) == saved
    assert reload_bytes(container.packed(members, system=0), tmp_path).lags == 2
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)  # sizes follow the names
    enormous = container.packed(members)
    assert enormous != saved
    assert reload_bytes(enormous, tmp_path).lags == 2


def test_settings_without_bound_are_neither_read_nor_written(saved, tmp_path):
    lists = [{}] * (container.MOST_TEXT // 4)
    with pytest.raises(ValueError, match="settings and names must take at most 2097152 bytes"):
        archive.write(tmp_path / "g", lists, {})
    assert not (tmp_path / "g").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container, "MOST_TEXT", 10**9)
        data = signed(unpacked(saved), x=lists)
    refused(tmp_path, data, "is damaged")


FORGED = """
import resource, sys
import gpforecast as gf
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    gf.load(sys.argv[1])
except ValueError as error:
    assert "damaged" in str(error), error
else:
    raise AssertionError
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes there")
@pytest.mark.parametrize("piece", ["{}", "[]", "1.5"])
def test_memory_of_a_header_of_21_megabytes_is_bounded(saved, tmp_path, piece):
    members = unpacked(saved)
    long = b'"x": [' + b", ".join([piece.encode()] * (21_000_000 // (len(piece) + 2))) + b"]}"
    header = members["gpforecast.json"][:-1] + b", " + long
    (tmp_path / "f").write_bytes(zipped({**members, "gpforecast.json": header}))
    command = [sys.executable, "-c", FORGED, str(tmp_path / "f")]
    used = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(used) * 1024 < 3 * (tmp_path / "f").stat().st_size


def test_file_of_a_newer_format_says_so(saved, tmp_path):
    data = signed(unpacked(saved), version=archive.VERSION + 1)
    refused(
        tmp_path, data, "written by a newer gpforecast: .*version 3.* reads version 2.*Load it with"
    )
    stranger = packed({"gpforecast.json": b'{"format": "gpforecast", "version": 9, "content": 0}'})
    refused(tmp_path, stranger, "newer gpforecast")


def test_file_of_an_older_format_says_what_to_do(saved, tmp_path):
    data = signed(unpacked(saved), version=1)
    refused(tmp_path, data, "written by an older gpforecast: .*version 1.* fit and save again")


@pytest.mark.parametrize(
    "header",
    [b"{", b"[1]", b'{"format": "x"}', b'{"format": "gpforecast", "version": "2", "content": 1}',
     b'{"format": "gpforecast", "version": 1}', b"\xff", b"[" * 100_000],
)  # fmt: skip
def test_unreadable_json_is_refused(header, tmp_path):
    refused(tmp_path, packed({"gpforecast.json": header}), "gpforecast.json cannot be read")
