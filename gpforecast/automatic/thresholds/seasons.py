"""Thresholds of seasons, of cycles that no index suggests, and of the year."""

# Seasons

#: Seasons. A season or a cycle is found, and events are looked for beside it, only in a series that
#: holds this many, and so many of the newest are enough to see it.
SEASON_CYCLES = 4

# Cycles that no index suggests, and the year

#: Peaks. So many of the highest of the autocorrelation, and of the periodogram, may be a season.
MOST_PEAKS = 5
#: Cycles. A period counts as whole if a whole one is off by no more than this over the series.
CYCLE_DRIFT = 0.1
