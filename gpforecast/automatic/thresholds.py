"""Every threshold of the automatic choices, each with its unit and the benchmark that set it.

They are conventions, not facts: numbers with which the benchmark named, a script in
``benchmarks/accuracy``, went well and the others no worse. Before and after one is moved, its
benchmark is run.
"""

# What is looked at

#: Values. With fewer, no test or trial says anything, so the series is left as it is. Set by m4.py.
FEWEST_VALUES = 24
#: Values. Transforms and lags of a longer series are chosen by its newest values alone. Set by
#: m4.py.
NEWEST_VALUES = 3000
#: Share of the largest value. A range no larger than this is rounding, and the series counts as
#: constant. Set by chaos.py.
CONSTANT = 1e-10
#: Share of the variance of the steps. Where a linear autoregression leaves less, the series is
#: smooth: nothing is taken away from it and lag 1 may be left out. Set by chaos.py.
SMOOTH = 1e-2
#: Lags. The linear autoregression that finds out how smooth a series is has so many, or a quarter
#: of the values. Set by chaos.py.
UNEXPLAINED_LAGS = 16

# Trials of transforms, and of lags around a season

#: Shares of the series. An autoregression is fitted to the values before each of the first three,
#: and forecasts what follows up to the next. Set by m4.py.
TRIAL_PARTS = (0.7, 0.8, 0.9, 1.0)
#: Origins. So many forecasts start in each part of a trial. Set by m4.py.
TRIAL_ORIGINS = 8
#: Ranges of the series. No honest forecast is so far off: with a larger CRPS a candidate counts as
#: impossible. Set by m4.py.
TRIAL_LARGEST_CRPS = 1e3
#: Parts of the series. Forecasts of a trial are at most as long as one of so many equal parts. Set
#: by m4.py.
HORIZON_PARTS = 6
#: Steps. Forecasts of a trial are at most so long where no season was found. Set by m4.py.
TRIAL_STEPS = 16
#: Steps. Forecasts of a trial are at most two seasons long, and no longer than this. Set by m4.py.
TRIAL_STEPS_SEASONAL = 60
#: Lags. A differenced series without a season is given these, and trials without a season use them.
#: Set by m4.py.
LAGS_NEAR = (1, 2, 3, 4)
#: Lags. Trials without a season use these as well, and a noisy series may be given them. Set by
#: classics.py.
LAGS_FURTHER = tuple(range(1, 9))

# Seasons

#: Seasons. A series must hold at least so many for the season to be found. Set by m4.py.
SEASON_CYCLES = 3
#: Seasons. A series whose index suggests no season must hold at least so many. Set by chaos.py.
SEASON_CYCLES_WITHOUT_INDEX = 6
#: Strength by STL. A season that the index suggests is there from this strength on (as in Hyndman's
#: nsdiffs). Set by m4.py.
SEASON_STRENGTH = 0.64
#: Share of variance. A cycle that no index suggests must explain so much of the later part by the
#: mean cycle of the first. Set by chaos.py.
SEASON_REPEATS = 0.88
#: Share of variance. A cycle as long as one of the calendar's must explain only so much. Set by
#: classics.py.
SEASON_REPEATS_FAMILIAR = 0.6
#: Steps. Cycles of these lengths count as the calendar's. Set by m4.py.
FAMILIAR_PERIODS = (7, 12, 24, 48, 52, 168, 336)
#: Share of variance. A longer season wins over a shorter one if it leaves less than half as much,
#: and this much less. Set by m4.py.
SEASON_TIE = 0.01
#: Share of the series. The mean cycle is found in this part and compared with the rest. Set by
#: chaos.py.
SEASON_FIRST_PART = 0.6
#: Peaks. So many of the highest peaks of the autocorrelation are looked at as seasons. Set by
#: chaos.py.
MOST_PEAKS = 5
#: Correlation. Lower peaks of the autocorrelation are no seasons. Set by chaos.py.
PEAK_CORRELATION = 0.1
#: Steps. Seasons too weak to be removed may be these, if the index suggests none. Set by m4.py.
OFFERED_PERIODS = (7, 12, 24, 48, 52)
#: Seasons. A series must hold so many for a weak season to be tried as lags. Set by m4.py.
OFFERED_CYCLES = 4
#: Standard errors. A weak season that no index suggests must have such an autocorrelation of the
#: differences (1 % by chance). Set by m4.py.
OFFERED_CORRELATION = 2.6
#: Factor of the CRPS. Lags of a season that the index suggests are kept unless trials without them
#: are so much better. Set by m4.py.
OFFERED_MARGIN_INDEX = 1.25
#: Factor of the CRPS. Lags of a weak season must be so much better where the level does not wander.
#: Set by m4.py.
OFFERED_MARGIN_LEVEL = 0.95
#: Seasons. A long season is removed instead of the short one in it only if the series holds so
#: many. Set by m4.py.
LONG_SEASON_CYCLES = 5
#: Pairs of a sine and a cosine. A fixed season is described by at most so many. Set by m4.py.
MOST_PAIRS = 6

