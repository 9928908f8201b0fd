"""Thresholds of the one-step model, its noise, and the structural models beside it."""

# The one-step model

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. Nor
#: are kinds of noise told apart, as the parts of a series are too short.
FEWEST_ROWS = 100
#: Rows. With fewer of differences, the model is linear.
MANY_ROWS = 200
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken.
FULL_ROWS = 1000
#: Rows. By so many the hyperparameters of a sparse one are searched: twenty for each inducing
#: input.
SPARSE_SEARCH_ROWS = 4000
#: Inducing inputs. The sparse Gaussian process has this many.
INDUCING = 200
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up.
AVERAGED_DRAWS = 8


# Structural models beside the one-step model

#: Probability. A model that would count less is left out.
LEAST_WEIGHT = 0.02
