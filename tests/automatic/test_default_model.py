import numpy as np
import pytest

import gpforecast as gf
from gpforecast.automatic.model import FULL_ROWS, default_model, row_limit


def wave(n):
    t = np.arange(n)
    return np.sin(t / 7) + 0.1 * np.random.default_rng(0).standard_normal(n)


@pytest.mark.parametrize(
    ("n_rows", "n_inputs", "kind"),
    [
        (20, 2, "AveragedGP"),
        (99, 2, "AveragedGP"),
        (100, 2, "GaussianProcess"),
        (150, 16, "AveragedGP"),
        (200, 16, "GaussianProcess"),
        (1000, 16, "GaussianProcess"),
        (1001, 16, "SparseGaussianProcess"),
    ],
)
def test_model_suits_the_number_of_rows(n_rows, n_inputs, kind):
    model, reasons = default_model(n_rows, n_inputs)
    assert type(model).__name__ == kind
    assert bool(reasons) == (kind != "GaussianProcess")


def test_a_series_that_wandered_gets_slopes_too():
    for n_rows in (300, 3000):
        model, _ = default_model(n_rows, 4, wandered=True)
        assert len(model.covariance.terms) == 3
        assert default_model(n_rows, 4)[0].covariance is None


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
    assert repr(fc).endswith("# fitted: a SparseGaussianProcess on 1396 rows")
    assert "sparse: 1396 rows are more than a full Gaussian process should have" in fc.summary()
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
    assert "trained on 1000 of 1098 rows" in fc.notes_[0]
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
    # One length-scale for each lag and trained: the spread is many times that of the series.
    each = gf.Forecaster(lags=list(fc.lags_), model=gf.models.GaussianProcess()).fit(y)
    assert each.predict(60).std.max() > 4 * y.std()


def test_inputs_leave_the_hyperparameters_to_training():
    y = lorenz(500)
    u = np.random.default_rng(0).standard_normal(500)
    fc = gf.Forecaster().fit(y, exog=u)
    assert "next to no noise" not in fc.summary()
    assert getattr(fc.model_, "optimizer", "L-BFGS-B") is not None
