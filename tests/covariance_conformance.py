"""What every covariance must satisfy: one list, one set of checks.

To test a new covariance, add it to the list.
"""

import dataclasses
import math
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from oracles import central

from gpforecast.covariances import (
    BoundedBasis,
    Constant,
    Covariance,
    Linear,
    Matern,
    NeuralNetwork,
    Periodic,
    Polynomial,
    RationalQuadratic,
    SquaredExponential,
    Wiener,
)


@dataclass(frozen=True)
class CovarianceCase:
    """A covariance of three inputs, and its formula for two vectors."""

    covariance: Covariance
    formula: Callable[[np.ndarray, np.ndarray], float]
    n_parameters: int

    def __add__(self, other):
        return CovarianceCase(
            self.covariance + other.covariance,
            lambda x, z: self.formula(x, z) + other.formula(x, z),
            self.n_parameters + other.n_parameters,
        )

    def __mul__(self, other):
        return CovarianceCase(
            self.covariance * other.covariance,
            lambda x, z: self.formula(x, z) * other.formula(x, z),
            self.n_parameters + other.n_parameters,
        )


_ELL = np.array([0.7, 1.5, 3.0])
_SLOPES = np.array([0.5, 2.0, 0.1])


def _s(x, z, ell=_ELL):
    return np.sum((x - z) ** 2 / ell**2)


def _matern_five_halves(x, z, ell=_ELL):
    r = np.sqrt(5.0 * _s(x, z, ell))
    return 2.0 * (1.0 + r + r**2 / 3.0) * np.exp(-r)


def _neural(x, z):
    a, b, c = (0.4 + np.sum(p * q / _ELL**2) for p, q in ((x, z), (x, x), (z, z)))
    return 2.0 * 2.0 / np.pi * np.arcsin(a / np.sqrt((1.0 + b) * (1.0 + c)))


def _bounded(x, z):
    m = (x + z) / 2.0
    ends = [[math.erf((e - c) / ell) for c, ell in zip(m, _ELL, strict=True)] for e in (-0.8, 1.5)]
    shares = (np.array(ends[1]) - np.array(ends[0])) / 2.0
    return 1.4 * np.prod(np.exp(-((x - z) ** 2) / (4.0 * _ELL**2)) * shares)


SE = CovarianceCase(SquaredExponential(_ELL, 2.0), lambda x, z: 2.0 * np.exp(-0.5 * _s(x, z)), 4)
SHARED = CovarianceCase(Linear(0.8), lambda x, z: 0.8 * np.dot(x, z), 1)
EACH = CovarianceCase(Linear(_SLOPES), lambda x, z: np.dot(x * _SLOPES, z), 3)
CONSTANT = CovarianceCase(Constant(1.7), lambda *_: 1.7, 1)
RQ = CovarianceCase(
    RationalQuadratic(_ELL, 2.0, 0.6), lambda x, z: 2.0 * (1.0 + _s(x, z) / 1.2) ** -0.6, 5
)
PERIODIC = CovarianceCase(
    Periodic(_ELL, 1.5, 2.7),
    lambda x, z: 1.5 * np.exp(-2.0 * np.sum(np.sin(np.pi * (x - z) / 2.7) ** 2 / _ELL**2)),
    5,
)
NEURAL = CovarianceCase(NeuralNetwork(_ELL, 2.0, 0.4), _neural, 5)
WIENER = CovarianceCase(
    Wiener(_SLOPES),
    lambda x, z: np.sum(_SLOPES * (np.abs(x) + np.abs(z) - np.abs(x - z)) / 2.0),
    3,
)
MATERN = CovarianceCase(Matern(1.3, 2.0, nu=2.5), lambda x, z: _matern_five_halves(x, z, 1.3), 2)

COVARIANCES = {
    "SE, one length-scale": CovarianceCase(
        SquaredExponential(1.3, 2.0), lambda x, z: 2.0 * np.exp(-0.5 * _s(x, z, 1.3)), 2
    ),
    "SE, one length-scale an input": SE,
    "linear, shared": SHARED,
    "linear, one variance an input": EACH,
    "constant": CONSTANT,
    "RQ": RQ,
    "Matern 1/2": CovarianceCase(
        Matern(1.3, 2.0, nu=0.5), lambda x, z: 2.0 * np.exp(-np.sqrt(_s(x, z, 1.3))), 2
    ),
    "Matern 3/2": CovarianceCase(
        Matern(_ELL, 2.0),
        lambda x, z: 2.0 * (1.0 + np.sqrt(3.0 * _s(x, z))) * np.exp(-np.sqrt(3.0 * _s(x, z))),
        4,
    ),
    "Matern 5/2": CovarianceCase(Matern(_ELL, 2.0, nu=2.5), _matern_five_halves, 4),
    "periodic": PERIODIC,
    **{
        f"polynomial {g}": CovarianceCase(
            Polynomial(_ELL, 1.2, degree=g),
            lambda x, z, g=g: 1.2 * (1.0 + np.sum(x * z / _ELL**2)) ** g,
            4,
        )
        for g in (1, 2, 3, 4)
    },
    "polynomial, one length-scale": CovarianceCase(
        Polynomial(1.3, 1.2), lambda x, z: 1.2 * (1.0 + np.dot(x, z) / 1.69) ** 2, 2
    ),
    "neural network": NEURAL,
    "bounded basis": CovarianceCase(BoundedBasis(_ELL, 1.4, -0.8, 1.5), _bounded, 4),
    "Wiener": WIENER,
    "Wiener, shared": CovarianceCase(
        Wiener(0.8), lambda x, z: 0.4 * np.sum(np.abs(x) + np.abs(z) - np.abs(x - z)), 1
    ),
    "linear + constant": SHARED + CONSTANT,
    "SE + linear + constant": SE + EACH + CONSTANT,
    "neural network x SE + Wiener": NEURAL * SE + WIENER,
    "SE x periodic": SE * PERIODIC,
    "Matern 5/2 x linear x SE": MATERN * EACH * SE,
    "SE + RQ x constant + linear": SE + RQ * CONSTANT + SHARED,
}

