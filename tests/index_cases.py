"""Lengths, and indexes that lost their frequency or are refused."""

import pandas as pd
import pytest

from gpforecast.series import TimeAxis

N, H = 40, 30


def without_freq(index):
    return pd.DatetimeIndex(list(index), name=index.name).astype(index.dtype)


def refused(index, *, error=ValueError):
    with pytest.raises(error) as caught:
        TimeAxis.of(index)
    return str(caught.value)
