"""Every model goes through every method, or says why it cannot."""

import numpy as np
import pytest
from conformance import EVERY_MODEL, METHODS, MODELS, NEEDS, check_forecast, fitted

from gpforecast.propagation.recursion import Inputs, Start, propagate


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", EVERY_MODEL)
def test_every_model_goes_through_every_method_that_suits_it(model, method):
    lags = (1, 2, 7)
    one = fitted(model, lags)
    if NEEDS.get(method) in (None, *one._frozen().supports):
        check_forecast(one, METHODS[method], lags, 20)
        return
    assert model not in MODELS
    start, says = Start(np.zeros((1, 7))), f"(closed form for|functions from) {one._frozen().model}"
    with pytest.raises(TypeError, match=f"{says}.*'cubature'"):
        propagate(one._frozen(), METHODS[method], Inputs(lags), start, 3)
