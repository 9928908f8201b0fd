"""RVM* against the augmented model itself: eqs. (2.40), (2.41) and (2.44) of the thesis."""

import mpmath as mp
import numpy as np
import pytest
from conformance import METHODS, NEEDS_POSTERIOR, check_propagated
from oracles import BruteForceRVM, basis_matrix

import gpforecast as gf
from gpforecast.models import (
    HasPredictive,
    OneStepModel,
    Predictive,
    RelevanceVectorMachine,
    RelevanceVectorMachineStar,
)
from gpforecast.models.base import FitReport
from gpforecast.posteriors.augmented import augmented
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.storage import decode, encode

ELL = np.array([0.8, 1.3])


def data(n=30, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X.sum(axis=1) + 0.1 * rng.standard_normal(n)


class Machine(RelevanceVectorMachine):
    """A relevance vector machine with precisions given beforehand, on the first few rows."""

    def __init__(self, n_centers=6, bias=True, noise_var=0.05):
        self.n_centers, self.bias, self.noise_var = n_centers, bias, noise_var

    def fit(self, X, y):
        rng = np.random.default_rng(5)
        self.alpha_ = rng.uniform(0.1, 3.0, self.n_centers)
        self.alpha_bias_ = 0.5 if self.bias else None
        alpha = np.append(self.alpha_, 0.5) if self.bias else self.alpha_
        self.plain = BruteForceRVM(X, y, X[: self.n_centers], ELL, alpha, self.noise_var)
        m, d = self.n_centers, X.shape[1]
        root = np.linalg.cholesky(self.plain.Sigma) if len(alpha) else np.zeros((0, 0))
        self.posterior_ = Posterior(
            centers=X[:m],
            lengthscales=ELL,
            weights=self.plain.mu[:m],
            linear=np.zeros(d),
            constant=float(self.plain.mu[m]) if self.bias else 0.0,
            noise_var=self.noise_var,
            added=np.concatenate(
                [root[:m], np.zeros((d, len(alpha))), root[m:] if self.bias else root[:1] * 0.0]
                if m or self.bias
                else [np.zeros((d + 1, 0))]
            ),
        )
        self.noise_var_ = self.noise_var
        self.lengthscales_ = ELL
        self.log_marginal_likelihood_ = -12.5
        self.report_ = FitReport(True, "given", 0, 1, 1, -12.5)
        return self

    def condition(self, X, y):
        return Machine(self.n_centers, self.bias, self.noise_var).fit(X, y)


MACHINES = {
    "basis functions and bias": Machine(),
    "basis functions": Machine(bias=False),
    "a basis function for every row": Machine(n_centers=30),
    "little noise": Machine(noise_var=1e-4),
    "bias alone": Machine(n_centers=0),
    "nothing": Machine(n_centers=0, bias=False),
}
AT = np.concatenate([np.random.default_rng(1).uniform(-3.0, 3.0, (12, 2)), data()[0][:3]])


def star(machine, prior_var=1.7):
    return RelevanceVectorMachineStar(machine, prior_var=prior_var).fit(*data())


# --- prediction ---------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["augmented", "as_gp"])
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_prediction_is_that_of_the_model_with_a_basis_function_at_the_test_input(machine, by):
    model = star(machine)
    mean, std = model.predict(AT, return_std=True)
    direct = getattr(model.machine_.plain, by)
    expected = np.array([direct(x, 1.7) for x in AT])
    # Explicit inverses of matrices with a condition of up to 1e5.
    np.testing.assert_allclose(mean, expected[:, 0], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(std**2, expected[:, 1], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_several_inputs_have_a_basis_function_each(machine):
    """The Gaussian process whose covariance has all of their basis functions, eq. (2.44)."""
    model, (X, y), p = star(machine), data(), 1.7
    plain, at = model.machine_, AT[:8]
    m = plain.n_centers

    def k(A, B):
        C = basis_matrix(A, X[:m], ELL) / plain.alpha_ @ basis_matrix(B, X[:m], ELL).T
        return C + p * basis_matrix(A, at, ELL) @ basis_matrix(B, at, ELL).T + 2.0 * plain.bias

    solved = np.linalg.solve(k(X, X) + plain.noise_var * np.eye(30), np.c_[y, k(X, at)])
    mean, cov = model.predict(at, return_cov=True)
    np.testing.assert_allclose(mean, k(at, X) @ solved[:, 0], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(cov, k(at, at) - k(at, X) @ solved[:, 1:], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_variance_is_never_below_the_machines_own(machine):
    model = star(machine)
    grid = np.random.default_rng(2).uniform(-6.0, 6.0, (500, 2))
    own = model.machine_.posterior_.predict(grid).var
    ours = model.predictive_.predict(grid).var
    assert (ours >= own).all()
    assert (ours > own + 0.1).any()


def test_far_from_the_data_the_variance_is_the_prior_one_and_the_mean_the_bias():
    model = star(Machine())
    plain = model.machine_.plain
    mean, std = model.predict([[50.0, -80.0]], return_std=True)
    np.testing.assert_allclose(mean, plain.mu[-1], rtol=1e-12)
    np.testing.assert_allclose(std**2, 1.7 + plain.Sigma[-1, -1], rtol=1e-12)
    alone, lost = star(Machine(bias=False)).predict([[50.0, -80.0]], return_std=True)
    np.testing.assert_array_equal(alone, 0.0)
    np.testing.assert_allclose(lost**2, 1.7, rtol=1e-14)


def test_sparsity_factor_keeps_its_digits_where_the_new_function_is_all_but_redundant():
    """At a relevance vector with next to no noise s is tiny beside beta |k|^2: 50 digits."""
    X, y = data()
    noise_var, alpha = 1e-9, np.full(8, 1e-2)
    Phi = basis_matrix(X, X[:8], ELL)
    posterior = Posterior(
        X[:8], ELL, np.zeros(8), np.zeros(2), noise_var=noise_var, added=np.zeros((11, 8))
    )
    # Without weights of its own the mean is p e q / (1 + p s), from which s follows.
    little, much = (
        augmented(posterior, alpha, X, y, p).predict(X[:1]).mean[0] / p for p in (1e-12, 1e6)
    )
    s = (little / much - 1.0) / 1e6
    with mp.workdps(50):
        C = mp.matrix(Phi.tolist()) * mp.matrix((Phi / alpha).tolist()).T
        C = C + mp.mpf(noise_var) * mp.eye(len(X))
        k = mp.matrix(Phi[:, 0].tolist())
        exact = float((k.T * mp.lu_solve(C, k))[0])
    assert exact < 1e-8 * (Phi[:, 0] @ Phi[:, 0]) / noise_var
    np.testing.assert_allclose(s, exact, rtol=1e-8)


def test_blocks_show_no_seam(monkeypatch):
    model = star(Machine()).predictive_
    whole = model.predict(AT), model.gradient(AT)
    monkeypatch.setattr("gpforecast.posteriors.further_weights._BLOCK_ELEMENTS", 300)
    np.testing.assert_allclose(model.predict(AT).mean, whole[0].mean, rtol=1e-12)
    np.testing.assert_allclose(model.predict(AT).var, whole[0].var, rtol=1e-12)
    np.testing.assert_allclose(model.gradient(AT), whole[1], rtol=1e-11, atol=1e-13)


# --- its expansion ------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_gradient_is_that_of_finite_differences(machine):
    model = star(machine).predictive_
    h = 1e-5
    differences = [
        (model.predict(AT + e).mean - model.predict(AT - e).mean) / (2.0 * h) for e in h * np.eye(2)
    ]
    scale = np.abs(differences).max()
    np.testing.assert_allclose(model.gradient(AT), np.transpose(differences), atol=1e-6 * scale)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_taylor_moments_are_the_expansion_by_finite_differences(machine):
    model = star(machine).predictive_
    S = np.array([[0.04, 0.01], [0.01, 0.02]])
    f = model.taylor_moments(AT, np.broadcast_to(S, (len(AT), 2, 2)))
    h = 1e-3
    values, V = np.linalg.eigh(S)
    at, g = model.predict(AT), model.gradient(AT)
    expected = at.var + sum(
        0.5 * s * (model.predict(AT + h * v).var + model.predict(AT - h * v).var - 2.0 * at.var)
        / h**2
        for s, v in zip(values, V.T, strict=True)
    )  # fmt: skip
    total = np.maximum(expected, 0.0) + np.einsum("bd,de,be->b", g, S, g)
    np.testing.assert_allclose(f.var, total, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(f.mean, at.mean, rtol=1e-13)
    np.testing.assert_array_equal(f.gradient, g)
    assert f.n_clipped == (expected < 0.0).sum()


@pytest.mark.parametrize("method", ["taylor", "cubature", "naive"])
def test_a_known_input_gives_the_models_own_prediction(method):
    model = star(Machine())
    f = gf.propagation.predict_uncertain(model, AT[0], np.zeros((2, 2)), method)
    at = model.predictive_.predict(AT[:1])
    np.testing.assert_allclose((f.mean, f.var), (at.mean[0], at.var[0]), rtol=1e-11)


def test_taylor_and_cubature_agree_on_a_narrow_input_and_cubature_with_monte_carlo_on_a_wide_one():
    model = star(Machine())
    narrow = 1e-5 * np.array([[1.0, 0.3], [0.3, 0.5]])
    one, other = (
        gf.propagation.predict_uncertain(model, [0.3, -0.2], narrow, m)
        for m in ("taylor", "cubature")
    )
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-4)  # of order S
    np.testing.assert_allclose(other.var, one.var, rtol=1e-4)
    np.testing.assert_allclose(other.cross_cov, one.cross_cov, rtol=1e-3)
    wide = 1e4 * narrow
    f = gf.propagation.predict_uncertain(
        model, [0.3, -0.2], wide, gf.propagation.Cubature("gauss_hermite", 15, 2)
    )
    n = 40_000
    x = np.random.default_rng(0).multivariate_normal([0.3, -0.2], wide, n)
    at = model.predictive_.predict(x)
    assert abs(at.mean.mean() - f.mean) < 5.0 * at.mean.std() / np.sqrt(n) + 1e-6
    squares = at.var + (at.mean - f.mean) ** 2
    assert abs(squares.mean() - f.var) < 5.0 * squares.std() / np.sqrt(n) + 1e-4 * f.var


@pytest.mark.parametrize("method", [m for m in METHODS if m not in NEEDS_POSTERIOR])
def test_it_goes_through_every_method_that_needs_no_posterior(method):
    model = star(Machine())
    past = np.random.default_rng(0).standard_normal((3, 2))
    result = propagate(model.predictive_, METHODS[method], Inputs((1, 2)), Start(past), 20)
    check_propagated(result, 3, 20)


def test_it_is_refused_exact_moments():
    predictive = star(Machine()).predictive_
    with pytest.raises(TypeError, match=r"for RelevanceVectorMachineStar[,;]"):
        propagate(predictive, METHODS["exact"], Inputs((1, 2)), Start(np.zeros((1, 2))), 3)


def test_it_comes_back_from_a_file_to_the_last_bit():
    predictive = star(Machine()).predictive_
    again = decode(*encode(predictive, "predictive"))
    np.testing.assert_array_equal(again.predict(AT).mean, predictive.predict(AT).mean)
    np.testing.assert_array_equal(again.predict(AT).var, predictive.predict(AT).var)


# --- the estimator ------------------------------------------------------------------------------


def test_protocols():
    model = star(Machine())
    assert isinstance(model, OneStepModel)
    assert isinstance(model, HasPredictive)
    assert isinstance(model.predictive_, Predictive)
    assert model.predictive_.supports == {"taylor", "function"}
    assert not isinstance(model.predictive_, Posterior)


def test_prior_variance_is_that_of_the_targets_unless_given():
    model = star(Machine(), prior_var=None)
    np.testing.assert_allclose(model.prior_var_, np.var(data()[1]), rtol=1e-14)
    assert star(Machine(), prior_var=3).prior_var_ == 3.0


def test_targets_that_never_vary_add_nothing():
    X, _ = data()
    model = RelevanceVectorMachineStar(Machine()).fit(X, np.ones(30))
    _, std = model.predict(AT, return_std=True)
    # The two take other factors of Sigma, which round differently.
    np.testing.assert_allclose(std**2, model.machine_.posterior_.predict(AT).var, rtol=3e-14)


def test_what_the_machine_learned_is_passed_on_and_the_one_given_stays_untrained():
    machine = Machine()
    model = star(machine)
    assert not hasattr(machine, "posterior_")
    assert model.noise_var_ == 0.05
    assert model.log_marginal_likelihood_ == -12.5
    assert model.report_ is model.machine_.report_


def test_conditioning_keeps_the_prior_variance_and_takes_the_new_rows():
    X, y = data(40, seed=3)
    model = star(Machine(), prior_var=None)
    again = model.condition(X, y)
    assert again is not model
    assert again.prior_var_ == model.prior_var_
    expected = again.machine_.plain.augmented(AT[0], model.prior_var_)
    np.testing.assert_allclose(again.predict(AT[:1])[0], expected[0], rtol=1e-8)


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, "1", True, [1.0]])
def test_a_prior_variance_that_makes_no_sense_is_refused(bad):
    with pytest.raises(ValueError, match="prior_var must be a positive number, or None"):
        RelevanceVectorMachineStar(Machine(), prior_var=bad).fit(*data())


@pytest.mark.parametrize("bad", [RelevanceVectorMachine, gf.models.GaussianProcess(), 3, "rvm"])
def test_a_machine_that_is_none_is_refused(bad):
    with pytest.raises(TypeError, match="machine must be a RelevanceVectorMachine, such as gf"):
        RelevanceVectorMachineStar(bad).fit(*data())


def test_unfitted_it_asks_to_be_fitted():
    model = RelevanceVectorMachineStar(Machine())
    for ask in (lambda: model.predict(AT), lambda: model.condition(*data())):
        with pytest.raises(RuntimeError, match=r"not fitted yet; call fit\(X, y\)"):
            ask()
    with pytest.raises(RuntimeError, match="RelevanceVectorMachineStar is not fitted yet"):
        gf.propagation.predict_uncertain(model, [0.0, 0.0], np.eye(2), "taylor")


def test_other_columns_than_it_was_fitted_to_are_refused():
    with pytest.raises(ValueError, match="X has 3 columns but the model was fitted to 2"):
        star(Machine()).predict(np.zeros((1, 3)))


def test_repr_is_the_call_that_makes_it():
    assert repr(RelevanceVectorMachineStar()) == "RelevanceVectorMachineStar()"
    assert repr(RelevanceVectorMachineStar(prior_var=2.0)) == (
        "RelevanceVectorMachineStar(prior_var=2.0)"
    )


def test_the_frozen_result_cannot_be_written_to():
    predictive = star(Machine()).predictive_
    with pytest.raises(ValueError, match="read-only"):
        predictive.Q1[0, 0] = 1.0


def test_a_trained_machine_gets_its_error_bars_back():
    X = np.linspace(-3.0, 3.0, 60)[:, None]
    y = np.sin(2.0 * X[:, 0]) + 0.05 * np.random.default_rng(0).standard_normal(60)
    model = RelevanceVectorMachineStar().fit(X, y)
    machine = model.machine_
    alpha = machine.alpha_
    if machine.alpha_bias_ is not None:
        alpha = np.append(alpha, machine.alpha_bias_)
    plain = BruteForceRVM(
        X, y, machine.posterior_.centers, machine.lengthscales_, alpha, machine.noise_var_
    )
    at = np.array([[0.1], [2.9], [4.0], [40.0]])
    mean, std = model.predict(at, return_std=True)
    expected = np.array([plain.as_gp(x, np.var(y)) for x in at])
    np.testing.assert_allclose(mean, expected[:, 0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std**2, expected[:, 1], rtol=1e-6, atol=1e-8)
    assert std[3] > 3.0 * std[0]
