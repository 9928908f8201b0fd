"""Thresholds of logarithms and roots."""

#: Share of the largest value, or of the mean. A series comes down to zero if its smallest value is
#: no larger than this. Set by classics.py.
NEAR_ZERO = 0.02
#: Lags. The process that measures noise, and the autoregressions whose likelihoods are compared,
#: have this many. Set by folded.py.
NOISE_LAGS = 8
#: Rows. Noise is measured on this many of the newest. Set by folded.py.
NOISE_ROWS = 150
