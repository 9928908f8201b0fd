"""Thresholds of the trials that select transforms, of short series too."""

# Trials of transforms, and of lags around a season

#: Parts of the series. Forecasts of a trial are no longer than one of this many equal parts.
HORIZON_PARTS = 6
#: Lags. A differenced series without a season is given these, and trials without a season use
#: them.
LAGS_NEAR = (1, 2, 3, 4)
#: Lags. Trials without a season use these as well, and a noisy series may be given them.
LAGS_FURTHER = tuple(range(1, 9))


# Short series

#: Standard deviations of a coefficient, of which that of lag 1 is one. Lags of a season have
#: this prior.
SHORT_SEASON_SCALE = 0.5
#: Coefficient. Of lag 1 after a difference over a season, this is expected.
SHORT_NEIGHBOUR = 0.5
#: Sum of coefficients. No autoregression of a short series has a larger one.
SHORT_LARGEST_SUM = 0.98
