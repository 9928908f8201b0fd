"""Thresholds of where exogenous columns enter."""

#: Rows. A trial of a model with inputs trains on no more than this. Set by input_effects.py.
INPUT_ROWS = 200
#: Factor of the CRPS. Effects beside trend and season are taken unless trials of a model with
#: inputs are better by this factor. Set by input_effects.py.
INPUT_MARGIN = 1.05
#: Factor of the CRPS. The same where lags of inputs were given, or nothing else is taken away: then
#: effects must be clearly better. Set by input_effects.py.
INPUT_MARGIN_MODEL = 0.8
#: Factor of the CRPS. Effects are those on the logarithm if trials are better by this factor with
#: it. Set by input_effects.py.
INPUT_MARGIN_LOG = 1.1
#: Factor of the CRPS. A model with inputs is taken only if its trials are at most this part of
#: those of the same model without them. Set by input_effects.py.
INPUT_HELPS = 0.9
#: Steps. So far back inputs of a model are tried where their lags are not given. Set by
#: input_effects.py.
INPUT_LAGS = (3, 8, 20)
#: Factor of the CRPS. Earlier inputs, and other lags of the series, are let in if trials with them
#: are at most this part of those with lag 0 alone. Set by input_effects.py.
INPUT_LAGS_HELP = 0.9
#: Factor of the CRPS. Earlier inputs alone speak for a model with inputs if trials with them are
#: smaller than this part of those of all other ways. Set by situations.py.
INPUT_EARLIER_HELP = 0.75
#: Inputs. That trial has no more of them by their lags. Set by situations.py.
INPUT_EARLIER_MOST = 20
#: Inputs. A model has no more of them, lags of the series included. Set by input_effects.py.
INPUT_LAGS_MOST = 50
#: Share of the steps. Where a column leaves its commonest value at no more of them, as on holidays,
#: what the series does there is its effect, and no outlier. Set by input_effects.py.
INPUT_RARE = 0.1
#: Columns. So many of a kind are named in a note. Set by input_effects.py.
INPUTS_NAMED = 6
#: Size on a logarithm. Effects are given in per cent if none is larger, a factor of 7. Set by
#: input_effects.py.
INPUT_PER_CENT = 2.0
