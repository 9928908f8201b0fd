"""A file that was signed anew, with arrays that do not fit together, is refused."""

import numpy as np
import pytest

import gpforecast as gf
from gpforecast import models
from gpforecast.storage import archive

WAVE = np.sin(np.arange(60) / 3.0) + 0.1 * np.random.default_rng(0).standard_normal(60)
FORECASTERS = {
    "gp": {"model": models.GaussianProcess(), "exog_lags": [0]},
    "sparse": {"model": models.SparseGaussianProcess(n_inducing=5)},
    "machine": {"model": models.RelevanceVectorMachine()},
    "neighbours": {"model": models.NearestNeighbours()},
    "linear": {"model": models.BayesianAR(), "calibrate": "conformal"},
    "averaged": {"model": models.AveragedGP(n_draws=2, n_warmup=2)},
    "direct": {"model": models.LinearAR(), "strategy": "direct", "max_horizon": 2},
}
COMPUTED_WITH = (
    "rows.",
    "exog.",
    "covariance",
    "posterior_",
    "predictive_",
    "ensemble",
    "correlation",
    "values",
)
FINITE = ("rows.", "exog.location", "exog.scale", "covariance")


@pytest.fixture(params=FORECASTERS.values(), ids=FORECASTERS)
def written(request, tmp_path):
    exog = np.cos(np.arange(60))
    fc = gf.Forecaster(lags=3, transforms=None, **request.param).fit(WAVE, exog=exog)
    fc.save(tmp_path / "good")
    return tmp_path, *archive.read(tmp_path / "good")


def test_an_array_of_another_length_is_refused(written):
    folder, content, arrays = written
    names = [k for k in arrays if any(part in k for part in COMPUTED_WITH)]
    assert len(names) > 5
    for name in names:
        if arrays[name].size and arrays[name].ndim:
            archive.write(folder / "forged", content, arrays | {name: arrays[name][:-1]})
            with pytest.raises(
                ValueError, match=r"cannot be restored: .* (must be|but the inputs)"
            ):
                gf.load(folder / "forged")


def test_what_was_learned_and_learned_from_holds_no_nan(written):
    folder, content, arrays = written
    names = [k for k in arrays if any(part in k for part in FINITE) and arrays[k].dtype.kind == "f"]
    assert len(names) > 3
    for name in names:
        archive.write(folder / "forged", content, arrays | {name: arrays[name] * np.nan})
        with pytest.raises(ValueError, match=r"cannot be restored: .*(must be|\(NaN\))"):
            gf.load(folder / "forged")
