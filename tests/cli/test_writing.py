"""What is written, what is never overwritten, and what is refused before the work."""

import io
import os
import sys
from pathlib import Path

import pytest
from cli_cases import refused, run, whole_run

from gpforecast.cli.writing import check_writable, safe_label

WORDS = ["--horizon", 2, "--lags", 2]


@pytest.fixture
def _no_work(monkeypatch):
    monkeypatch.setattr(
        "gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it has begun to work")
    )


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("link", [os.link, os.symlink, None])
def test_the_file_that_is_read_is_never_written(link, data, capsys, tmp_path, monkeypatch):
    path, _ = data
    before = path.read_bytes()
    if link is not None:
        link(path, tmp_path / "link.csv")
    target = path if link is None else tmp_path / "link.csv"
    words = [*WORDS, "--output", target, "--force"]
    assert "it is the file that is read" in refused(capsys, "forecast", path, *words)
    with path.open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert "it is the file that is read" in refused(capsys, "forecast", "-", *words)
        check_writable(tmp_path / "other.csv", source="-")
    assert path.read_bytes() == before


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["forecast", "FILE", "--output", "x.png", "--plot", "x.png"], "x.png twice; name two"),
        (["forecast", "FILE", "--output", "out.html"], "it exists; name another file, or pass --f"),
        (["backtest", "FILE", "--output", "out.html"], "--force"),
        (["report", "FILE"], "--force"),
        (["report", "-"], "--output must name the page"),
        (["forecast", "FILE", "--output", "no/such/out.csv"], "there is no folder"),
        (["backtest", "FILE", "--plot", "no/out.png"], "there is no folder"),
        (["forecast", "FILE", "--output", "."], "it is a folder"),
        (["forecast", "FILE", "--plot", "out.xyz"], "its name must end in one of"),
        (["forecast", "FILE", "--plot", "out"], "its name must end in one of"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(
    words, message, data, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("out.html", "sales.html"):
        Path(name).write_text("mine")
    words = [str(data[0]) if word == "FILE" else word for word in words]
    assert message in refused(capsys, *words, "--horizon", 2)
    assert Path("out.html").read_text() == Path("sales.html").read_text() == "mine"
    assert not Path("x.png").exists()


def test_the_files_of_the_demo_are_not_overwritten(capsys, tmp_path):
    (tmp_path / "forecast.csv").write_text("mine")
    assert "--force" in refused(capsys, "demo", "--output", tmp_path)


def test_force_replaces_a_file_and_a_device_needs_none(data, capsys, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("mine")
    words = ["forecast", data[0], *WORDS]
    code, table, _ = run(capsys, *words)
    assert run(capsys, *words, "--output", out, "--force")[0] == code == 0
    assert out.read_text() == table
    check_writable(Path(os.devnull))


def test_the_header_of_a_table_is_no_formula(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = (f"2019-01-{i:02d},{i % 3}" for i in range(1, 25))
    path.write_text("\n".join(['=HYPERLINK("x"),units', *rows]))
    _, out, _ = run(capsys, "forecast", path, *WORDS)
    assert out.startswith('"\'=HYPERLINK(""x"")",mean,std')
    assert [safe_label(s) for s in ("@x", " +1", "-x", "\tx")] == ["'@x", "' +1", "'-x", "'\tx"]


def test_the_standard_input_is_read_and_what_was_detected_is_one_line(data, capsys, monkeypatch):
    given = data[0].read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    code, _, err = whole_run(capsys, "forecast", "-", *WORDS)
    assert code == 0
    assert err == (
        "gpforecast: read 'units' of the standard input by 'month': 60 values from 2019-01-01 to "
        "2023-12-01 (utf-8, commas, decimal points, dates like 2019-01)\n"
    )


def test_the_options_of_a_file_get_to_its_reading(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = [f"{i:02d}/01/19;-;{i % 3}.125" for i in range(1, 25)]
    path.write_text("\n".join(["junk", *rows, "sum;;24"]))
    words = ["forecast", path, *WORDS, "--value", 3, "--time", 1, "--delimiter", "semicolon"]
    words += ["--decimal", ".", "--encoding", "cp1252", "--no-header", "--skip-rows", 1]
    words += ["--skip-footer", 1, "--dayfirst", "--missing", "-"]
    code, out, _ = whole_run(capsys, *words)
    assert code == 0
    assert out.splitlines()[1].startswith("2019-01-25,")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
def test_a_disk_that_is_full_is_said_with_the_name_of_the_file(data, capsys):
    code, _, err = run(capsys, "forecast", data[0], *WORDS, "--output", "/dev/full")
    assert code == 2
    assert "cannot write /dev/full: No space left on device" in err
