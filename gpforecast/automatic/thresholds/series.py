"""Thresholds on the series itself: its values, its level, its support."""

# Which values are used

#: Values. No test of a shorter series is reliable, nor are lags that a process would select.
FEWEST_VALUES = 24
#: Values. At least so many come before the origin of a trial. A shorter series with gaps is left as
#: it is, and fewer rows have a linear model.
SHORTEST = 8
#: Values. Transforms and lags of a longer series are chosen by its newest values alone: so many,
#: or those of a few seasons, none of which is longer than this.
NEWEST_VALUES = 3000
#: Values. How fast a series changes, and whether noise is of its measurements, it did not show
#: long ago: structural models and trials of noise have so many of the newest.
NEWEST = 300
#: Share of the variance of the steps. A series is smooth where a linear autoregression leaves
#: less: no season is looked for, nothing counts as an outlier, and lag 1 may be left out. With as
#: much noise in single steps it is noisy, and the evidence chooses among lags that are as good.
SMOOTH = 1e-2
#: Share of the variance of the steps. Where it leaves less than this, a series follows a map
#: that can be learned from few values: no cycle is taken from it, and a process that judged lags
#: has not taken noise for signal.
FOLLOWS_A_MAP = 0.1
#: Lags. The linear autoregression that measures how smooth a series is has this many, or a
#: quarter of the values; by so many the past resembles the present.
UNEXPLAINED_LAGS = 16
#: Rows. Noise is measured on this many of the newest.
NOISE_ROWS = 150

# The support of a series

#: Values. Shares lie between 0 and one of these, and reach both twice.
SHARES_UP_TO = (1.0, 100.0)
