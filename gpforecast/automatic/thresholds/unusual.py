"""Thresholds of outliers and level shifts."""

#: Lags. The robust autoregression that says what is unusual has this many, or an eighth of the
#: values. Set by situations.py.
UNUSUAL_LAGS = 6
#: Rounds. After each, the autoregression is fitted again to what is left. Set by situations.py.
UNUSUAL_ROUNDS = 3
#: Fits. The autoregression is fitted so often, each time with new weights. Set by situations.py.
UNUSUAL_REWEIGHTED = 6
#: Standard deviations. A larger residual has no weight in the fit (Tukey's bisquare). Set by
#: situations.py.
UNUSUAL_BISQUARE = 4.685
#: Cycles. A season is the middle of so many of the nearest. Set by situations.py.
NEAREST_CYCLES = 7
#: Probability. Chance alone exceeds the limit in no more than this share of series, if their tails
#: are those that were found. Set by situations.py.
FALSE_ALARMS = 0.01
#: Standard deviations. The limit is never below this. Set by situations.py.
SMALLEST_RATIO = 5.5
#: Standard deviations. Larger residuals are suspect and do not tell how heavy the tails are. Set by
#: situations.py.
SUSPECT = 5.0
#: Degrees of freedom. Student-t distributions that are compared. Set by situations.py.
TAILS = (1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
#: Ranges of all others. A value further outside them is an outlier whatever the tails, if it is
#: above the smallest limit. Set by situations.py.
ABSURD = 3.0
#: Nats. Tails without a variance must be more likely than others by so many. Set by situations.py.
WILD_GAIN = 2.0
#: Standard deviations of the steps. A smaller effect is left alone. Set by situations.py.
SMALLEST_EFFECT = 3.0
#: Effects. The search ends after so many. Set by situations.py.
MOST_EFFECTS = 100
#: Share of the values. With more outliers, they are a habit of the series, and left alone. Set by
#: situations.py.
MOST_OUTLIERS = 0.1
#: Ratio. What comes again after a season is an outlier no more, if it is as large up to about this
#: factor. Set by situations.py.
AGAIN_AS_LARGE = 3.0
#: Shifts. With more, the level wanders, and they are left alone. Set by situations.py.
MOST_SHIFTS = 1
#: Standard deviations. Beside an outlier, this is enough for another. Set by situations.py.
SMALLEST_RATIO_BESIDE = 3.0
#: Values. A shift has at least this many on either side. Set by situations.py.
SHIFT_FEWEST = 8
#: Values. A shift that is taken back within so many, or within a season, is a run of outliers. Set
#: by situations.py.
LONGEST_RUN = 16
#: Runs. No more outliers are named in a note. Set by situations.py.
MOST_NAMED = 5
#: Times. An event that has come so often excuses no absurd value any more. Set by situations.py.
EVENT_TIMES = 3
#: Values. A sensor may be stuck where at least so many in a row are equal. Set by situations.py.
STUCK_FEWEST = 6
#: Share of the values. With more that repeat the one before, a series is made of such. Set by
#: situations.py.
STUCK_REPEATS = 0.05
#: Share of the values. Where more are in long runs of equal values, a series has steps or is mostly
#: one value. Set by situations.py.
STUCK_SHARE = 0.4
#: Values. A longer run at the end of a series is left alone: it may be a new level. Set by
#: situations.py.
LONGEST_END = 2
#: Seasons. A series has shifted for good to a value that it never leaves again only after so many.
#: Set by situations.py.
END_SEASONS = 2
#: Standard deviations. The last value may be part of a total only if it is so far below what is
#: expected. Set by situations.py.
UNFINISHED_RATIO = 5.0
#: Values. Older ones do not say what is expected of the last. Set by situations.py.
UNFINISHED_NEWEST = 200
#: Share of what is expected. And no more than this. Set by situations.py.
UNFINISHED = 0.8
#: Ratio. That value lasts at least so many times as long as any value before it does. Set by
#: situations.py.
END_AS_LONG = 5
#: Values. A day without any is taken for a day off only if it would be open at so many times. Set
#: by situations.py.
DAY_OFF_FEWEST = 6
#: Probability. And if a usual day is less likely than this to have none. Set by situations.py.
DAY_OFF_BY_CHANCE = 1e-6
#: Share of the days. Days off are no exception where there are more. Set by situations.py.
DAYS_OFF = 0.1
#: Share of the cycles. Times never have a value where others have one at least as often as this.
#: Set by situations.py.
KNOWN_OFTEN = 0.8
