"""Every threshold of the automatic choices, each with its unit and the benchmark that set it.

They are conventions, not facts: numbers with which the benchmark named, a script in
``benchmarks/accuracy``, went well and the others no worse. Before and after one is moved, its
benchmark is run.
"""

# Which values are used

#: Values. No test of a shorter series is reliable. Set by m4.py.
FEWEST_VALUES = 24
#: Values. Transforms of a series no longer than this are chosen among few, with priors. Set by
#: everyday.py.
SHORT_VALUES = 200
#: Values. A shorter series is left as it is: no trial is possible there. Set by everyday.py.
SHORTEST = 8
#: Values. Transforms and lags of a longer series are chosen by its newest values alone. Set by
#: m4.py.
NEWEST_VALUES = 3000
#: Share of the largest value. A series counts as constant if its range is no larger than this: that
#: is rounding. Set by chaos.py.
CONSTANT = 1e-10
#: Share of the variance of the steps. A series is smooth where a linear autoregression leaves less:
#: nothing is removed from it, and lag 1 may be left out. Set by chaos.py.
SMOOTH = 1e-2
#: Share of the variance of the steps. Where it leaves less than this, a series follows a map that
#: can be learned from few values: it needs no prior of short series and no cycle. Set by chaos.py.
FOLLOWS_A_MAP = 0.1
#: Lags. The linear autoregression that measures how smooth a series is has this many, or a quarter
#: of the values. Set by chaos.py.
UNEXPLAINED_LAGS = 16

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

# Seasons

#: Seasons. A season is found only in a series that holds at least this many. Set by m4.py.
SEASON_CYCLES = 3
#: Seasons. The same for a series whose index suggests no season. Set by chaos.py.
SEASON_CYCLES_WITHOUT_INDEX = 6
#: Strength by STL. A season that the index suggests is present from this strength on, as in
#: Hyndman's nsdiffs. Set by m4.py.
SEASON_STRENGTH = 0.64
#: Share of variance. Where the index suggests no season, the mean cycle of the first part must
#: explain this much of the rest. Set by chaos.py.
SEASON_REPEATS = 0.88
#: Share of variance. The same for a cycle as long as one of the calendar's. Set by classics.py.
SEASON_REPEATS_FAMILIAR = 0.6
#: Steps. Cycles of these lengths count as the calendar's. Set by m4.py.
FAMILIAR_PERIODS = (7, 12, 24, 48, 52, 168, 336)
#: Share of variance. A longer season wins over a shorter one if it leaves less than half as much,
#: and this much less. Set by m4.py.
SEASON_TIE = 0.01
#: Share of the series. The mean cycle of this part is tested on the rest. Set by chaos.py.
SEASON_FIRST_PART = 0.6
#: Peaks. So many of the highest of the autocorrelation may be a season. Set by chaos.py.
MOST_PEAKS = 5
#: Correlation. A lower peak of the autocorrelation is no candidate for a season. Set by chaos.py.
PEAK_CORRELATION = 0.1
#: Steps. Seasons that are tried as lags, though too weak to be removed, where the index suggests
#: none. Set by m4.py.
OFFERED_PERIODS = (7, 12, 24, 48, 52)
#: Seasons. A weak season is tried as lags only if the series holds this many. Set by m4.py.
OFFERED_CYCLES = 4
#: Standard errors. A weak season that no index suggests needs this autocorrelation of the
#: differences, which chance alone exceeds in 1 % of series. Set by m4.py.
OFFERED_CORRELATION = 2.6
#: Factor of the CRPS. Lags of a season that the index suggests are kept unless trials without them
#: are better by this factor. Set by m4.py.
OFFERED_MARGIN_INDEX = 1.25
#: Factor of the CRPS. Where the level does not wander, lags of a weak season are kept only if their
#: CRPS is below this times that of others. Set by m4.py.
OFFERED_MARGIN_LEVEL = 0.95
#: Seasons. A long season is removed instead of the short one within it only if the series holds
#: this many. Set by m4.py.
LONG_SEASON_CYCLES = 5
#: Pairs of a sine and a cosine. A fixed season is described by no more than this. Set by m4.py.
MOST_PAIRS = 6

# What is removed: factors by which the CRPS of a trial is multiplied

