"""Thresholds of how inputs enter a forecast."""

#: Shares of the series. Held-out values are simulated from the first of these places by every
#: candidate, from the second by the better half, and from the others by the better half of
#: those.
INPUT_ORIGINS = ((0.8,), (0.6,), (0.5, 0.7, 0.9))
#: Steps. A simulation of them is no longer than this.
INPUT_STEPS = 100
#: Errors. The width that a model claims is worth so many independent errors of simulations.
INPUT_PRIOR_ERRORS = 0.5
#: Factor of the CRPS. Inputs that no evidence of one step speaks for enter a model if
#: simulations with them are at most this part of those by the same model without.
INPUT_HELPS = 0.65
#: Inputs. A model has no more of them, lags of the series included.
INPUT_LAGS_MOST = 50
#: Columns. So many of a kind are named in a note.
INPUTS_NAMED = 6
#: Size on a logarithm. Effects are given in per cent if none is larger, a factor of 7.
INPUT_PER_CENT = 2.0
#: Factor of the CRPS. The simplest candidate with at most this times the smallest is selected.
AS_GOOD_AS_BEST = 1.05
#: Lags. An input follows the series if so many of its last values explain it.
FEEDBACK_LAGS = 4
#: Share of an input. One that follows the series owes more than this to it.
FEEDBACK_SHARE = 0.2
#: Rows for each coefficient. With fewer, whether an input follows the series is not known.
FEEDBACK_ROWS = 4
#: Lags of the series, and of the inputs, in the model of a controlled process.
FEEDBACK_OWN, FEEDBACK_INPUTS = (1, 2, 3), (0, 1, 2, 3)
