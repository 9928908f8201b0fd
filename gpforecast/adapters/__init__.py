"""Adapters for other libraries: each of these needs the library of its name, and only that one.

- ``gpforecast.adapters.sklearn``: one-step models as scikit-learn regressors;
- ``gpforecast.adapters.sktime``: the forecaster as an sktime forecaster;
- ``gpforecast.adapters.statsforecast``: the forecaster as a model of Nixtla's statsforecast.

Nothing here is imported by ``import gpforecast``.
"""
