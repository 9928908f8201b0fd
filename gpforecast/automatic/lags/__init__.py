"""Choosing the lags of an autoregressive model from the series itself."""

from gpforecast.automatic.lags.choice import LagChoice, choose_lags, select_lags

__all__ = ["LagChoice", "choose_lags", "select_lags"]