# What is taken away: factors by which the CRPS of a trial is multiplied

#: Factor of the CRPS. For a seasonal difference followed by another one. Set by m4.py.
HANDICAP_TWO_DIFFERENCES = 1.2
#: Factor of the CRPS. For a difference followed by sines and cosines. Set by m4.py.
HANDICAP_DIFFERENCE_AND_SINES = 1.05
#: Factor of the CRPS. For sines and cosines that are too few for every shape of a season. Set by
#: m4.py.
HANDICAP_FEW_PAIRS = 1.25
#: Factor of the CRPS. For a difference over the shorter season where a longer one was found. Set by
#: m4.py.
HANDICAP_SHORTER_SEASON = 1.1
#: Factor of the CRPS. For a difference over a longer season than the one found. Set by m4.py.
HANDICAP_LONGER_SEASON = 1.25
#: Factor of the CRPS. For leaving a season where it is. Set by m4.py.
HANDICAP_NOTHING_REMOVED = 1.5
#: Factor of the CRPS. A level that wanders by the tests is differenced unless trials without it are
#: so much better. Set by m4.py.
MARGIN_WANDERS = 1.2
#: Factor of the CRPS. The same where the series is too short for the tests to say. Set by m4.py.
MARGIN_UNDECIDED = 1.1
#: Factor of the CRPS. A level that is constant by the tests is differenced only if trials are so
#: much better. Set by m4.py.
MARGIN_CONSTANT = 1.25

# Tests of the level

#: P-value. A constant level, or a line, is rejected by KPSS up to this. Set by classics.py.
KPSS_REJECTS = 0.05
#: P-value. A wandering level is rejected by ADF below this. Set by classics.py.
ADF_REJECTS = 0.05
#: P-value. The same where the mean is crossed more often than a random walk would, as cycles do.
#: Set by classics.py.
ADF_REJECTS_IF_CROSSED_OFTEN = 0.1
#: P-value. Around a straight line a wandering level is rejected by ADF below this. Set by m4.py.
LINE_ADF = 0.01
#: Values. KPSS misses every seventh random walk of 300: from this length on its consent may be
#: overruled. Set by m4.py.
KPSS_MISSED_VALUES = 100
#: P-value. Its consent is overruled only if ADF is at least so far from rejecting a wandering
#: level. Set by m4.py.
KPSS_MISSED_ADF = 0.1
#: Share of the variance of the steps. Its consent is overruled only if a linear autoregression
#: leaves so much unexplained. Set by chaos.py.
KPSS_MISSED_UNEXPLAINED = 0.75
#: Values. In a shorter series the tests may have missed that the level wanders. Set by m4.py.
UNDECIDED_VALUES = 150
#: P-value. They may have missed it only if ADF does not reject a wandering level at this. Set by
#: m4.py.
UNDECIDED_ADF = 0.05
#: Share of the variance of the steps. They may have missed it only if a linear autoregression
#: leaves so much unexplained. Set by m4.py.
UNDECIDED_UNEXPLAINED = 0.6

