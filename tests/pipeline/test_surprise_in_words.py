"""What `surprise` prints, and says of a series that it cannot judge."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import LinearAR

Y = pd.Series(
    np.random.default_rng(0).standard_normal(300),
    index=pd.date_range("2020-01-01", periods=300, freq="D"),
)


@pytest.fixture(scope="module")
def fitted():
    return gf.Forecaster(1, model=LinearAR(), transforms=None, noise="process").fit(Y.iloc[:200])


def test_the_fitted_series_is_not_taken_for_what_follows_it(fitted):
    with pytest.raises(ValueError, match=r"^series must continue .* surprise\(\) without an arg"):
        fitted.surprise(Y.iloc[:200])
    with pytest.raises(ValueError, match=r"^series must continue .* follows\.$"):
        fitted.surprise(Y.iloc[200:].shift(1, freq="h"))
    with pytest.raises(ValueError, match=r"^series must hold at least one value"):
        fitted.surprise([])


def test_every_column_is_printed_however_narrow_the_terminal_and_rounded(fitted):
    later = Y.iloc[200:].copy()
    later.iloc[[20, 60]] += [9000.0, -12.0]
    found = fitted.surprise(later)
    with pd.option_context("display.width", 40, "display.max_columns", 2):
        said = repr(found)
    assert "..." not in said
    (row,) = (line for line in said.splitlines() if line.startswith(f"{later.index[20].date()}"))
    printed = [float(cell.replace(",", "")) for cell in row.split()[1:4]]
    one = found.table.loc[later.index[20], ["observed", "mean", "std"]]
    np.testing.assert_allclose(printed, one.astype(float), atol=0.1)
    assert max(len(line) for line in said.splitlines()[1:4]) < 80
    assert row.split()[5] == "spike"
    for name in ("observed", "mean", "std", "tail_probability", "kind"):
        assert f"<th>{name}</th>" in found._repr_html_()


def test_a_shift_that_the_fit_took_away_and_first_values_without_a_past_are_said():
    y = pd.Series(
        200 + 3 * np.random.default_rng(0).standard_normal(160) + 90 * (np.arange(160) >= 80)
    )
    shifts = gf.transforms.LevelShifts(at=[80])
    fc = gf.Forecaster(3, transforms=[shifts], model=gf.models.LinearAR(), combine=None).fit(y)
    notes = " ".join(fc.surprise().notes)
    assert "the fit took away the shift of the level at 80, so that" in notes
    n = fc.fitted_.n_past
    assert f"the first {n} values of 160 cannot be judged" in notes
    later = pd.Series(200.0 + np.arange(5), index=range(160, 165))
    new = " ".join(fc.surprise(later).notes)  # after the shift, with the whole past before them
    assert "took away" not in new
    assert "cannot be judged" not in new
    plain = gf.Forecaster(3, transforms=None, model=gf.models.LinearAR(), combine=None).fit(y)
    assert "took away" not in " ".join(plain.surprise().notes)