#: Factor of the CRPS. For a seasonal difference followed by another one. Set by m4.py.
HANDICAP_TWO_DIFFERENCES = 1.2
#: Factor of the CRPS. For a difference followed by sines and cosines. Set by m4.py.
HANDICAP_DIFFERENCE_AND_SINES = 1.05
#: Factor of the CRPS. For sines and cosines that are too few to describe every shape of a season.
#: Set by m4.py.
HANDICAP_FEW_PAIRS = 1.25
#: Factor of the CRPS. For a difference over the shorter season where a longer one was found. Set by
#: m4.py.
HANDICAP_SHORTER_SEASON = 1.1
#: Factor of the CRPS. For a difference over a longer season than the one found. Set by m4.py.
HANDICAP_LONGER_SEASON = 1.25
#: Factor of the CRPS. For not removing the season. Set by m4.py.
HANDICAP_NOTHING_REMOVED = 1.5
#: Factor of the CRPS. A level that wanders by the tests is differenced unless trials without a
#: difference are better by this factor. Set by m4.py.
MARGIN_WANDERS = 1.2
#: Factor of the CRPS. The same where the series is too short for the tests to decide. Set by m4.py.
MARGIN_UNDECIDED = 1.1
#: Factor of the CRPS. A level that is constant by the tests is differenced only if trials are
#: better by this factor. Set by m4.py.
MARGIN_CONSTANT = 1.25

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

# Logarithms and roots

#: Seasons. The spread within seasons is compared only if the series holds this many. Set by m4.py.
GUERRERO_SEASONS = 4
#: Ratio of levels. Growth of the spread counts only if the mean levels of seasons differ by this
#: factor. Set by m4.py.
GUERRERO_LEVELS = 1.5
#: Ratio of levels. Growth of the spread is sure only if they differ by this factor. Set by
#: classics.py.
GUERRERO_LEVELS_SURE = 2.0
#: Power of the level. A logarithm is tried if the spread grows faster than this power by two
#: standard errors; growth is sure by four. Set by m4.py.
GUERRERO_SLOPE = 0.3
#: Power of the level. No logarithm is tried if the spread grows more slowly than this power by two
#: standard errors. Set by m4.py.
GUERRERO_SLOPE_OF_A_ROOT = 0.5
#: Factor of the CRPS. Where growth of the spread is sure, the logarithm is taken unless trials
#: without it are 1.5 times better. Set by classics.py.
LOG_MARGIN_SURE = 1 / 1.5
#: Factor of the CRPS. Where growth of the spread is seen but not sure, trials must be better by
#: this factor with the logarithm. Set by m4.py.
LOG_MARGIN_SEEN = 1.1
#: Factor of the CRPS. Where the gain of likelihood is very large, the logarithm is taken unless
#: trials without it are 1.2 times better. Set by m4.py.
LOG_MARGIN_LOUD = 1 / 1.2
#: Factor of the CRPS. For any other gain of likelihood, trials must be better by this factor with
#: the logarithm. Set by m4.py.
LOG_MARGIN_LIKELIHOOD = 1.25
#: Factor of the CRPS. Where forecasts of the logarithm are too wide, trials must be better by this
#: factor with it. Set by classics.py.
LOG_MARGIN_WIDE = 2.0
#: Standard deviations of the logarithm. Wider forecasts are too wide: their mean is more than 7
#: times their median. Set by classics.py.
LOG_WIDEST = 2.0
#: Ratio of the largest and smallest value. Without a season, no logarithm is tried unless it is
#: larger than this. Set by m4.py.
LOG_LEVELS = 4.0
#: Nats. A warp counts as more likely only if an autoregression gains more than this by it. Set by
#: classics.py.
LIKELIHOOD_GAIN = 10.0
#: Nats a value. A warp counts as more likely only if an autoregression gains more than this times
#: the values. Set by classics.py.
LIKELIHOOD_GAIN_A_VALUE = 0.1
#: Nats a value. A larger gain of likelihood is very large. Set by m4.py.
LIKELIHOOD_LOUD = 0.5
#: Power. What is taken of a series that comes down to zero and spreads as it rises. Set by
#: classics.py.
ROOT = 0.5
#: Share of the largest value, or of the mean. A series comes down to zero if its smallest value is
#: no larger than this. Set by classics.py.
NEAR_ZERO = 0.02
#: Share of the values. A series with more zeros is not the square of another, and no root is tried.
#: Set by m4.py.
MOST_ZEROS = 0.2
#: Share of the variance of the steps. Where less of a warped series is noise, its likelihood does
#: not count. Set by laser.py.
NOISELESS = 1e-2
#: Lags. The process that measures noise, and the autoregressions whose likelihoods are compared,
#: have this many. Set by laser.py.
NOISE_LAGS = 8
#: Rows. Noise is measured on this many of the newest. Set by laser.py.
NOISE_ROWS = 300