# Logarithms and roots

#: Seasons. The spread within seasons is compared if there are so many. Set by m4.py.
GUERRERO_SEASONS = 4
#: Ratio of levels. The spread grows visibly only if the mean levels of the seasons differ so much.
#: Set by m4.py.
GUERRERO_LEVELS = 1.5
#: Ratio of levels. It grows for sure only if they differ so much. Set by classics.py.
GUERRERO_LEVELS_SURE = 2.0
#: Power of the level. A logarithm is tried if the spread grows faster by two standard errors, and
#: surely by four. Set by m4.py.
GUERRERO_SLOPE = 0.3
#: Power of the level. No logarithm is tried if it grows more slowly by two standard errors. Set by
#: m4.py.
GUERRERO_SLOPE_OF_A_ROOT = 0.5
#: Factor of the CRPS. With growth that is sure, the logarithm is taken unless trials without it are
#: 1.5 times better. Set by classics.py.
LOG_MARGIN_SURE = 1 / 1.5
#: Factor of the CRPS. With growth that is seen, trials must be so much better with it. Set by
#: m4.py.
LOG_MARGIN_SEEN = 1.1
#: Factor of the CRPS. With a very large gain of likelihood, it is taken unless trials without it
#: are 1.2 times better. Set by m4.py.
LOG_MARGIN_LOUD = 1 / 1.2
#: Factor of the CRPS. With any other gain of likelihood, trials must be so much better with it. Set
#: by m4.py.
LOG_MARGIN_LIKELIHOOD = 1.25
#: Factor of the CRPS. Where its forecasts are too wide, trials must be so much better with it. Set
#: by classics.py.
LOG_MARGIN_WIDE = 2.0
#: Standard deviations of the logarithm. Forecasts with more are too wide: the mean is more than 7
#: times the median. Set by classics.py.
LOG_WIDEST = 2.0
#: Ratio of the largest and smallest value. Without a season, no logarithm is tried of a series
#: whose values differ less. Set by m4.py.
LOG_LEVELS = 4.0
#: Nats. A warp counts as more likely only if an autoregression gains more than this by it. Set by
#: classics.py.
LIKELIHOOD_GAIN = 10.0
#: Nats a value. A warp counts as more likely only if an autoregression gains more than this times
#: the values. Set by classics.py.
LIKELIHOOD_GAIN_A_VALUE = 0.1
#: Nats a value. From here on a gain of likelihood is very large. Set by m4.py.
LIKELIHOOD_LOUD = 0.5
#: Power. What is taken of a series that comes down to zero and spreads as it rises. Set by
#: classics.py.
ROOT = 0.5
#: Share of the largest value, or of the mean. A series comes down to zero if its smallest value is
#: no larger than this. Set by classics.py.
NEAR_ZERO = 0.02
#: Share of the values. With more zeros a series is not a root's square, and is taken for what it
#: is. Set by m4.py.
MOST_ZEROS = 0.2
#: Share of the variance of the steps. Where less of a warped series is noise, the likelihood of a
#: warp does not count. Set by laser.py.
NOISELESS = 1e-2
#: Lags. The process that looks for noise, and the autoregressions whose likelihoods are compared,
#: have so many. Set by laser.py.
NOISE_LAGS = 8
#: Rows. The newest of the series, in which noise is looked for. Set by laser.py.
NOISE_ROWS = 300

# Lags of a transformed series

