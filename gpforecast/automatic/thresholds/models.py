"""Thresholds of the one-step model, its noise, and the structural models beside it."""

# The one-step model

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. Nor
#: is measurement noise told apart, as the parts of a series are too short, nor a model that judged
#: lags kept; and lags that reach far back cost too many of the rows.
FEWEST_ROWS = 100
#: Rows. With fewer for each input, hyperparameters are averaged over.
ROWS_AN_INPUT = 10
#: Rows. The same where lags were selected by these very rows, which they fit too closely.
ROWS_A_SELECTED_LAG = 15
#: Rows. From here on averaging costs more than it gains, however many inputs there are.
MANY_ROWS = 200
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken.
FULL_ROWS = 1000
#: Rows. By so many the hyperparameters of a sparse one are searched: twenty for each inducing
#: input.
SPARSE_SEARCH_ROWS = 4000
#: Inducing inputs. The sparse Gaussian process has this many.
INDUCING = 200
#: Sqrt(d) of standardised inputs. The length-scale from which averaging starts.
AVERAGED_LENGTHSCALE = 1.5
#: Share of the variance. The noise variance from which averaging starts.
AVERAGED_NOISE = 0.2
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up.
AVERAGED_DRAWS = 8


# Structural models beside the one-step model

#: Probability. A model that would count less is left out.
LEAST_WEIGHT = 0.02
#: Standard deviations. So far from its rows, nothing of a curve of basis functions is left.
FAR_AWAY = 1e6
#: Steps. A line explodes if what is left of an impulse is larger in as many steps, and as the
#: longest lag has, than in as many before.
EXPLODES_STEPS = 500
#: Ratio. By so much at least it grows a step.
EXPLODES_BY = 1.002