# Covariances as passed to models, with values left to the data.
UNSTARTED = {
    "SE": SquaredExponential(),
    "SE, one length-scale given": SquaredExponential(2.0),
    "linear": Linear(),
    "constant": Constant(),
    "sum": SquaredExponential() + Linear() + Constant(),
    "RQ": RationalQuadratic(),
    "Matern": Matern(),
    "periodic": Periodic(),
    "polynomial": Polynomial(degree=3),
    "neural network": NeuralNetwork(),
    "Wiener": Wiener(),
    "product": Matern() * Periodic() + Linear(),
}


def _inputs(n=11, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def check_matrix_is_the_formula(case):
    X, Z = _inputs(6), _inputs(4, seed=1)
    expected = [[case.formula(x, z) for z in Z] for x in X]
    np.testing.assert_allclose(case.covariance(X, Z), expected, rtol=1e-13)


def check_own_matrix_is_that_of_the_inputs_with_themselves(case):
    X = _inputs()
    np.testing.assert_allclose(case.covariance(X), case.covariance(X, X), rtol=1e-13)


def check_symmetric_and_positive_semidefinite(case):
    X = np.concatenate([_inputs(), _inputs()[:3]])  # with duplicates
    K = case.covariance(X)
    np.testing.assert_allclose(K, K.T, rtol=1e-14)  # rounding differs by position
    values = np.linalg.eigvalsh(K)
    assert values[0] > -1e-14 * len(X) * values[-1]  # the error of eigvalsh itself


def check_diagonal(case):
    X = _inputs()
    np.testing.assert_allclose(case.covariance.diag(X), np.diag(case.covariance(X)), rtol=1e-13)


def check_log_parameters_round_trip(case):
    X, theta = _inputs(), case.covariance.log_parameters
    assert theta.shape == (case.n_parameters,)
    assert len(case.covariance.parameter_names) == case.n_parameters
    again = case.covariance.with_log_parameters(theta)
    assert type(again) is type(case.covariance)
    assert again.parameter_names == case.covariance.parameter_names
    np.testing.assert_allclose(again(X), case.covariance(X), rtol=1e-14)
    moved = case.covariance.with_log_parameters(theta + 0.1)
    np.testing.assert_allclose(moved.log_parameters, theta + 0.1, rtol=1e-14)


def check_slopes_in_the_inputs(case):
    X, Z, k = _inputs(5), _inputs(4, seed=1), case.covariance
    G = np.random.default_rng(2).standard_normal((5, 4))
    matrix = k.with_slopes(X, Z)
    np.testing.assert_allclose(matrix.K, k(X, Z), rtol=1e-12, atol=1e-14)
    by_x = central(lambda X: np.sum(G * k(X, Z)), X)
    by_z = central(lambda Z: np.sum(G * k(X, Z)), Z)
    np.testing.assert_allclose(matrix.rows(G), by_x, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(matrix.columns(G), by_z, rtol=1e-6, atol=1e-8)


def check_slopes_in_the_parameters(case):
    X, k = _inputs(), case.covariance
    for Z in (X, _inputs(4, seed=1)):
        G = np.random.default_rng(2).standard_normal((len(X), len(Z)))
        by_theta = central(
            lambda theta, Z=Z, G=G: np.sum(G * k.with_log_parameters(theta)(X, Z)), k.log_parameters
        )
        found = k.with_slopes(X, Z).parameters(G)
        assert found.shape == (case.n_parameters,)
        # Differences at 1e-5: h^2 of truncation, 1e-16/h of rounding of sums of order 100.
        np.testing.assert_allclose(found, by_theta, rtol=1e-7, atol=1e-7)


def check_slopes_of_the_diagonal(case):
    X, k = _inputs(5), case.covariance
    g = np.random.default_rng(2).standard_normal(5)
    by_theta = central(lambda t: g @ k.with_log_parameters(t).diag(X), k.log_parameters)
    np.testing.assert_allclose(k.diag_slopes(X, g), by_theta, rtol=1e-7, atol=1e-8)


def check_gram_and_its_slopes_are_those_of_the_matrix(case):
    k = case.covariance
    for n, n_targets in ((1, 1), (11, 2), (40, 4)):
        X = _inputs(n)
        K = np.zeros((n, n))
        k.fill_gram(X, 0.3, K)
        np.testing.assert_allclose(np.tril(K), np.tril(k(X) + 0.3 * np.eye(n)), rtol=1e-12)
        U = np.random.default_rng(3).standard_normal((n_targets, n))
        A = k(X) + np.eye(n)
        expected = k.with_slopes(X, X).parameters(0.5 * (U.T @ U - A))
        np.testing.assert_allclose(k.gram_slopes(X, K, U, A), expected, rtol=1e-9, atol=1e-9)


def check_pairs_are_the_diagonal_of_the_matrix(case):
    X, Z = _inputs(150), _inputs(150, seed=1)
    expected = np.diag(case.covariance(X, Z))
    np.testing.assert_allclose(case.covariance.pairs(X, Z), expected, rtol=1e-10, atol=1e-300)


def check_jets_are_derivatives(case):
    k, u, Z = case.covariance, _inputs(3), np.concatenate([_inputs(4, seed=1), _inputs(1)])
    directions = np.random.default_rng(4).standard_normal((3, 3, 2))
    if not k.is_smooth:
        steps = 1e-6 * np.swapaxes(directions, 1, 2)
        slopes = np.stack([k.diag(u + s) - k.diag(u - s) for s in np.swapaxes(steps, 0, 1)]) / 2e-6
        along = k.diag_jets(u, directions)[:, 2:, 0]
        np.testing.assert_allclose(along, slopes.T, rtol=1e-6, atol=1e-8)
        return
    h = 1e-4
    for jets, function in (
        (k.jets(u, directions, Z), lambda x: k(x, Z)),
        (k.diag_jets(u, directions), lambda x: k.diag(x)[:, None]),
    ):
        steps = h * np.swapaxes(directions, 1, 2)
        up = np.stack([function(u + steps[:, r]) for r in range(2)], axis=1)
        down = np.stack([function(u - steps[:, r]) for r in range(2)], axis=1)
        middle = function(u)
        np.testing.assert_allclose(jets[:, 0], middle, rtol=1e-12)
        np.testing.assert_allclose(jets[:, 2:], (up - down) / (2 * h), rtol=1e-5, atol=1e-6)
        curve = (up - 2 * middle[:, None] + down).sum(axis=1) / h**2
        # Second differences lose half of the digits; Matern 5/2 has no continuous third derivative.
        np.testing.assert_allclose(jets[:, 1], curve, rtol=1e-3, atol=2e-3)


def check_first_order_jets_are_the_gradient(case):
    k, u, Z = case.covariance, _inputs(3), _inputs(4, seed=1)
    axes = np.broadcast_to(np.eye(3), (3, 3, 3))
    jets = k.jets(u, axes, Z)
    rows = [[k.with_slopes(x[None], z[None]).rows(np.ones((1, 1)))[0] for z in Z] for x in u]
    np.testing.assert_allclose(np.swapaxes(jets[:, 2:], 1, 2), rows, rtol=1e-10, atol=1e-12)


def check_frequencies_make_the_covariance(case):
    n = 20_000
    w = case.covariance.frequencies(np.random.default_rng(5), n, 3, 1)
    if w is None:
        return
    X = 0.5 * _inputs(6)
    for x, z in zip(X[:3], X[3:], strict=True):
        cosines = np.cos((x - z) @ w[:, :, 0].T)
        expected = case.formula(x, z) / case.formula(x, x)
        assert abs(cosines.mean() - expected) < 5.0 * cosines.std() / np.sqrt(n)


def check_no_array_larger_than_n_by_n(case):
    n, d = 250, 60
    covariance = _wide(case.covariance, d)
    X = _inputs(n, d)
    M = np.ones((n, n))
    tracemalloc.start()
    try:
        covariance.with_slopes(X, X).parameters(M)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A few n x n matrices for each part; an n x n x d array would be 60 of them.
    assert peak < 12 * len(_leaves(case.covariance)) * n * n * 8


def _leaves(covariance):
    parts = getattr(covariance, "parts", ())
    return [leaf for part in parts for leaf in _leaves(part)] or [covariance]


def _wide(covariance, d):
    """The same covariance for d inputs."""
    if hasattr(covariance, "parts"):
        return covariance.with_parts(_wide(part, d) for part in covariance.parts)
    each = {n: np.full(d, 3.0) for n, v in vars(covariance).items() if np.ndim(v)}
    return dataclasses.replace(covariance, **each)


def check_immutable(case):
    for term in (case.covariance, *_leaves(case.covariance)):
        name = dataclasses.fields(term)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(term, name, 1.0)
        value = getattr(term, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 1.0


COVARIANCE_CHECKS = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
