"""Thresholds of where exogenous columns enter."""

#: Rows. A trial of a model with inputs trains on no more than this. Set by input_effects.py.
INPUT_ROWS = 200
#: Factor of the CRPS. Effects beside trend and season are taken if their trials are at most this
#: part of those of a model with inputs. Set by input_effects.py.
INPUT_MARGIN = 0.95
#: Columns. So many of a kind are named in a note. Set by input_effects.py.
INPUTS_NAMED = 6