#: Lags. No more are chosen. Set by chaos.py.
MOST_LAGS = 32
#: Values. There must be so many for each lag that is chosen, and in a short series for each step
#: that lags reach back. Set by m4.py.
VALUES_A_LAG = 6
#: Values. With fewer, lags that reach far back cost too many of the rows. Set by m4.py.
FEW_VALUES_FOR_LAGS = 120
#: Share of the variance of the series. With no more noise, the model that judged the lags is kept.
#: Set by chaos.py.
QUIET_NOISE = 1e-3
#: Share of the variance of the steps. Where a linear autoregression leaves so much, lags 1 to 8 are
#: tried in its own forecasts. Set by classics.py.
NOISY_STEPS = 0.15
#: Factor of the CRPS. They are taken if those are so much better. Set by classics.py.
MARGIN_LAGS_IN_A_ROW = 0.9
#: Steps. From this length on, four recent lags stand beside those of a season instead of two. Set
#: by m4.py.
LONG_SEASON = 52
#: Steps. Longer seasons that were removed have too few repetitions in a trial to give up lags by
#: it. Set by m4.py.
LONGEST_SEASON_FOR_FEW_LAGS = 12
#: Factor of the CRPS. Of the sets of lags around a removed season, the simplest with no more than
#: this times the smallest CRPS is taken. Set by m4.py.
AS_GOOD_AS_BEST = 1.05
#: Share of the rows. Where values are missing, lags must leave so many of the rows that lag 1 alone
#: leaves. Set by classics.py.
ROWS_LEFT_BY_GAPS = 0.5
#: Rows. Where values are missing, there must be so many left for each lag. Set by classics.py.
ROWS_A_LAG_BESIDE_GAPS = 5

# How sets of lags are compared

#: Values. With fewer, lags are those of significant partial autocorrelation. Set by m4.py.
LAG_FEWEST_VALUES = 12
#: Values. With fewer, a horizon is too short to judge by, and the evidence of one step decides. Set
#: by m4.py.
LAG_SHORT_SERIES = 40
#: Values. Lags of a longer series are chosen by its newest values alone. Set by long_series.py.
LAG_NEWEST_VALUES = 10_000
#: Steps. Forecasts from which lags are chosen are at most so long. Set by chaos.py.
LAG_LONGEST_HORIZON = 200
#: Origins. So many forecasts judge a set of lags. Set by chaos.py.
LAG_ORIGINS = 12
#: Rows. The first of the origins comes after so many. Set by chaos.py.
LAG_FEWEST_ROWS = 8
#: Rows. So many, evenly spaced, make the forecasts. Set by chaos.py.
LAG_ROWS = 600
#: Standard deviations of the series. A larger error counts as this, so that a forecast which goes
#: wrong at last is not judged by how far. Set by chaos.py.
LAG_LARGEST_ERROR = 1.0
#: Standard deviations of the series. A forecast that is further off goes no further. Set by
#: chaos.py.
LAG_RUNAWAY = 20.0
#: Rounds. The first candidates, and then up to three times the neighbours of the best. Set by
#: chaos.py.
LAG_ROUNDS = 4
#: Sets. The neighbours of so many of the best are tried in the next round. Set by chaos.py.
LAG_LEADERS = 2
#: Standard errors. A set that is worse by no more than this is as good as the best. Set by
#: chaos.py.
LAG_STANDARD_ERRORS = 0.5
#: Share of the variance of the series. With more noise in single steps the series is noisy, and
#: evidence chooses among sets that are as good. Set by classics.py.
LAG_NOISY = 0.01
#: Standard deviations of the series. Of a noisy series, sets whose errors differ by no more than
#: this are as good: noise makes larger differences of 12 forecasts. Set by classics.py.
LAG_ALIKE = 0.03
#: Nats a lag. The evidence of a noisy series must outweigh this: prior odds of 20 to 1 against each
#: lag. Set by classics.py.
LAG_PRICE = 3.0
#: Share of the variance of the series. The model of a choice has no less noise: with less, its
#: error bars are too narrow over many steps. Set by chaos.py.
LAG_LEAST_NOISE = 1e-6
#: Share of the largest value. A series that differs from its mean by no more is constant. Set by
#: chaos.py.
LAG_CONSTANT = 1e-12
#: Rows. So many, evenly spaced, find the hyperparameters. Set by chaos.py.
GRID_ROWS = 200
#: Sqrt(d) of standardised inputs. The length-scales that are compared. Set by chaos.py.
GRID_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: Signal variances. The noise variances that are compared. Set by chaos.py.
GRID_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)
#: Share of the variance of the series. The signal has no less. Set by chaos.py.
GRID_LEAST_VARIANCE = 1e-8
#: Lags. Lags 1 to each of these are tried first. Set by chaos.py.
UNIT_LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
#: Steps. Multiples of these, up to the delay, are tried in the first round. Set by chaos.py.
FIRST_STRIDES = (2, 3, 5, 8, 13, 20, 32)
#: Lags. In the first round so many multiples of a stride are tried. Set by chaos.py.
FIRST_COUNTS = (4, 8, 16)
#: Steps. A neighbour of a set of multiples has the stride before or after its own among these. Set
#: by chaos.py.
STRIDES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32)
#: Lags. A neighbour of a set of multiples has the number of lags before or after its own among
#: these. Set by chaos.py.
COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
#: Probability. A partial autocorrelation is significant if chance alone makes a larger one no more
#: often. Set by m4.py.
PARTIAL_ALPHA = 0.05
#: Lags. Partial autocorrelations are looked at up to here, or up to a quarter of the series. Set by
#: m4.py.
PARTIAL_LARGEST_LAG = 48
#: Share of the variance. What is left of a series that is explained better than this is rounding.
#: Set by chaos.py.
PARTIAL_ROUNDING = 1e-10

