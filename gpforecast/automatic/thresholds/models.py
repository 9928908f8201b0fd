"""Thresholds of the one-step model, its noise, and the structural models beside it."""

# The one-step model

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. Set
#: by m4.py.
FEWEST_ROWS = 100
#: Rows. With fewer for each input, hyperparameters are averaged over. Set by m4.py.
ROWS_AN_INPUT = 10
#: Rows. The same where lags were selected by these very rows, which they fit too closely. Set by
#: chaos.py.
ROWS_A_SELECTED_LAG = 15
#: Rows. From here on averaging costs more than it gains, however many inputs there are. Set by
#: m4.py.
MANY_ROWS = 200
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken. Set by
#: long_series.py.
FULL_ROWS = 1000
#: Rows. Hyperparameters of a full Gaussian process are searched by so many where the series was
#: differenced; that does as well as all. Of others, such as the laser, rare rows may tell most. Set
#: by m4.py.
SEARCH_ROWS = 512
#: Rows. Those of a sparse one: twenty for each inducing input. Set by long_series.py.
SPARSE_SEARCH_ROWS = 4000
#: Inducing inputs. The sparse Gaussian process has this many. Set by long_series.py.
INDUCING = 200
#: Sqrt(d) of standardised inputs. The length-scale from which averaging starts. Set by m4.py.
AVERAGED_LENGTHSCALE = 1.5
#: Share of the variance. The noise variance from which averaging starts. Set by m4.py.
AVERAGED_NOISE = 0.2
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up. Set by m4.py.
AVERAGED_DRAWS = 8


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
#: their cube. Set by measurement_noise.py.
NOISE_NEWEST_ROWS = 300
#: Pairs of rows, over all origins and steps. With more, forecasts that decide on the kind of noise
#: are by Taylor's method. Set by measurement_noise.py.
NOISE_PAIRS = 1e8
#: Factor of the CRPS. For measurement noise, which most series do not have. Set by
#: measurement_noise.py.
NOISE_HANDICAP = 1.1

# Structural models beside the one-step model

#: Probability. A model that would count less is left out. Set by everyday.py.
ENSEMBLE_LEAST_WEIGHT = 0.03
#: Standard deviations. So far from its rows, nothing of a curve of basis functions is left. Set by
#: situations.py.
FAR_AWAY = 1e6
#: Steps. A line explodes if what is left of an impulse is larger in as many steps, and as the
#: longest lag has, than in as many before. Set by situations.py.
EXPLODES_STEPS = 500
#: Ratio. By so much at least it grows a step. Set by situations.py.
EXPLODES_BY = 1.002
