"""Probabilities of classes over time, among other axes of a figure."""

import matplotlib.pyplot as plt
import pandas as pd

import gpforecast as gf


def test_axes_keep_their_room_where_a_class_never_came():
    days = pd.date_range("2025-03-03", periods=4, freq="D")
    p = pd.DataFrame({"dry": [0.7] * 4, "rain": [0.3] * 4}, index=days)
    fig, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
    for ax in axes:
        gf.plotting.class_probabilities(p, truth=pd.Series(["dry"] * 4, days), ax=ax)
    fig.draw_without_rendering()
    heights = [ax.get_position().height for ax in axes]
    plt.close(fig)
    assert min(heights) > 0.3
