"""Thresholds of the trials that select transforms, of short series too."""

# Trials of transforms, and of lags around a season

#: Shares of the series. An autoregression is fitted to the values before each of the first three,
#: and forecasts what follows up to the next. Set by m4.py.
TRIAL_PARTS = (0.7, 0.8, 0.9, 1.0)
#: Origins. Each part of a trial has this many forecasts. Set by m4.py.
TRIAL_ORIGINS = 8
#: Ranges of the series. A candidate with a larger CRPS counts as impossible: no useful forecast is
#: so far off. Set by m4.py.
TRIAL_LARGEST_CRPS = 1e3
#: Parts of the series. Forecasts of a trial are no longer than one of this many equal parts. Set by
#: m4.py.
HORIZON_PARTS = 6
#: Steps. Forecasts of a trial are no longer than this where no season was found. Set by m4.py.
TRIAL_STEPS = 16
#: Steps. Forecasts of a trial are no longer than this, nor than two seasons. Set by m4.py.
TRIAL_STEPS_SEASONAL = 60
#: Lags. A differenced series without a season is given these, and trials without a season use them.
#: Set by m4.py.
LAGS_NEAR = (1, 2, 3, 4)
#: Lags. Trials without a season use these as well, and a noisy series may be given them. Set by
#: classics.py.
LAGS_FURTHER = tuple(range(1, 9))


# Short series

#: Standard deviations of a coefficient, of which that of lag 1 is one. Lags of a season have this
#: prior. Set by everyday.py.
SHORT_SEASON_SCALE = 0.5
#: Coefficient. Of lag 1 after a difference over a season, this is expected. Set by everyday.py.
SHORT_NEIGHBOUR = 0.5
#: Sum of coefficients. No autoregression of a short series has a larger one. Set by everyday.py.
SHORT_LARGEST_SUM = 0.98
