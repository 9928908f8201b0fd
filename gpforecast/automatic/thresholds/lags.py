"""Thresholds of the choice of lags."""

# Lags of a transformed series

#: Values. Each lag that is chosen needs this many, beside missing values and measurement noise
#: too.
VALUES_A_LAG = 6

# How sets of lags are compared

#: Origins. Each set of lags is judged by this many forecasts.
LAG_ORIGINS = 12
#: Rows. Forecasts that compare lags are made from at most this many, evenly spaced. By so
#: many the hyperparameters of a full Gaussian process are searched where the series was
#: differenced; that does as well as all. Of others, such as the laser, rare rows may tell most.
LAG_ROWS = 600
#: Nats a lag, which evidence must outweigh: prior odds of 20 to 1 against each lag.
LAG_PRICE = 3.0
#: Rows. Hyperparameters of trials are found on at most this many, evenly spaced; as many are the
#: inducing inputs of a sparse Gaussian process.
GRID_ROWS = 200
#: Sqrt(d) of standardised inputs. The length-scales that are compared.
GRID_LENGTHSCALES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: Signal variances. The noise variances that are compared.
GRID_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)
