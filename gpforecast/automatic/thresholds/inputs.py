"""Thresholds of how inputs enter a forecast."""

#: Errors. The width that a model claims is worth so many independent errors of simulations.
INPUT_PRIOR_ERRORS = 0.5
#: Factor of the CRPS. The simplest candidate with at most this times the smallest is selected.
AS_GOOD_AS_BEST = 1.05
#: Share of an input. One that follows the series owes more than this to it.
FEEDBACK_SHARE = 0.2