# The geometry of an embedding

#: Share of the largest possible information. With less, values say nothing of each other. Set by
#: chaos.py.
DELAY_SETTLED = 0.05
#: Distances of neighbours. A neighbour is false if one more coordinate takes it so much further
#: (Kennel's R_tol). Set by chaos.py.
FALSE_FAR = 15.0
#: Standard deviations of the series. A neighbour is false if it is further off than this (Kennel's
#: A_tol). Set by chaos.py.
FALSE_WIDE = 2.0
#: Standard deviations of the series. A neighbour that moves less is not false, but rounded. Set by
#: chaos.py.
FALSE_ROUNDING = 1e-9
#: Points. So many of the nearest are searched for one that is not close in time alone. Set by
#: chaos.py.
FALSE_NEIGHBOURS = 64
#: Share of the neighbours. An embedding with no more false ones is unfolded. Set by chaos.py.
FALSE_FEW = 0.01
#: Points. So many, evenly spaced, are looked at for false neighbours. Set by chaos.py.
FALSE_POINTS = 1000
#: Points. Of fewer, nothing is said. Set by chaos.py.
FALSE_FEWEST_POINTS = 20
#: Coordinates. Embeddings of no more are looked at. Set by chaos.py.
LARGEST_DIMENSION = 8

# The one-step model

#: Rows. With fewer, one Gaussian process of the highest evidence promises too much, and many are
#: averaged. Set by m4.py.
FEWEST_ROWS = 100
#: Rows. With fewer for each input, many Gaussian processes are averaged. Set by m4.py.
ROWS_AN_INPUT = 10
#: Rows. From here on none are averaged, as that costs more than it gains. Set by m4.py.
MANY_ROWS = 200
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken. Set by
#: long_series.py.
FULL_ROWS = 1000
#: Inducing inputs. So many has the sparse one. Set by long_series.py.
INDUCING = 200
#: Sqrt(d) of standardised inputs. The length-scale from which averaging starts. Set by m4.py.
AVERAGED_LENGTHSCALE = 1.5
#: Share of the variance. The noise variance from which averaging starts. Set by m4.py.
AVERAGED_NOISE = 0.2
#: Draws. So many hyperparameters are averaged over, after as many to warm up. Set by m4.py.
AVERAGED_DRAWS = 8
