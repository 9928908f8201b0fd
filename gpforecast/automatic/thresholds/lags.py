"""Thresholds of the choice of lags."""

# Lags of a transformed series

#: Values. Each lag that is chosen needs this many, beside missing values and measurement noise
#: too.
VALUES_A_LAG = 6
#: Share of the variance of the series. With no more noise, the model that judged the lags is
#: kept.
QUIET_NOISE = 1e-3

# How sets of lags are compared

#: Values. In a shorter series the evidence of one step decides: a horizon is too short to judge
#: by.
LAG_SHORT_SERIES = 40
#: Origins. Each set of lags is judged by this many forecasts.
LAG_ORIGINS = 12
#: Rows. Forecasts that compare lags are made from at most this many, evenly spaced. By so
#: many the hyperparameters of a full Gaussian process are searched where the series was
#: differenced; that does as well as all. Of others, such as the laser, rare rows may tell most.
LAG_ROWS = 600
#: Standard deviations of the series. A larger error counts as this: how far a forecast strays
#: once it is wrong does not matter.
LAG_LARGEST_ERROR = 1.0
#: Standard deviations of the series. A forecast that is further off is cut off here.
LAG_RUNAWAY = 20.0
#: Standard errors. A set that is worse than the best by no more than this is as good.
LAG_STANDARD_ERRORS = 0.5
#: Standard deviations of the series. Sets of a noisy series whose errors differ by no more than
#: this are as good: noise alone makes larger differences of 12 forecasts.
LAG_ALIKE = 0.03
#: Nats a lag. The evidence must outweigh this in a noisy series: prior odds of 20 to 1 against
#: each lag.
LAG_PRICE = 3.0
#: Share of the variance of the series. The model that comes with the lags has at least this much
#: noise: with less, its error bars are too narrow over many steps.
LAG_LEAST_NOISE = 1e-6
#: Rows. Hyperparameters of trials are found on at most this many, evenly spaced.
GRID_ROWS = 200
#: Sqrt(d) of standardised inputs. The length-scales that are compared.
GRID_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: Signal variances. The noise variances that are compared.
GRID_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)
#: Steps. Multiples of these, up to the delay, are tried in the first round.
FIRST_STRIDES = (2, 3, 5, 8, 13, 20, 32)
#: Lags. The first round tries this many multiples of a stride: dense ones that look far back
#: forecast chaotic flows best.
FIRST_COUNTS = (4, 8, 16)
#: Steps, or lags. Lags 1 to each of these are tried first. A neighbour of a set of multiples has
#: the stride or the number of lags before or after its own among these.
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
