"""Every threshold of the automatic choices, each with its unit.

They are conventions, not facts. What forecasts lose without each is in
``benchmarks/accuracy/ablation.csv``, by ``ablation.py``; what loses nothing is removed. All are
used by their names from here.
"""

# The values of a series

#: Values. No test of a shorter series is reliable; at least so many come before the origin of a
#: trial. A shorter series with gaps is left as it is, and fewer rows have a linear model.
SHORTEST = 8
#: Values. Transforms and lags of a longer series are chosen by its newest values alone: so many,
#: or those of a few seasons, none of which is longer than this.
NEWEST_VALUES = 3000
#: Values. Structural models, and trials of measurement noise, use this many of the newest: older
#: ones do not show how fast the series changes now.
NEWEST = 300
#: Share of the variance of the steps. A series is smooth where a linear autoregression leaves
#: less: no season is looked for, nothing counts as an outlier, and lag 1 may be left out. With as
#: much noise in single steps it is noisy, and the evidence chooses among lags that are as good.
SMOOTH = 1e-2
#: Share of the variance of the steps. Where it leaves less than this, a series follows a map
#: that can be learned from few values: no cycle is taken from it, and a process that judged lags
#: has not taken noise for signal.
FOLLOWS_A_MAP = 0.1

# The support of a series

#: Values. Shares lie between 0 and one of these, and at each end at least twice.
SHARES_UP_TO = (1.0, 100.0)

# Seasons

#: Seasons. A season or a cycle is found, and events are looked for with it, only in a series that
#: holds this many, and so many of the newest are enough to see it.
SEASON_CYCLES = 4

#: Peaks. So many of the highest of the autocorrelation, and of the periodogram, may be a season.
MOST_PEAKS = 5
#: Cycles. A period counts as whole if a whole one is off by no more than this over the series.
CYCLE_DRIFT = 0.1

# Trials, and the autoregressions among the candidates

#: Parts of the series. Forecasts that compare lags are no longer than one of this many equal parts.
PARTS = 6
#: Steps. Forecasts from which lags or inputs are chosen are at most so long.
TRIAL_STEPS = 200
#: Lags. The newest that a linear function of inputs has.
LAGS_NEAR = (1, 2, 3, 4)
#: Lags. The newest that an autoregression has, of a third of the values at most; those of the
#: models that measure how smooth and how noisy a series is, of a quarter or an eighth at most.
LAGS_FURTHER = tuple(range(1, 9))

# Lags

#: Values. Each lag that is chosen needs this many, with missing values and measurement noise too.
VALUES_A_LAG = 6

#: Origins. Each set of lags is judged by this many forecasts.
LAG_ORIGINS = 12
#: Rows. Forecasts that compare lags are made from at most this many, evenly spaced. By so
#: many the hyperparameters of a full Gaussian process are searched where the series was
#: differenced; that does as well as all. Of others, such as the laser, rare rows may matter most.
LAG_ROWS = 600
#: Nats a lag, which evidence must outweigh: prior odds of 20 to 1 against each lag.
LAG_PRICE = 3.0
#: Rows. Hyperparameters of trials are found on at most this many, evenly spaced, and noise is
#: measured on the newest; as many are the inducing inputs of a sparse Gaussian process.
GRID_ROWS = 200
#: Sqrt(d) of standardised inputs. The length-scales that are compared.
GRID_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: Signal variances. The noise variances that are compared.
GRID_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)

# The one-step model, and models in an ensemble with it

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. The
#: model of fewer differences is linear, and kinds of noise are not distinguished.
FEWEST_ROWS = 100
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken, whose
#: hyperparameters are searched by four times as many.
FULL_ROWS = 1000
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up.
AVERAGED_DRAWS = 8

#: Probability. A model that would count less is left out.
LEAST_WEIGHT = 0.02

# Inputs

#: Errors. The width that a model claims is worth so many independent errors of simulations.
INPUT_PRIOR_ERRORS = 0.5
#: Share of an input. One that follows the series owes more than this to it.
FEEDBACK_SHARE = 0.2
