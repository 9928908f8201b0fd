"""Faces for other libraries: each module needs the library it is named after, and only that one.

- ``gpforecast.adapters.sklearn``: one-step models as scikit-learn regressors;
- ``gpforecast.adapters.sktime``: the forecaster as sktime knows forecasters;
- ``gpforecast.adapters.statsforecast``: the forecaster as a model of Nixtla's statsforecast.

Nothing here is imported by ``import gpforecast``.
"""
