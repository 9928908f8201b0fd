"""The posterior's moments at Gaussian inputs: exact to the digits that were promised."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import BruteForceGP, mp_moments, posterior_covariance, quadrature_moments

import gpforecast.posterior as module
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models.conditioning import gp_posterior
from gpforecast.numerics.reference.moments import extended_linear_moments
from gpforecast.posterior import Posterior

# --- problems -----------------------------------------------------------------------------------


def rows(n=30, d=2, seed=0, width=2.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-width, width, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * np.cos(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


def se_posterior(X, y, lengthscales, variance, noise_var):
    return gp_posterior(SquaredExponential(lengthscales, variance), noise_var, X, y)[0]


def input_covariance(kind, d):
    root = np.random.default_rng(8).standard_normal((d, d))
    line = np.resize([1.0, -0.5, 0.25, 0.75], d)  # dyadic, so that its outer product is exact
    return {
        "zero": np.zeros((d, d)),
        "rank one": 0.25 * np.outer(line, line),
        "tiny full": 1e-12 * root @ root.T,
        "tiny diagonal": 1e-12 * np.diag(np.arange(1.0, d + 1.0)),
        "full": 0.3 * root @ root.T,
        "diagonal": np.diag(np.resize([0.5, 0.1, 1.5], d)),
        "one known input": np.diag(np.resize([0.5, 0.0], d)),
        "large full": 10.0 * root @ root.T,
        "large diagonal": 10.0 * np.eye(d),
    }[kind]


KINDS = [
    "zero",
    "rank one",
    "tiny full",
    "tiny diagonal",
    "full",
    "diagonal",
    "one known input",
    "large full",
    "large diagonal",
]


def with_all_parts(seed=0, m=7, d=3, p=4, *, prior_var=1.3, chol=True, bumps=True):
    """Bumps, linear and constant terms, C and A, none of them from data."""
    rng = np.random.default_rng(seed)
    m = m if bumps else 0
    X = rng.standard_normal((m, d))
    ell = rng.uniform(0.8, 2.0, d)
    C = None
    if chol and m:
        k = np.exp(-0.5 * (((X[:, None] - X) / ell) ** 2).sum(axis=2))
        C = np.linalg.cholesky((prior_var * k + 0.3 * np.eye(m)) / prior_var**2)
    return Posterior(
        centers=X,
        lengthscales=ell,
        weights=rng.standard_normal(m),
        linear=rng.standard_normal(d),
        constant=0.7,
        prior_var=prior_var,
        chol=C,
        nugget=0.3,
        added=0.4 * rng.standard_normal((m + d + 1, p)),
    )


POSTERIORS = {
    "all parts": with_all_parts(),
    "no added": replace(with_all_parts(), added=None),
    "like a relevance vector machine": with_all_parts(prior_var=0.0, chol=False),
    "known weights": replace(with_all_parts(prior_var=0.0, chol=False), added=None),
    "no bumps": with_all_parts(prior_var=0.0, bumps=False),
    "no bumps, known weights": replace(with_all_parts(prior_var=0.0, bumps=False), added=None),
    "a GP of one input": se_posterior(*rows(20, 1), 0.9, 1.5, 1e-2),
}


def one(moments):
    return moments.mean[0], moments.var[0], moments.gradient[0]


def gaussian_inputs(b, d, seed=3, rank=None):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((b, d, d if rank is None else rank))
    scale = 10.0 ** rng.uniform(-3.0, 0.5, (b, 1, 1))
    return rng.standard_normal((b, d)), scale * root @ np.swapaxes(root, 1, 2)


# --- fifty digits -------------------------------------------------------------------------------


def assert_exact(X, y, lengthscales, variance, noise_var, u, S, *, var_rtol, mean_rtol):
    posterior = se_posterior(X, y, lengthscales, variance, noise_var)
    mean, var, gradient = one(posterior.moments(u[None], S[None]))
    true_mean, true_var, true_cross = mp_moments(X, y, lengthscales, variance, noise_var, u, S)
    assert true_var > 0.0
    np.testing.assert_allclose(var, true_var, rtol=var_rtol)
    size = np.abs(posterior.weights).max()  # what the mean is a sum of; its own size may cancel
    np.testing.assert_allclose(mean, true_mean, rtol=mean_rtol, atol=1e-15 * size)
    cross = S @ gradient
    scale = np.abs(true_cross).max()
    np.testing.assert_allclose(cross, true_cross, rtol=mean_rtol, atol=mean_rtol * scale)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise_var", [1e-1, 1e-3])
def test_moments_are_exact_to_nine_digits(kind, noise_var):
    X, y = rows(30, 3)
    S = input_covariance(kind, 3)
    # The condition of K + noise I is below 1e5 here, which leaves 1e-16 * 1e5 and a margin.
    assert_exact(
        X, y, [0.9, 1.4, 2.5], 1.5, noise_var, np.array([0.3, -0.4, 0.8]), S,
        var_rtol=1e-9, mean_rtol=1e-9,
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_moments_of_crowded_inputs_are_exact_to_nine_digits(kind):
    X, y = rows(40, 2, width=0.7)
    S = input_covariance(kind, 2)
    assert_exact(
        X, y, [1.0, 1.3], 1.0, 1e-3, np.array([0.2, -0.1]), S, var_rtol=1e-9, mean_rtol=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_moments_at_little_noise_and_crowded_inputs_are_exact_to_six_digits(kind):
    X, y = rows(40, 2, width=0.7)
    S = input_covariance(kind, 2)
    assert_exact(
        X, y, [1.0, 1.3], 1.0, 1e-6, np.array([0.2, -0.1]), S, var_rtol=1e-6, mean_rtol=1e-6
    )


@pytest.mark.parametrize("shape", ["full", "diagonal", "rank one"])
def test_variance_survives_where_the_textbook_loses_it(shape):
    """Signal variance 10, noise 1e-6, S = 1e-6: the textbook returns a negative variance."""
    X, y = rows(40, 2, width=1.0)
    S = 1e-6 * input_covariance(shape, 2) / np.abs(input_covariance(shape, 2)).max()
    u = np.array([0.2, -0.1])
    assert_exact(X, y, [1.0, 1.3], 10.0, 1e-6, u, S, var_rtol=1e-6, mean_rtol=1e-6)


@pytest.mark.parametrize("far", [5.0, 50.0])
def test_moments_far_from_the_data_are_exact(far):
    X, y = rows(30, 2)
    S = input_covariance("full", 2)
    u = np.array([far, -far])
    posterior = se_posterior(X, y, [0.9, 1.4], 1.5, 1e-3)
    mean, var, gradient = one(posterior.moments(u[None], S[None]))
    true_mean, true_var, true_cross = mp_moments(X, y, [0.9, 1.4], 1.5, 1e-3, u, S)
    np.testing.assert_allclose(var, true_var, rtol=1e-12)  # nearly the prior's
    np.testing.assert_allclose(mean, true_mean, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(S @ gradient, true_cross, rtol=1e-9, atol=1e-300)


# --- the plain twin, quadrature, Monte Carlo ----------------------------------------------------


def reference_of(posterior, u, S):
    m = posterior.n_bumps
    w = np.concatenate([posterior.weights, posterior.linear, [posterior.constant]])
    B = np.zeros((len(w), len(w)))
    if posterior.chol is not None:
        B[:m, :m] = -np.linalg.inv(posterior.chol @ posterior.chol.T)
    if posterior.added is not None:
        B += posterior.added @ posterior.added.T
    return extended_linear_moments(
        u, S, posterior.centers, posterior.lengthscales, w, B, posterior.prior_var
    )


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("rank", [1, None])
def test_every_kind_of_posterior_matches_the_plain_twin(name, rank):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(4, posterior.n_inputs, rank=rank)
    f = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, cross = reference_of(posterior, u[i], S[i])
        # The twin subtracts: its own error is a few hundred roundings of numbers of order one.
        np.testing.assert_allclose(f.mean[i], mean, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(f.var[i], var, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(S[i] @ f.gradient[i], cross, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("m", "d", "p"), [(31, 2, 33), (32, 5, 32), (33, 4, 1), (70, 17, 40)])
def test_sizes_around_those_of_a_panel_match_the_plain_twin(m, d, p):
    posterior = with_all_parts(m=m, d=d, p=p)
    u, S = gaussian_inputs(3, d)
    f = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, cross = reference_of(posterior, u[i], S[i])
        np.testing.assert_allclose(f.mean[i], mean, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(f.var[i], var, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(S[i] @ f.gradient[i], cross, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("prior_var", [1.3, 0.0])
def test_moments_match_quadrature_of_predict(d, prior_var):
    posterior = with_all_parts(d=d, prior_var=prior_var, chol=prior_var > 0)
    u, S = np.array([0.3, -0.2])[:d], np.array([[0.5, 0.2], [0.2, 0.4]])[:d, :d]
    mean, var, gradient = quadrature_moments(posterior, u, S)
    f = posterior.moments(u[None], S[None])
    # 80 nodes a dimension reach 1e-12 for bumps no narrower than the input.
    np.testing.assert_allclose(one(f)[0], mean, rtol=1e-10)
    np.testing.assert_allclose(one(f)[1], var, rtol=1e-10)
    np.testing.assert_allclose(one(f)[2], gradient, rtol=1e-9)


def test_a_million_samples_agree_within_five_standard_errors():
    X, y = rows(25, 2)
    covariance = SquaredExponential([0.9, 1.4], 1.5) + Linear([0.5, 0.2]) + Constant(2.0)
    posterior, _ = gp_posterior(covariance, 1e-2, X, 1.0 + X @ [0.4, -0.2] + y)
    u, S = np.array([0.5, 0.8]), np.array([[0.5, 0.2], [0.2, 0.4]])
    n = 1_000_000
    rng = np.random.default_rng(11)
    x = u + rng.standard_normal((n, 2)) @ np.linalg.cholesky(S).T
    at = posterior.predict(x)
    f = at.mean + np.sqrt(at.var) * rng.standard_normal(n)
    mean, var, gradient = one(posterior.moments(u[None], S[None]))

    def close(samples, expected):
        error = abs(samples.mean() - expected)
        assert error < 5.0 * samples.std() / np.sqrt(n)

    close(f, mean)
    close((f - mean) ** 2, var)
    for column, expected in zip((x - u).T, S @ gradient, strict=True):
        close((f - mean) * column, expected)


# --- Taylor -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("rank", [1, None])
def test_taylor_matches_finite_differences_of_predict(name, rank):
    posterior = POSTERIORS[name]
    d = posterior.n_inputs
    us, Ss = gaussian_inputs(3, d, rank=rank)
    f = posterior.taylor_moments(us, Ss)
    h = 1e-4
    for i, (u, S) in enumerate(zip(us, Ss, strict=True)):
        step = h * np.eye(d)
        ends = posterior.predict(np.concatenate([u + step, u - step])).mean
        gradient = (ends[:d] - ends[d:]) / (2.0 * h)
        # tr(Hessian S) is the sum of second differences along the columns of a root of S.
        values, vectors = np.linalg.eigh(S)
        columns = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        wide = 1e-3
        v = posterior.predict(np.concatenate([[u], u + wide * columns, u - wide * columns])).var
        curvature = (v[1 : d + 1] - 2.0 * v[0] + v[d + 1 :]).sum() / wide**2
        expected = v[0] + 0.5 * curvature
        at_u = posterior.predict(u[None])
        np.testing.assert_allclose(f.mean[i], at_u.mean[0], rtol=1e-12)
        # Differences at 1e-4 and 1e-3: truncation h^2 and rounding 1e-16/h^2 meet near 1e-7, 1e-5.
        np.testing.assert_allclose(f.gradient[i], gradient, rtol=1e-6, atol=1e-7)
        var = max(expected, 0.0) + gradient @ S @ gradient
        np.testing.assert_allclose(f.var[i], var, rtol=1e-5, atol=1e-5 * (1 + np.trace(S)))


def test_taylor_approaches_the_exact_moments_as_the_input_becomes_certain():
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(1, 3)
    gaps = []
    for scale in (1e-2, 1e-3, 1e-4):
        exact, taylor = posterior.moments(u, scale * S), posterior.taylor_moments(u, scale * S)
        gaps.append(abs(exact.var[0] - taylor.var[0]))
    ratios = np.array(gaps[:-1]) / gaps[1:]
    assert (ratios > 80.0).all()  # 100: the difference is of second order in S


# --- known inputs -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_a_known_input_gives_the_plain_prediction(name, method):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(5, posterior.n_inputs)
    f = getattr(posterior, method)(u, np.zeros_like(S))
    at = posterior.predict(u)
    # The same sums in another order; a variance cancels against numbers of order one to ten.
    np.testing.assert_allclose(f.mean, at.mean, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(f.var, at.var, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(f.gradient, posterior.gradient(u), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", POSTERIORS)
def test_gradient_matches_finite_differences(name):
    posterior = POSTERIORS[name]
    d = posterior.n_inputs
    X = np.random.default_rng(4).standard_normal((6, d))
    h = 1e-5
    differences = [
        (posterior.predict(X + step).mean - posterior.predict(X - step).mean) / (2.0 * h)
        for step in h * np.eye(d)
    ]
    np.testing.assert_allclose(
        posterior.gradient(X), np.transpose(differences), rtol=1e-7, atol=1e-8
    )


def test_expected_gradient_is_the_derivative_of_the_expected_mean():
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(1, 3)
    h = 1e-5
    ends = [posterior.moments(u + sign * step, S).mean[0] for step in h * np.eye(3)
            for sign in (1, -1)]  # fmt: skip
    differences = (np.array(ends[::2]) - np.array(ends[1::2])) / (2.0 * h)
    np.testing.assert_allclose(posterior.moments(u, S).gradient[0], differences, rtol=1e-8)


@pytest.mark.parametrize("name", POSTERIORS)
def test_predicted_variance_is_the_definition(name):
    posterior = POSTERIORS[name]
    X = np.random.default_rng(4).standard_normal((6, posterior.n_inputs))
    expected = np.diag(posterior_covariance(posterior, X))
    # The oracle subtracts from c = O(1) what is nearly c: rounding leaves some 1e-13 of c.
    np.testing.assert_allclose(posterior.predict(X).var, expected, rtol=1e-11, atol=1e-12)


def test_a_gp_with_all_its_terms_predicts_as_brute_force():
    X, y = rows(20, 2)
    covariance = SquaredExponential([0.9, 1.4], 1.5) + Linear([0.5, 0.2]) + Constant(2.0)
    posterior, _ = gp_posterior(covariance, 1e-2, X, y)
    brute = BruteForceGP(X, y, 1e-2, 1.5, [0.9, 1.4], [0.5, 0.2], 2.0)
    at, (mean, var) = posterior.predict(X + 0.3), brute.predict(X + 0.3)
    np.testing.assert_allclose(at.mean, mean, rtol=1e-10)
    np.testing.assert_allclose(at.var, var, rtol=1e-9)  # the explicit inverse loses the digits
    expected = brute.covariance(X[:5])
    np.testing.assert_allclose(posterior_covariance(posterior, X[:5]), expected, atol=1e-11)


# --- never negative -----------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 12),
    d=st.integers(1, 4),
    log_noise=st.floats(-8.0, 0.0),
    log_signal=st.floats(-2.0, 2.0),
    log_scale=st.floats(-14.0, 6.0),
    rank=st.integers(0, 4),
    away=st.floats(0.0, 20.0),
    kind=st.sampled_from(["gp", "gp with linear terms", "generic"]),
)
@example(0, 12, 1, -8.0, 2.0, -14.0, 1, 0.0, "gp")
@example(0, 12, 2, -8.0, 2.0, 6.0, 2, 0.0, "gp with linear terms")
@settings(max_examples=150)
def test_variance_is_never_negative_nor_infinite(
    seed, m, d, log_noise, log_signal, log_scale, rank, away, kind
):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((m, d)), rng.standard_normal(m)
    covariance = SquaredExponential(np.exp(0.5 * rng.standard_normal(d)), 10.0**log_signal)
    if kind == "generic":
        posterior = with_all_parts(seed, m, d)
    else:
        if kind != "gp":
            covariance = covariance + Linear(1.0) + Constant(1.0)
        posterior, _ = gp_posterior(covariance, 10.0**log_noise * 10.0**log_signal, X, y)
    root = rng.standard_normal((2, d, min(rank, d)))
    S = 10.0**log_scale * root @ np.swapaxes(root, 1, 2)
    u = away * rng.standard_normal((2, d))
    for f in (posterior.moments(u, S), posterior.taylor_moments(u, S)):
        assert np.isfinite(f.mean).all()
        assert np.isfinite(f.gradient).all()
        assert np.isfinite(f.var).all()
        assert (f.var >= 0.0).all()
        floor = np.einsum("bd,bde,be->b", f.gradient, S, f.gradient)
        assert (f.var >= floor * (1.0 - 1e-12)).all()  # what keeps the joint covariance PSD
        assert 0 <= f.n_clipped <= 2


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_a_variance_that_comes_out_negative_is_set_to_its_floor_and_counted(method):
    """A factor too small by far: prior 1, but the data are said to remove 4."""
    broken = Posterior(
        centers=np.zeros((1, 1)),
        lengthscales=np.ones(1),
        weights=np.zeros(1),
        linear=np.zeros(1),
        prior_var=1.0,
        chol=np.array([[0.5]]),
    )
    u = np.array([[0.0], [0.0], [9.0]])
    f = getattr(broken, method)(u, np.full((3, 1, 1), 1e-6))
    assert f.n_clipped == 2
    np.testing.assert_allclose(f.var, [0.0, 0.0, 1.0])


def test_a_healthy_posterior_clips_nothing():
    X, y = rows(40, 2, width=0.7)
    posterior = se_posterior(X, y, [1.0, 1.3], 1.0, 1e-6)
    u, S = gaussian_inputs(50, 2)
    assert posterior.moments(u, S).n_clipped == 0


# --- symmetries and batches ---------------------------------------------------------------------


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_permuting_the_inputs_permutes_the_results(method):
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(4, 3)
    order = np.array([2, 0, 1])
    m = posterior.n_bumps
    rows_of_added = np.concatenate([np.arange(m), m + order, [m + 3]])
    permuted = replace(
        posterior,
        centers=posterior.centers[:, order],
        lengthscales=posterior.lengthscales[order],
        linear=posterior.linear[order],
        added=posterior.added[rows_of_added],
    )
    f = getattr(posterior, method)(u, S)
    g = getattr(permuted, method)(u[:, order], S[:, order][:, :, order])
    np.testing.assert_allclose(g.mean, f.mean, rtol=1e-12)
    np.testing.assert_allclose(g.var, f.var, rtol=1e-11)
    np.testing.assert_allclose(g.gradient, f.gradient[:, order], rtol=1e-11)


def test_moments_do_not_change_when_all_inputs_are_shifted():
    X, y = rows(20, 2)
    u, S = gaussian_inputs(4, 2)
    f = se_posterior(X, y, 1.1, 1.0, 1e-2).moments(u, S)
    g = se_posterior(X + 8.0, y, 1.1, 1.0, 1e-2).moments(u + 8.0, S)
    np.testing.assert_allclose(g.mean, f.mean, rtol=1e-10)
    np.testing.assert_allclose(g.var, f.var, rtol=1e-10)


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
@pytest.mark.parametrize("name", ["all parts", "no bumps", "like a relevance vector machine"])
def test_a_batch_equals_its_inputs_one_by_one(method, name):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(7, 3)
    S[2] = 0.0  # ranks differ within the batch
    S[3, 1] = S[3, :, 1] = 0.0
    whole = getattr(posterior, method)(u, S)
    for i in range(len(u)):
        mean, var, gradient = one(getattr(posterior, method)(u[i : i + 1], S[i : i + 1]))
        np.testing.assert_allclose(whole.mean[i], mean, rtol=1e-13)
        np.testing.assert_allclose(whole.var[i], var, rtol=1e-12)
        np.testing.assert_allclose(whole.gradient[i], gradient, rtol=1e-12)


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_blocks_of_a_batch_equal_the_whole(method, monkeypatch):
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(11, 3)
    whole = getattr(posterior, method)(u, S)
    sizes = []
    inner = Posterior._moments if method == "moments" else Posterior._taylor

    def counted(self, u, S):
        sizes.append(len(u))
        return inner(self, u, S)

    monkeypatch.setattr(Posterior, inner.__name__, counted)
    monkeypatch.setattr(module, "_BATCH_ELEMENTS", 3 * posterior.n_bumps * 5)
    parts = getattr(posterior, method)(u, S)
    assert sizes == [3, 3, 3, 2]
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-13)
    np.testing.assert_allclose(parts.var, whole.var, rtol=1e-12)
    np.testing.assert_allclose(parts.gradient, whole.gradient, rtol=1e-12)


@pytest.mark.parametrize("rank", [0, 1, None])
def test_one_input_shared_out_among_threads_has_the_same_moments_to_the_last_bit(rank, monkeypatch):
    posterior = with_all_parts(m=150, d=4)
    u, S = gaussian_inputs(1, 4, rank=rank)
    alone = posterior.moments(u, S)
    monkeypatch.setattr(module, "_WORTH_SHARING", 1)
    for _ in range(20):
        shared = posterior.moments(u, S)
        np.testing.assert_array_equal(shared.mean, alone.mean)
        np.testing.assert_array_equal(shared.var, alone.var)
        np.testing.assert_array_equal(shared.gradient, alone.gradient)


def test_arrays_of_any_kind_make_the_same_moments():
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(6, 3)
    expected = posterior.moments(u[::2], S[::2]).var
    strange = np.asfortranarray(u[::2]), np.asfortranarray(S[::2])
    for array in strange:
        array.flags.writeable = False
    np.testing.assert_array_equal(posterior.moments(*strange).var, expected)


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_an_empty_batch_has_empty_moments(method):
    f = getattr(POSTERIORS["all parts"], method)(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    assert f.mean.shape == (0,)
    assert f.var.shape == (0,)
    assert f.gradient.shape == (0, 3)


def test_a_posterior_with_no_bumps_is_linear():
    """f = w'x + b with (w, b) uncertain: var f = w'Su... by hand, without features."""
    posterior = POSTERIORS["no bumps"]
    P = posterior.added @ posterior.added.T
    u, S = gaussian_inputs(1, 3)
    mean, var, gradient = one(posterior.moments(u, S))
    x = np.append(u[0], 1.0)
    w = posterior.linear
    np.testing.assert_allclose(mean, w @ u[0] + 0.7, rtol=1e-14)
    expected = w @ S[0] @ w + x @ P @ x + np.trace(P[:3, :3] @ S[0])
    np.testing.assert_allclose(var, expected, rtol=1e-13)
    np.testing.assert_allclose(gradient, w, rtol=1e-14)


@pytest.mark.parametrize("ell", [0.05, 0.03, 0.02])
@pytest.mark.parametrize("size", [1.0, 10.0])
def test_rows_many_length_scales_apart_keep_their_variance(ell, size):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (30, 1))
    y = np.sin(3.0 * X[:, 0])
    posterior, _ = gp_posterior(SquaredExponential([ell], 1.0), 1e-3, X, y)
    u, S = np.array([0.3]), np.array([[size]])
    exact = mp_moments(X, y, [ell], 1.0, 1e-3, u, S)[1]
    np.testing.assert_allclose(posterior.moments(u[None], S[None]).var[0], exact, rtol=1e-9)


def test_the_arrays_of_a_posterior_cannot_be_written():
    posterior = with_all_parts(0, 4, 2)
    with pytest.raises(ValueError, match="read-only"):
        posterior.weights[0] = 1.0