# The support of a series

#: Value. Half of all counts are no larger: others need no rounding. Set by support.py.
COUNT_MEDIAN = 20.0
#: Share of the values. No more of counts are distinct: a line's are. Set by support.py.
COUNT_DISTINCT = 0.75
#: Values. Shares lie between 0 and one of these, and reach both twice. Set by support.py.
SHARES_UP_TO = (1.0, 100.0)
#: Share of the values. Of a series that ends at zero, so many are near it. Set by support.py.
SUPPORT_NEAR_ZERO = 0.03

# Lags of a transformed series

#: Lags. No more are chosen. Set by chaos.py.
MOST_LAGS = 32
#: Values. Each lag that is chosen needs this many, and in a short series each step that lags reach
#: back. Set by m4.py.
VALUES_A_LAG = 6
#: Values. In a shorter series, lags that reach far back cost too many of the rows. Set by m4.py.
FEW_VALUES_FOR_LAGS = 120
#: Share of the variance of the series. With no more noise, the model that judged the lags is kept.
#: Set by chaos.py.
QUIET_NOISE = 1e-3
#: Share of the variance of the steps. A process that predicts rows left out no better than this has
#: taken noise for signal. Set by chaos.py.
QUIET_LEFT_OUT = 0.25
#: Share of the variance of the steps. Where a linear autoregression leaves this much, lags 1 to 8
#: are tried in its own forecasts. Set by classics.py.
NOISY_STEPS = 0.15
#: Factor of the CRPS. Lags 1 to 8 are taken if their CRPS is below this times that of the others.
#: Set by classics.py.
MARGIN_LAGS_IN_A_ROW = 0.9
#: Steps. Seasons of this length or more have four recent lags beside their own, shorter ones two.
#: Set by m4.py.
LONG_SEASON = 52
#: Steps. A longer season that was removed keeps all its lags: a trial holds too few repetitions of
#: it to drop some. Set by m4.py.
LONGEST_SEASON_FOR_FEW_LAGS = 12
#: Factor of the CRPS. Of the sets of lags around a removed season, the simplest with at most this
#: times the smallest CRPS is taken. Set by m4.py.
AS_GOOD_AS_BEST = 1.05
#: Share of the rows. Where values are missing, the lags must leave this share of the rows that lag
#: 1 alone leaves. Set by classics.py.
ROWS_LEFT_BY_GAPS = 0.5
#: Rows. Where values are missing, each lag needs this many. Set by classics.py.
ROWS_A_LAG_BESIDE_GAPS = 5

# How sets of lags are compared

