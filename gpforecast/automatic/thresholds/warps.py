"""Thresholds of logarithms and roots."""

#: Share of the largest value, or of the mean. A series comes down to zero if its smallest value
#: is no larger than this.
NEAR_ZERO = 0.02
#: Lags. The process that measures noise has this many.
NOISE_LAGS = 8
#: Rows. Noise is measured on this many of the newest.
NOISE_ROWS = 150
