"""What every room may use: checks of input, array types, progress bars, warnings.

Nothing in here knows of series, models or forecasts.
"""
