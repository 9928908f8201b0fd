"""RVM* against the augmented model itself: eqs. (2.40), (2.41) and (2.44) of the thesis."""

import mpmath as mp
import numpy as np
import pytest
from conformance import check_expansion
from gaussian_process_cases import data
from oracles import BruteForceRVM, basis_matrix
from relevance_vector_cases import brute_force

from gpforecast.models import RelevanceVectorMachine, RelevanceVectorMachineStar
from gpforecast.models.base import FitReport
from gpforecast.posteriors.augmented import augmented
from gpforecast.posteriors.extended_linear import Posterior

ELL = np.array([0.8, 1.3])


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
        added = np.zeros((m + d + 1, len(alpha)))
        rows = np.append(np.arange(m), [m + d] * self.bias).astype(int)
        if len(rows):
            added[rows] = np.linalg.cholesky(self.plain.Sigma)
        self.posterior_ = Posterior(
            centers=X[:m],
            lengthscales=ELL,
            weights=self.plain.mu[:m],
            linear=np.zeros(d),
            constant=float(self.plain.mu[m]) if self.bias else 0.0,
            noise_var=self.noise_var,
            added=added,
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
AT = np.concatenate([np.random.default_rng(1).uniform(-3.0, 3.0, (12, 2)), data(30)[0][:3]])


def star(machine, prior_var=1.7):
    return RelevanceVectorMachineStar(machine, prior_var=prior_var).fit(*data(30))


# --- prediction ---------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_prediction_is_that_of_the_model_with_a_basis_function_at_the_test_input(machine):
    model = star(machine)
    mean, std = model.predict(AT, return_std=True)
    expected = np.array([model.machine_.plain.as_gp(x, 1.7) for x in AT])
    # Explicit inverses of matrices with a condition of up to 1e5.
    np.testing.assert_allclose(mean, expected[:, 0], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(std**2, expected[:, 1], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_several_inputs_have_a_basis_function_each(machine):
    """The Gaussian process whose covariance has all of their basis functions, eq. (2.44)."""
    model, (X, y), p = star(machine), data(30), 1.7
    plain, at = model.machine_, AT[:8]
    m = plain.n_centers

    def k(A, B):
        C = basis_matrix(A, X[:m], ELL) / plain.alpha_ @ basis_matrix(B, X[:m], ELL).T
        return C + p * basis_matrix(A, at, ELL) @ basis_matrix(B, at, ELL).T + 2.0 * plain.bias

    solved = np.linalg.solve(k(X, X) + plain.noise_var * np.eye(30), np.c_[y, k(X, at)])
    mean, cov = model.predict(at, return_cov=True)
    np.testing.assert_allclose(mean, k(at, X) @ solved[:, 0], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(cov, k(at, at) - k(at, X) @ solved[:, 1:], rtol=1e-6, atol=1e-8)


def test_sparsity_factor_keeps_its_digits_where_the_new_function_is_all_but_redundant():
    """At a relevance vector with next to no noise s is tiny compared with beta |k|^2: 50 digits."""
    X, y = data(30)
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


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_its_expansion_is_that_of_finite_differences(machine):
    S = np.broadcast_to(np.array([[0.04, 0.01], [0.01, 0.02]]), (len(AT), 2, 2))
    check_expansion(star(machine).predictive_, AT, S, rtol=1e-6)


# --- the estimator ------------------------------------------------------------------------------


def test_a_trained_machine_gets_its_error_bars_back():
    X = np.linspace(-3.0, 3.0, 60)[:, None]
    y = np.sin(2.0 * X[:, 0]) + 0.05 * np.random.default_rng(0).standard_normal(60)
    model = RelevanceVectorMachineStar().fit(X, y)
    plain = brute_force(model.machine_, X, y)
    at = np.array([[0.1], [2.9], [4.0], [40.0]])
    mean, std = model.predict(at, return_std=True)
    expected = np.array([plain.as_gp(x, np.var(y)) for x in at])
    np.testing.assert_allclose(mean, expected[:, 0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std**2, expected[:, 1], rtol=1e-6, atol=1e-8)
    assert std[3] > 3.0 * std[0]
