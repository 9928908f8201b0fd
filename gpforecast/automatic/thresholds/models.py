"""Thresholds of the one-step model, its noise, and the structural models beside it."""

# The one-step model

#: Rows. With fewer, hyperparameters are averaged over: the most likely ones alone are too sure. The
#: model of fewer differences is linear, and kinds of noise are not told apart.
FEWEST_ROWS = 100
#: Rows. With more, a full Gaussian process takes too long, and a sparse one is taken, whose
#: hyperparameters are searched by four times as many.
FULL_ROWS = 1000
#: Draws. Averages are over this many hyperparameters, after as many draws to warm up.
AVERAGED_DRAWS = 8


# Structural models beside the one-step model

#: Probability. A model that would count less is left out.
LEAST_WEIGHT = 0.02