#: Values. Lags of a shorter series are those of significant partial autocorrelation. Set by m4.py.
LAG_FEWEST_VALUES = 12
#: Values. In a shorter series the evidence of one step decides: a horizon is too short to judge by.
#: Set by m4.py.
LAG_SHORT_SERIES = 40
#: Values. Lags of a longer series are chosen by its newest values alone. Set by long_series.py.
LAG_NEWEST_VALUES = 10_000
#: Steps. Forecasts from which lags are chosen are at most so long. Set by chaos.py.
LAG_LONGEST_HORIZON = 200
#: Origins. Each set of lags is judged by this many forecasts. Set by chaos.py.
LAG_ORIGINS = 12
#: Rows. There are at least this many before the first origin. Set by chaos.py.
LAG_FEWEST_ROWS = 8
#: Rows. Forecasts are made from at most this many, evenly spaced. Set by chaos.py.
LAG_ROWS = 600
#: Standard deviations of the series. A larger error counts as this: how far a forecast strays once
#: it is wrong does not matter. Set by chaos.py.
LAG_LARGEST_ERROR = 1.0
#: Standard deviations of the series. A forecast that is further off is cut off here. Set by
#: chaos.py.
LAG_RUNAWAY = 20.0
#: Rounds. The first tries the fixed candidates, the others the neighbours of the best. Set by
#: chaos.py.
LAG_ROUNDS = 4
#: Sets. The next round tries the neighbours of this many of the best. Set by chaos.py.
LAG_LEADERS = 2
#: Standard errors. A set that is worse than the best by no more than this is as good. Set by
#: chaos.py.
LAG_STANDARD_ERRORS = 0.5
#: Share of the variance of the series. A series with more noise in single steps is noisy, and the
#: evidence chooses among sets that are as good. Set by classics.py.
LAG_NOISY = 0.01
#: Standard deviations of the series. Sets of a noisy series whose errors differ by no more than
#: this are as good: noise alone makes larger differences of 12 forecasts. Set by classics.py.
LAG_ALIKE = 0.03
#: Nats a lag. The evidence must outweigh this in a noisy series: prior odds of 20 to 1 against each
#: lag. Set by classics.py.
LAG_PRICE = 3.0
#: Share of the variance of the series. The model that comes with the lags has at least this much
#: noise: with less, its error bars are too narrow over many steps. Set by chaos.py.
LAG_LEAST_NOISE = 1e-6
#: Share of the largest value. A series is constant if it differs from its mean by no more than
#: this. Set by chaos.py.
LAG_CONSTANT = 1e-12
#: Rows. The hyperparameters are found on at most this many, evenly spaced. Set by chaos.py.
GRID_ROWS = 200
#: Sqrt(d) of standardised inputs. The length-scales that are compared. Set by chaos.py.
GRID_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: Signal variances. The noise variances that are compared. Set by chaos.py.
GRID_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)
#: Share of the variance of the series. The signal has at least this variance. Set by chaos.py.
GRID_LEAST_VARIANCE = 1e-8
#: Lags. Lags 1 to each of these are tried first. Set by chaos.py.
UNIT_LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
#: Steps. Multiples of these, up to the delay, are tried in the first round. Set by chaos.py.
FIRST_STRIDES = (2, 3, 5, 8, 13, 20, 32)
#: Lags. The first round tries this many multiples of a stride. Set by chaos.py.
FIRST_COUNTS = (4, 8, 16)
#: Steps. A neighbour of a set of multiples has the stride before or after its own among these. Set
#: by chaos.py.
STRIDES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32)
#: Lags. A neighbour of a set of multiples has the number of lags before or after its own among
#: these. Set by chaos.py.
COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
#: Probability. A partial autocorrelation is significant if chance alone exceeds it no more often
#: than this. Set by m4.py.
PARTIAL_ALPHA = 0.05
#: Lags. Partial autocorrelations are computed up to here, or up to a quarter of the series. Set by
#: m4.py.
PARTIAL_LARGEST_LAG = 48
#: Share of the variance. What remains of a series once less than this is unexplained is rounding.
#: Set by chaos.py.
PARTIAL_ROUNDING = 1e-10

# The geometry of an embedding

#: Share of the largest possible information. Values that share less are independent. Set by
#: chaos.py.
DELAY_SETTLED = 0.05
#: Distances of neighbours. A neighbour is false if one more coordinate moves it further away than
#: this (Kennel's R_tol). Set by chaos.py.
FALSE_FAR = 15.0
#: Standard deviations of the series. A neighbour is false if it is further off than this (Kennel's
#: A_tol). Set by chaos.py.
FALSE_WIDE = 2.0
#: Standard deviations of the series. A smaller move of a neighbour is rounding. Set by chaos.py.
FALSE_ROUNDING = 1e-9
#: Points. Among this many of the nearest, one is sought that is not close in time alone. Set by
#: chaos.py.
FALSE_NEIGHBOURS = 64
#: Share of the neighbours. An embedding is unfolded if no more than this are false. Set by
#: chaos.py.
FALSE_FEW = 0.01
#: Points. The neighbours of at most this many, evenly spaced, are examined. Set by chaos.py.
FALSE_POINTS = 1000
#: Points. With fewer, false neighbours are not counted. Set by chaos.py.
FALSE_FEWEST_POINTS = 20
#: Coordinates. Embeddings have no more than this. Set by chaos.py.
LARGEST_DIMENSION = 8

