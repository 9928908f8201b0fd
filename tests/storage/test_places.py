"""Where a file goes, and that a failed save loses nothing."""

import errno
import os
import stat
from pathlib import Path

import pytest
from storage_cases import Homemade, fitted

import gpforecast as gf


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"nowhere/f.* not be written: .* Create its folder"
    ):
        gf.Forecaster(2).save(tmp_path / "nowhere" / "f")
    with pytest.raises(FileNotFoundError, match=r"there is no .*nowhere'\. Check the spelling"):
        gf.load(tmp_path / "nowhere")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_file_has_the_usual_permissions_and_a_link_stays_a_link(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "link").symlink_to(tmp_path / "f")
    gf.Forecaster(2).save(tmp_path / "link")
    usual = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == usual
    assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and pipes")
def test_permissions_of_an_older_file_are_kept_and_a_pipe_is_refused(tmp_path):
    gf.Forecaster(2).save(tmp_path / "f")
    (tmp_path / "f").chmod(0o600)
    gf.Forecaster(3).save(tmp_path / "f")
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"must name a regular file.*a device, pipe or socket"):
        gf.Forecaster(2).save(tmp_path / "pipe")
    for use in (gf.Forecaster(2).save, gf.load, gf.Forecaster.load):
        for path in (tmp_path / "pipe", "/dev/null"):
            with pytest.raises(ValueError, match=r"must name a regular file.*a device, pipe or so"):
                use(path)


@pytest.mark.parametrize("broken", [(os, "fsync"), (Path, "replace")], ids=lambda b: b[1])
def test_failed_save_keeps_the_older_file_and_leaves_no_litter(broken, tmp_path, monkeypatch):
    gf.Forecaster(2).save(tmp_path / "f")

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*broken, full)
        with pytest.raises(OSError, match=r"/f' could not be written: No space left") as caught:
            fitted().save(tmp_path / "f")
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(TypeError):
        gf.Forecaster(3, model=Homemade()).save(tmp_path / "f")
    assert gf.load(tmp_path / "f").lags == 2
    assert len(list(tmp_path.iterdir())) == 1
