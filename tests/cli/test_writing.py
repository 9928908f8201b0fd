"""What is written, what is never overwritten, and what is refused before the work."""

import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_cases import refused, run, table, whole_run

from gpforecast.cli.writing import check_writable, safe_label

WORDS = ["--horizon", 2, "--lags", 2]


@pytest.fixture(autouse=True)
def _no_work_before_the_check(request, monkeypatch):
    if "refused" in request.node.name:
        monkeypatch.setattr(
            "gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it has begun to work")
        )


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_link_to_the_input_is_refused_even_by_force(link, data, capsys, tmp_path):
    path, _ = data
    before = path.read_bytes()
    link(path, tmp_path / "link.csv")
    words = ["forecast", path, *WORDS, "--output", tmp_path / "link.csv", "--force"]
    assert "it is the file that is read" in refused(capsys, *words)
    assert path.read_bytes() == before


def test_the_file_behind_the_standard_input_is_refused_even_by_force(
    data, capsys, tmp_path, monkeypatch
):
    with data[0].open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        words = ["forecast", "-", *WORDS, "--output", data[0], "--force"]
        assert "it is the file that is read" in refused(capsys, *words)
        check_writable(tmp_path / "other.csv", source="-")


def test_one_file_for_table_and_picture_is_refused(data, capsys, tmp_path):
    out = tmp_path / "x.png"
    words = ["forecast", data[0], *WORDS, "--output", out, "--plot", out]
    assert "x.png twice; name two files" in refused(capsys, *words)
    assert not out.exists()


@pytest.mark.parametrize("command", ["forecast", "backtest", "report"])
def test_a_file_that_exists_is_refused_with_the_option(command, data, capsys, tmp_path):
    out = tmp_path / "out.html"
    out.write_text("mine")
    told = refused(capsys, command, data[0], *WORDS, "--output", out)
    assert "it exists; name another file, or pass --force" in told
    assert out.read_text() == "mine"


def test_the_page_of_a_report_is_not_overwritten_if_it_is_not_named_refused(data, capsys):
    path, _ = data
    path.with_suffix(".html").write_text("mine")
    assert "--force" in refused(capsys, "report", path, "--horizon", 2)


def test_the_files_of_the_demo_are_not_overwritten_refused(capsys, tmp_path):
    (tmp_path / "forecast.csv").write_text("mine")
    assert "--force" in refused(capsys, "demo", "--output", tmp_path)


def test_a_folder_that_takes_no_files_is_refused(data, capsys):
    if not Path("/proc").is_dir():
        pytest.skip("there is no folder here that takes no files from anybody")
    assert "cannot write /proc/x.csv: " in refused(
        capsys, "forecast", data[0], *WORDS, "--output", "/proc/x.csv"
    )


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
    assert safe_label("month") == "month"


def test_the_standard_input_is_read_and_what_was_detected_is_one_line(data, capsys, monkeypatch):
    path, _ = data
    given = path.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    code, out, err = whole_run(capsys, "forecast", "-", *WORDS)
    assert code == 0
    assert out == run(capsys, "forecast", path, *WORDS)[1]
    assert err == (
        "gpforecast: read 'units' of the standard input by 'month': 60 values from 2019-01-01 to "
        "2023-12-01 (utf-8, commas, decimal points, dates like 2019-01)\n"
    )


def test_a_report_of_the_standard_input_needs_a_name_refused(capsys):
    assert "--output must name the page" in refused(capsys, "report", "-", "--horizon", 2)


def test_the_options_of_a_file_reach_its_reading(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = [f"{i:02d}/01/19;-;{i % 3}.125" for i in range(1, 25)]
    path.write_text("\n".join(["junk", *rows, "sum;;24"]))
    words = ["forecast", path, *WORDS, "--value", 3, "--time", 1, "--sep", "semicolon"]
    words += ["--decimal", ".", "--encoding", "cp1252", "--no-header", "--skip-rows", 1]
    words += ["--skip-footer", 1, "--dayfirst", "--zero", "-", "--missing", "closed"]
    code, out, _ = whole_run(capsys, *words)
    assert code == 0
    assert out.splitlines()[1].startswith("2019-01-25,")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_pipe_is_refused_that_would_wait_for_ever(data, capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for command, option in (
        ("forecast", "--output"),
        ("forecast", "--plot"),
        ("report", "--output"),
    ):
        said = refused(capsys, command, data[0], *WORDS, option, tmp_path / "pipe")
        assert "pipe: it is a pipe or socket; name a file" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("command", ["forecast", "backtest", "report"])
def test_a_disk_that_is_full_is_said_with_the_name_of_the_file(command, data, capsys):
    words = [command, data[0], *WORDS, "--output", "/dev/full"]
    words += [] if command == "forecast" else ["--origins", 2]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "cannot write /dev/full: No space left on device" in err


def test_a_table_has_the_digits_that_its_widths_need(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rng = np.random.default_rng(0)
    values = 1e9 + 1e-3 * (np.sin(np.arange(60) / 4) + 0.1 * rng.standard_normal(60))
    path.write_text("\n".join(["x", *(f"{v:.7f}" for v in values)]))
    code, out, _ = run(capsys, "forecast", path, *WORDS)
    assert code == 0
    low, mean, high = (table(out)[column] for column in ("lo-95", "mean", "hi-95"))
    assert (low < mean).all()
    assert (mean < high).all()
    np.testing.assert_allclose((high - low) / table(out)["std"], 3.92, rtol=0.3)