# The one-step model

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. Set
#: by m4.py.
FEWEST_ROWS = 100
#: Rows. With fewer for each input, hyperparameters are averaged over. Set by m4.py.
ROWS_AN_INPUT = 10
#: Rows. From here on averaging costs more than it gains, however many inputs there are. Set by
#: m4.py.
MANY_ROWS = 200
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken. Set by
#: long_series.py.
FULL_ROWS = 1000
#: Inducing inputs. The sparse Gaussian process has this many. Set by long_series.py.
INDUCING = 200
#: Sqrt(d) of standardised inputs. The length-scale from which averaging starts. Set by m4.py.
AVERAGED_LENGTHSCALE = 1.5
#: Share of the variance. The noise variance from which averaging starts. Set by m4.py.
AVERAGED_NOISE = 0.2
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up. Set by m4.py.
AVERAGED_DRAWS = 8

#: Origins. Forecasts of a part that decide whether a model that judged lags is trained start from
#: this many. Set by chaos.py.
TRAINED_ORIGINS = 1
#: Steps. They are no longer than this, nor than two thirds of a part. Set by chaos.py.
TRAINED_STEPS = 200
#: Factor of its error. The model of greatest evidence must be so much better: it is seldom wide
#: enough where it is not. Set by chaos.py.
TRAINED_HANDICAP = 2.0

# Measurement noise

#: Parts of the series. Each is forecast by what the others show, with either kind of noise. Set by
#: measurement_noise.py.
NOISE_PARTS = 6
#: Steps. Forecasts that decide on the kind of noise are no longer than this, nor than two thirds of
#: a part. Set by measurement_noise.py.
NOISE_STEPS = 48
#: Origins. Forecasts of a part that decide on the kind of noise start from this many. Set by
#: measurement_noise.py.
NOISE_ORIGINS = 5
#: Rows. With fewer, measurement noise is not told apart: its parts are too short. Set by
#: measurement_noise.py.
NOISE_FEWEST_ROWS = 100
#: Rows. The same for each input. Set by measurement_noise.py.
NOISE_ROWS_AN_INPUT = 4
#: Share of the noise. With less in the measurements, nothing is compared. Set by
#: measurement_noise.py.
NOISE_LEAST_SHARE = 0.05
#: Rows. Of longer series so many of the newest decide on the kind of noise: the time grows with
#: their cube. Set by default_call.py.
NOISE_NEWEST_ROWS = 400
#: Pairs of rows, over all origins and steps. With more, forecasts that decide on the kind of noise
#: are by Taylor's method. Set by measurement_noise.py.
NOISE_PAIRS = 1e8
#: Factor of the CRPS. For measurement noise, which most series do not have. Set by
#: measurement_noise.py.
NOISE_HANDICAP = 1.1

# Outliers and level shifts

