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

# What is removed: factors by which the CRPS of a trial is multiplied

#: Factor of the CRPS. For a seasonal difference followed by another one. Set by m4.py.
PENALTY_TWO_DIFFERENCES = 1.2
#: Factor of the CRPS. For a difference followed by sines and cosines. Set by m4.py.
PENALTY_DIFFERENCE_AND_SINES = 1.05
#: Factor of the CRPS. For sines and cosines that are too few to describe every shape of a season.
#: Set by m4.py.
PENALTY_FEW_PAIRS = 1.25
#: Factor of the CRPS. For a difference over the shorter season where a longer one was found. Set by
#: m4.py.
PENALTY_SHORTER_SEASON = 1.1
#: Factor of the CRPS. For a difference over a longer season than the one found. Set by m4.py.
PENALTY_LONGER_SEASON = 1.25
#: Factor of the CRPS. For sines of a named season beside another that is part of it, or it of that.
#: Set by situations.py.
PENALTY_NAMED_SEASON = 1.1
#: Factor of the CRPS. For not removing the season. Set by m4.py.
PENALTY_NOTHING_REMOVED = 1.5
#: Factor of the CRPS. A level that wanders by the tests is differenced unless trials without a
#: difference are better by this factor. Set by m4.py.
MARGIN_WANDERS = 1.2
#: Factor of the CRPS. The same where the series is too short for the tests to decide. Set by m4.py.
MARGIN_UNDECIDED = 1.1
#: Factor of the CRPS. A level that is constant by the tests is differenced only if trials are
#: better by this factor. Set by m4.py.
MARGIN_CONSTANT = 1.25

# Short series

#: Steps. Over this the weight of a slope is halved, or over a fourth of a longer series. Set by
#: everyday.py.
SHORT_HALFLIFE = 5.0
#: Parts of the series. Over one of so many equal parts the weight of a slope is halved. Set by
#: everyday.py.
SHORT_HALFLIVES = 4
#: Share kept a step. A slope that fades does so at this rate. Set by everyday.py.
SHORT_DAMPING = 0.9
#: Share kept a season. Growth over a season fades at this rate. Set by everyday.py.
SHORT_DAMPING_A_SEASON = 0.7
#: Steps. Forecasts of a trial are so long, or one season and a half. Set by everyday.py.
SHORT_STEPS = 6
#: Origins. A trial forecasts from this many. Set by everyday.py.
SHORT_ORIGINS = 4
#: Standard deviations of a coefficient, of which that of lag 1 is one. Lags of a season have this
#: prior. Set by everyday.py.
SHORT_SEASON_SCALE = 0.5
#: Coefficient. Of lag 1 after a difference over a season, this is expected. Set by everyday.py.
SHORT_NEIGHBOUR = 0.5
#: Sum of coefficients. No autoregression of a short series has a larger one. Set by everyday.py.
SHORT_LARGEST_SUM = 0.98
#: Strength of the prior. The one that other trials use, for speed. Set by everyday.py.
SHORT_TRIAL_STRENGTH = 0.2
#: Strength of the prior. The one that trials of 24 values and more without a difference use: levels
#: depend more on the past. Set by chaos.py.
SHORT_TRIAL_STRENGTH_LEVEL = 2.0
#: Factor of the CRPS. Without a season, of no difference where the level is constant by the tests.
#: Set by chaos.py.
SHORT_LEVEL = 1 / 1.25
#: Factor of the CRPS. Of no difference, where the tests cannot decide. Set by everyday.py.
SHORT_LEVEL_UNDECIDED = 1.15
#: Factor of the CRPS. Of no difference, where a series is too short for tests. Set by everyday.py.
SHORT_LEVEL_UNTESTED = 1.5
#: Factor of the CRPS. Of a logarithm of a short series. Set by everyday.py.
SHORT_LOG = 1.1
