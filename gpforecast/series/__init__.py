"""Series and their time axes: whether an index is regular, how it goes on, which values are rows.

No models and no transforms: only what the labels and the values of a series say.
"""