#: Lags. The robust autoregression that says what is unusual has this many, or an eighth of the
#: values. Set by unusual.py.
UNUSUAL_LAGS = 6
#: Rounds. After each, the autoregression is fitted again to what is left. Set by unusual.py.
UNUSUAL_ROUNDS = 3
#: Fits. The autoregression is fitted so often, each time with new weights. Set by unusual.py.
UNUSUAL_REWEIGHTED = 6
#: Standard deviations. A larger residual has no weight in the fit (Tukey's bisquare). Set by
#: unusual.py.
UNUSUAL_BISQUARE = 4.685
#: Cycles. A season is the middle of so many of the nearest. Set by unusual.py.
NEAREST_CYCLES = 7
#: Probability. Chance alone exceeds the limit in no more than this share of series. Set by
#: unusual.py.
FALSE_ALARMS = 0.01
#: Standard deviations. The limit is never below this. Set by unusual.py.
SMALLEST_RATIO = 5.5
#: Standard deviations. Larger residuals are suspect and do not tell how heavy the tails are. Set by
#: unusual.py.
SUSPECT = 5.0
#: Degrees of freedom. Student-t distributions that are compared. Set by unusual.py.
TAILS = (1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
#: Standard deviations of the steps. A smaller effect is left alone. Set by unusual.py.
SMALLEST_EFFECT = 3.0
#: Effects. The search ends after so many. Set by unusual.py.
MOST_EFFECTS = 100
#: Share of the values. With more outliers, they are a habit of the series, and left alone. Set by
#: unusual.py.
MOST_OUTLIERS = 0.1
#: Shifts. With more, the level wanders, and they are left alone. Set by unusual.py.
MOST_SHIFTS = 1
#: Standard deviations. Beside an outlier, this is enough for another. Set by unusual.py.
SMALLEST_RATIO_BESIDE = 3.0
#: Values. A shift has at least this many on either side. Set by unusual.py.
SHIFT_FEWEST = 8
#: Values. A shift that is taken back within so many, or within a season, is a run of outliers. Set
#: by unusual.py.
LONGEST_RUN = 16
#: Runs. No more outliers are named in a note. Set by unusual.py.
MOST_NAMED = 5
#: Values. A longer run at the end of a series is left alone: it may be a new level. Set by
#: unusual.py.
LONGEST_END = 2

# Cycles that no index suggests, and the year

#: Values. No cycle is looked for in a shorter series. Set by unusual.py.
CYCLE_FEWEST_VALUES = 60
#: Cycles. A cycle that no index suggests is found only in a series that holds this many. Set by
#: unusual.py.
CYCLE_FEWEST = 10
#: Frequencies. The periodogram is compared with the median of so many around. Set by unusual.py.
CYCLE_NEIGHBOURS = 31
#: Ratio of power. A line in the periodogram is this far above its neighbours. Set by unusual.py.
CYCLE_RATIO = 40.0
#: Share of variance. The cycle of the first part must explain this much of the rest. Set by
#: unusual.py.
CYCLE_SHARE = 0.25
#: Share. It must explain this much of what a cycle fitted to the rest itself explains: others
#: drift. Set by unusual.py.
CYCLE_KEPT = 0.9
#: Cycles. A period counts as whole if a whole one is off by no more than this over the series. Set
#: by unusual.py.
CYCLE_DRIFT = 0.1
#: Cycles. A cycle is part of a season of the index if so near to a whole number of it fit in. Set
#: by unusual.py.
CYCLE_SAME = 0.02
#: Pairs of a sine and a cosine. A cycle has no more. Set by unusual.py.
CYCLE_PAIRS = 3
#: Parts of a year. A year is found in averages over these. Set by unusual.py.
YEAR_PARTS = 26
#: Share of variance. Each part of a series must explain this much of the year in the rest. Set by
#: unusual.py.
YEAR_SHARE = 0.6

# Structural models beside the one-step model

#: Values. Structural models are fitted to so many of the newest: what a series did long ago says
#: little of how fast it changes now, and time grows with their number. Set by everyday.py.
COMPANION_VALUES = 300
#: Values. A shorter series has no structural model. Set by everyday.py.
COMPANION_FEWEST = 5
#: Values. A series that is not shorter, and has neither trend nor season, has no structural model
#: either: what remains is what the one-step model learns. Set by chaos.py.
COMPANION_LEVEL_VALUES = 100
#: Steps. A longer season is left to the one-step model: a structural model of it has as many
#: states. Set by everyday.py.
COMPANION_LONGEST_SEASON = 24
#: Probability. A model that would count less is left out. Set by everyday.py.
COMPANION_LEAST_WEIGHT = 0.03
#: Probability. The one-step model counts so much where it forecasts as well as the others, or
#: nothing could be tried. Set by everyday.py.
COMPANION_OWN = 0.5
#: Probability. Series change in ways that their past does not show: of a mixture's weight so much
#: is for forecasts that are wider. Set by everyday.py.
COMPANION_SURPRISE = 0.2
#: Factor of standard deviations of these forecasts. Set by everyday.py.
COMPANION_WIDENING = 2.0
#: Standard deviations of the logarithm. A structural model of the logarithm whose forecasts become
#: wider is left out: where they are widened their mean is more than 3.6 times their median. Set by
#: everyday.py.
COMPANION_WIDEST_LOG = 0.8
#: Power of the ratio of errors. The odds of the one-step model are multiplied by it. Set by
#: everyday.py.
COMPANION_POWER = 3.0
