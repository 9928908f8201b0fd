"""Thresholds of logarithms and roots."""

#: Lags. The process that measures noise has this many.
NOISE_LAGS = 8
#: Rows. Noise is measured on this many of the newest.
NOISE_ROWS = 150
