"""Thresholds of the trials of lags, and of the autoregressions among the candidates."""

#: Parts of the series. Forecasts that compare lags are no longer than one of this many equal parts.
PARTS = 6
#: Steps. Forecasts from which lags or inputs are chosen are at most so long.
TRIAL_STEPS = 200
#: Lags. The newest that an autoregression has; after a difference over a season, the first three.
LAGS_NEAR = (1, 2, 3, 4)
#: Lags. The same where no difference was taken and the values are not few; those of the process
#: that measures noise.
LAGS_FURTHER = tuple(range(1, 9))
#: Standard deviations of a coefficient, of which that of lag 1 is one. Lags of a season have
#: this prior.
SHORT_SEASON_SCALE = 0.5
#: Coefficient. Of lag 1 after a difference over a season, this is expected.
SHORT_NEIGHBOUR = 0.5
