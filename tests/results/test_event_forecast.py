"""What a forecast of classes says of its probabilities, whatever made them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.results import EventForecast


@dataclass(frozen=True, eq=False)
class Given:
    """Probabilities that are given, (1, h, C)."""

    probabilities: np.ndarray


def test_the_most_likely_class_is_that_of_its_own_step_and_the_first_of_equals():
    p = np.array([[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7]]])
    history = pd.Series(pd.Categorical(["low", "high"], ["low", "middle", "high"], ordered=True))
    f = EventForecast(Given(p), ("low", "middle", "high"), pd.RangeIndex(2, 6), history, "given")
    assert f.most_likely.tolist() == ["middle", "low", "low", "high"]
    assert f.to_frame()["most_likely"].tolist() == ["middle", "low", "low", "high"]
