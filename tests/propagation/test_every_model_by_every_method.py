"""Every model goes through every method, or says why it cannot."""

from functools import cache

import numpy as np
import pytest
from conformance import (
    METHODS,
    MODELS,
    MODELS_WITHOUT_POSTERIOR,
    NEEDS_POSTERIOR,
    check_propagated,
    embedded_series,
)

from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Inputs, Start, propagate


@cache
def fitted_once(model, lags):
    return MODELS[model]().fit(*embedded_series(lags)[1:])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_goes_through_every_method(model, method):
    lags = (1, 2, 7)
    z, _, _ = embedded_series(lags)
    fitted = fitted_once(model, lags)
    past = np.stack([z[-max(lags) :], z[-max(lags) - 5 : -5]])
    result = propagate(predictive_of(fitted), METHODS[method], Inputs(lags), Start(past), 20)
    check_propagated(result, 2, 20)
    paths = result.paths is not None  # as the automatic method may have, too
    assert (result.paths.shape == (2, 20, 40)) if paths else (method[:5] != "monte")
    at = fitted.predict(past[:, [-lag for lag in lags]])
    band = 5.0 * np.sqrt(result.covariance[:, 0, 0] / 40) if paths else 1e-12
    assert (np.abs(result.mean[:, 0] - at) < band).all()


@pytest.mark.parametrize("method", [m for m in METHODS if m not in NEEDS_POSTERIOR])
@pytest.mark.parametrize("model", MODELS_WITHOUT_POSTERIOR)
@pytest.mark.parametrize("lags", [(1, 2, 7)], ids=["1, 2 and 7"])
def test_every_model_without_a_posterior_goes_through_the_methods_that_need_none(
    model, method, lags
):
    z, X, y = embedded_series(lags)
    fitted = MODELS_WITHOUT_POSTERIOR[model]().fit(X, y)
    past = np.stack([z[-max(lags) :], z[-max(lags) - 5 : -5]])
    result = propagate(fitted.predictive_, METHODS[method], Inputs(lags), Start(past), 20)
    check_propagated(result, 2, 20)
    at = fitted.predict(past[:, [-lag for lag in lags]])
    paths = result.paths is not None
    band = 5.0 * np.sqrt(result.covariance[:, 0, 0] / 40) if paths else 1e-12
    assert (np.abs(result.mean[:, 0] - at) < band).all()


@pytest.mark.parametrize("method", NEEDS_POSTERIOR)
@pytest.mark.parametrize("model", MODELS_WITHOUT_POSTERIOR)
def test_a_model_without_a_posterior_is_refused_what_needs_one(model, method):
    _, X, y = embedded_series((1, 2))
    predictive = MODELS_WITHOUT_POSTERIOR[model]().fit(X, y).predictive_
    if "function" in method and "function" in predictive.supports:
        result = propagate(predictive, METHODS[method], Inputs((1, 2)), Start(X[:2, ::-1]), 5)
        check_propagated(result, 2, 5)
        return
    says = f"(closed form for|functions from) {predictive.model}.*'cubature'"
    with pytest.raises(TypeError, match=says):
        propagate(predictive, METHODS[method], Inputs((1, 2)), Start(np.zeros((1, 2))), 3)
