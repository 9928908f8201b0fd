"""Forecasts to draw as fans, and how to read a fan that was drawn."""

import numpy as np
import pandas as pd
from matplotlib.collections import PolyCollection

LEVELS = (50, 80, 95)
WIDTHS = {50: 0.6745, 80: 1.2816, 95: 1.96}


def frame_on(index, *, centre="mean", prefix="", levels=LEVELS):
    """A forecast whose bands widen with the step, and are not symmetric."""
    steps = np.arange(1, len(index) + 1)
    mean, std = np.sin(steps), np.sqrt(steps)
    columns = {centre: mean}
    for level in levels:
        columns[f"{prefix}lo-{level}"] = mean - WIDTHS[level] * std
        columns[f"{prefix}hi-{level}"] = mean + 1.5 * WIDTHS[level] * std
    return pd.DataFrame(columns, index=index)


def series_and_frame(index, horizon):
    """A series on the first part of `index` and a forecast on its last `horizon` values."""
    values = np.cos(np.arange(len(index) - horizon))
    return pd.Series(values, index=index[:-horizon], name="load (MW)"), frame_on(index[-horizon:])


def bands(ax):
    return {c.get_label(): c for c in ax.collections if isinstance(c, PolyCollection)}


def line(ax, label):
    return next(artist for artist in ax.lines if artist.get_label() == label)


def origin_lines(ax):
    return [artist for artist in ax.lines if artist.get_gid() == "origin"]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


DATES = pd.date_range("2024-01-01", periods=40, freq="D")
INDEXES = {
    "dates": DATES,
    "dates with a zone": DATES.tz_localize("America/New_York"),
    "periods": pd.period_range("2019-01", periods=40, freq="M"),
    "range": pd.RangeIndex(40),
    "floats": pd.Index(0.5 * np.arange(40)),
}
