"""Sparse Gaussian processes: what they predict, what they learn, and what they refuse."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from oracles import quadrature_moments
from sparse_oracle import ExplicitSparseGP

import gpforecast as gf
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import GaussianProcess, SparseGaussianProcess
from gpforecast.models.base import HasTaylor
from gpforecast.models.sparse import PiecewisePosterior, ProjectedPosterior
from gpforecast.posterior import Posterior
from gpforecast.propagation import predict_uncertain
from gpforecast.warnings import NumericalWarning

ELL = np.array([0.9, 1.4])
SE = SquaredExponential(ELL, 1.3)
ALL = SE + Linear([0.2, 0.3]) + Constant(0.5)
EXACT = ("sr", "dtc", "vfe", "fitc", "pitc")
PIECEWISE = ("pic", "local")
CENTERS = np.array([[-1.0, 0.0], [1.0, 1.0], [1.0, -1.0]])


def data(n=60, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.5 * np.cos(X[:, 1]) + noise * rng.standard_normal(n)
    return X, y


def fixed(kind, covariance=SE, **options):
    options = {"inducing": data()[0][:9], "noise_var": 0.05, "blocks": CENTERS, **options}
    return SparseGaussianProcess(covariance, approximation=kind, optimizer=None, **options)


def label_of(X):
    return ((X[:, None] / ELL - CENTERS / ELL) ** 2).sum(axis=2).argmin(axis=1)


def explicit(kind, X, y, Z, covariance=SE, **options):
    slopes, level = (np.array([0.2, 0.3]), 0.5) if covariance is ALL else (None, 0.0)
    Z = np.zeros((0, 2)) if kind == "local" else Z
    return ExplicitSparseGP(
        kind, X, y, Z, 1.3, ELL, 0.05, slopes, level, label_of(X), label_of, **options
    )


# --- prediction ---------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", [SE, ALL], ids=["SE", "with linear terms"])
@pytest.mark.parametrize("kind", [*EXACT, *PIECEWISE])
def test_prediction_is_that_of_the_full_matrix(kind, covariance):
    if kind == "local" and covariance is ALL:
        return
    X, y = data()
    model = fixed(kind, covariance).fit(X, y)
    brute = explicit(kind, X, y, X[:9], covariance)
    at = data(20, seed=1)[0] * 1.3
    mean, std = model.predict(at, return_std=True)
    expected, var = brute.predict(at)
    np.testing.assert_allclose(mean, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(std**2, var, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(model.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-9)


def test_uncertain_inducing_variables_predict_as_the_full_matrix():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="fitc", inducing=X[:9], noise_var=0.05, variable_noise=True, max_iter=5
    )
    with pytest.warns(NumericalWarning, match="before it converged"):
        model.fit(X, y)
    h = model.uncertainty_ / model.covariance_.variance
    brute = ExplicitSparseGP(
        "fitc", X, y, model.inducing_, model.covariance_.variance, model.covariance_.lengthscales,
        model.noise_var_, h=h,
    )  # fmt: skip
    at = data(20, seed=1)[0]
    mean, std = model.predict(at, return_std=True)
    expected, var = brute.predict(at)
    np.testing.assert_allclose(mean, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(std**2, var, rtol=1e-7)
    np.testing.assert_allclose(model.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-9)


@pytest.mark.parametrize("kind", [*EXACT, "pic"])
def test_all_rows_as_inducing_inputs_give_the_full_gp(kind):
    X, y = data()
    full = GaussianProcess(SE, noise_var=0.05, optimizer=None).fit(X, y)
    model = fixed(kind, inducing=X).fit(X, y)
    at = data(20, seed=1)[0]
    mean, std = model.predict(at, return_std=True)
    expected, expected_std = full.predict(at, return_std=True)
    # The nugget of 1e-8 of the inducing variables, beside a noise of 0.05, and Q for K.
    np.testing.assert_allclose(mean, expected, atol=1e-5)
    if kind != "sr":
        np.testing.assert_allclose(std, expected_std, atol=1e-5)


def test_one_block_of_all_rows_is_the_full_gp():
    X, y = data()
    full = GaussianProcess(SE, noise_var=0.05, optimizer=None).fit(X, y)
    at = data(20, seed=1)[0]
    for kind in PIECEWISE:
        model = fixed(kind, blocks=X[:1]).fit(X, y)
        mean, std = model.predict(at, return_std=True)
        expected, expected_std = full.predict(at, return_std=True)
        np.testing.assert_allclose(mean, expected, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(std, expected_std, rtol=1e-6)
        np.testing.assert_allclose(
            model.log_marginal_likelihood_, full.log_marginal_likelihood_, rtol=1e-10
        )


@pytest.mark.parametrize("kind", PIECEWISE)
def test_blocks_of_a_trained_model_are_those_of_its_own_lengthscales(kind):
    X, y = data()
    wide = SquaredExponential([0.3, 20.0], 1.3)  # puts rows into other blocks than what is found
    model = SparseGaussianProcess(
        wide, approximation=kind, noise_var=0.05, inducing=X[:9], blocks=CENTERS
    ).fit(X, y)
    covariance = model.covariance_
    scaled = CENTERS / covariance.lengthscales

    def labels_of(at):
        return ((at[:, None] / covariance.lengthscales - scaled) ** 2).sum(axis=2).argmin(axis=1)

    brute = ExplicitSparseGP(
        kind, X, y, X[:9] if kind == "pic" else X[:0], covariance.variance,
        covariance.lengthscales, model.noise_var_, labels=labels_of(X), label_of=labels_of,
    )  # fmt: skip
    at = data(20, seed=1)[0]
    mean, std = model.predict(at, return_std=True)
    expected, var = brute.predict(at)
    np.testing.assert_allclose(mean, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std**2, var, rtol=1e-6, atol=1e-9)


def test_subset_of_data_is_a_gp_on_some_rows():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="sd", n_inducing=25, noise_var=0.05, optimizer=None, seed=3
    ).fit(X, y)
    chosen = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in model.inducing_]
    assert len(set(chosen)) == 25
    gp = GaussianProcess(SE, noise_var=0.05, optimizer=None).fit(X[chosen], y[chosen])
    np.testing.assert_array_equal(model.predict(X), gp.predict(X))
    assert model.log_marginal_likelihood_ == gp.log_marginal_likelihood_


def test_sr_forgets_its_uncertainty_where_dtc_keeps_it():
    X, y = data()
    far = np.array([[50.0, 50.0]])
    assert fixed("sr").fit(X, y).predict(far, return_std=True)[1][0] < 1e-10
    std = fixed("dtc").fit(X, y).predict(far, return_std=True)[1][0]
    np.testing.assert_allclose(std**2, 1.3, rtol=1e-12)


def test_many_rows_are_predicted_in_parts(monkeypatch):
    X, y = data()
    model = fixed("vfe").fit(X, y)
    whole = model.predict(X)
    monkeypatch.setattr("gpforecast.models.sparse_gaussian_process._PART_ELEMENTS", 100)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-12)


# --- Gaussian inputs ----------------------------------------------------------------------------

U, S = np.array([0.3, -0.2]), np.array([[0.3, 0.1], [0.1, 0.2]])


@pytest.mark.parametrize("covariance", [SE, ALL], ids=["SE", "with linear terms"])
@pytest.mark.parametrize("kind", EXACT)
def test_exact_moments_match_quadrature(kind, covariance):
    X, y = data()
    posterior = fixed(kind, covariance).fit(X, y).posterior_
    assert type(posterior) is Posterior
    mean, var, gradient = quadrature_moments(posterior, U, S)
    f = posterior.moments(U[None], S[None])
    np.testing.assert_allclose(f.mean[0], mean, rtol=1e-9)
    np.testing.assert_allclose(f.var[0], var, rtol=1e-8)
    np.testing.assert_allclose(f.gradient[0], gradient, rtol=1e-8)


def projected():
    X, y = data()
    return SparseGaussianProcess(
        SquaredExponential(variance=1.3), inducing=X[:9], projection=[[1.0, 0.4]], noise_var=0.05,
        optimizer=None, optimise_inducing=None, max_iter=100,
    ).fit(X, y)  # fmt: skip


def test_projected_posterior_is_propagated_exactly():
    model = projected()
    posterior = model.posterior_
    assert isinstance(posterior, ProjectedPosterior)
    mean, var, gradient = quadrature_moments(posterior, U, S)
    f = posterior.moments(U[None], S[None])
    np.testing.assert_allclose(f.mean[0], mean, rtol=1e-8)
    np.testing.assert_allclose(f.var[0], var, rtol=1e-7)
    np.testing.assert_allclose(f.gradient[0], gradient, rtol=1e-7)
    result = predict_uncertain(model, U, S)
    np.testing.assert_allclose(result.cross_cov, S @ gradient, rtol=1e-7)


def test_projected_posterior_predicts_as_the_full_matrix():
    X, y = data()
    model = projected()
    brute = ExplicitSparseGP(
        "vfe", X, y, model.inducing_, 1.3, np.ones(1), 0.05, P=model.projection_
    )
    at = data(20, seed=1)[0]
    mean, std = model.predict(at, return_std=True)
    expected, var = brute.predict(at)
    np.testing.assert_allclose(mean, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std**2, var, rtol=1e-6)


def test_projected_gradient_and_taylor_moments_match_differences():
    posterior = projected().posterior_
    h = 1e-5
    steps = h * np.eye(2)
    ends = [posterior.predict(U + sign * steps).mean for sign in (1, -1)]
    gradient = (ends[0] - ends[1]) / (2.0 * h)
    np.testing.assert_allclose(posterior.gradient(U[None])[0], gradient, rtol=1e-6)
    small = 1e-6 * S
    exact = posterior.moments(U[None], small[None])
    taylor = posterior.taylor_moments(U[None], small[None])
    np.testing.assert_allclose(taylor.var, exact.var, rtol=1e-6)
    np.testing.assert_allclose(taylor.gradient, exact.gradient, rtol=1e-5)


@pytest.mark.parametrize("kind", PIECEWISE)
def test_piecewise_gradient_and_taylor_moments_match_differences(kind):
    X, y = data()
    f = fixed(kind).fit(X, y).predictive_
    assert isinstance(f, PiecewisePosterior)
    assert isinstance(f, HasTaylor)
    u = np.array([[-0.8, 0.2], [1.2, 0.9]])  # well within their blocks
    h = 1e-4
    steps = h * np.eye(2)
    for x in u:
        v = f.predict(np.concatenate([[x], x + steps, x - steps]))
        gradient = (v.mean[1:3] - v.mean[3:]) / (2.0 * h)
        np.testing.assert_allclose(f.gradient(x[None])[0], gradient, rtol=1e-6)
        curvature = (v.var[1:3] - 2.0 * v.var[0] + v.var[3:]) / h**2
        taylor = f.taylor_moments(x[None], 0.01 * np.eye(2)[None])
        expected = v.var[0] + 0.005 * curvature.sum() + 0.01 * gradient @ gradient
        np.testing.assert_allclose(taylor.var[0], expected, rtol=1e-4)


@pytest.mark.parametrize("kind", PIECEWISE)
def test_exact_moments_of_a_piecewise_model_are_refused_with_what_works(kind):
    X, y = data()
    model = fixed(kind).fit(X, y)
    with pytest.raises(TypeError, match=f"closed form for .*{kind}.*'cubature'.*'taylor'"):
        predict_uncertain(model, U, S)
    assert predict_uncertain(model, U, S, method="cubature").var > 0.0


# --- training -----------------------------------------------------------------------------------


def test_training_finds_the_hyperparameters_of_the_full_gp():
    X, y = data(400)
    full = GaussianProcess().fit(X, y)
    model = SparseGaussianProcess(n_inducing=80, seed=0).fit(X, y)
    assert model.report_.converged
    gap = full.log_marginal_likelihood_ - model.log_marginal_likelihood_
    assert -1e-3 < gap < 2.0  # a lower bound, and with 80 inducing inputs a tight one
    np.testing.assert_allclose(model.noise_var_, full.noise_var_, rtol=0.05)


def test_a_signal_lost_in_the_noise_is_remarked_upon():
    rng = np.random.default_rng(0)
    X = rng.uniform(-8.0, 8.0, (800, 2))
    y = np.sin(2.0 * X[:, 0]) * np.cos(2.0 * X[:, 1]) + 0.05 * rng.standard_normal(800)
    options = {"n_inducing": 10, "inducing": "random", "seed": 0}
    lost = SparseGaussianProcess(optimise_inducing=False, **options).fit(X, y)
    assert lost.noise_var_ > 0.8 * np.mean(y**2)
    assert "taken for noise" in lost.report_.remarks[0]
    X, y = data()
    assert SparseGaussianProcess(**options).fit(X, y).report_.remarks == ()


@pytest.mark.parametrize("kind", ["vfe", "fitc"])
def test_moving_the_inducing_inputs_raises_the_evidence_and_lowers_the_error(kind):
    X, y = data(600)
    at, true = data(300, seed=1, noise=0.0)
    errors, evidence = [], []
    for optimise in (False, True):
        model = SparseGaussianProcess(
            approximation=kind, n_inducing=15, inducing="random", optimise_inducing=optimise, seed=0
        ).fit(X, y)
        errors.append(np.mean((model.predict(at) - true) ** 2))
        evidence.append(model.log_marginal_likelihood_)
    assert evidence[1] > evidence[0] + 50.0
    assert errors[1] < 0.75 * errors[0]


def test_projection_finds_the_one_direction_that_matters():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    direction = np.array([1.0, -2.0, 0.5, 0.0, 0.0, 1.0])
    direction /= np.linalg.norm(direction)
    y = np.sin(2.0 * X @ direction) + 0.1 * rng.standard_normal(300)
    model = SparseGaussianProcess(n_inducing=15, projection=1, seed=0).fit(X, y)
    found = model.projection_[0] / np.linalg.norm(model.projection_)
    assert abs(found @ direction) > 0.995
    mean = model.predict(X)
    assert np.mean((mean - np.sin(2.0 * X @ direction)) ** 2) < 1e-3


def heteroscedastic(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3.0, 3.0, n)
    noise = np.where(x > 0.0, 0.5, 0.02)
    return x[:, None], np.sin(2.0 * x) + noise * rng.standard_normal(n)


def test_variable_noise_beats_a_gp_where_the_noise_varies():
    X, y = heteroscedastic(200, 0)
    at, truth = heteroscedastic(1000, 1)

    def nlpd(model):
        mean, std = model.predict(at, return_std=True)
        var = std**2 + model.noise_var_
        return np.mean(0.5 * np.log(2.0 * np.pi * var) + 0.5 * (truth - mean) ** 2 / var)

    gp = nlpd(GaussianProcess().fit(X, y))
    model = SparseGaussianProcess(
        approximation="fitc", variable_noise=True, n_inducing=12, seed=0
    ).fit(X, y)
    assert nlpd(model) < gp - 0.3
    assert (model.uncertainty_ > 0.0).all()


def test_optimizer_none_keeps_what_is_given():
    X, y = data()
    model = fixed("fitc", inducing="kmeans", n_inducing=10).fit(X, y)
    assert model.covariance_ == SE
    assert model.noise_var_ == 0.05
    assert model.report_.n_evaluations == 0
    moved = fixed("fitc", inducing=X[:9], optimise_inducing=True).fit(X, y)
    assert moved.covariance_ == SE
    assert moved.log_marginal_likelihood_ > fixed("fitc").fit(X, y).log_marginal_likelihood_


@pytest.mark.parametrize("inducing", ["random", "kmeans", "sgev", "sggp", "kl", "information_gain"])
def test_inducing_inputs_differ_from_one_another_and_repeat_with_their_seed(inducing):
    X, y = data(100)
    X = np.concatenate([X, X[:50]])
    y = np.concatenate([y, y[:50]])
    made = [
        fixed("vfe", inducing=inducing, n_inducing=60, seed=1).fit(X, y).inducing_ for _ in "ab"
    ]
    assert len(np.unique(made[0], axis=0)) == len(made[0]) == 60
    np.testing.assert_array_equal(*made)


def test_more_inducing_inputs_than_rows_are_all_rows():
    X, y = data(30)
    assert fixed("vfe", inducing="random", n_inducing=500).fit(X, y).inducing_.shape == (30, 2)


# --- other data ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*EXACT, *PIECEWISE, "sd"])
def test_conditioning_on_other_data_is_fitting_with_what_was_learned(kind):
    X, y = data()
    model = fixed(kind, seed=0).fit(X[:40], y[:40])
    other = model.condition(X, y)
    again = fixed(kind, inducing=X[:9], seed=0).fit(X, y)
    np.testing.assert_allclose(other.predict(X), again.predict(X), rtol=1e-9, atol=1e-11)
    assert other.log_marginal_likelihood_ == pytest.approx(again.log_marginal_likelihood_)
    assert repr(other) == repr(model)


def test_conditioning_keeps_projection_and_uncertainties():
    X, y = data()
    for options in (
        {"projection": 1},
        {"variable_noise": True, "approximation": "fitc"},
    ):
        model = SparseGaussianProcess(SE, noise_var=0.05, n_inducing=9, seed=0, **options)
        model.fit(X, y)
        other = model.condition(X, y)
        np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(other.inducing_, model.inducing_, atol=1e-12)


def test_conditioning_drops_blocks_without_rows():
    X, y = data()
    model = fixed("local").fit(X, y)
    left = X[:, 0] < -0.5
    assert len(model.condition(X[left], y[left]).block_centers_) < 3


def test_warm_start_needs_few_evaluations():
    X, y = data(400)
    model = SparseGaussianProcess(n_inducing=30, seed=0).fit(X, y)
    again = model.warm_started().fit(X, y)
    assert again.report_.n_evaluations <= model.report_.n_evaluations
    np.testing.assert_allclose(
        again.log_marginal_likelihood_, model.log_marginal_likelihood_, atol=0.1
    )


@pytest.mark.parametrize(
    "options",
    [
        {"approximation": "fitc", "variable_noise": True},
        {"projection": 2},
        {"approximation": "pic", "n_blocks": 4},
        {"approximation": "sd"},
    ],
    ids=lambda o: str(o),
)
def test_forecaster_takes_it_updates_it_and_saves_it(options, tmp_path):
    series = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    model = SparseGaussianProcess(n_inducing=20, seed=0, max_iter=20, **options)
    exact = options.get("approximation") != "pic"
    fc = gf.Forecaster(3, model=model, propagation="exact" if exact else "taylor")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)
        fc.fit(series)
        fc.update([1.0, 1.1])
    fc.save(tmp_path / "fc")
    again = gf.load(tmp_path / "fc")
    before, after = fc.predict(10), again.predict(10)
    np.testing.assert_array_equal(before.mean, after.mean)
    np.testing.assert_array_equal(before.covariance, after.covariance)
    np.testing.assert_array_equal(
        fc.update([1.0]).predict(3).mean, again.update([1.0]).predict(3).mean
    )


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"approximation": "spgp"}, ValueError, "approximation must be one of 'sr', 'dtc'"),
        ({"inducing": "best"}, ValueError, "inducing must be one of 'random', 'kmeans'"),
        ({"inducing": [[1.0]]}, ValueError, "a column for each of the 2 inputs"),
        ({"n_inducing": 0}, ValueError, "n_inducing must be a positive integer"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number"),
        ({"optimizer": "adam"}, ValueError, "optimizer must be"),
        ({"variable_noise": True}, ValueError, "needs approximation='fitc'"),
        ({"variable_noise": 1}, TypeError, "variable_noise must be True or False"),
        ({"optimise_inducing": "yes"}, TypeError, "optimise_inducing must be True, False or None"),
        ({"projection": 3}, ValueError, "between 1 and 2 dimensions"),
        ({"projection": [[1.0]]}, ValueError, "projection has 1 columns but X has 2"),
        ({"projection": 1, "approximation": "pitc"}, ValueError, "projection works with"),
        ({"projection": 1, "covariance": ALL}, ValueError, "SquaredExponential alone"),
        ({"projection": 1, "optimise_inducing": False}, ValueError, "learns the inducing inputs"),
        ({"approximation": "local", "optimise_inducing": True}, ValueError, "has none"),
        ({"approximation": "local", "covariance": ALL}, ValueError, "use 'pic'"),
        ({"covariance": Linear(1.0)}, ValueError, "needs a SquaredExponential"),
        ({"covariance": "rbf"}, TypeError, "covariance must be one from"),
        ({"approximation": "pitc", "n_blocks": 61}, ValueError, "more than the 60 rows"),
        (
            {"approximation": "pic", "blocks": [[0.0, 0.0], [90.0, 90.0]]},
            ValueError,
            "1 of 2 blocks would hold no row",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_lost(options, error, message):
    X, y = data()
    model = fixed("vfe").fit(X, y)
    before = model.predict(X)
    for name, value in options.items():
        setattr(model, name, value)
    with pytest.raises(error, match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_unfitted_model_says_so():
    for call in (lambda m: m.predict([[0.0]]), lambda m: m.condition([[0.0]], [1.0])):
        with pytest.raises(RuntimeError, match="not fitted yet"):
            call(SparseGaussianProcess())


def test_repr_is_the_call():
    assert repr(SparseGaussianProcess()) == "SparseGaussianProcess()"
    model = SparseGaussianProcess(approximation="fitc", n_inducing=50, optimise_inducing=True)
    assert repr(model) == (
        "SparseGaussianProcess(approximation='fitc', n_inducing=50, optimise_inducing=True)"
    )


def test_a_block_without_noise_that_cannot_be_factored_is_explained():
    X, y = data()
    model = fixed("pitc").fit(X, y)
    before = model.predict(X)
    model.noise_var = 1e-300
    model.covariance = SquaredExponential(1e3, 1.0)
    with pytest.raises(np.linalg.LinAlgError, match=r"block of .* a larger noise_var mends it"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_jitter_is_recorded_and_said(monkeypatch):
    X, y = data()
    monkeypatch.setattr("gpforecast.models.sparse.evidence.NUGGET", -1e-7)
    model = fixed("vfe", SquaredExponential(1e4, 1.0))
    with pytest.warns(NumericalWarning, match="jitter of"):
        model.fit(X, y)
    assert model.report_.jitter == 1e-6


def test_posterior_of_the_uncertain_draws_functions_with_the_right_spread():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="fitc", inducing=X[:9], noise_var=0.05, variable_noise=True
    ).fit(X, y)
    posterior = model.posterior_
    assert np.shape(posterior.nugget) == (9,)
    K = posterior.prior_var**2 * posterior.chol @ posterior.chol.T
    bumps = posterior.prior_var * replace(posterior).features(posterior.centers)
    np.testing.assert_allclose(np.diag(K - bumps), posterior.nugget, rtol=1e-8, atol=1e-12)
