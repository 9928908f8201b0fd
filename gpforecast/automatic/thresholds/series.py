"""Thresholds on the series itself: its values, its level, its support."""

# Which values are used

#: Values. No test of a shorter series is reliable. Set by m4.py.
FEWEST_VALUES = 24
#: Values. Transforms of a series no longer than this are chosen among few, with priors. Set by
#: everyday.py.
SHORT_VALUES = 200
#: Values. A shorter series is left as it is: no trial is possible there. Set by everyday.py.
SHORTEST = 8
#: Values. Of fewer, nothing is taken away; of so many, changes are. Set by situations.py.
FEWEST_CHANGES = 4
#: Values. Transforms and lags of a longer series are chosen by its newest values alone. Set by
#: m4.py.
NEWEST_VALUES = 3000
#: Seasons. The newest values are so many if these are more, as those of the week are for readings
#: every 10 minutes. Set by situations.py.
NEWEST_SEASONS = 4
#: Steps. No longer season makes the newest values more: a week of 5 minutes. Set by
#: situations.py.
LONGEST_SEASON_SEEN = 2016
#: Share of the largest value. A series counts as constant if its range is no larger than this: that
#: is rounding. Set by chaos.py.
CONSTANT = 1e-13
#: Share of the variance of the steps. A series is smooth where a linear autoregression leaves less:
#: nothing is removed from it, and lag 1 may be left out. Set by chaos.py.
SMOOTH = 1e-2
#: Share of the variance of the steps. Where it leaves less than this, a series follows a map that
#: can be learned from few values: it needs no prior of short series and no cycle. Set by chaos.py.
FOLLOWS_A_MAP = 0.1
#: Lags. The linear autoregression that measures how smooth a series is has this many, or a quarter
#: of the values. Set by chaos.py.
UNEXPLAINED_LAGS = 16

# Tests of the level

#: P-value. KPSS rejects a constant level, or a line, up to this. Set by classics.py.
KPSS_REJECTS = 0.05
#: P-value. ADF rejects a wandering level below this. In a short series it may have missed one from
#: here on. Set by classics.py.
ADF_REJECTS = 0.05
#: P-value. The same where the series crosses its mean more often than a random walk would, as
#: cycles do. Set by classics.py.
ADF_REJECTS_IF_CROSSED_OFTEN = 0.1
#: P-value. ADF rejects a level that wanders around a straight line below this. Set by m4.py.
LINE_ADF = 0.01
#: Values. KPSS misses one random walk of 300 values in seven: its result may be overruled in a
#: series of at least this length. Set by m4.py.
KPSS_MISSED_VALUES = 100
#: P-value. KPSS is overruled only if that of ADF is at least this. Set by m4.py.
KPSS_MISSED_ADF = 0.1
#: Share of the variance of the steps. KPSS is overruled only if a linear autoregression leaves this
#: much unexplained. Set by chaos.py.
KPSS_MISSED_UNEXPLAINED = 0.75
#: Values. In a shorter series the tests may have missed a wandering level. Set by m4.py.
UNDECIDED_VALUES = 150
#: Share of the variance of the steps. They may have missed it only if a linear autoregression
#: leaves this much unexplained. Set by m4.py.
UNDECIDED_UNEXPLAINED = 0.6

# The support of a series

#: Standard deviations. Whole numbers that were never negative, and come so near to 0, cannot be: so
#: far forecasts of them reach. Set by everyday.py.
WHOLE_REACH = 3.0
#: Value. Half of all counts are no larger: others need no rounding. Set by support.py.
COUNT_MEDIAN = 20.0
#: Share of the values. No more of counts are distinct: a line's are. Set by support.py.
COUNT_DISTINCT = 0.75
#: Values. Shares lie between 0 and one of these, and reach both twice. Set by support.py.
SHARES_UP_TO = (1.0, 100.0)
#: Share of the values. Of a series that ends at zero, so many are near it. Set by support.py.
SUPPORT_NEAR_ZERO = 0.03
