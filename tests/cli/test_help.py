"""Help and version."""

import pytest
from cli_cases import run

import gpforecast as gf


@pytest.mark.parametrize("command", [[], ["demo"], ["forecast"], ["backtest"], ["report"]])
def test_help_has_examples(command, capsys):
    code, out, err = run(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: gpforecast")
    assert "example" in out
    assert " ".join(["  gpforecast", *command]) in out.split("example")[-1]


def test_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version") == (0, f"gpforecast {gf.__version__}\n", "")
