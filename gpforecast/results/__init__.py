"""What a forecast returns: distributions over the horizon, on their future index.

Quantiles, samples, densities and scores of forecasts; how they are made is not known here.
"""
