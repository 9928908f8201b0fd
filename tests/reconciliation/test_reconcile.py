"""Coherent forecasts: the formula, what it leaves alone, and what it gives in each case."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import block_diag

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy
from gpforecast.reconciliation.projection import joint_covariance
from gpforecast.results import Gaussian, Paths, Warped
from gpforecast.transforms.warps import Log

H = 3
TREE = {"all": ["a", "b"], "a": ["x", "y"], "b": ["z", "w"]}
S = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], *np.eye(4).tolist()], dtype=float)
NAMES = Hierarchy.of(TREE).names


def labelled(distribution, notes=()):
    nothing = pd.Series([], pd.RangeIndex(0), dtype=float)
    h = len(distribution.mean)
    return gf.Forecast(distribution, pd.RangeIndex(20, 20 + h), nothing, "test", notes)


def gaussian(rng, h=H, scale=1.0):
    root = scale * rng.normal(size=(h, h))
    C = root @ root.T + 0.1 * scale**2 * np.eye(h)
    return labelled(Gaussian(rng.normal(size=h), C, 0.5 * np.diag(C)))


def forecasts(seed=0, names=NAMES):
    rng = np.random.default_rng(seed)
    return {name: gaussian(rng) for name in names}


def covariance_of(found):
    """The joint covariance of all series, by the bottom series."""
    h = len(found.index)
    big = np.kron(found.hierarchy.matrix, np.eye(h))
    return big @ found.distribution.covariance @ big.T


def dense(base, S, R):
    """The textbook formula, in full: mean (n, h) and covariance (n h, n h)."""
    h = base[0].horizon
    L = block_diag(*(np.linalg.cholesky(f.distribution.covariance) for f in base))
    return by_covariance(base, S, L @ np.kron(R, np.eye(h)) @ L.T)


def by_covariance(base, S, W):
    h = base[0].horizon
    big, inverse = np.kron(S, np.eye(h)), np.linalg.inv(W)
    V = big @ np.linalg.inv(big.T @ inverse @ big) @ big.T
    y = np.concatenate([f.distribution.mean for f in base])
    return (V @ inverse @ y).reshape(-1, h), V


def errors(n=60, seed=1, names=NAMES):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    return pd.DataFrame(common + rng.normal(size=(n, len(names))), columns=list(names))


def test_means_and_covariances_are_those_of_the_dense_formula():
    base = forecasts()
    found = gf.reconcile(base, TREE, residuals=errors(), weights="joint")
    mean, V = dense([base[name] for name in NAMES], S, found.correlation.to_numpy())
    assert_allclose(found.mean.to_numpy().T, mean, rtol=0, atol=1e-10)
    assert_allclose(covariance_of(found), V, rtol=0, atol=1e-10)
    assert_allclose(found["a"].covariance, V[H : 2 * H, H : 2 * H], atol=1e-10)


def test_weights_by_variances_are_those_of_each_step_with_the_covariance_of_all():
    base = forecasts()
    found = gf.reconcile(base, TREE, residuals=errors())
    every = [base[name].distribution for name in NAMES]
    mean, P = np.array([d.mean for d in every]), np.zeros((7, H, 7, H))
    for k in range(H):
        inverse = np.diag([1.0 / d.var[k] for d in every])
        P[:, k, :, k] = S @ np.linalg.inv(S.T @ inverse @ S) @ S.T @ inverse
        assert_allclose(found.mean.iloc[k], P[:, k, :, k] @ mean[:, k], rtol=0, atol=1e-10)
    L = block_diag(*(np.linalg.cholesky(d.covariance) for d in every))
    W = L @ np.kron(found.correlation, np.eye(H)) @ L.T
    P = P.reshape(7 * H, 7 * H)
    assert_allclose(covariance_of(found), P @ W @ P.T, rtol=0, atol=1e-10)


def test_a_joint_covariance_may_be_given_and_labels_put_it_in_order():
    base, rng = forecasts(), np.random.default_rng(5)
    root = rng.normal(size=(7 * H, 7 * H))
    W = root @ root.T
    index = pd.MultiIndex.from_product([NAMES, base["all"].index])
    found = gf.reconcile(base, TREE, covariance=W)
    mean, _ = by_covariance([base[name] for name in NAMES], S, W)
    assert_allclose(found.mean.to_numpy().T, mean, atol=1e-9)
    frame = pd.DataFrame(W, index, index)
    mixed = frame.iloc[::-1, ::-1]
    again = gf.reconcile(dict(reversed(base.items())), TREE, covariance=mixed)
    pd.testing.assert_frame_equal(found.mean, again.mean)
    order = [NAMES.index(name) for name in reversed(NAMES)]
    places = (np.array(order)[:, None] * H + np.arange(H)).ravel()
    by_order = gf.reconcile(
        dict(reversed(base.items())), TREE, covariance=W[places[:, None], places]
    )
    pd.testing.assert_frame_equal(found.mean, by_order.mean)


def test_a_certain_total_is_kept_and_its_parts_are_those_given_it():
    base = forecasts()
    zero = np.zeros((H, H))
    sure = labelled(Gaussian(np.array([9.0, 8.0, 7.0]), zero, np.zeros(H)))
    parts = {"t": sure, "x": base["x"], "y": base["y"]}
    found = gf.reconcile(parts, {"t": ["x", "y"]}, weights="joint")
    assert_allclose(found["t"].mean, [9.0, 8.0, 7.0], rtol=1e-12)
    assert_allclose(found["t"].var, 0.0, atol=1e-12)
    both = Gaussian(
        np.concatenate([base[k].distribution.mean for k in "xy"]),
        block_diag(*(base[k].distribution.covariance for k in "xy")),
        np.zeros(2 * H),
    )
    given_total, _ = both.given(np.hstack([np.eye(H)] * 2), np.array([9.0, 8.0, 7.0]))
    assert_allclose(found.distribution.mean, given_total.mean, atol=1e-10)
    assert_allclose(found.distribution.covariance, given_total.covariance, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("apart", [0.0, 0.01])
def test_errors_that_add_up_need_forecasts_that_do_in_any_unit(unit, apart):
    rng = np.random.default_rng(3)
    bottom, root = rng.normal(size=(4, H)), unit * rng.normal(size=(4 * H, 4 * H))
    mean = unit * (S @ bottom)
    mean[1] += unit * apart
    big = np.kron(S, np.eye(H))
    base = {
        name: labelled(Gaussian(row, unit**2 * np.eye(H), np.full(H, unit**2)))
        for name, row in zip(NAMES, mean, strict=True)
    }
    W = big @ root @ root.T @ big.T
    if apart:
        with pytest.raises(ValueError, match=r"'a' and its parts are certain, or have errors"):
            gf.reconcile(base, TREE, covariance=W)
    else:
        found = gf.reconcile(base, TREE, covariance=W)
        assert_allclose(found.mean.to_numpy().T, mean, rtol=0, atol=1e-9 * unit)


def test_tables_have_a_row_for_each_series_and_step():
    found = gf.reconcile(forecasts(), TREE)
    table = found.to_frame([95])
    assert table.columns.tolist() == ["unique_id", "ds", "mean", "lo-95", "hi-95"]
    assert len(table) == 7 * H
    assert list(found) == list(NAMES)
    assert len(found) == 7
    assert "7 series (3 totals), 3 steps" in repr(found)
    with pytest.raises(KeyError, match="'q' is no series"):
        found["q"]
    later = found.joint.given({"a": {20: 5.0}})
    assert_allclose(later.mean["x"] + later.mean["y"], later.mean["a"], atol=1e-9)
    assert later.mean["a"][20] == 5.0


@pytest.mark.parametrize("drawn", [False, True])
def test_a_series_is_that_of_the_joint_which_it_does_not_build(drawn):
    base = forecasts()
    if drawn:
        base["x"] = labelled(
            Paths.of(np.random.default_rng(1).gamma(2.0, size=(H, 500)), np.ones(H))
        )
    found = gf.reconcile(base, TREE, residuals=errors(), n=1000)
    single, mean = dict(found), found.mean
    assert "joint" not in vars(found)
    assert_allclose(mean, found.joint.mean, rtol=1e-12, atol=1e-12)
    for name, forecast in single.items():
        own, whole = forecast.distribution, found.joint[name].distribution
        for what in ("mean", "covariance", "latent_var"):
            assert_allclose(getattr(own, what), getattr(whole, what), rtol=1e-12, atol=1e-12)
        assert_allclose(
            own.quantile([0.1, 0.9]), whole.quantile([0.1, 0.9]), rtol=1e-12, atol=1e-12
        )


def test_without_past_errors_independence_is_said():
    found = gf.reconcile(forecasts(), TREE)
    assert_allclose(found.correlation, np.eye(7))
    assert found.shrinkage == 1.0
    assert "taken as independent, because no residuals=" in found.notes[0]
    assert found["x"].notes == found.notes
    few = gf.reconcile(forecasts(), TREE, residuals=errors(5))
    assert "5 times in common" in few.notes[0]


def test_forecasts_of_series_without_totals_stay_as_they_are():
    base = forecasts(names=("x", "y"))
    found = gf.reconcile(base, pd.DataFrame(np.eye(2), [*base], [*base]))
    for name, forecast in base.items():
        assert_allclose(found[name].mean, forecast.mean)
        assert_allclose(found[name].covariance, forecast.covariance, atol=1e-12)


def test_forecasts_far_from_adding_up_are_noted():
    base = forecasts()
    far = base["all"].distribution
    base["all"] = labelled(Gaussian(far.mean + 100.0, far.covariance, far.latent_var))
    assert any("as far apart as their intervals explain" in note for note in
               gf.reconcile(base, TREE).notes)  # fmt: skip


def skewed(seed=0, level=(1.0, 1.0)):
    """Log-normal bottom series, and a total of either kind."""
    rng = np.random.default_rng(seed)
    log = Log()
    base = {}
    for name, m in zip("xy", level, strict=True):
        root = 0.3 * rng.normal(size=(H, H))
        C = root @ root.T + 0.05 * np.eye(H)
        base[name] = labelled(Warped(Gaussian(np.full(H, m), C, np.diag(C)), log))
    return base


def test_what_is_no_gaussian_is_drawn_with_the_reconciled_moments():
    base = skewed()
    total = sum(f.distribution.mean for f in base.values()) + 0.5
    base["t"] = labelled(Gaussian(total, 0.5 * np.eye(H), 0.5 * np.ones(H)))
    found = gf.reconcile(base, {"t": ["x", "y"]}, n=20_000, weights="joint")
    assert isinstance(found.distribution, Paths)
    assert any("2 of 3 forecasts are not Gaussian" in note for note in found.notes)
    mean, _ = dense([base[k] for k in "txy"], np.array([[1.0, 1], [1, 0], [0, 1]]), np.eye(3))
    # The draws that the result consists of: what lay below 0, a few in a thousand, is 0.
    assert_allclose(found.mean.to_numpy().T, mean, rtol=1e-3)
    paths = found.distribution.paths
    # Quantiles are interpolated and correlations those of normal scores: some percent.
    assert_allclose(paths.var(axis=1), found.distribution.var, rtol=0.1)
    skewness = ((paths - paths.mean(1, keepdims=True)) ** 3).mean(1) / paths.std(1) ** 3
    assert np.median(skewness) > 0.1
    drawn = found.sample(50, seed=1)
    assert_allclose(drawn.loc["t"], drawn.loc["x"] + drawn.loc["y"], rtol=1e-12)
    assert (found["t"].paths.to_numpy() > 0).all()


def test_draws_of_what_is_never_negative_are_set_to_zero_and_said():
    base = skewed(level=(0.0, 0.0))
    low = Gaussian(np.full(H, 0.8), 0.01 * np.eye(H), np.full(H, 0.01))
    base["t"] = labelled(low)  # far below the sum of its parts
    found = gf.reconcile(base, {"t": ["x", "y"]})
    assert (found.distribution.paths >= 0.0).all()
    assert (found["t"].interval(0.95)["lower"] >= 0.0).all()
    assert any("lay below 0 in series that are never negative" in note for note in found.notes)
    sums = found["x"].paths + found["y"].paths
    assert_allclose(found["t"].paths, sums, rtol=1e-12)
    assert_allclose(found["t"].mean, sums.mean(axis=1), rtol=1e-12)
    # A series that can be negative is left alone.
    free = {**base, "x": gaussian(np.random.default_rng(0))}
    assert (gf.reconcile(free, {"t": ["x", "y"]})["x"].paths.to_numpy() < 0.0).any()


@st.composite
def trees(draw):
    """A random tree of some levels, and its bottom series."""
    tree, open_, k = {}, ["r"], 0
    for _ in range(draw(st.integers(1, 4))):
        name = open_.pop(draw(st.integers(0, len(open_) - 1)))
        parts = [f"s{k + i}" for i in range(draw(st.integers(2, 3)))]
        tree[name], k = parts, k + len(parts)
        open_ += parts
    return tree


@settings(deadline=None, max_examples=25)
@given(
    trees(),
    st.integers(0, 10_000),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.5, 2.0]),
    st.sampled_from(["joint", "variance"]),
)
def test_random_trees_become_coherent_and_joint_weights_shrink_variances(
    tree, seed, h, common, weights
):
    hierarchy, rng = Hierarchy.of(tree), np.random.default_rng(seed)
    base = {name: gaussian(rng, h, np.exp(rng.normal())) for name in hierarchy.names}
    past = common * rng.normal(size=(40, 1)) + rng.normal(size=(40, len(base)))
    past = pd.DataFrame(past, columns=[*base])
    found = gf.reconcile(base, tree, residuals=past, weights=weights)
    for name, parts in tree.items():
        size = sum(abs(found.mean[part]) for part in parts)
        assert (abs(found.mean[name] - sum(found.mean[p] for p in parts)) <= 1e-12 * size).all()
        assert_allclose(found[name].mean, sum(found[p].mean for p in parts), atol=1e-11)
    V = covariance_of(found)
    assert np.linalg.eigvalsh(V).min() >= -1e-10 * V.max()
    before = np.concatenate([f.distribution.var for f in base.values()])
    assert weights == "variance" or (np.diag(V) <= before * (1 + 1e-9)).all()


def test_the_joint_covariance_of_linear_processes_is_exact():
    """Two autoregressions of order 1 with correlated innovations."""
    h, phi, rho = 5, (0.9, -0.4), 0.6
    psi = [np.array([[p ** (i - j) if i >= j else 0.0 for j in range(h)] for i in range(h)])
           for p in phi]  # fmt: skip
    W = joint_covariance(np.array([a @ a.T for a in psi]), np.array([[1, rho], [rho, 1]]))
    assert_allclose(W[:h, h:], rho * psi[0] @ psi[1].T, atol=1e-12)
