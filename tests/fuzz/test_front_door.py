"""Whatever comes in by the front door is forecast by finite numbers or refused in a sentence.

A bounded number of examples here; ``GPFORECAST_FUZZ=2000 pytest tests/fuzz`` draws as many, others
each time.
"""

import os
import re
import warnings

import numpy as np
import pandas as pd
from fuzz.strategies import forecasters, series
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpforecast as gf

MANY = int(os.environ.get("GPFORECAST_FUZZ", "0"))
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
REFUSALS = (TypeError, ValueError)
FOREIGN = (
    r"broadcast|ufunc|Invalid|dtype\('|operands|must be passed|shape mismatch|losslessly"
    r"|Matrix is not|Eigenvalues|ABNORMAL"
)


def bounded(examples):
    return settings(
        max_examples=MANY or examples, derandomize=not MANY, suppress_health_check=CHECKS
    )


def said(error):
    """Whether an error is a sentence of ours: that it is long, ends, and speaks no numpy."""
    text = str(error)
    assert len(text.split()) >= 5, text
    assert not re.search(FOREIGN, text), text


def answers(f, horizon):
    """A forecast whose numbers are in order; those that are not finite are said in its notes."""
    assert f.horizon == horizon == len(f.index)
    assert f.index.is_monotonic_increasing and f.index.is_unique  # noqa: PT018
    q = f.quantile([0.025, 0.1, 0.5, 0.9, 0.975]).to_numpy()
    notes = " ".join(f.notes)
    assert np.isfinite(q).all(), notes
    slack = 1e-9 * np.abs(q).max()
    assert (np.diff(q, axis=1) >= -slack).all()
    assert not f.covariance.isna().any(axis=None)
    assert np.isfinite(f.mean).all() or "infinite" in notes
    assert (f.var.to_numpy() > 0.0).all() or "are not to be trusted" in notes
    assert (f.latent_var <= f.var * (1 + 1e-9) + 1e-300).all() or "infinite" in notes
    assert np.isfinite(f.sample(3, seed=0).to_numpy()).all()
    np.testing.assert_allclose(f.sum().distribution.mean, f.mean.sum(), rtol=1e-6, atol=1e-9)
    assert f.summary()


def answered_or_refused(make, horizon):
    """Return a forecast with numbers in order, or None if it is refused in a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", gf.NumericalWarning)
        try:
            f = make()
        except REFUSALS as error:
            said(error)
            return None
        answers(f, horizon)
        return f


@bounded(30)
@given(y=series(), options=forecasters(), horizon=st.integers(1, 12))
def test_a_series_is_forecast_or_refused(y, options, horizon):
    def make():
        fc = gf.Forecaster(**options).fit(y)
        assert fc.summary()
        return fc.predict(horizon)

    answered_or_refused(make, horizon)


@bounded(8)
@given(y=series(least=10, most=60), horizon=st.integers(1, 12))
def test_a_series_is_forecast_or_refused_by_the_default_call(y, horizon):
    answered_or_refused(lambda: gf.Forecaster().fit(y).predict(horizon), horizon)


@bounded(20)
@given(
    y=series(least=20, most=50),
    rows=st.integers(0, 60),
    columns=st.integers(0, 3),
    spoilt=st.sampled_from(["", "", "nan", "inf", "text", "constant", "twice", "huge"]),
    horizon=st.integers(1, 5),
    more=st.integers(-1, 1),
)
def test_inputs_are_taken_or_refused(y, rows, columns, spoilt, horizon, more):
    n = len(y) if rows % 3 else rows
    rng = np.random.default_rng(rows)
    exog = pd.DataFrame(rng.standard_normal((n + horizon + more, columns)))
    exog.columns = ["x"] * columns if spoilt == "twice" else [f"x{k}" for k in range(columns)]
    if columns and len(exog):
        bad = {"nan": np.nan, "inf": np.inf, "text": "much", "huge": 1e200}
        if spoilt in bad:
            exog = exog.astype(object) if spoilt == "text" else exog
            exog.iloc[len(exog) // 2, 0] = bad[spoilt]
        if spoilt == "constant":
            exog.iloc[:, 0] = 1.0
    past, future = exog.iloc[:n], exog.iloc[n:]
    if isinstance(y, pd.Series | pd.DataFrame) and n == len(y):
        past = past.set_axis(y.index)

    def make():
        fc = gf.Forecaster(lags=2, model=gf.models.LinearAR()).fit(y, exog=past)
        return fc.predict(horizon, exog=future.reset_index(drop=True))

    answered_or_refused(make, horizon)


@bounded(15)
@given(y=series(least=20, most=50), later=series(least=0, most=4), horizon=st.integers(1, 5))
def test_an_update_is_taken_or_refused_and_then_nothing_is_changed(y, later, horizon):
    def make():
        fc = gf.Forecaster(lags=2, model=gf.models.LinearAR()).fit(y)
        before = fc.fitted_
        try:
            fc.update(later)
        except REFUSALS as error:
            said(error)
            assert fc.fitted_ is before
        return fc.predict(horizon)  # what came last may be far from all that was learned from

    answered_or_refused(make, horizon)
