import copy
import warnings

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.series.scaling import location_and_scale

pytest.importorskip("sklearn")

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from gpforecast.adapters import sklearn as faces
from gpforecast.adapters.sklearn import GPRegressor, RVMRegressor

MODELS = {
    "GPRegressor": "GaussianProcess",
    "RVMRegressor": "RelevanceVectorMachine",
    "SparseGPRegressor": "SparseGaussianProcess",
}
FACES = [getattr(faces, name) for name in faces.__all__]


@pytest.fixture(params=FACES, ids=lambda face: face.__name__)
def face(request):
    return request.param


def data(n=40, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 50 + 7 * np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)


def test_every_check_of_scikit_learn_passes(face, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke them on purpose
        results = check_estimator(face(), on_fail=None, on_skip=None, expected_failed_checks={})
    failed = [r for r in results if r["status"] not in ("passed", "skipped")]
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    passed = sum(r["status"] == "passed" for r in results)
    with capsys.disabled():
        print(f"\n{face.__name__}: check_estimator {passed} checks, {len(failed)} failed")
    assert not failed, [(r["check_name"], r["exception"]) for r in failed]
    assert passed > 45
    # That one needs an environment variable, and skips without.
    assert skipped <= {"check_array_api_input"}


def test_a_prediction_is_the_models_own_in_the_units_of_the_target(face):
    X, y = data()
    fitted = face().fit(X, y)
    centre, scale = location_and_scale(y)  # y.mean() and y.std() but for their last bits
    model = copy.deepcopy(fitted.model_).fit(X, (y - centre) / scale)
    assert type(model) is getattr(gf.models, MODELS[face.__name__])
    mean, std = model.predict(X[:5], return_std=True)
    got_mean, got_std = fitted.predict(X[:5], return_std=True)
    np.testing.assert_allclose(got_mean, y.mean() + y.std() * mean, rtol=1e-10)
    variance = y.var() * (std**2 + model.noise_var_)
    np.testing.assert_allclose(got_std**2, variance, rtol=1e-8)
    np.testing.assert_allclose(fitted.noise_var_, y.var() * model.noise_var_, rtol=1e-10)
    np.testing.assert_array_equal(fitted.predict(X[:5]), got_mean)


def test_the_standard_deviation_is_that_of_an_observation():
    # Explicit algebra of a Gaussian process with everything given.
    X, y = data(12)
    k = gf.covariances.SquaredExponential(lengthscales=1.3, variance=2.0)
    gp = GPRegressor(k, noise_var=0.2, optimizer=None).fit(X, y)
    z = (y - y.mean()) / y.std()
    x = np.array([[0.3, -1.0]])
    K = 2 * np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1) / 1.3**2) + 0.2 * np.eye(12)
    kx = 2 * np.exp(-0.5 * ((X - x) ** 2).sum(-1) / 1.3**2)
    mean, std = gp.predict(x, return_std=True)
    inverse = np.linalg.inv(K)
    np.testing.assert_allclose(mean[0], y.mean() + y.std() * kx @ inverse @ z, rtol=1e-9)
    np.testing.assert_allclose(std[0] ** 2, y.var() * (2.2 - kx @ inverse @ kx), rtol=1e-9)
    # The density of y, not of its standardised values.
    S = y.var() * K
    residual = y - y.mean()
    density = -0.5 * (residual @ np.linalg.solve(S, residual) + np.linalg.slogdet(2 * np.pi * S)[1])
    np.testing.assert_allclose(gp.log_marginal_likelihood_, density, rtol=1e-10)


def test_a_search_in_a_pipeline_finds_the_length_scale_that_fits():
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0, 20, 80))[:, None]
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=80)
    pipeline = make_pipeline(StandardScaler(), GPRegressor(optimizer=None, noise_var=0.02))
    grid = {
        "gpregressor__covariance": [
            gf.covariances.SquaredExponential(ell, 1.0) for ell in (1e-3, 0.1, 10.0)
        ]
    }
    search = GridSearchCV(pipeline, grid, cv=4, error_score="raise")
    order = rng.permutation(80)
    search.fit(X[order], y[order])
    assert search.best_params_["gpregressor__covariance"].lengthscales == 0.1
    assert search.best_score_ > 0.9


def test_a_bad_parameter_is_refused_in_the_models_words():
    X, y = data()
    with pytest.raises(ValueError, match="max_iter must be a positive integer"):
        GPRegressor(max_iter=0).fit(X, y)
    with pytest.raises(ValueError, match="adapt must be"):
        RVMRegressor(adapt="all").fit(X, y)
