"""The face: what it takes, gives back, refuses, saves, and how it goes on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from vector_cases import Certain, var2

import gpforecast as gf
from gpforecast.automatic import portfolio
from gpforecast.automatic.prior import shipped


@pytest.fixture(scope="module")
def frame():
    y = var2(120)
    return y.set_index(pd.period_range("1990-01", periods=120, freq="M"))


@pytest.fixture(scope="module")
def fitted(frame):
    return gf.VectorForecaster(lags=2, transforms=None, model=Certain()).fit(frame)


def driven(n, seed, lag=5):
    """x drives y by a curve that has no slope, so many steps later."""
    rng = np.random.default_rng(seed)
    x = np.zeros(n + lag)
    for t in range(1, n + lag):
        x[t] = 0.6 * x[t - 1] + rng.standard_normal()
    y = x[:-lag] ** 2 - 1.5 + 0.3 * rng.standard_normal(n)
    return pd.DataFrame({"x": x[lag:], "y": y})


def test_a_lag_of_another_column_is_found_whatever_its_curve():
    fc = gf.VectorForecaster().fit(driven(250, seed=0))
    assert ("x", 5) in fc.inputs_["y"]
    assert all(name == "x" for name, _ in fc.inputs_["x"])
    f = fc.predict(8)
    assert f["y"].std.iloc[4] < 0.5 * f["y"].std.iloc[7]  # the first five steps have their cause
    own = f.names.index("y")
    assert fc.fitted_.columns[own].ensemble.weights[0] > 0.95  # others do not know it


def test_a_curved_effect_is_found_where_a_column_by_itself_is_linear(monkeypatch):
    known = shipped()
    B = known.B.copy()
    B[known.names.index("process"), 0] = -30.0
    monkeypatch.setattr(portfolio, "shipped", lambda: replace(known, B=B))
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    y = np.cumsum(np.append(np.zeros(3), x[:-3] ** 2 - 1.0) + 0.3 * rng.standard_normal(300))
    fc = gf.VectorForecaster().fit(pd.DataFrame({"x": x, "y": y}))
    assert ("x", 3) in fc.inputs_["y"]


def test_a_short_column_does_not_keep_others_from_each_other():
    frame = driven(250, seed=0)
    short = np.random.default_rng(9).standard_normal(250)
    short[:-40] = np.nan
    frame.insert(0, "c", short)
    fc = gf.VectorForecaster(combine=None).fit(frame)
    assert ("x", 5) in fc.inputs_["y"]
    assert fc.inputs_["y"] == gf.VectorForecaster(combine=None).fit(frame[["x", "y"]]).inputs_["y"]
    given = gf.VectorForecaster(combine=None, model=gf.models.LinearAR()).fit(frame)
    for one in (fc, given):
        assert "column 'c' is left out, as it is known in" in " ".join(one.summary("x").split())


def test_a_nonlinear_pair_has_the_moments_of_its_paths():
    """Moment matching is exact one step ahead, and near the paths after that."""
    rng = np.random.default_rng(1)
    x, y = np.zeros(200), np.zeros(200)
    for t in range(1, 200):
        x[t] = 0.7 * np.sin(2.0 * x[t - 1]) + 0.15 * rng.standard_normal()
        y[t] = 0.5 * y[t - 1] + np.cos(x[t - 1]) * x[t] + 0.1 * rng.standard_normal()
    pair = pd.DataFrame({"x": x, "y": y})
    settings = {"lags": 1, "transforms": None, "model": gf.models.GaussianProcess()}
    fc = gf.VectorForecaster(**settings).fit(pair)
    exact = fc.predict(4, propagation=gf.propagation.ExactMoments(function="step"))
    n = 40_000
    paths = fc.predict(4, propagation=gf.propagation.MonteCarlo(n_paths=n, seed=0))
    first = exact.std.iloc[0].to_numpy()
    error = 5 * first / np.sqrt(n)
    assert (abs(paths.mean.iloc[0] - exact.mean.iloc[0]) < error).all()
    np.testing.assert_allclose(
        paths.covariance.iloc[:2, :2], exact.covariance.iloc[:2, :2], rtol=0.05, atol=1e-4
    )
    assert (abs(paths.mean - exact.mean) < 0.15 * exact.std).all(axis=None)
    np.testing.assert_allclose(paths.std, exact.std, rtol=0.15)


def test_every_answer_has_the_labels_of_steps_and_columns(fitted, frame):
    f = fitted.predict(6)
    assert fitted.predict("6 months").index.equals(f.index)
    future = pd.period_range("2000-01", periods=6, freq="M")
    assert f.names == ("a", "b", "c")
    for table in (f.mean, f.std, f.median, f.quantile(0.3), f.trajectory):
        assert table.index.equals(future)
    assert f.mean.columns.tolist() == ["a", "b", "c"]
    assert f.interval(0.8).columns.tolist()[:2] == [("a", "lower"), ("a", "upper")]
    assert f.to_frame().shape == (6, 15)
    np.testing.assert_array_equal(f.to_frame(), f.to_frame([80, 95]))
    assert f.to_frame().columns.equals(f.to_frame([80, 95]).columns)
    assert f.quantile([0.1, 0.9]).shape == (6, 6)
    drawn = f.sample(3, seed=0)
    assert drawn.shape == (18, 3)
    assert f.covariance.loc[("2000-02", "b"), ("2000-02", "b")].squeeze() == pytest.approx(
        f.std.loc["2000-02", "b"] ** 2
    )
    one = f["b"]
    assert isinstance(one, gf.Forecast)
    assert one.history.equals(frame["b"])
    np.testing.assert_array_equal(one.mean, f.mean["b"])
    np.testing.assert_array_equal(one.interval(0.8), f.interval(0.8)["b"])
    assert "3 series" in repr(f)
    short, long = (repr(fitted.predict(h)).splitlines() for h in (6, 8))
    assert len(long) == len(short) + 1  # of dots, for the steps between


def test_scores_are_those_of_each_column_and_the_density_is_joint(fitted):
    f = fitted.predict(4)
    truth = pd.DataFrame(np.zeros((4, 3)), f.index, ["a", "b", "c"])
    assert f.score(truth).loc["b"].equals(f["b"].score(truth["b"]).rename("b"))
    S, m = f.covariance.to_numpy(), f.mean.to_numpy().ravel()
    density = -0.5 * (m @ np.linalg.solve(S, m) + np.linalg.slogdet(2 * np.pi * S)[1])
    assert f.logpdf(truth) == pytest.approx(density, rel=1e-10)
    part = truth[["c", "a"]].iloc[:2]
    at = [0, 2, 3, 5]
    S, m = S[np.ix_(at, at)], m[at]
    density = -0.5 * (m @ np.linalg.solve(S, m) + np.linalg.slogdet(2 * np.pi * S)[1])
    assert f.logpdf(part) == pytest.approx(density, rel=1e-10)


def test_it_goes_on_with_new_values_as_if_they_had_been_there(frame):
    settings = {"lags": 2, "transforms": gf.transforms.Difference(), "model": gf.models.LinearAR()}
    fc = gf.VectorForecaster(**settings).fit(frame[:-5])
    new = frame[-5:].copy()
    new.iloc[-1, 1] = np.nan
    fc.update(new[["c", "b", "a"]])
    assert fc.history_.equals(pd.concat([frame[:-5], new]))
    assert len(fc.models_) == 3
    f = fc.predict(3)
    assert f.index[0] == pd.Period("2000-01", "M")
    whole = gf.VectorForecaster(**settings).fit(frame[:-5]).update(frame[-5:]).predict(3)
    assert f["b"].std.iloc[0] > whole["b"].std.iloc[0]


def test_structural_models_join_as_they_do_in_a_series_alone():
    """Without the linear vector, the mixture of columns apart is that of each by itself."""
    rng = np.random.default_rng(4)
    walks = pd.DataFrame(
        np.cumsum(0.3 + rng.standard_normal((90, 2)), axis=0) + 50.0, columns=["p", "q"]
    )
    fc = gf.VectorForecaster().fit(walks)
    fc.fitted_ = replace(fc.fitted_, linear=None)
    f = fc.predict(6)
    for name in f.names:
        by_itself = gf.Forecaster(support=None).fit(walks[name])
        mixed = by_itself.fitted_.ensemble.structural  # without further autoregressions
        by_itself.fitted_ = replace(by_itself.fitted_, ensemble=mixed, others=())
        alone = by_itself.predict(6)
        assert {other for other, _ in fc.inputs_[name]} == {name}
        # What is believed of a function is averaged over a few paths, which all columns share.
        np.testing.assert_allclose(f[name].mean, alone.mean, rtol=1e-5)
        np.testing.assert_allclose(f[name].interval(0.9), alone.interval(0.9), rtol=5e-4)
    assert np.linalg.eigvalsh(f.covariance).min() > 0.0


def test_a_column_that_ends_early_is_forecast_by_those_that_go_on():
    """Structural models know of no other column: they have no weight in it, and a note says so."""
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(0.3, 1.0, 120))
    y = np.append(0.0, x[:-1]) + 0.2 * rng.standard_normal(120)
    pair = pd.DataFrame({"y": y, "x": x})
    whole = gf.VectorForecaster().fit(pair).predict(2)
    assert not any("end before others" in note for note in whole.notes)
    pair.iloc[-6:, 1] = np.nan
    both = [gf.VectorForecaster(combine=c).fit(pair) for c in ("auto", None)]
    assert both[0].predict(2).mean.notna().all(axis=None)
    both[0].fitted_ = replace(both[0].fitted_, linear=None)  # which does know of the other
    f, alone = (one.predict(2) for one in both)
    np.testing.assert_allclose(f["x"].mean, alone["x"].mean, rtol=1e-6)
    np.testing.assert_allclose(f["x"].std, alone["x"].std, rtol=1e-6)
    assert any("end before others" in note and note.endswith("'x'") for note in f.notes)
    rng = np.random.default_rng(1)
    pair["y"] = np.cumsum(rng.standard_normal(120))  # has nothing to do with it
    fc = gf.VectorForecaster().fit(pair)
    assert all(len({name for name, _ in inputs}) == 1 for inputs in fc.inputs_.values())
    assert not any("end before others" in note for note in fc.predict(2).notes)


def test_a_backtest_scores_every_column_and_all_together(frame):
    fc = gf.VectorForecaster(lags=1, transforms=None, model=Certain())
    result = fc.backtest(frame, 3, origins=[70, 80, 90])
    f = gf.VectorForecaster(lags=1, transforms=None, model=Certain()).fit(frame[:60])
    ahead = f.update(frame[60:80]).predict(3)
    np.testing.assert_allclose(result["b"].mean[1], ahead.mean["b"], atol=1e-10)
    assert result.nlpd[1] == pytest.approx(-ahead.logpdf(frame[80:83]), rel=1e-9)
    assert result.summary().shape[0] == 3
    again = fc.backtest(frame, 3, origins=[70, 80, 90], refit=10)
    assert again.origins.tolist() == [70, 80, 90]


def test_pictures_have_a_panel_for_each_column(fitted, frame):
    f = fitted.predict(4)
    axes = f.plot(n_history=20, truth=f.mean)
    assert [ax.get_ylabel() for ax in axes] == ["a", "b", "c"]
    ax = f.plot_correlations()
    assert ax.images[0].get_array().shape == (12, 12)
    ax = f.plot_correlations(f.index[0])
    assert ax.images[0].get_array().shape == (3, 3)


FORECASTER = gf.VectorForecaster()
ARGUMENTS = [
    (lambda _, y: FORECASTER.fit(y[["a"]]), ValueError, "at least 2 columns"),
    (lambda _, y: FORECASTER.fit(y["a"]), TypeError, "must be a DataFrame"),
    (lambda _, y: FORECASTER.fit(y.set_axis(["a", "a", "b"], axis=1)), ValueError, "'a' twice"),
    (lambda _, y: FORECASTER.fit(y.assign(c=np.nan)), ValueError,
     "column 'c' of frame must hold at least one"),
    (lambda fc, _: fc.predict(0), ValueError, "horizon must be a positive integer"),
    (lambda *_: gf.VectorForecaster().predict(3), RuntimeError, "not fitted yet"),
    (lambda fc, y: fc.update(y[["a", "b"]]), ValueError, r"columns \['a', 'b', 'c'\]"),
    (lambda fc, _: fc.predict(3)["d"], KeyError, "got 'd'"),
    (lambda fc, _: fc.predict(3).sum(), AttributeError,
     r"'sum'; a column, f\['a'\], and .* f\.total\(\), have it"),
    (lambda fc, _: fc.predict(3).summe(), AttributeError, "'summe'$"),
    (lambda fc, _: fc.predict(3).given({"d": {"2000-01": 1.0}}), KeyError, "got 'd'"),
    (lambda fc, _: fc.predict(3).given({"a": {"2010-01": 1.0}}), ValueError,
     "has no step of the forecast"),
    (lambda fc, _: fc.predict(3).given({}), ValueError, "nothing is given"),
    (lambda fc, _: fc.predict(3).given(values=[1.0]), TypeError,
     r"^values must be by columns, such as .*; got \[1.0\]"),
    (lambda fc, _: fc.predict(3).given(total=[1.0]), TypeError, "^total must be by columns"),
    (lambda *_: gf.VectorForecaster(propagation="mixture"), ValueError, "follows a single series"),
    (lambda _, y: gf.VectorForecaster(transforms={"z": None}).fit(y), ValueError,
     "transforms must name columns"),
    (lambda _, y: gf.Forecaster().fit(y), ValueError, "VectorForecaster"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), ARGUMENTS)
def test_bad_arguments_are_refused_in_a_sentence(call, error, message, fitted, frame):
    with pytest.raises(error, match=message):
        call(fitted, frame)


def test_columns_that_come_twice_or_in_no_frame_are_refused(fitted):
    f = fitted.predict(3)
    twice = f.mean[["a", "b", "c", "a"]]
    for refuses, what in (
        (fitted.update, "new_values"),
        (f.score, "y_true"),
        (f.logpdf, "y_true"),
        (lambda truth: f.plot(truth=truth), "truth"),
    ):
        with pytest.raises(ValueError, match=f"^{what} must have .* each column; got 'a' twice"):
            refuses(twice)
        if refuses != fitted.update:
            with pytest.raises(TypeError, match=f"^{what} must be a DataFrame with columns of"):
                refuses({"a": {f.index[0]: 1.0}})
