"""Thresholds of logarithms and roots."""

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
#: Standard deviations of the logarithm. Where forecasts by noise of the size of its changes are
#: wider than this, their mean is over 1e13 times their median, and no logarithm is taken. The
#: widest there are 7.2. Set by everyday.py.
LOG_HOPELESS = 8.0
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
#: not count. Set by folded.py.
NOISELESS = 1e-2
#: Lags. The process that measures noise, and the autoregressions whose likelihoods are compared,
#: have this many. Set by folded.py.
NOISE_LAGS = 8
#: Rows. Noise is measured on this many of the newest. Set by folded.py.
NOISE_ROWS = 300
