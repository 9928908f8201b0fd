"""The model that is taken where the user names none."""

import copy

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.automatic.model import default_model, row_limit, without_explosion
from gpforecast.automatic.thresholds import FULL_ROWS


def wave(n):
    t = np.arange(n)
    return np.sin(t / 7) + 0.1 * np.random.default_rng(0).standard_normal(n)


@pytest.mark.parametrize(
    ("n_rows", "n_inputs", "kind"),
    [
        (6, 6, "AveragedGP"),
        (99, 2, "AveragedGP"),
        (100, 2, "GaussianProcess"),
        (200, 60, "GaussianProcess"),
        (1000, 16, "GaussianProcess"),
        (1001, 16, "SparseGaussianProcess"),
    ],
)
def test_model_suits_the_number_of_rows(n_rows, n_inputs, kind):
    decision = default_model(n_rows, n_inputs)
    assert type(decision.value).__name__ == kind
    assert bool(decision.reason) == (kind != "GaussianProcess")


def test_a_series_that_was_differenced_gets_slopes_beside_the_basis_functions():
    for n_rows in (300, 3000):
        decision = default_model(n_rows, 4, differenced=True)
        assert len(decision.value.covariance.terms) == 3
        assert "because changes of the series are learned" in decision.reason
        assert default_model(n_rows, 4).value.covariance is None


def test_few_rows_of_differences_get_a_shrunk_linear_model():
    linear = gf.models.BayesianAR()
    taken = default_model(99, 3, differenced=True, linear=linear)
    assert taken.value is linear
    assert "99 rows of changes are too few" in taken.reason
    assert default_model(100, 3, differenced=True, linear=linear).value is not linear


def test_rows_are_limited_for_models_whose_cost_grows_faster_than_they_do():
    models = gf.models
    assert row_limit("auto", None) is None
    assert row_limit("auto", models.SparseGaussianProcess()) is None
    assert row_limit("auto", models.LinearAR()) is None
    assert row_limit("auto", models.GaussianProcess()) == FULL_ROWS
    assert row_limit("auto", models.RelevanceVectorMachine()) == FULL_ROWS
    assert row_limit(50, None) == 50
    assert row_limit(None, models.GaussianProcess()) is None


def test_a_long_series_is_forecast_by_a_sparse_model_of_all_its_rows():
    fc = gf.Forecaster(lags=4, transforms=None).fit(wave(1400))
    assert type(fc.model_) is gf.models.SparseGaussianProcess
    assert fc.n_rows_ == 1396
    assert fc.fitted_.model_reasons[0].startswith("an approximation for long series: 1396 rows are")
    assert fc.notes_ == ()
    assert gf.Forecaster(lags=4).__repr__() == "Forecaster(lags=4)"
    truth = np.sin(np.arange(1400, 1430) / 7)
    f = fc.predict(30)
    assert np.mean(np.abs(f.mean.to_numpy() - truth) < 2 * f.std) > 0.9


def test_a_model_that_is_given_keeps_its_thousand_rows():
    gp = gf.models.GaussianProcess(
        gf.covariances.SquaredExponential(2.0, 1.0), noise_var=0.01, optimizer=None
    )
    fc = gf.Forecaster(lags=2, transforms=None, model=gp).fit(wave(1100))
    assert fc.n_rows_ == 1000
    assert "the model learned from 1000 of 1098 rows" in fc.notes_[0]
    with pytest.raises(ValueError, match="max_rows"):
        gf.Forecaster(max_rows="all")


def lorenz(n):
    """First coordinate, 0.05 time units apart, by small steps of the midpoint rule."""
    x = np.array([1.0, 1.0, 1.0])

    def slope(x):
        return np.array([10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])

    values = []
    for _ in range(n + 400):
        for _ in range(10):
            x = x + 0.005 * slope(x + 0.0025 * slope(x))
        values.append(x[0])
    return np.array(values[400:])


def test_error_bars_of_a_chaotic_series_without_noise_stay_within_its_range():
    y = lorenz(500)
    fc = gf.Forecaster().fit(y)
    assert "the series has next to no noise" in fc.summary()
    assert fc.predict(60).std.max() < 2.5 * y.std()


def short_wave(seed, n=20):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(n) * rng.uniform(0.4, 1.0)) + 0.3 * rng.standard_normal(n)


@pytest.mark.filterwarnings("ignore:.*variances by the taylor method")
@pytest.mark.parametrize(
    "propagation", ["exact", "taylor", "cubature", "naive", gf.propagation.MonteCarlo(50, seed=0)]
)
def test_every_method_propagates_the_model_for_few_rows(propagation, tmp_path):
    fc = gf.Forecaster(lags=3, propagation=propagation).fit(short_wave(1, 40))
    f = fc.predict(8)
    assert np.isfinite(f.trajectory).all()
    fc.save(tmp_path / "fc")
    np.testing.assert_array_equal(gf.load(tmp_path / "fc").predict(8).mean, f.mean)
    updated = fc.update(short_wave(1, 44)[40:]).predict(8)
    assert np.abs(updated.mean.to_numpy() - f.mean.to_numpy()).max() > 0


@pytest.mark.parametrize(("slope", "explodes"), [(0.9, False), (1.1, True)])
def test_a_line_that_makes_forecasts_explode_is_left_out(slope, explodes):
    """After an unusual value, the mean of a room's temperature was -3471 degrees a day ahead."""
    rng, n_rows = np.random.default_rng(0), 300
    X = rng.standard_normal((n_rows, 3))  # two lags and an input
    y = slope * X[:, 0] + 2.0 * X[:, 2] + 0.1 * rng.standard_normal(n_rows)
    chosen = default_model(n_rows, 3, differenced=True)
    fitted = copy.deepcopy(chosen.value).fit(X, y)
    got = without_explosion(chosen, fitted, n_rows, [1, 2])
    assert (got is chosen) == (not explodes)
    assert isinstance(got.value, gf.models.LinearAR) == explodes
    assert ("would grow without bound" in got.reason) == explodes
