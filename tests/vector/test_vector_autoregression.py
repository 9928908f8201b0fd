"""Against vector autoregressions, of which everything is known in closed form."""

import numpy as np
import pandas as pd
import pytest
from vector_cases import Certain, closed_form, conditioned, reduced, var2

import gpforecast as gf

LINEAR = {"lags": 2, "transforms": None, "model": Certain(), "max_rows": None}
H = 6


@pytest.fixture(scope="module")
def fitted():
    return gf.VectorForecaster(**LINEAR).fit(var2(400))


def test_the_coefficients_are_those_of_least_squares(fitted):
    """Of the recursive form, solved for all columns, they are those of the reduced form."""
    y = fitted.history_.to_numpy()
    X = np.column_stack([y[1:-1], y[:-2], np.ones(len(y) - 2)])
    b = np.linalg.lstsq(X, y[2:], rcond=None)[0].T
    A, constant, noise = reduced(fitted)
    np.testing.assert_allclose(np.hstack([*A, constant[:, None]]), b, atol=1e-10)
    left = y[2:] - X @ b.T
    # The degrees of freedom of the later columns are fewer by the columns before them.
    np.testing.assert_allclose(noise, left.T @ left / (len(left) - 7), rtol=0.01, atol=0.005)


def test_the_joint_forecast_is_that_of_the_companion_matrix(fitted):
    f = fitted.predict(H)
    mean, S = closed_form(*reduced(fitted), fitted.history_.to_numpy(), H)
    np.testing.assert_allclose(f.mean.to_numpy().ravel(), mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(f.covariance, S, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(f.trajectory.to_numpy().ravel(), mean, rtol=1e-8, atol=1e-10)


def test_all_methods_agree_on_a_linear_model(fitted):
    exact = fitted.predict(H, propagation="exact")
    for name in ("taylor", "cubature", "auto"):
        found = fitted.predict(H, propagation=name)
        np.testing.assert_allclose(found.mean, exact.mean, atol=1e-10)
        np.testing.assert_allclose(found.covariance, exact.covariance, atol=1e-9)
    n = 20_000
    paths = fitted.predict(H, propagation=gf.propagation.MonteCarlo(n_paths=n, seed=0))
    off = (paths.mean - exact.mean) / exact.std * np.sqrt(n)
    assert abs(off.to_numpy()).max() < 5.0
    np.testing.assert_allclose(paths.covariance, exact.covariance, atol=5 * 2.0 / np.sqrt(n))


def test_a_column_by_itself_is_the_scalar_forecast():
    """Two columns that do not know of each other: each as `Forecaster` forecasts it."""
    frame = var2(150)[["a", "b"]]
    frame["b"] = np.random.default_rng(5).standard_normal(150)
    fc = gf.VectorForecaster(combine=None).fit(frame)
    assert all(name == "b" for name, _ in fc.inputs_["b"])
    alone = gf.Forecaster(combine=None, support=None, noise="process").fit(frame["b"]).predict(H)
    together = fc.predict(H)["b"]
    np.testing.assert_allclose(together.mean, alone.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(together.std, alone.std, rtol=1e-6)


def test_values_that_are_given_of_one_column_are_the_dense_formula(fitted):
    f = fitted.predict(H)
    labels = f.index
    known = f.given({"a": {labels[1]: 2.0}, "c": {labels[4]: -1.0}})
    mean, S = conditioned(
        f.mean.to_numpy().ravel(), f.covariance.to_numpy(), [3, 14], np.array([2.0, -1.0])
    )
    np.testing.assert_allclose(known.mean.to_numpy().ravel(), mean, atol=1e-10)
    np.testing.assert_allclose(known.covariance, S, atol=1e-10)


def test_totals_that_are_given_of_a_column_are_the_dense_formula(fitted):
    """A sum is one more variable; the labels of a year name its quarters, those seen included."""
    dates = fitted.history_.set_axis(pd.period_range("1900Q3", periods=400, freq="Q"))
    f = _with_history(fitted, dates).predict(H)  # from the third quarter of 2000 on
    known = f.given({"a": {"2000Q3": 1.0}}, total={"b": {"2001": 4.0}, "c": {"2000": 2.5}})
    w = np.zeros((3, 3 * H))
    w[0, 0], w[1, 7:18:3], w[2, [2, 5]] = 1.0, 1.0, 1.0
    seen = dates.loc["2000Q1":"2000Q2", "c"].sum()
    mean, S = f.mean.to_numpy().ravel(), f.covariance.to_numpy()
    gain = S @ w.T @ np.linalg.inv(w @ S @ w.T)
    expected = mean + gain @ ([1.0, 4.0, 2.5 - seen] - w @ mean)
    np.testing.assert_allclose(known.mean.to_numpy().ravel(), expected, atol=1e-9)
    np.testing.assert_allclose(known.covariance, S - gain @ w @ S, atol=1e-9)


def test_sums_over_columns_have_the_covariances_of_the_columns(fitted):
    f = fitted.predict(H)
    S = f.covariance.to_numpy()
    total = f.total()
    w = np.kron(np.eye(H), np.ones(3))
    np.testing.assert_allclose(total.mean, f.mean.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(total.covariance, w @ S @ w.T, atol=1e-12)
    balance = f.combine({"a": 1.0, "c": -2.0})
    assert balance.history.equals((fitted.history_ @ [1.0, 0.0, -2.0]).rename("combination"))
    w = np.kron(np.eye(H), [1.0, 0.0, -2.0])
    np.testing.assert_allclose(balance.covariance, w @ S @ w.T, atol=1e-12)


GAPS = {
    "at the end": [(-1, "b"), (-2, "b")],
    "of several columns": [(-1, "a"), (-1, "c"), (-2, "c"), (-3, "c")],
    "in between": [(-4, "b")],
    "of a whole time": [(-2, "a"), (-2, "b"), (-2, "c")],
}


@pytest.mark.parametrize("where", GAPS)
def test_missing_values_at_the_origin_are_the_dense_formula(fitted, where):
    """The closed form from before the gap, conditioned on what was observed since."""
    frame, back = fitted.history_.copy(), 8
    for at, name in GAPS[where]:
        frame.loc[frame.index[at], name] = np.nan
    f = _with_history(fitted, frame).predict(H)
    past = fitted.history_.to_numpy()[:-back]
    mean, S = closed_form(*reduced(fitted), past, back + H)
    seen = frame.to_numpy()[-back:].ravel()
    at = np.flatnonzero(~np.isnan(seen))
    mean, S = conditioned(mean, S, at, seen[at])
    np.testing.assert_allclose(f.mean.to_numpy().ravel(), mean[3 * back :], atol=1e-8)
    np.testing.assert_allclose(f.covariance, S[3 * back :, 3 * back :], atol=1e-8)


@pytest.mark.parametrize(("where", "order"), [("of several columns", 1), ("in between", 2)])
def test_missing_levels_of_differences_are_the_dense_formula(where, order):
    """Levels are sums: the closed form of the differences from before the gap, added up."""
    frame, back = var2(300).cumsum(), 8
    transforms = gf.transforms.Difference(order)
    fc = gf.VectorForecaster(lags=2, transforms=transforms, model=Certain()).fit(frame)
    holes = frame.copy()
    for at, name in GAPS[where]:
        holes.loc[frame.index[at], name] = np.nan
    f = _with_history(fc, holes).predict(H)
    past = frame.iloc[:-back].to_numpy()
    z = np.diff(past, n=order, axis=0)
    mean, S = closed_form(*reduced(fc), z, back + H)
    sums = np.kron(np.linalg.matrix_power(np.tri(back + H), order), np.eye(3))
    # What the levels would be if all differences were 0: a constant, or a straight line.
    steps = np.arange(1, back + H + 1)[:, None]
    start = past[-1] + (steps * (past[-1] - past[-2]) if order == 2 else 0.0 * steps)
    mean, S = sums @ mean + start.ravel(), sums @ S @ sums.T
    seen = holes.to_numpy()[-back:].ravel()
    at = np.flatnonzero(~np.isnan(seen))
    mean, S = conditioned(mean, S, at, seen[at])
    np.testing.assert_allclose(f.mean.to_numpy().ravel(), mean[3 * back :], rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(f.covariance, S[3 * back :, 3 * back :], rtol=1e-7, atol=1e-7)


def _with_history(fc, frame):
    """The same models, to go on from other values."""
    from dataclasses import replace

    columns = tuple(replace(one, history=frame[one.history.name]) for one in fc.fitted_.columns)
    again = gf.VectorForecaster(**{**LINEAR, "transforms": fc.transforms})
    again.fitted_ = replace(fc.fitted_, columns=columns)
    return again


def test_a_logarithm_of_one_column_is_undone_on_that_column_alone():
    y = var2(200)
    frame = pd.DataFrame({"a": np.exp(0.1 * y["a"]), "b": y["b"]})
    transforms = {"a": gf.transforms.Log(), "b": None}
    fc = gf.VectorForecaster(lags=1, transforms=transforms, model=Certain()).fit(frame)
    f = fc.predict(4)
    drawn = f.sample(200_000, seed=0).to_numpy()
    error = 5 * f.std.to_numpy().ravel() / np.sqrt(200_000)
    assert (abs(drawn.mean(axis=1) - f.mean.to_numpy().ravel()) < error).all()
    scale = np.outer(f.std, f.std)
    np.testing.assert_allclose(np.cov(drawn) / scale, f.covariance / scale, atol=0.015)
    # Each column by itself is a distribution of its own kind.
    assert f["a"].warped is not None
    assert f["b"].warped is None
    levels = (0.1, 0.5, 0.9)
    np.testing.assert_allclose(
        f["a"].quantile(levels), np.quantile(drawn[::2], levels, axis=1).T, rtol=0.005
    )
    known = f.given({"a": {f.index[0]: 1.2}, "b": {f.index[1]: 0.3}})
    assert known.mean.loc[f.index[0], "a"] == pytest.approx(1.2)
    assert known.mean.loc[f.index[1], "b"] == pytest.approx(0.3)
