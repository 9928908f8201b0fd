"""Exact moments, and another method where one Gaussian is not the forecast."""

import numpy as np
import pytest
from conditioned import gp_posterior
from recursion_cases import linear_posterior, past_values

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.propagation import Automatic, ExactMoments, GaussianMixture, MonteCarlo
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.results.warped import distribution_of

PATHS = MonteCarlo(40, kind="function", seed=0)
AUTO = Automatic(PATHS)
ONE_LAG = Inputs((1,))


def half_folded_posterior():
    """A map with a fold on the right, and a contraction to -2 on the left, -2 + 0.2 (x + 2)."""
    x = np.linspace(-3.0, 1.1, 60)
    y = np.where(x < -1.2, -2.0 + 0.2 * (x + 2.0), 1.0 - 1.8 * x**2)
    return gp_posterior(SquaredExponential(0.4, 4.0), 1e-4, x[:, None], y)[0]


def same(got, expected):
    np.testing.assert_array_equal(got.mean, expected.mean)
    np.testing.assert_array_equal(got.covariance, expected.covariance)


def test_a_straight_model_is_forecast_by_exact_moments():
    model = linear_posterior([0.9, -0.5], noise_var=0.1)
    start = Start(past_values((1, 2), 2))
    got = propagate(Columns.of(model, Inputs((1, 2))), AUTO, start, 8)
    same(got, propagate(Columns.of(model, Inputs((1, 2))), ExactMoments(), start, 8))
    assert got.paths is None
    assert got.remarks == ()
    assert got.chosen == {"exact"}


@pytest.mark.parametrize("instead", [PATHS, GaussianMixture(8)])
def test_a_folded_one_by_the_other_method_and_says_so(instead):
    posterior, start = half_folded_posterior(), Start(np.array([[0.35]]))
    got = propagate(Columns.of(posterior, ONE_LAG), Automatic(instead), start, 12)
    same(got, propagate(Columns.of(posterior, ONE_LAG), instead, start, 12))
    assert got.remarks[0].startswith(f'forecast by the method "{instead.name}", because from step')


@pytest.mark.parametrize("instead", [PATHS, GaussianMixture(8)])
def test_each_origin_of_a_batch_gets_its_own_method(instead):
    posterior, start = half_folded_posterior(), Start(np.array([[0.35], [-2.1], [0.6]]))
    got = propagate(Columns.of(posterior, ONE_LAG), Automatic(instead), start, 12)
    exact = propagate(Columns.of(posterior, ONE_LAG), ExactMoments(), start.rows(slice(1, 2)), 12)
    other = propagate(Columns.of(posterior, ONE_LAG), instead, start.rows(np.array([0, 2])), 12)
    assert got.chosen == {"exact", instead.name}
    np.testing.assert_array_equal(got.mean[[0, 2]], other.mean)
    np.testing.assert_array_equal(got.covariance[[0, 2]], other.covariance)
    np.testing.assert_allclose(got.mean[1], exact.mean[0], rtol=1e-10)
    np.testing.assert_allclose(got.covariance[1], exact.covariance[0], rtol=1e-8, atol=1e-14)
    low, high = np.moveaxis(distribution_of(got, None).quantile([0.025, 0.975]), -1, 0)
    assert (low < high).all()


def test_a_model_without_a_closed_form_is_forecast_by_cubature():
    series = gf.datasets.mackey_glass(120, noise_var=1e-3, seed=0)
    fc = gf.Forecaster(4, model=gf.models.NearestNeighbours(), transforms=None).fit(series)
    auto, cubature = (fc.predict(5, propagation=method) for method in ("auto", "cubature"))
    np.testing.assert_array_equal(auto.mean, cubature.mean)
    assert (auto.propagation, cubature.propagation) == ("auto: cubature", "cubature")


@pytest.mark.parametrize(("n_away", "left_out"), [(0, 0), (3, 3), (40, 0)])
def test_a_few_paths_that_run_away_are_left_out_and_counted(n_away, left_out):
    """One drawn function in a thousand made the mean of a sensor 80 times its range."""
    paths = np.random.default_rng(0).standard_normal((1, 4, 100))
    paths[0, 2:, :n_away] = 1e6
    drawn = Propagated.of_paths(paths, np.full((1, 4), 0.5), 0)

    def run(method, start):
        if not isinstance(method, MonteCarlo):
            raise ValueError  # noqa: TRY004 - as where it is no longer finite
        return drawn

    start = Start(np.zeros((1, 1)), input_range=np.array([[-2.0], [2.0]]))
    found = Automatic().choose(run, Columns.of(linear_posterior([0.5]), Inputs((1,))), start)
    said = [note for note in found.remarks if "were left out" in note]
    assert [int(note.split()[0]) for note in said] == [left_out] * bool(left_out)
    kept = np.delete(paths[0], np.arange(left_out), axis=1)
    assert np.isin(found.paths[0], kept).all()
    np.testing.assert_allclose(found.mean[0], found.paths[0].mean(axis=1))
    assert (found.latent_var <= np.einsum("bhh->bh", found.covariance)).all()
    assert found.mean.max() < 1.0 or not left_out


def test_beyond_a_thousand_steps_a_process_is_drawn_anew_at_each_and_the_forecast_says_so():
    y = np.sin(0.3 * np.arange(60)) + 0.1 * np.random.default_rng(0).standard_normal(60)
    fc = gf.Forecaster(2, model=gf.models.GaussianProcess(optimizer=None), transforms=None).fit(y)
    near, far = (" ".join(fc.predict(h).notes) for h in (1000, 1001))
    assert "drawn anew at each" in far
    assert "drawn anew at each" not in near
