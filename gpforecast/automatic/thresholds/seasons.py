"""Thresholds of seasons, of cycles that no index suggests, and of the year."""

# Seasons

#: Seasons. A season is found only in a series that holds at least this many.
SEASON_CYCLES = 3
#: Seasons. The same for a series whose index suggests no season.
SEASON_CYCLES_WITHOUT_INDEX = 6
#: Strength by STL. A season that the index suggests is present from this strength on, as in
#: Hyndman's nsdiffs.
SEASON_STRENGTH = 0.64
#: Share of variance. The first part of a series must explain this much of the rest: of what a cycle
#: fitted to the rest itself explains, as others drift, and of all where a season is as long as none
#: of the calendar's.
KEPT = 0.9
#: Share of variance. The same for a cycle as long as one of the calendar's, and for a year, of
#: either part.
REPEATS = 0.6
#: Steps. Cycles of these lengths count as the calendar's.
FAMILIAR_PERIODS = (7, 12, 24, 48, 52, 168, 336)
#: Share of variance. A longer season wins over a shorter one if it leaves less than half as
#: much, and this much less.
SEASON_TIE = 0.01
#: Share of the series. The mean cycle of this part is tested on the rest.
SEASON_FIRST_PART = 0.6
#: Peaks. So many of the highest of the autocorrelation may be a season.
MOST_PEAKS = 5
#: Seasons. Events and cycles are looked for beside a season if the series holds this many, and
#: so many of the newest are enough to see it.
OFFERED_CYCLES = 4
#: Pairs of a sine and a cosine. A fixed season is described by no more than this.
MOST_PAIRS = 6

# Cycles that no index suggests, and the year

#: Ratio of power. A line in the periodogram is this far above the median.
CYCLE_RATIO = 40.0
#: Cycles. A period counts as whole if a whole one is off by no more than this over the series.
CYCLE_DRIFT = 0.1
#: Ratio of mean squares. Where analogues forecast the series with its cycle so much better than
#: without, it follows a map that has the cycle, which stays.
CYCLE_OF_A_MAP = 0.7
#: Analogues. A forecast is the mean of what followed so many.
CYCLE_ANALOGUES = 10
#: Pairs of a sine and a cosine. A cycle has no more.
CYCLE_PAIRS = 3
#: Parts of a year. A year is found in averages over these.
YEAR_PARTS = 26
